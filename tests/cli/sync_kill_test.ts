/**
 * Processes of `sync` and of `changes --ack` that are killed at any time lose nothing, and print
 * nothing twice that is not to be printed twice.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { MAX_BATCH_ITEMS } from "../../src/data/batches.ts";
import type { RecordedChange, RecordedPage } from "../../src/sync/mod.ts";
import { Random } from "../support/random.ts";
import { ScriptedSite } from "../sync/scripted_site.ts";
import { readCopy } from "../sync/snapshot_content.ts";
import { RandomSite } from "./random_site.ts";
import { ALL_PERMISSIONS, type CliResult, runCli, startCli } from "./run_cli.ts";

const KILLS = Number(Deno.env.get("SYNC_KILLS") ?? 20);
const SEED = Number(Deno.env.get("SYNC_KILLS_SEED") ?? 1);
/** Kills of which some hit every place. */
const MANY_KILLS = 200;
/** Sites at a time. */
const LANES = 4;
/** Runs of a site that end before the next site. */
const RUNS = 3;
const CONSUMER = "index";
const FILE = "changes.ndjson";
/** About the length of a line. */
const BYTES_PER_CHANGE = 330;
const ON_UNIX = { ignore: Deno.build.os === "windows" };

/** When a process is killed: after so many requests, bytes of output or none, and milliseconds. */
interface Kill {
  readonly requests?: number;
  readonly bytes?: number;
  readonly delay: number;
}

/** How `sync` prints its changes. */
interface Output {
  readonly format: keyof typeof URL_OF_LINE;
  readonly isFile: boolean;
}

const URL_OF_LINE = {
  ndjson: (line: string): string => JSON.parse(line).page.url,
  text: (line: string) => line.split(" ")[1]!,
  csv: (line: string) => line.split(",")[1]!,
};

const OUTPUTS: readonly Output[] = [
  { format: "ndjson", isFile: false },
  { format: "text", isFile: false },
  { format: "csv", isFile: false },
  { format: "ndjson", isFile: true },
];

interface Ended extends CliResult {
  readonly isKilled: boolean;
}

interface Content {
  /** Whether the next run is a new one. */
  readonly hasEnded: boolean;
  readonly pages: readonly RecordedPage[];
  readonly changes: readonly RecordedChange[];
  /** Number of the last change that the consumer has acknowledged. */
  readonly acknowledged: number;
}

const NOTHING: Content = { hasEnded: true, pages: [], changes: [], acknowledged: 0 };

interface Hits {
  /** Runs that had committed changes and had not ended. */
  unfinished: number;
  /** Runs that had ended, and whose process had not. */
  printing: number;
  /** Consumers that had acknowledged some of the changes, and not all. */
  acknowledging: number;
  all: number;
}

Deno.test(`sync and changes --ack lose nothing by ${KILLS} kills`, ON_UNIX, async () => {
  const hits: Hits = { unfinished: 0, printing: 0, acknowledging: 0, all: 0 };
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    const random = new Random(SEED * LANES + lane);
    try {
      while (hits.all < KILLS) {
        await using site = await KilledSite.open(random, hits);
        for (let run = 0; run < RUNS && hits.all < KILLS; run++) await site.run();
        await site.checkReplay();
      }
    } catch (error) {
      // the other lanes end as well
      hits.all = KILLS;
      throw error;
    }
  });
  for (const result of await Promise.allSettled(lanes)) {
    if (result.status === "rejected") throw result.reason;
  }
  if (Deno.env.has("SYNC_KILLS")) console.log(hits);
  if (KILLS < MANY_KILLS) return;
  assert(Object.values(hits).every((count) => count > 0), JSON.stringify(hits));
});

/** A site whose runs are killed, with its snapshot. */
class KilledSite implements AsyncDisposable {
  readonly #random: Random;
  readonly #hits: Hits;
  readonly #folder: string;
  readonly #site: RandomSite;
  readonly #scripted = new ScriptedSite();
  readonly #server = this.#scripted.listen();
  #content = NOTHING;
  /** Last change before the current run. */
  #before = 0;
  /** What `-o` has written. */
  #written: string | undefined;

  private constructor(random: Random, hits: Hits, folder: string) {
    this.#random = random;
    this.#hits = hits;
    this.#folder = folder;
    this.#site = new RandomSite(random);
    this.#scripted.site = this.#site.site;
  }

