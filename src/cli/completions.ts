/**
 * `sitetree completions`: completion scripts for bash, zsh and fish, from the table of commands and
 * options.
 *
 * @module
 */

import type { Arguments } from "./arguments.ts";
import {
  childrenOf,
  COMMAND_NAMES,
  type CommandName,
  COMMANDS,
  FIRST_WORDS,
  isParent,
  lastWord,
  type Operands,
  type ParentName,
  PARENTS,
} from "./commands.ts";
import { EXIT_CODES, UsageError } from "./failure.ts";
import {
  GLOBAL_OPTIONS,
  OPTIONS,
  optionsOf,
  type OptionSpec,
  type ShellName,
  SHELLS,
} from "./options.ts";
import { printText } from "./output.ts";

const SCRIPTS: Readonly<Record<ShellName, () => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
};

/** Runs the command. Returns the exit code. */
export async function completions(args: Arguments): Promise<number> {
  const [shell, unexpected] = args.operands;
  if (shell === undefined) {
    throw new UsageError("Missing operand", 'try "sitetree completions bash"');
  }
  if (unexpected !== undefined) throw new UsageError(`Unexpected operand "${unexpected}"`);
  if (!Object.hasOwn(SCRIPTS, shell)) {
    throw new UsageError(`Unknown shell "${shell}": expected one of ${SHELLS.join(", ")}`);
  }
  await printText(SCRIPTS[shell as ShellName]());
  return EXIT_CODES.complete;
}

const FILE_VALUES: readonly string[] = ["FILE", "LOG_FILE", "DIR"];
const FILE_COMMANDS = COMMAND_NAMES.filter((name) => /SITE|FILE/.test(COMMANDS[name].operands));

const PARENT_NAMES = FIRST_WORDS.filter(isParent);

function summaryOf(name: CommandName | ParentName): string {
  return (isParent(name) ? PARENTS[name] : COMMANDS[name]).summary;
}

function takesFile({ value = "" }: OptionSpec): boolean {
  return FILE_VALUES.includes(value);
}

/** Returns the names of an option with their dashes. */
function spellings({ name, short }: Pick<OptionSpec, "name" | "short">): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

/** Returns a text in single quotes, for any of the shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the script for bash 3.2 and later. */
function bashCompletions(): string {
  const commands = FIRST_WORDS.join(" ");
  const first = [commands, "help", ...GLOBAL_OPTIONS.flatMap(spellings)].join(" ");
  const optionCases = COMMAND_NAMES.map((command) => {
    const words = optionsOf(command).flatMap(spellings).join(" ");
    return `    "${command}") words="${words}" ;;`;
  });
  const childCases = PARENT_NAMES.map((parent) => {
    const words = [...childrenOf(parent).map(lastWord), "--help", "-h"].join(" ");
    return `    "2 ${parent} "*|"3 help ${parent}")
      COMPREPLY=($(compgen -W "${words}" -- "$current"))
      return ;;`;
  });
  return `# bash completion of sitetree
_sitetree() {
  local IFS=$' \\t\\n' words="" at=$((COMP_CWORD - 1))
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[at]}"
  # bash splits --format=csv into three words
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous="\${COMP_WORDS[at - 1]}"
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${first}" -- "$current"))
    return
  fi
  local command="\${COMP_WORDS[1]}"
  case "$COMP_CWORD $command \${COMP_WORDS[2]}" in
${childCases.join("\n")}
  esac
  case "$command" in
    ${PARENT_NAMES.join("|")}) command="$command \${COMP_WORDS[2]}" ;;
  esac
  case "$command $previous" in
${valueCases().join("\n")}
  esac
  case "$command" in
${optionCases.join("\n")}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *)
      case "$command" in
        ${FILE_COMMANDS.map((name) => `"${name}"`).join("|")}) _sitetree_files "$current" ;;
        help) COMPREPLY=($(compgen -W "${commands}" -- "$current")) ;;
        completions) COMPREPLY=($(compgen -W "${SHELLS.join(" ")}" -- "$current")) ;;
      esac ;;
  esac
}
# Names may contain spaces
_sitetree_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$1"))
}
# Completes the last of comma-separated words
_sitetree_list() {
  local before=""
  case "$1" in *,*) before="\${1%,*}," ;; esac
  compopt -o nospace 2>/dev/null
  COMPREPLY=($(compgen -P "$before" -W "$2" -- "\${1##*,}"))
}
complete -F _sitetree sitetree
`;
}

