/**
 * `sitetree completions`: scripts for bash, zsh and fish, and the proposals that they ask for, from
 * the table of commands and options.
 *
 * @module
 */

import type { Arguments } from "./arguments.ts";
import {
  type CommandName,
  COMMANDS,
  isParent,
  lastWord,
  namesBelow,
  type ParentName,
} from "./commands.ts";
import { EXIT_CODES, UsageError } from "./failure.ts";
import { GLOBAL_OPTIONS, isOptional, optionsOf, type OptionSpec } from "./options.ts";
import { printText } from "./run/print.ts";

export async function completions(args: Arguments): Promise<number> {
  const [shell] = args.operands as [string];
  const script = SCRIPTS.get(shell);
  if (script === undefined) {
    const shells = [...SCRIPTS.keys()].join(", ");
    throw new UsageError(`Unknown shell "${shell}": expected one of ${shells}`);
  }
  await printText(script);
  return EXIT_CODES.complete;
}

type Proposal = readonly [word: string, about: string];

/** Line that makes the shell propose files. */
const FILES = ":files";
/** Line after which the shell adds no space to a proposal, since a list may continue. */
const NO_SPACE = ":nospace";
const FILE_VALUES: readonly string[] = ["FILE", "LOG_FILE", "DIR"];

/**
 * Returns what a shell proposes for the last of the words after `sitetree`, as `__complete` prints
 * it: lines of a word, a tab and its description, {@linkcode FILES} or {@linkcode NO_SPACE}.
 */
export function proposals(words: readonly string[]): string[] {
  const current = words.at(-1) ?? "";
  const isHelp = words.length > 1 && words[0] === "help";
  const before = words.slice(isHelp ? 1 : 0, -1);
  const [first, second] = before;
  const parent = first !== undefined && isParent(first) ? first : undefined;
  if (first === undefined || parent !== undefined && second === undefined) {
    const [help, ...others] = GLOBAL_OPTIONS.map(optionProposals);
    const options = [...help!, ...(parent === undefined ? others.flat() : [])];
    const top: Proposal[] = parent === undefined ? [["help", "print help"]] : [];
    const more = isHelp ? [] : [...top, ...options];
    return matching(current, [...namesBelow(parent).map(commandProposal), ...more]);
  }
  const command = parent === undefined ? first : `${first} ${second}`;
  if (isHelp || !Object.hasOwn(COMMANDS, command)) return [];
  const rest = before.slice(parent === undefined ? 1 : 2);
  return argumentProposals(command as CommandName, rest, current);
}

function commandProposal(name: CommandName | ParentName): Proposal {
  return [lastWord(name), COMMANDS[name].summary];
}

function spellings({ name, short }: Pick<OptionSpec, "name" | "short">): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

function optionProposals(spec: Pick<OptionSpec, "name" | "short" | "about">): Proposal[] {
  return spellings(spec).map((word) => [word, spec.about]);
}

function matching(start: string, all: readonly Proposal[]): string[] {
  return all.filter(([word]) => word.startsWith(start)).map((proposal) => proposal.join("\t"));
}

function argumentProposals(
  command: CommandName,
  before: readonly string[],
  current: string,
): string[] {
  const specs = optionsOf(command);
  const withValue = (word: string) =>
    specs.find((spec) =>
      spec.value !== undefined && !isOptional(spec) && spellings(spec).includes(word)
    );
  // bash splits `--format=csv` into three words
  const previous = before.at(-1) === "=" ? before.at(-2) : before.at(-1);
  const option = withValue(previous ?? "");
  if (option !== undefined) return valueProposals(option, "", current === "=" ? "" : current);
  if (!current.startsWith("-")) return operandProposals(command, current);
  for (const start of gluedStarts(current)) {
    const name = start.endsWith("=") ? start.slice(0, -1) : `-${start.at(-1)}`;
    const spec = withValue(name);
    if (spec !== undefined) return valueProposals(spec, start, current.slice(start.length));
  }
  const given = before.map((word) => word.replace(/=.*/s, ""));
  const left = specs.filter((spec) =>
    spec.many || !spellings(spec).some((word) => given.includes(word))
  );
  return matching(current, left.flatMap(optionProposals));
}

/** Returns the parts of a word before which a value may begin: `--format=`, or `-u` and `-uf`. */
function gluedStarts(word: string): string[] {
  if (word.startsWith("--")) return word.includes("=") ? [word.replace(/=.*/s, "=")] : [];
  return Array.from({ length: word.length - 2 }, (_, at) => word.slice(0, at + 2));
}

function operandProposals(command: CommandName, current: string): string[] {
  const { operands } = COMMANDS[command];
  if (operands === "SHELL") {
    return matching(current, [...SCRIPTS.keys()].map((name) => [name, "shell"]));
  }
  return /SITE|FILE|SNAPSHOT/.test(operands) ? [FILES] : [];
}

function valueProposals(
  { value = "", items, words: listed, choices = {} }: OptionSpec,
  start: string,
  text: string,
): string[] {
  if (FILE_VALUES.includes(value)) return [FILES];
  const before = items === undefined ? start : start + text.slice(0, text.lastIndexOf(",") + 1);
  const words = Object.entries(items ?? listed ?? choices).map(([word, about]) =>
    [before + word, about] as const
  );
  return [...(items === undefined ? [] : [NO_SPACE]), ...matching(start + text, words)];
}

/** For bash 3.2 and later. */
const BASH = `# bash completion of sitetree
_sitetree() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  # bash splits --output=FILE into three words
  [ "$current" = "=" ] && current=""
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files)
        local IFS=$'\\n'
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$current")) ;;
      :nospace) compopt -o nospace 2>/dev/null ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(sitetree __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _sitetree sitetree
`;

/** To source after `compinit`, or to keep as `_sitetree` in `fpath`. */
const ZSH = `#compdef sitetree
# zsh completion of sitetree
_sitetree() {
  local line
  local -a proposals space
  for line in "\${(@f)$(sitetree __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :files)
        compset -P '-*='
        _files
        return ;;
      :nospace) space=(-S '') ;;
      ?*) proposals+=("\${line/$'\\t'/:}") ;;
    esac
  done
  _describe sitetree proposals "\${space[@]}"
}
# Autoloaded from fpath, this file is the body of the function
if [[ "\${funcstack[1]}" == _sitetree ]]; then
  _sitetree "$@"
else
  compdef _sitetree sitetree
fi
`;

const FISH = `# fish completion of sitetree
function __sitetree_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (sitetree __complete $words[2..] 2>/dev/null)
        switch $line
            case :files
                set -l option (string match -r -- '^--[^=]*=' $words[-1])
                string replace -r '^' -- "$option" (__fish_complete_path (string replace -- "$option" '' $words[-1]))
            case :nospace
            case '*'
                echo $line
        end
    end
end
complete -c sitetree -f -a '(__sitetree_complete)'
`;

/** The scripts by shell. Each passes the words up to the cursor to `sitetree __complete`. */
const SCRIPTS: ReadonlyMap<string, string> = new Map([["bash", BASH], ["zsh", ZSH], [
  "fish",
  FISH,
]]);
