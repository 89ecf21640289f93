import { count, grouped } from "../../../data/text.ts";
import { withScheme } from "../../../data/url.ts";
import { FleetError } from "../../../fleet/errors.ts";
import type { Fleet, SiteEntry } from "../../../fleet/mod.ts";
import type { FleetVerdict } from "../../../fleet/rates.ts";
import { isTerminal, standardInput } from "../../../platform/host.ts";
import { escapeControls } from "../../../write/escape.ts";
import { type Arguments, fixedOperands } from "../../arguments.ts";
import { Interrupted, UsageError } from "../../run/failure.ts";
import { SiteList } from "../../site_list.ts";
import { openInput } from "../../sources.ts";
import { requiredRun } from "./open.ts";
import { progressNow, showProgress } from "./progress.ts";
import { FleetSession, withFleet } from "./session.ts";

export async function enqueue(args: Arguments): Promise<number> {
  const [run, path] = fixedOperands(args) as [string, string];
  const every = args.value<number>("every");
  const session = new FleetSession(args);
  const { signal } = session;
  const input = await openInput(path);
  const list = new SiteList(input.pipeThrough(new TransformStream(), { signal }), path);
  return await withFleet(args, session, async (fleet) => {
    const stopLine = showProgress(
      session,
      () => [`reading "${path}": ${count(list.count, "site")}`],
    );
    try {
      const added = await fleet.enqueue(run, withSchemes(list), every ? { every } : {});
      const known = list.count - added;
      stopLine();
      session.note(
        `${count(added, "site")} enqueued in run "${run}"` +
          (known === 0 ? "" : `, ${grouped(known)} known already`),
      );
    } catch (error) {
      if (error instanceof Interrupted) {
        session.note(`interrupted after ${count(list.count, "site")} of "${path}"`);
      }
      const isLine = error instanceof FleetError && list.count > 0;
      throw isLine ? list.fault(error.message) : error;
    } finally {
      stopLine();
    }
  });
}

async function* withSchemes(list: SiteList): AsyncGenerator<SiteEntry, void, void> {
  for await (const entry of list) yield { ...entry, url: withScheme(entry.url) };
}

export async function retry(args: Arguments): Promise<number> {
  const site = args.value("site");
  const ofVerdict = args.given<{ verdict: FleetVerdict }>("verdict");
  args.refuseBoth("verdict", "site");
  return await changeRun(args, async (fleet, run) => {
    const sites = await fleet.retry(run, {
      ...ofVerdict,
      ...(site !== undefined && { site: new URL("/", site) }),
    });
    if (sites > 0) return `${count(sites, "site")} of run "${run}" enqueued again`;
    return site === undefined
      ? `no site of run "${run}" is ${ofVerdict.verdict ?? "failed"}`
      : `run "${run}" has no site "${site}" with a verdict`;
  });
}

export async function pause(args: Arguments): Promise<number> {
  return await changeRun(args, async (fleet, run) => {
    await fleet.pause(run);
    return `run "${run}" paused; sites in progress are finished`;
  });
}

export async function resume(args: Arguments): Promise<number> {
  return await changeRun(args, async (fleet, run) => {
    await fleet.resume(run);
    return `run "${run}" resumed`;
  });
}

export async function drop(args: Arguments): Promise<number> {
  return await changeRun(args, async (fleet, run, session) => {
    if (!args.has("yes") && !await isConfirmed(fleet, run, session)) return "nothing was deleted";
    await fleet.drop(run);
    return `run "${run}" deleted; the snapshot keeps its sites`;
  });
}

async function changeRun(
  args: Arguments,
  change: (fleet: Fleet, run: string, session: FleetSession) => Promise<string>,
): Promise<number> {
  const [run] = fixedOperands(args) as [string];
  const session = new FleetSession(args);
  return await withFleet(args, session, async (fleet) => {
    await requiredRun(fleet, run);
    session.note(await change(fleet, run, session));
  });
}

async function isConfirmed(fleet: Fleet, run: string, session: FleetSession): Promise<boolean> {
  const { screen, signal } = session;
  if (!isTerminal("stdin") || !screen.isTerminal) {
    throw new UsageError(
      `Cannot ask whether to delete run "${run}": not a terminal`,
      "add --yes to delete it",
    );
  }
  const question = `Delete run "${run}" with ${
    count((await progressNow(fleet, run)).total, "site")
  }?`;
  screen.showProgress(`${escapeControls(question)} [y/N] `);
  const input = standardInput().pipeThrough(new TransformStream(), { signal });
  for await (const bytes of input) return /^\s*y(?:es)?\s*$/i.test(new TextDecoder().decode(bytes));
  return false;
}