/** Returns the cases of options with a value. */
function valueCases(): string[] {
  const specs = OPTIONS.filter(({ value }) => value !== undefined);
  return specs.map((spec) => `    ${patterns(spec).join("|")}) ${commandFor(spec)}return ;;`);
}

/** Returns patterns of command and option; the command matters only if the option has two rows. */
function patterns(spec: OptionSpec): string[] {
  const isShared = OPTIONS.some((other) => other !== spec && other.name === spec.name);
  const starts = isShared ? spec.commands.map((command) => `"${command} `) : ['*" '];
  return starts.flatMap((start) => spellings(spec).map((word) => `${start}${word}"`));
}

/** Returns the shell command that completes the value of an option; empty for a free text. */
function commandFor(spec: OptionSpec): string {
  if (takesFile(spec)) return '_sitetree_files "$current"; ';
  if (spec.items !== undefined) return `_sitetree_list "$current" "${spec.items.join(" ")}"; `;
  if (spec.choices === undefined) return "";
  return `COMPREPLY=($(compgen -W "${Object.keys(spec.choices).join(" ")}" -- "$current")); `;
}

const COMPLETE = "complete -c sitetree";

/** Returns the script for fish. */
function fishCompletions(): string {
  const lines = [
    "# fish completion of sitetree",
    "function __sitetree_command",
    "    set -l words (commandline -opc)",
    `    if contains -- "$words[2]" ${PARENT_NAMES.join(" ")}`,
    '        test "$words[2..3]" = "$argv"',
    "    else",
    '        test "$words[2]" = "$argv"',
    "    end",
    "end",
    "function __sitetree_below",
    "    set -l words (commandline -opc)",
    '    test "$words[2..]" = "$argv"',
    "end",
    "function __sitetree_no_command",
    "    test (count (commandline -opc)) -eq 1",
    "end",
    `${COMPLETE} -f`,
  ];
  for (const { name, short, about } of GLOBAL_OPTIONS) {
    lines.push(`${COMPLETE} -n __sitetree_no_command -l ${name} -s ${short} -d ${quoted(about)}`);
  }
  for (const name of FIRST_WORDS) {
    const about = quoted(summaryOf(name));
    lines.push(`${COMPLETE} -n __sitetree_no_command -a ${name} -d ${about}`);
    lines.push(`${COMPLETE} -n '__sitetree_below help' -a ${name} -d ${about}`);
  }
  for (const parent of PARENT_NAMES) {
    for (const words of [parent, `help ${parent}`]) {
      for (const name of childrenOf(parent)) {
        const about = quoted(COMMANDS[name].summary);
        lines.push(`${COMPLETE} -n '__sitetree_below ${words}' -a ${lastWord(name)} -d ${about}`);
      }
    }
  }
  for (const name of COMMAND_NAMES) {
    for (const spec of optionsOf(name)) {
      lines.push(`${COMPLETE} -n '__sitetree_command ${name}' ${optionArguments(spec)}`);
    }
  }
  for (const name of FILE_COMMANDS) {
    lines.push(`${COMPLETE} -n '__sitetree_command ${name}' -F`);
  }
  lines.push(`${COMPLETE} -n '__sitetree_command completions' -a ${quoted(SHELLS.join(" "))}`);
  return lines.join("\n") + "\n";
}

function optionArguments(spec: OptionSpec): string {
  const letter = spec.short === undefined ? "" : ` -s ${spec.short}`;
  return `-l ${spec.name}${letter}${valueArguments(spec)} -d ${quoted(spec.about)}`;
}

function valueArguments(spec: OptionSpec): string {
  if (spec.value === undefined) return "";
  if (takesFile(spec)) return " -r -F";
  if (spec.items !== undefined) return ` -x -a '(__fish_append , ${spec.items.join(" ")})'`;
  if (spec.choices === undefined) return " -x";
  const choices = Object.entries(spec.choices).map(([word, about]) => `${word}\\t"${about}"`);
  return ` -x -a ${quoted(choices.join(" "))}`;
}

