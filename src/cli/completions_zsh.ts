/**
 * Completions for zsh, to be sourced after `compinit` or kept as `_sitetree` in a folder of `fpath`.
 *
 * @module
 */

import { COMMAND_NAMES, GLOBAL_OPTIONS, quoted, spellings, takesFile } from "./completion_words.ts";
import { type CommandName, COMMANDS, optionsOf, type OptionSpec, SHELLS } from "./option_table.ts";

/** The script. */
export function zshCompletions(): string {
  const commands = COMMAND_NAMES.map((name) => quoted(`${name}:${COMMANDS[name]}`));
  const cases = COMMAND_NAMES.map((command) => {
    const specs = [...optionsOf(command).flatMap(argumentSpecs), ...operandSpecs(command)];
    return `    ${command}) _arguments -s ${specs.map((spec) => `\\\n      ${spec}`).join(" ")} ;;`;
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
${cases.join("\n")}
    help) (( CURRENT == 2 )) && _describe command commands ;;
  esac
}
# Loaded by its name, this file is the body of the function.
if [[ "\${funcstack[1]}" == _sitetree ]]; then
  _sitetree "$@"
else
  compdef _sitetree sitetree
fi
`;
}

/** The spellings of an option, each of which rules out the others. */
function argumentSpecs(spec: OptionSpec): string[] {
  const names = spellings(spec);
  const excluded = spec.many ? "*" : names.length > 1 ? `(${names.join(" ")})` : "";
  const value = spec.value === undefined ? "" : `:${spec.value}:${actionOf(spec)}`;
  return names.map((name) => {
    // Whether a value may be glued to it: `--format=csv`, `-fcsv`.
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

function operandSpecs(command: CommandName): string[] {
  switch (command) {
    case "ls":
    case "stats":
      return [quoted("*:site:_alternative 'urls:URL:_urls' 'files:file:_files'")];
    case "parse":
    case "replay":
      return [quoted("*:file:_files")];
    case "completions":
      return [quoted(`1:shell:(${SHELLS.join(" ")})`)];
    case "demo":
      return [];
  }
}

function escaped(text: string): string {
  return text.replace(/[[\]:\\]/g, "\\$&");
}
