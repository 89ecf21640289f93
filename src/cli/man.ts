/**
 * `sitetree --man`: the manual page, as roff with the macros of `man`, from the tables of commands and
 * options.
 *
 * @module
 */

import { VERSION } from "../data/version.ts";
import {
  ALL_NAMES,
  COMMAND_NAMES,
  type CommandName,
  COMMANDS,
  isParent,
  type ParentName,
} from "./commands.ts";
import { ABOUT, NOTATIONS } from "./help.ts";
import { GLOBAL_OPTIONS, OPTIONS, optionsOf, type OptionSpec } from "./options.ts";
import { EXIT_CODES } from "./failure.ts";

type Exit = keyof typeof EXIT_CODES;

type Row = readonly [term: string, text: string];

const EXITS: Readonly<Record<Exit, string>> = {
  complete: "complete, or limited by the user only",
  failure: "failed, such as a missing permission or a file that cannot be written",
  usage: "wrong usage",
  partial: "partial: not everything could be read",
  none: "no sitemap was found",
  blocked: "blocked: nothing could be read, or the site cannot be connected to",
  changes: "with --exit-code: there are changes, or differences",
  findings: "check: there are findings as serious as --fail-on",
  interrupted: "interrupted by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP",
};

const ENVIRONMENT: readonly Row[] = [
  ["HTTP_PROXY, HTTPS_PROXY, ALL_PROXY", "proxies of requests, unless --proxy is given"],
  ["NO_PROXY", "hosts that are contacted directly, separated by commas"],
  ["NO_COLOR", "no colors, unless --color always is given"],
  ["SITETREE_DATABASE", "database of the commands below fleet, unless --database is given"],
  ["PGPASSWORD", "password of databases whose URL has none"],
];

const FILES: readonly Row[] = [
  ["sitetree.json", "settings of check and report in the working folder: rules, and --fail-on"],
  ["FILE.part", "what was read before an interruption, where --output FILE is given"],
];

const SEE_ALSO =
  "The folder docs of the package @sitetree/sitetree has a guide to the command line " +
  "(cli.md) and to the rules of check (check.md). https://www.sitemaps.org/protocol.html is the " +
  "protocol of sitemaps.";

/** What roff prints otherwise than it is written, or takes for an instruction. */
const SPECIAL: Readonly<Record<string, string>> = {
  "\\": "\\e",
  "-": "\\-",
  "'": "\\(aq",
  "`": "\\(ga",
  '"': "\\(dq",
  "^": "\\(ha",
  "~": "\\(ti",
};

/** Returns text that roff prints as it is, on one line. */
function plain(text: string): string {
  return text.replace(/[\\\-'`"^~]/g, (character) => SPECIAL[character]!).replace(/^\./, "\\&.");
}

function bold(text: string): string {
  return `\\fB${plain(text)}\\fR`;
}

function italic(text: string): string {
  return `\\fI${plain(text)}\\fR`;
}

/** Returns the manual page, which is the same whenever and wherever it is made. */
export function manualPage(): string {
  const groups = [...new Set(OPTIONS.map(({ group }) => group))];
  const lines = [
    `.TH SITETREE 1 "" "sitetree ${VERSION}" "User Commands"`,
    // options to copy are not hyphenated, and nothing is justified
    ".nh",
    ".ad l",
    ".SH NAME",
    `sitetree \\- ${plain(ABOUT)}`,
    ".SH SYNOPSIS",
    `${bold("sitetree")} ${italic("COMMAND")} ${plain("[options] [operands]")}`,
    ".SH DESCRIPTION",
    "Data goes to standard output, progress and messages to standard error.",
    plain(`${NOTATIONS.join("; ")}. Options without a value are off by default.`),
    ".PP",
    "In place of a command:",
    ...rows(GLOBAL_OPTIONS.map((option) => [usage(option), plain(option.about)])),
    ".SH COMMANDS",
    ...ALL_NAMES.flatMap(commandLines),
    ".SH OPTIONS",
    ...groups.flatMap((group) => [
      `.SS ${plain(group)}`,
      ...rows(OPTIONS.filter((option) => option.group === group).map(optionRow)),
    ]),
    ".SH EXIT STATUS",
    ...rows(
      Object.entries(EXIT_CODES).map(([name, code]) => [
        bold(String(code)),
        plain(EXITS[name as Exit]),
      ]),
    ),
    ".SH ENVIRONMENT",
    ...rows(ENVIRONMENT.map(([names, text]) => [bold(names), plain(text)])),
    ".SH FILES",
    ...rows(FILES.map(([path, text]) => [italic(path), plain(text)])),
    ".SH EXAMPLES",
    ".EX",
    ...ALL_NAMES.flatMap((name) => COMMANDS[name].examples.map(plain)),
    ".EE",
    ".SH SEE ALSO",
    plain(SEE_ALSO),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function rows(all: readonly Row[]): string[] {
  return all.flatMap(([term, text]) => [".TP", term, text]);
}

function commandLines(name: CommandName | ParentName): string[] {
  const { operands, about } = COMMANDS[name];
  const options = isParent(name) ? [] : optionsOf(name);
  return [
    `.SS sitetree ${name}`,
    `${bold(`sitetree ${name}`)} ${
      plain(options.length === 0 ? operands : `[options] ${operands}`)
    }`,
    ".PP",
    plain(about),
    ...(options.length === 0 ? [] : [
      ".PP",
      `Options: ${options.map((option) => bold(`--${option.name}`)).join(", ")}`,
    ]),
  ];
}

function usage({ name, short, value }: Pick<OptionSpec, "name" | "short" | "value">): string {
  const spellings = [...(short === undefined ? [] : [`-${short}`]), `--${name}`].map(bold);
  return spellings.join(", ") + (value === undefined ? "" : ` ${italic(value)}`);
}

function optionRow(option: OptionSpec): Row {
  const { about, choices = {}, default: usual, commands } = option;
  const meanings = Object.entries(choices).map(([word, meaning]) =>
    `${bold(word)} (${plain(meaning)})`
  );
  const text = plain(about) + (meanings.length === 0 ? "" : `: ${meanings.join(", ")}`) +
    (usual === undefined ? "" : plain(`; default: ${usual}`));
  const all = commands.length === COMMAND_NAMES.length ? "all commands" : commands.join(", ");
  return [usage(option), `${text}. For ${plain(all)}.`];
}
