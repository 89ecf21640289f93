/**
 * Completions for fish.
 *
 * @module
 */

import { COMMAND_NAMES, GLOBAL_OPTIONS, quoted, takesFile } from "./completion_words.ts";
import { COMMANDS, optionsOf, type OptionSpec, SHELLS } from "./option_table.ts";

const COMPLETE = "complete -c sitetree";

/** The script. */
export function fishCompletions(): string {
  const lines = [
    "# fish completion of sitetree",
    "function __sitetree_command",
    "    set -l words (commandline -opc)",
    '    test "$words[2]" = "$argv[1]"',
    "end",
    "function __sitetree_no_command",
    "    test (count (commandline -opc)) -eq 1",
    "end",
    `${COMPLETE} -f`,
  ];
  for (const { name, short, about } of GLOBAL_OPTIONS) {
    lines.push(`${COMPLETE} -n __sitetree_no_command -l ${name} -s ${short} -d ${quoted(about)}`);
  }
  for (const name of COMMAND_NAMES) {
    const about = quoted(COMMANDS[name]);
    lines.push(`${COMPLETE} -n __sitetree_no_command -a ${name} -d ${about}`);
    lines.push(`${COMPLETE} -n '__sitetree_command help' -a ${name} -d ${about}`);
    for (const spec of optionsOf(name)) {
      lines.push(`${COMPLETE} -n '__sitetree_command ${name}' ${optionArguments(spec)}`);
    }
  }
  for (const name of ["ls", "stats", "parse", "replay"]) {
    lines.push(`${COMPLETE} -n '__sitetree_command ${name}' -F`);
  }
  lines.push(
    `${COMPLETE} -n '__sitetree_command completions' -a ${quoted(SHELLS.join(" "))}`,
  );
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