const ZSH_OPERANDS: Readonly<Record<Operands, readonly string[]>> = {
  "SITE...": [quoted("*:site:_alternative 'urls:URL:_urls' 'files:file:_files'")],
  "SITE... FILE": [quoted("*:site or file:_alternative 'urls:URL:_urls' 'files:file:_files'")],
  "FILE...": [quoted("*:file:_files")],
  "FILE": [quoted("1:file:_files")],
  "RUN FILE": [quoted("1:run: "), quoted("2:file:_files")],
  "RUN": [quoted("1:run: ")],
  "[RUN]": [quoted("1:run: ")],
  "SHELL": [quoted(`1:shell:(${SHELLS.join(" ")})`)],
  "": [],
};

/** Returns the script for zsh, to source after `compinit` or to keep as `_sitetree` in `fpath`. */
function zshCompletions(): string {
  const commands = FIRST_WORDS.map((name) => quoted(`${name}:${summaryOf(name)}`));
  const children = PARENT_NAMES.map((parent) => {
    const specs = childrenOf(parent).map((name) =>
      quoted(`${lastWord(name)}:${COMMANDS[name].summary}`)
    );
    return `  local -a ${parent}=(\n    ${specs.join("\n    ")}\n  )`;
  });
  const cases = COMMAND_NAMES.map((command) => {
    const operands = ZSH_OPERANDS[COMMANDS[command].operands];
    const specs = [...optionsOf(command).flatMap(argumentSpecs), ...operands];
    return `    "${command}") _arguments -s ${
      specs.map((spec) => `\\\n      ${spec}`).join(" ")
    } ;;`;
  });
  const globals = GLOBAL_OPTIONS.flatMap((option) =>
    spellings(option).map((name) => quoted(`${name}:${option.about}`))
  );
  return `#compdef sitetree
# zsh completion of sitetree
_sitetree() {
  local -a commands=(
    ${commands.join("\n    ")}
  )
${children.join("\n")}
  local -a options=(${globals.join(" ")})
  if (( CURRENT == 2 )); then
    _describe command commands
    _describe -o option options
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
    ${PARENT_NAMES.join("|")})
      if (( CURRENT == 2 )); then
        _describe command "$command"
        return
      fi
      command="$command \${words[2]}"
      shift words
      (( CURRENT-- )) ;;
  esac
  case "$command" in
${cases.join("\n")}
    help)
      if (( CURRENT == 2 )); then
        _describe command commands
      elif (( CURRENT == 3 )); then
        case "\${words[2]}" in
          ${PARENT_NAMES.join("|")}) _describe command "\${words[2]}" ;;
        esac
      fi ;;
  esac
}
# Autoloaded from fpath, this file is the body of the function
if [[ "\${funcstack[1]}" == _sitetree ]]; then
  _sitetree "$@"
else
  compdef _sitetree sitetree
fi
`;
}

/** Returns the specifications of an option, one for each spelling. */
function argumentSpecs(spec: OptionSpec): string[] {
  const names = spellings(spec);
  const excluded = spec.many ? "*" : names.length > 1 ? `(${names.join(" ")})` : "";
  const value = spec.value === undefined ? "" : `:${spec.value}:${actionOf(spec)}`;
  return names.map((name) => {
    // `--format=csv` and `-fcsv`
    const glue = spec.value === undefined ? "" : name.startsWith("--") ? "=" : "+";
    return quoted(`${excluded}${name}${glue}[${escaped(spec.about)}]${value}`);
  });
}

function actionOf(spec: OptionSpec): string {
  if (takesFile(spec)) return "_files";
  if (spec.items !== undefined) return `_values -s , column ${spec.items.join(" ")}`;
  if (spec.choices === undefined) return " ";
  const choices = Object.entries(spec.choices).map(([word, about]) =>
    `${word}\\:"${about.replaceAll(":", "")}"`
  );
  return `((${choices.join(" ")}))`;
}

function escaped(text: string): string {
  return text.replace(/[[\]:\\]/g, "\\$&");
}
