import { suggestion } from "../data/suggestion.ts";
import { parseArgs } from "../platform/host.ts";
import { withoutPassword } from "../data/url.ts";
import { UsageError, withoutSecrets } from "./failure.ts";
import {
  COMMAND_NAMES,
  type CommandName,
  COMMANDS,
  lastWord,
  namesBelow,
  type ParentName,
  withoutComment,
} from "./commands.ts";
import { FORMAT_NAMES, formatOfFile } from "./format_names.ts";
import { fieldName, isOptional, OPTIONS, optionsOf, type OptionSpec } from "./options.ts";
import { oneOf } from "./values.ts";

/** Options whose number is that of a sample. */
const SAMPLING_OPTIONS = ["pages", "sample", "per-pattern"] as const;

export type SamplingOption = typeof SAMPLING_OPTIONS[number];

export class Arguments {
  readonly command: CommandName;
  readonly operands: readonly string[];
  /** The options in order, as words such as `--wait=10s`. */
  readonly optionWords: readonly string[];
  readonly #values: ReadonlyMap<string, readonly unknown[]>;

  /** Takes the values of each option in order, `true` for a flag. */
  constructor(
    command: CommandName,
    operands: readonly string[],
    values: ReadonlyMap<string, readonly unknown[]>,
    optionWords: readonly string[],
  ) {
    this.command = command;
    this.operands = operands;
    this.optionWords = optionWords;
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** `T` is what the row of the option parses to. */
  all<T = string>(name: string): readonly T[] {
    return (this.#values.get(name) ?? []) as readonly T[];
  }

  value<T = string>(name: string): T | undefined {
    return this.all<T>(name).at(-1);
  }

  /** Returns those of the options that are given, by their names in camel case. */
  given<T extends object>(...names: readonly string[]): Partial<T> {
    const pairs = names.filter((name) => this.has(name))
      .map((name) => [fieldName(name), this.value<unknown>(name)]);
    return Object.fromEntries(pairs) as Partial<T>;
  }

  /** The option that asks for a sample, if there is one; `--pages` may have no number. */
  get sampling(): SamplingOption | undefined {
    return SAMPLING_OPTIONS.find((name) => typeof this.value<unknown>(name) === "number");
  }

  /** The rules of a check need notes. */
  get hasNotes(): boolean {
    const isChecked = this.command === "report" && !this.has("no-check");
    return this.command === "check" || isChecked || this.has("notes");
  }

  format<T extends string = string>(): T {
    const { choices = {} } = optionsOf(this.command).find(({ name }) => name === "format")!;
    const names = Object.keys(this.has("sitemaps") ? FORMAT_NAMES.rows : choices);
    const format = this.value("format"), path = this.value("output");
    if (format !== undefined) return oneOf(names)(format, "format") as T;
    const usual = this.command === "ls" && this.sampling !== undefined ? "pages" : names[0];
    return ((path && formatOfFile(path, names)) ?? usual) as T;
  }

  byteOrderMark(): string {
    return this.has("bom") ? "\ufeff" : "";
  }
}

export function commandOf(word: string, parent?: ParentName): CommandName | ParentName {
  const start = parent === undefined ? "" : `${parent} `;
  const words = namesBelow(parent).map(lastWord);
  if (words.some((name) => name === word)) return `${start}${word}` as CommandName | ParentName;
  const [shown = ""] = withoutSecrets([word]);
  if (word.startsWith("-")) {
    const example = parent === undefined
      ? "ls -f pages https://example.com/"
      : `${start}${words[0]} ${shown}`;
    throw new UsageError(
      `Unexpected option "${shown}" before the command`,
      `options follow the command, as in "sitetree ${example}"`,
    );
  }
  if (parent === undefined && (/^https?:/i.test(word) || /^[^/]+\.[^/]/.test(word))) {
    throw new UsageError(`Missing command before "${shown}"`, `try "sitetree ls ${shown}"`);
  }
  throw new UsageError(
    `Unknown command "${start}${shown}"${suggestion(word, words, start)}`,
    `expected ${words.join(", ")}`,
  );
}

/** A value that may be left out; any other word is an operand. */
const NUMBER_REGEXP = /^\d[\d_]*$/;

export function parseArguments(command: CommandName, args: readonly string[]): Arguments {
  const specs = optionsOf(command);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(specs.map((spec) => [spec.name, {
      type: spec.value === undefined || isOptional(spec) ? "boolean" : "string",
      ...(spec.short === undefined ? {} : { short: spec.short }),
    }])),
    // otherwise a value must not begin with a dash
    strict: false,
    tokens: true,
  });
  const operands: string[] = [];
  const optionWords: string[] = [];
  const values = new Map<string, unknown[]>();
  let isValue = false;
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "positional" && !isValue) operands.push(token.value);
    isValue = false;
    if (token.kind !== "option") continue;
    const { name, rawName } = token;
    const spec = specs.find((spec) => spec.name === name);
    if (spec === undefined) throw unknownOption(command, rawName);
    const isGlued = token.inlineValue === true && !rawName.startsWith("--");
    // `-f=csv` as well as `-fcsv`
    let text = isGlued ? token.value.replace(/^=/, "") : token.value;
    const next = tokens[at + 1];
    if (text === undefined && isOptional(spec) && next?.kind === "positional") {
      isValue = NUMBER_REGEXP.test(next.value);
      if (isValue) text = next.value;
    }
    values.set(name, [...(values.get(name) ?? []), parseValue(spec, text)]);
    optionWords.push(text === undefined ? `--${name}` : `--${name}=${text}`);
  }
  if (values.has("ignore-case")) {
    const ignoringCase = (value: unknown) =>
      value instanceof RegExp ? new RegExp(value, `${value.flags}i`) : value;
    for (const [name, all] of values) values.set(name, all.map(ignoringCase));
  }
  return new Arguments(command, operands, values, optionWords);
}

export function missingOperand(command: CommandName, last?: string): UsageError {
  const { operands, examples } = COMMANDS[command];
  const example = examples.find((line) => line.includes(`sitetree ${command}`)) ?? "";
  return new UsageError(
    last === undefined ? "Missing operand" : `Missing operand after "${withoutPassword(last)}"`,
    `expected ${operands}, as in "${withoutComment(example)}"`,
  );
}

function parseValue(spec: OptionSpec, text: string | undefined): unknown {
  const { name, value, parse } = spec;
  if (text === undefined && isOptional(spec)) return true;
  if (value === undefined) {
    if (text === undefined) return true;
    throw new UsageError(`Unexpected value "${withoutPassword(text)}" for "--${name}"`);
  }
  if (text) return parse === undefined ? text : parse(text, name);
  throw new UsageError(`Missing value for "--${name}"`, `expected --${name}=${value}`);
}

function unknownOption(command: CommandName, given: string): UsageError {
  const isLong = given.startsWith("--");
  const name = given.replace(/^-+/, "");
  const others = OPTIONS.filter((spec) => (isLong ? spec.name : spec.short) === name)
    .flatMap(({ commands }) => commands);
  if (others.length > 0) {
    return new UsageError(
      `Option "${given}" does not apply to "${command}"`,
      `it applies to "${COMMAND_NAMES.filter((name) => others.includes(name)).join('", "')}"`,
    );
  }
  const names = isLong ? optionsOf(command).map((spec) => spec.name) : [];
  return new UsageError(
    `Unknown option "${given}"${suggestion(name, names, "--")}`,
    `"sitetree ${command} --help" lists all options`,
  );
}