  static async open(random: Random, hits: Hits): Promise<KilledSite> {
    return new KilledSite(random, hits, await Deno.makeTempDir());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await Deno.remove(this.#folder, { recursive: true });
  }

  /** Kills runs of the site and its consumer, until they end. */
  async run(): Promise<void> {
    const random = this.#random;
    const output = random.pick(OUTPUTS);
    for (let left = 2 + random.below(4); left > 0 && this.#hits.all < KILLS; left--) {
      await this.#sync(output, this.#syncKill(output));
      // the run after one that was killed may find another site
      if (this.#content.hasEnded || random.fraction() < 0.3) this.#change();
    }
    await this.#sync(output);
    await this.#checkPages();
    for (let left = 1 + random.below(3); left > 0; left--) {
      await this.#consume(this.#consumerKill());
    }
    if (random.fraction() < 0.7) await this.#consume();
    this.#change();
  }

  /** Numbers of the changes that the consumer has yet to acknowledge. */
  get #pending(): number[] {
    const { changes, acknowledged } = this.#content;
    return changes.slice(acknowledged).map(({ sequence }) => sequence);
  }

  #change(): void {
    this.#site.change();
    this.#scripted.site = this.#site.site;
  }

  #syncKill({ isFile }: Output): Kill {
    const random = this.#random;
    const kind = random.fraction();
    if (kind < 0.1) return { delay: random.below(600) };
    // the last request is followed by the last commits and the output of a file
    const { requests } = this.#site;
    if (kind < 0.3) return { requests, delay: random.below(150) };
    if (kind < 0.7 || isFile) {
      return { requests: 1 + random.below(requests), delay: random.below(3) * random.below(10) };
    }
    return { bytes: random.below(random.pick([2, 1000, 300_000])), delay: 0 };
  }

  #consumerKill(): Kill {
    const random = this.#random;
    if (random.fraction() < 0.1) return { delay: random.below(400) };
    const { length } = this.#pending;
    // mostly after the first acknowledgement
    const first = length > MAX_BATCH_ITEMS && random.fraction() < 0.75 ? MAX_BATCH_ITEMS : 0;
    return {
      bytes: (first + random.below(length - first)) * BYTES_PER_CHANGE,
      delay: random.below(3),
    };
  }

  async #sync({ format, isFile }: Output, kill?: Kill): Promise<void> {
    this.#before = this.#content.changes.length;
    const { stdout, isKilled } = await this.#process([
      ...["sync", "-k", "--retries", "0", this.#server.url, "site.db"],
      ...(isFile ? ["-o", FILE] : ["-f", format]),
    ], kill);
    await this.#read();
    const { hasEnded } = this.#content;
    const urls = this.#content.changes.slice(this.#before).map(({ page }) => page.url);
    if (isKilled && urls.length > 0) this.#hits[hasEnded ? "printing" : "unfinished"]++;
    const printed = isFile ? await textOf(`${this.#folder}/${FILE}`) : stdout;
    if (isKilled && printed === (isFile ? this.#written : "")) return;
    assert(hasEnded, "changes are printed when the run has ended");
    if (isKilled && !isFile) {
      const lines = stdout.split("\n").slice(format === "csv" ? 1 : 0, -1);
      return assertSame(lines.map(URL_OF_LINE[format]), urls.slice(0, lines.length));
    }
    // a file is complete, or that of an earlier run
    const after = ["--after", `${this.#before}`];
    assertSameText(printed, (await this.#cli("changes", "site.db", ...after, "-f", format)).stdout);
    if (isFile) this.#written = printed;
  }

  async #consume(kill?: Kill): Promise<void> {
    const pending = this.#pending;
    const args = ["changes", "site.db", "--consumer", CONSUMER, "--ack", "-f", "ndjson"];
    const { stdout, isKilled } = await this.#process(args, kill);
    const lines = stdout.split("\n").slice(0, -1);
    const taken = lines.map((line): number => JSON.parse(line).sequence);
    assertEquals(taken, pending.slice(0, taken.length), "a consumer goes on where it was");
    await this.#read();
    const left = this.#pending;
    const acknowledged = pending.length - left.length;
    assert(
      acknowledged >= 0 && acknowledged <= taken.length,
      "only what was written is acknowledged",
    );
    if (isKilled && acknowledged > 0 && acknowledged < pending.length) this.#hits.acknowledging++;
    if (isKilled) return;
    assertEquals(acknowledged, pending.length, "everything is delivered and acknowledged");
    if (this.#random.fraction() < 0.3) assertEquals((await this.#cli(...args)).stdout, "");
  }

  /** Runs a command to its end, or until it is killed. */
  async #process(args: readonly string[], kill?: Kill): Promise<Ended> {
    const child = startCli(args, { cwd: this.#folder, permissions: ALL_PERMISSIONS });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const killSoon = () => {
      // before the server responds
      if (kill!.delay === 0) killNow(child);
      else timer ??= setTimeout(() => killNow(child), kill!.delay);
    };
    let requests = 0, bytes = 0;
    this.#scripted.onRequest = () => void (++requests === kill?.requests && killSoon());
    if (kill !== undefined && kill.requests === undefined && kill.bytes === undefined) killSoon();
    const errors = new Response(child.stderr).text();
    const decoder = new TextDecoder();
    let stdout = "";
    for await (const chunk of child.stdout) {
      stdout += decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
      if (kill?.bytes !== undefined && bytes > kill.bytes) killSoon();
    }
    const [stderr, { code, signal }] = [await errors, await child.status];
    clearTimeout(timer);
    const isKilled = signal === "SIGKILL";
    if (isKilled) this.#hits.all++;
    else assertEquals(code, 0, stderr);
    return { code, stdout, stderr, isKilled };
  }

  async #cli(...args: string[]): Promise<CliResult> {
    const result = await runCli(args, { cwd: this.#folder, permissions: ALL_PERMISSIONS });
    assertEquals([result.code, result.stderr], [0, ""]);
    return result;
  }

  /** Reads and checks the snapshot as a process has left it. */
  async #read(): Promise<void> {
    this.#content = await readCopy(`${this.#folder}/site.db`, async (snapshot) => {
      const runs = await Array.fromAsync(snapshot.runs());
      const changes = await Array.fromAsync(snapshot.changes());
      let acknowledged = changes.length;
      for await (const { sequence } of snapshot.changes({ consumer: CONSUMER })) {
        acknowledged = sequence - 1;
        break;
      }
      return {
        hasEnded: runs.at(-1)?.verdict !== undefined || runs.length === 0,
        pages: await Array.fromAsync(snapshot.pages()),
        changes,
        acknowledged,
      };
    }) ?? NOTHING;
    const { changes, pages } = this.#content;
    assert(changes.every(({ sequence }, at) => sequence === at + 1), "numbers have no gaps");
    assertSame(replay(changes), pages.map(({ page }) => JSON.stringify(page)).sort());
  }

  /** Checks that the snapshot has the pages of the site, after a run that has ended. */
  async #checkPages(): Promise<void> {
    const { origin } = this.#server;
    const { stdout } = await this.#cli("ls", "site.db", "-f", "pages");
    assertSameText(stdout, this.#site.paths.map((path) => `${origin}${path}\n`).join(""));
    const dates = this.#content.pages.map(({ page }) => [page.url, page.lastModified]);
    const expected = Array.from(this.#site.dates, ([path, date]) => [origin + path, date]);
    assertSame(dates.sort(), expected.sort());
  }

  /** Checks that all changes add up to the pages, as they are printed. */
  async checkReplay(): Promise<void> {
    const { stdout } = await this.#cli("changes", "site.db", "--after", "0", "-f", "ndjson");
    const changes = stdout.split("\n").slice(0, -1).map((line): RecordedChange => JSON.parse(line));
    assertSame(
      replay(changes),
      this.#content.pages.map(({ page }) => JSON.stringify(page)).sort(),
    );
  }
}

/** Returns the pages that changes lead to, as JSON. Each change must fit the pages before it. */
function replay(changes: readonly RecordedChange[]): string[] {
  const pages = new Map<string, string>();
  for (const { type, page, previous, sequence } of changes) {
    const json = JSON.stringify(page);
    const before = type === "added" ? undefined : JSON.stringify(previous ?? page);
    assert(pages.get(page.url) === before, `${sequence}: ${type} ${json}`);
    if (type === "removed") pages.delete(page.url);
    else pages.set(page.url, json);
  }
  return [...pages.values()].sort();
}

function killNow(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // it has ended meanwhile
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Returns the text of a file, `undefined` if there is none. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Compares large texts by their lines only if they differ, which takes long. */
function assertSameText(actual: string | undefined, expected: string): void {
  if (actual !== expected) assertEquals(actual?.split("\n"), expected.split("\n"));
}

/** Does the same for data. */
function assertSame<T>(actual: T, expected: T): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) assertEquals(actual, expected);
}
