/**
 * `sitetree completions`: scripts for bash, zsh and fish, made of the table of options.
 *
 * @module
 */

import type { Arguments } from "./arguments.ts";
import { EXIT_CODES } from "./failure.ts";
import {
  type CommandName,
  COMMANDS,
  optionsOf,
  type OptionSpec,
  type ShellName,
  SHELLS,
} from "./option_table.ts";
import { printText } from "./standard_text.ts";
import { parseChoice } from "./values.ts";
import { onlyOperand } from "./walk_settings.ts";

const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];
const TAKES_FILES = new Set(["FILE", "LOG_FILE"]);

/** Runs the command: what the process exits with. */
export async function completions(args: Arguments): Promise<number> {
  const shell = parseChoice("SHELL", onlyOperand(args, "SHELL"), SHELLS);
  await printText(SCRIPTS[shell]());
  return EXIT_CODES.complete;
}

const SCRIPTS: Readonly<Record<ShellName, () => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** What an option is written as, with its letter. */
function spellings({ name, short }: OptionSpec): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

function bashScript(): string {
  const optionCases = COMMAND_NAMES.map((command) => {
    const words = optionsOf(command).flatMap(spellings).join(" ");
    return `    ${command}) words="${words}" ;;`;
  });
  const choices = optionsOf("ls").filter(({ choices }) => choices).map((spec) => {
    const reply = `COMPREPLY=($(compgen -W "${spec.choices!.join(" ")}" -- "$current"))`;
    return `    ${spellings(spec).join("|")}) ${reply}; return ;;`;
  });
  const files = optionsOf("ls").filter(({ value }) => TAKES_FILES.has(value ?? ""));
  const filePattern = files.flatMap(spellings).join("|");
  return `# bash completion of sitetree
_sitetree() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${COMMAND_NAMES.join(" ")} --help --version" -- "$current"))
    return
  fi
  case "$previous" in
${choices.join("\n")}
    ${filePattern}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${optionCases.join("\n")}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *)
      case "\${COMP_WORDS[1]}" in
        parse) COMPREPLY=($(compgen -f -- "$current")) ;;
        completions) COMPREPLY=($(compgen -W "${SHELLS.join(" ")}" -- "$current")) ;;
      esac ;;
  esac
}
complete -F _sitetree sitetree
`;
}

function zshOption(spec: OptionSpec): string {
  const about = spec.about.replace(/[[\]:']/g, "");
  const action = spec.choices !== undefined
    ? `(${spec.choices.join(" ")})`
    : TAKES_FILES.has(spec.value ?? "")
    ? "_files"
    : "";
  const value = spec.value === undefined ? "" : `:${spec.value}:${action}`;
  const repeat = spec.many === true ? "*" : "";
  return spellings(spec).map((name) => `'${repeat}${name}[${about}]${value}'`).join(" ");
}

function zshScript(): string {
  const commands = COMMAND_NAMES.map((name) => `'${name}:${COMMANDS[name]}'`).join(" ");
  const cases = COMMAND_NAMES.map((command) => {
    const options = optionsOf(command).map(zshOption).join(" \\\n      ");
    const operand = command === "parse"
      ? "'*:file:_files'"
      : command === "completions"
      ? `'*:shell:(${SHELLS.join(" ")})'`
      : "'*:URL:_urls'";
    return `    ${command}) _arguments \\\n      ${options} \\\n      ${operand} ;;`;
  });
  return `#compdef sitetree
_sitetree() {
  local -a commands=(${commands})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
compdef _sitetree sitetree
`;
}

function fishScript(): string {
  const lines = ["# fish completion of sitetree", "complete -c sitetree -f"];
  for (const name of COMMAND_NAMES) {
    lines.push(`complete -c sitetree -n __fish_use_subcommand -a ${name} -d '${COMMANDS[name]}'`);
    const condition = `-n '__fish_seen_subcommand_from ${name}'`;
    for (const { name: option, short, value, choices, about } of optionsOf(name)) {
      const letter = short === undefined ? "" : ` -s ${short}`;
      const words = choices === undefined ? "" : ` -a '${choices.join(" ")}'`;
      const takes = value === undefined ? "" : TAKES_FILES.has(value) ? " -r -F" : ` -x${words}`;
      lines.push(
        `complete -c sitetree ${condition} -l ${option}${letter}${takes} -d '${
          about.replaceAll("'", "\\'")
        }'`,
      );
    }
  }
  lines.push("complete -c sitetree -n '__fish_seen_subcommand_from parse' -F");
  const shells = SHELLS.join(" ");
  lines.push(`complete -c sitetree -n '__fish_seen_subcommand_from completions' -a '${shells}'`);
  return lines.join("\n") + "\n";
}
