/**
 * Help texts, from the table of commands and options.
 *
 * @module
 */

import { VERSION } from "../data/version.ts";
import { runtimeName } from "../platform/host.ts";
import { LIST_COLUMNS } from "./columns.ts";
import {
  type CommandName,
  COMMANDS,
  FIRST_WORDS,
  FLEET_NAMES,
  isParent,
  lastWord,
  type ParentName,
} from "./commands.ts";
import { GLOBAL_OPTIONS, optionsOf, type OptionSpec } from "./options.ts";
import { table, wrap } from "./terminal.ts";

/** Returns the names of all columns with their descriptions, one per line. */
export function columnsHelp(): string {
  return table(LIST_COLUMNS.map(({ name, about }) => [name, about]));
}

const WIDTH = 80;
/** Column at which descriptions begin. */
const INDENT = 27;

const NOTATIONS: readonly string[] = [
  "TIME is 500ms, 10s, 2m, 1h or 7d",
  "SIZE is 500KB or 10MiB",
  "DATE is 2024-05-01, yesterday, 12h, 7d, 2w, 3mo or 1y",
  "REGEX is a JavaScript regular expression",
];

export function helpText(command?: CommandName | ParentName): string {
  if (command === undefined) return overview();
  return isParent(command) ? parentHelp(command) : commandHelp(command);
}

function overviewLine(head: string, about: string): string {
  return `  ${head.padEnd(22)}${about}`;
}

function commandLine(name: CommandName | ParentName): string {
  const { operands, summary } = COMMANDS[name];
  return overviewLine(`${lastWord(name)} ${operands.replace("...", "")}`, summary);
}

function overview(): string {
  const commands = FIRST_WORDS.map(commandLine);
  const options = GLOBAL_OPTIONS.map(({ name, short, about }) =>
    overviewLine(`-${short}, --${name}`, about)
  );
  return `sitetree ${VERSION}: every sitemap of a website, and every page in them
Usage: sitetree COMMAND [options] [operands], as in "sitetree ls example.com"

${commands.join("\n")}

${options.join("\n")}
Exit codes: 0 complete, 1 failed, 2 usage, 3 partial, 4 none, 5 blocked
`;
}

function parentHelp(parent: ParentName): string {
  const { about, examples } = COMMANDS[parent];
  return [
    `Usage: sitetree ${parent} COMMAND [options] [operands]`,
    ...wrap(about, WIDTH),
    "",
    ...FLEET_NAMES.map(commandLine),
    "",
    `"sitetree ${FLEET_NAMES[0]} --help" lists the options of a command.`,
    "",
    ...examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

function commandHelp(command: CommandName): string {
  const { operands, about, examples } = COMMANDS[command];
  const specs = optionsOf(command);
  const lines = [
    `Usage: sitetree ${command} [options] ${operands}`.trimEnd(),
    ...wrap(about, WIDTH),
  ];
  for (const group of new Set(specs.map((spec) => spec.group))) {
    const members = specs.filter((spec) => spec.group === group);
    lines.push("", `${group}:`, ...members.flatMap(optionLines));
  }
  const values = specs.map(({ value = "" }) => value).join(" ");
  const notations = NOTATIONS.filter((text) => values.includes(text.split(" ")[0]!));
  const hasFlags = specs.some(({ name, value }) => value === undefined && name !== "help");
  const notes = [
    ...(notations.length > 0 ? [`${notations.join("; ")}.`] : []),
    ...(hasFlags ? ["Options without a value are off by default."] : []),
  ];
  if (notes.length > 0) lines.push("", ...wrap(notes.join(" "), WIDTH));
  if (examples.length > 0) lines.push("", ...examples.map((example) => `  ${example}`));
  return `${lines.join("\n")}\n`;
}

function optionLines(spec: OptionSpec): string[] {
  const { name, short, value, about, choices, default: usual } = spec;
  const letter = short === undefined ? "    " : `-${short}, `;
  const head = `  ${letter}--${name}${value === undefined ? "" : ` ${value}`}`;
  const words = choices === undefined ? "" : `: ${Object.keys(choices).join(", ")}`;
  const end = usual === undefined ? "" : `; default: ${usual}`;
  const lines = wrap(about + words + end, WIDTH - INDENT).map((line) => " ".repeat(INDENT) + line);
  if (head.length >= INDENT - 1) return [head, ...lines];
  return [head.padEnd(INDENT) + lines[0]!.trimStart(), ...lines.slice(1)];
}

/** Returns a text such as `sitetree 1.2.3 (Deno 2.9.5, linux arm64)`. */
export function versionText(): string {
  return `sitetree ${VERSION} (${runtimeName()})\n`;
}
