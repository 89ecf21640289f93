import { VERSION } from "../data/version.ts";
import {
  type CommandName,
  COMMANDS,
  isParent,
  lastWord,
  namesBelow,
  type ParentName,
  withoutComment,
} from "./commands.ts";
import { GLOBAL_OPTIONS, optionsOf, type OptionSpec } from "./options.ts";
import { hanging, wrap } from "../write/layout.ts";

/** Returns the words of a value that are too many for the help of a command. */
export function itemsHelp({ items = {} }: OptionSpec, width: number): string {
  const rows = Object.entries(items).filter(([name]) => name !== "help" && name !== "all");
  const at = 2 + Math.max(...rows.map(([name]) => name.length));
  const lines = rows.flatMap(([name, about]) => hanging(name, about, at, width));
  return lines.map((line) => `${line}\n`).join("");
}

/** What it is for, in a line. */
export const ABOUT = "every sitemap of a website, and every page in them";

const MAX_WIDTH = 80;
/** Column at which descriptions begin. */
const INDENT = 27;
const OVERVIEW_INDENT = 24;

export const NOTATIONS: readonly string[] = [
  "TIME is 500ms, 10s, 2m, 1h or 7d",
  "SIZE is 500KB or 10MiB",
  "DATE is 2024-05-01, yesterday, 12h, 7d, 2w, 3mo or 1y",
  "REGEX is a JavaScript regular expression",
];

/** Lines to copy are not broken. */
export function helpText(command?: CommandName | ParentName, width: number = MAX_WIDTH): string {
  const columns = Math.min(width, MAX_WIDTH);
  if (command === undefined) return overview(columns);
  return isParent(command) ? parentHelp(command, columns) : commandHelp(command, columns);
}

function overviewLines(head: string, about: string, width: number): string[] {
  return hanging(`  ${head}`, about, OVERVIEW_INDENT, width);
}

function commandLines(name: CommandName | ParentName, width: number): string[] {
  const { operands, summary } = COMMANDS[name];
  return overviewLines(`${lastWord(name)} ${operands.replace("...", "")}`, summary, width);
}

function overview(width: number): string {
  return [
    ...wrap(`sitetree ${VERSION}: ${ABOUT}`, width),
    ...wrap('Usage: sitetree COMMAND [options] [operands], as in "sitetree ls example.com"', width),
    "",
    ...namesBelow().flatMap((name) => commandLines(name, width)),
    "",
    ...GLOBAL_OPTIONS.flatMap(({ name, short, about }) =>
      overviewLines(`${short === undefined ? "    " : `-${short}, `}--${name}`, about, width)
    ),
    ...wrap("Exit codes: 0 complete, 1 failed, 2 usage, 3 partial, 4 none, 5 blocked", width),
    "",
  ].join("\n");
}

function parentHelp(parent: ParentName, width: number): string {
  const { about, examples } = COMMANDS[parent];
  return [
    ...wrap(`Usage: sitetree ${parent} COMMAND [options] [operands]`, width),
    ...wrap(about, width),
    "",
    ...namesBelow(parent).flatMap((name) => commandLines(name, width)),
    "",
    ...wrap(`"sitetree ${namesBelow(parent)[0]} --help" lists the options of a command.`, width),
    "",
    ...exampleLines(examples, width),
    "",
  ].join("\n");
}

function commandHelp(command: CommandName, width: number): string {
  const { operands, about, examples } = COMMANDS[command];
  const specs = optionsOf(command);
  const lines = [
    ...wrap(`Usage: sitetree ${command} [options] ${operands}`.trimEnd(), width),
    ...wrap(about, width),
  ];
  for (const group of new Set(specs.map((spec) => spec.group))) {
    const members = specs.filter((spec) => spec.group === group);
    lines.push("", `${group}:`, ...members.flatMap((spec) => optionLines(spec, width)));
  }
  const values = specs.map(({ value = "" }) => value).join(" ");
  const notations = NOTATIONS.filter((text) => values.includes(text.split(" ")[0]!));
  const hasFlags = specs.some(({ name, value }) => value === undefined && name !== "help");
  const notes = [
    ...(notations.length > 0 ? [`${notations.join("; ")}.`] : []),
    ...(hasFlags ? ["Options without a value are off by default."] : []),
  ];
  if (notes.length > 0) lines.push("", ...wrap(notes.join(" "), width));
  if (examples.length > 0) lines.push("", ...exampleLines(examples, width));
  return `${lines.join("\n")}\n`;
}

function exampleLines(examples: readonly string[], width: number): string[] {
  return examples.map((example) => `  ${example}`)
    .map((line) => line.length <= width ? line : withoutComment(line));
}

function optionLines(spec: OptionSpec, width: number): string[] {
  const { name, short, value, about, choices, default: usual } = spec;
  const letter = short === undefined ? "    " : `-${short}, `;
  const head = `  ${letter}--${name}${value === undefined ? "" : ` ${value}`}`;
  const words = choices === undefined ? "" : `: ${Object.keys(choices).join(", ")}`;
  const end = usual === undefined ? "" : `; default: ${usual}`;
  return hanging(head, about + words + end, INDENT, width);
}
