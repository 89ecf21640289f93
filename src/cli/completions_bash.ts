/**
 * Completions for bash, from 3.2 on.
 *
 * @module
 */

import { COMMAND_NAMES, GLOBAL_OPTIONS, spellings, takesFile } from "./completion_words.ts";
import { OPTIONS, optionsOf, type OptionSpec, SHELLS } from "./option_table.ts";

/** The script. */
export function bashCompletions(): string {
  const commands = COMMAND_NAMES.join(" ");
  const first = [commands, "help", ...GLOBAL_OPTIONS.flatMap(spellings)].join(" ");
  const optionCases = COMMAND_NAMES.map((command) => {
    const words = optionsOf(command).flatMap(spellings).join(" ");
    return `    ${command}) words="${words}" ;;`;
  });
  return `# bash completion of sitetree
_sitetree() {
  local IFS=$' \\t\\n' words="" at=$((COMP_CWORD - 1))
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[at]}"
  # bash takes --format=csv apart, into three words.
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous="\${COMP_WORDS[at - 1]}"
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${first}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]} $previous" in
${valueCases().join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${optionCases.join("\n")}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *)
      case "\${COMP_WORDS[1]}" in
        ls|stats|parse|replay) _sitetree_files "$current" ;;
        help) COMPREPLY=($(compgen -W "${commands}" -- "$current")) ;;
        completions) COMPREPLY=($(compgen -W "${SHELLS.join(" ")}" -- "$current")) ;;
      esac ;;
  esac
}
# Names may have spaces.
_sitetree_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$1"))
}
# Words by comma: the last one is completed.
_sitetree_list() {
  local before=""
  case "$1" in *,*) before="\${1%,*}," ;; esac
  compopt -o nospace 2>/dev/null
  COMPREPLY=($(compgen -P "$before" -W "$2" -- "\${1##*,}"))
}
complete -F _sitetree sitetree
`;
}

/** Returns the cases of options that have a value. */
function valueCases(): string[] {
  const specs = OPTIONS.filter(({ value }) => value !== undefined);
  const known = specs.filter((spec) => commandFor(spec) !== undefined);
  const others = specs.filter((spec) => commandFor(spec) === undefined).flatMap(patterns);
  return [
    ...known.map((spec) => `    ${patterns(spec).join("|")}) ${commandFor(spec)}; return ;;`),
    `    ${others.join("|")}) return ;;`,
  ];
}

/** Returns patterns of a command and an option; any command, unless they differ in the option. */
function patterns(spec: OptionSpec): string[] {
  const isShared = OPTIONS.some((other) => other !== spec && other.name === spec.name);
  const commands = isShared ? spec.commands : ["*"];
  return commands.flatMap((command) => spellings(spec).map((word) => `${command}" ${word}"`));
}

/** Returns the shell command that completes the value of an option, if there is one. */
function commandFor(spec: OptionSpec): string | undefined {
  if (takesFile(spec)) return '_sitetree_files "$current"';
  if (spec.items !== undefined) return `_sitetree_list "$current" "${spec.items.join(" ")}"`;
  if (spec.choices === undefined) return undefined;
  return `COMPREPLY=($(compgen -W "${Object.keys(spec.choices).join(" ")}" -- "$current"))`;
}
