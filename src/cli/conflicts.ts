/**
 * The table of options, formats and operands that cannot be used together. It is applied once, after
 * the arguments are parsed; what depends on the content of files or databases is found by commands.
 *
 * @module
 */

import { withoutPassword } from "../data/url.ts";
import { isTerminal } from "../platform/process.ts";
import { hasEnvironmentProxy } from "../platform/proxies.ts";
import { type Arguments, missingOperand } from "./arguments.ts";
import { type CommandName, COMMANDS } from "./commands.ts";
import { FORMAT_NAMES, OPTION_FORMATS } from "./format_names.ts";
import { optionsOf } from "./options.ts";
import { insecureHint, UsageError } from "./failure.ts";

/** Options of which one can be given at a time; `pages=N` is `--pages` with a number. */
const EXCLUSIVE: readonly (readonly string[])[] = [
  ["pages=N", "sample", "per-pattern"],
  ["sitemaps", "sample"],
  ["sitemaps", "per-pattern"],
  ["sitemaps", "columns"],
  ["run", "site"],
  ["run", "strip-url"],
  ["after", "since", "consumer"],
  ["ack", "site"],
  ["ack", "summary"],
  ["verdict", "site"],
];

type Text = string | ((args: Arguments) => string);

interface Conflict {
  readonly found: (args: Arguments) => boolean;
  readonly message: Text;
  readonly hint?: Text;
}

const KEEP_OPTIONS = ["keep-changes", "keep-runs", "keep-quiet-runs"];

/** Commands whose operand, or list of operands, may be standard input. */
const READS_INPUT: readonly CommandName[] = ["ls", "check", "report", "explain", "diff"];

const CONFLICTS: readonly Conflict[] = [
  {
    found: (args) => args.has("seed") && args.sampling === undefined,
    message: 'Option "--seed" chooses no pages by itself',
    hint: "add --sample=N or --per-pattern=N",
  },
  {
    found: (args) => args.command === "check" && args.sampling !== undefined && !args.has("pages"),
    message: ({ sampling }) => `Option "--${sampling}" needs "--pages"`,
    hint: "the sample is of pages to request",
  },
  {
    found: (args) => args.has("ack") && !args.has("consumer"),
    message: 'Missing option "--consumer" for "--ack"',
    hint: "expected --consumer=NAME",
  },
  {
    found: (args) =>
      args.command === "snapshot prune" && !KEEP_OPTIONS.some((option) => args.has(option)),
    message: 'Missing option "--keep-changes", "--keep-runs" or "--keep-quiet-runs"',
    hint: ({ operands }) => `as in "sitetree snapshot prune ${operands[0]} --keep-changes 90d"`,
  },
  {
    found: (args) => args.has("watch") && args.operands.length === 0,
    message: 'Missing run for "--watch"',
  },
  {
    found: (args) =>
      args.command === "report" && args.format() === "html" && !args.has("output") &&
      isTerminal("stdout"),
    message: "Cannot write HTML to a terminal",
    hint: "add -o report.html",
  },
  {
    found: (args) => args.has("insecure") && (args.has("proxy") || hasEnvironmentProxy()),
    message: 'Option "--insecure" does not work through a proxy',
    hint: insecureHint,
  },
  {
    found: (args) =>
      READS_INPUT.includes(args.command) &&
      [...args.operands, ...args.all("from")].filter((word) => word === "-").length > 1,
    message: "Cannot read standard input twice",
  },
];

/** @throws {UsageError} at the first conflict */
export function refuseConflicts(args: Arguments): void {
  for (const options of EXCLUSIVE) {
    const [one, other] = options.filter((option) => {
      const [name = "", number] = option.split("=");
      return number === undefined ? args.has(name) : args.sampling === name;
    });
    if (other === undefined) continue;
    throw new UsageError(`Option "--${one}" cannot be combined with "--${other}"`);
  }
  if (optionsOf(args.command).some(({ name }) => name === "format")) refuseFormat(args);
  refuseOperands(args);
  const conflict = CONFLICTS.find(({ found }) => found(args));
  if (conflict === undefined) return;
  const [message, hint] = [conflict.message, conflict.hint]
    .map((text) => typeof text === "function" ? text(args) : text);
  throw new UsageError(message!, hint);
}

function refuseOperands(args: Arguments): void {
  const { command, operands } = args;
  const names = COMMANDS[command].operands.split(" ").filter((name) => name !== "");
  const isList = (name: string) => name.includes("...");
  const required = names.filter((name) =>
    !name.startsWith("[") && !(isList(name) && args.has("from"))
  );
  if (operands.length < required.length) throw missingOperand(command, operands.at(-1));
  const unexpected = operands[names.length];
  if (unexpected === undefined || names.some(isList)) return;
  const shown = withoutPassword(unexpected);
  const hint = command === "demo" ? `try "sitetree ls ${shown}"` : undefined;
  throw new UsageError(`Unexpected operand "${shown}"`, hint);
}

function refuseFormat(args: Arguments): void {
  const format = args.format();
  const formats = Object.keys(args.has("sitemaps") ? FORMAT_NAMES.rows : FORMAT_NAMES.list);
  // its sample is not what it writes
  if (args.command === "check") return;
  for (const [option, all] of Object.entries(OPTION_FORMATS)) {
    if (!args.has(option) || all.includes(format)) continue;
    const fitting = all.filter((name) => formats.includes(name));
    const names = fitting.length === 0 ? all : fitting;
    const hint = names.length === 1
      ? `${option === "bom" ? "it begins csv: " : ""}add --format=${names[0]}`
      : `it works with ${names.join(", ")}`;
    throw new UsageError(
      `Option "--${option}" cannot be combined with the format ${format}`,
      hint,
    );
  }
}
