/**
 * Words that are like a word that someone got wrong.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { closestString } from "@std/text/closest-string";
import { UsageError } from "./failure.ts";
import { type CommandName, COMMANDS, OPTIONS, optionsOf, type OptionSpec } from "./options.ts";

/**
 * The word of a list that another is the beginning of, or that is most like it; `undefined` where
 * none is much like it, since a wrong guess helps nobody.
 */
export function nearest(word: string, words: readonly string[]): string | undefined {
  if (word === "" || words.length === 0) return undefined;
  const longer = words.find((other) => other.startsWith(word));
  if (longer !== undefined) return longer;
  const other: string = closestString(word, words);
  return changes(word.toLowerCase(), other.toLowerCase()) <= Math.ceil(word.length / 2)
    ? other
    : undefined;
}

/** How many letters must be added, left out or replaced to make one word of another. */
function changes(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= to.length; column++) {
      const same = letter === to[column - 1] ? 0 : 1;
      next.push(Math.min(row[column]! + 1, next[column - 1]! + 1, row[column - 1]! + same));
    }
    row = next;
  }
  return row[to.length]!;
}

// MERGED: Arguments, sorted into a command, its options and its operands.

/** The options and operands of a command, checked only for being known. */
export class Arguments {
  /** The command. */
  readonly command: CommandName;
  /** Arguments that are not options. */
  readonly operands: readonly string[];
  readonly #values: Readonly<Record<string, unknown>>;

  /** Takes what the parser made of the arguments. */
  constructor(
    command: CommandName,
    operands: readonly string[],
    values: Readonly<Record<string, unknown>>,
  ) {
    this.command = command;
    this.operands = operands;
    this.#values = values;
  }

  /** Whether a flag is there. */
  has(name: string): boolean {
    return this.#values[name] === true;
  }

  /** How often a flag is there. */
  count(name: string): number {
    return this.all(name).length;
  }

  /** The value of an option, the last one where it is given several times. */
  value(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  /** All values of an option that may be given several times. */
  all(name: string): readonly string[] {
    const values = this.#values[name];
    return Array.isArray(values) ? values : [];
  }
}

/** Returns the command that a word names. */
export function commandOf(word: string): CommandName {
  if (Object.hasOwn(COMMANDS, word)) return word as CommandName;
  if (word.startsWith("-")) {
    throw new UsageError(
      `Unexpected option "${word}" before the command`,
      'options follow the command, as in "sitetree ls -f pages https://example.com/"',
    );
  }
  if (/^https?:/i.test(word) || /^[^/]+\.[^/]/.test(word)) {
    throw new UsageError(`Missing command before "${word}"`, `try "sitetree ls ${word}"`);
  }
  const names = Object.keys(COMMANDS);
  throw new UsageError(
    `Unknown command "${word}"${question(word, names)}`,
    `expected ${names.join(", ")}`,
  );
}

/** Sorts the arguments of a command. */
export function parseArguments(command: CommandName, args: readonly string[]): Arguments {
  const specs = optionsOf(command);
  const names = (wanted: (spec: OptionSpec) => boolean) =>
    specs.filter(wanted).map(({ name }) => name);
  const parsed: Record<string, unknown> & { _: string[] } = parseArgs(spelledOut(args, specs), {
    boolean: names(({ value }) => value === undefined),
    string: [...names(({ value }) => value !== undefined), "_"],
    collect: names(({ many }) => many === true),
    unknown(arg: string, key: string | undefined) {
      if (key !== undefined) throw unknownOption(command, arg, specs);
      return true;
    },
  });
  return new Arguments(command, parsed._, parsed);
}

/**
 * Options as `--name` and `--name=value`, each by itself. Shells and people glue letters together
 * and part values from names, and a value may begin with a dash: the parser would take `-fpages`
 * for many letters, and `--match -draft` for two options.
 */
function spelledOut(args: readonly string[], specs: readonly OptionSpec[]): string[] {
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  const byLetter = new Map(specs.map((spec) => [spec.short, spec]));
  const rest = [...args];
  const words: string[] = [];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") return [...words, arg, ...rest];
    const [, name = "", value] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const spec = byName.get(name);
    if (spec !== undefined) {
      words.push(
        spec.value === undefined ? flag(spec, value) : option(spec, value ?? rest.shift()),
      );
    } else if (/^-[^-]/.test(arg)) {
      words.push(...letters(arg.slice(1), byLetter, rest));
    } else words.push(arg);
  }
  return words;
}

/** The options that letters stand for. The first that has a value takes what follows it. */
function letters(
  text: string,
  byLetter: ReadonlyMap<string | undefined, OptionSpec>,
  rest: string[],
): string[] {
  const words: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const spec = byLetter.get(text[at]);
    // The parser says what is wrong with it.
    if (spec === undefined) return [...words, `-${text.slice(at)}`];
    if (spec.value === undefined) words.push(flag(spec, undefined));
    else return [...words, option(spec, text.slice(at + 1).replace(/^=/, "") || rest.shift())];
  }
  return words;
}

function flag({ name }: OptionSpec, value: string | undefined): string {
  if (value === undefined) return `--${name}`;
  throw new UsageError(`Unexpected value "${value}" for "--${name}"`);
}

function option({ name, value: called }: OptionSpec, value: string | undefined): string {
  if (value !== undefined && value !== "") return `--${name}=${value}`;
  throw new UsageError(`Missing value for "--${name}"`, `expected --${name}=${called}`);
}

function unknownOption(
  command: CommandName,
  arg: string,
  specs: readonly OptionSpec[],
): UsageError {
  const isLong = arg.startsWith("--");
  const given = isLong ? arg.replace(/=.*$/s, "") : arg.slice(0, 2);
  const name = given.replace(/^-+/, "");
  const elsewhere = OPTIONS.find((spec) => (isLong ? spec.name : spec.short) === name);
  if (elsewhere !== undefined) {
    return new UsageError(
      `Option "${given}" does not apply to "${command}"`,
      `it applies to "${elsewhere.commands.join('", "')}"`,
    );
  }
  const names = isLong ? specs.map((spec) => spec.name) : [];
  return new UsageError(
    `Unknown option "${given}"${question(name, names, "--")}`,
    `"sitetree ${command} --help" lists all options`,
  );
}

/** Returns a question about the most similar word of a list, if there is one. */
function question(word: string, words: readonly string[], prefix = ""): string {
  const similar = nearest(word, words);
  return similar === undefined ? "" : `; did you mean "${prefix}${similar}"?`;
}
