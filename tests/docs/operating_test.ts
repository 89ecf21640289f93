/** The page on operating: its units, manifests and commands, and that a backup is worth something. @module */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { parse as parseYaml } from "@std/yaml/parse";
import { Deployment } from "npm:kubernetes-models@5.1.0/apps/v1/Deployment";
import { CronJob } from "npm:kubernetes-models@5.1.0/batch/v1/CronJob";
import { commandOf, parseArguments } from "../../src/cli/arguments.ts";
import { type CommandName, isParent } from "../../src/cli/commands.ts";
import { openFleet } from "../../src/fleet/mod.ts";
import { openSnapshot } from "../../src/sync/mod.ts";
import { inFolder } from "../support/in_folder.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { codeBlocks, readText } from "./markdown.ts";
import { LOCK } from "../../tools/command.ts";
import { CONFIG_PATH, runDeno } from "./shell.ts";

const PAGE = readText("docs/operating.md");

function blocks(tag: string): string[] {
  return codeBlocks(PAGE).filter((block) => block.tag === tag).map(({ code }) => code);
}

/** Whether a program can be run. */
function has(program: string): boolean {
  try {
    return new Deno.Command(program, { args: ["--version"], stdout: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

// deno-lint-ignore no-explicit-any
type Manifest = any;

const MANIFESTS: readonly Manifest[] = blocks("yaml").map((text) => parseYaml(text));

const KINDS = {
  Deployment: { Model: Deployment, path: "apps/v1/Deployment" },
  CronJob: { Model: CronJob, path: "batch/v1/CronJob" },
};

/** Returns the arguments of each command of sitetree on the page. */
function commands(): string[][] {
  const pods = MANIFESTS.map(({ spec }) => spec.template ?? spec.jobTemplate.spec.template);
  const containers = pods.flatMap(({ spec }) => spec.containers);
  const units = blocks("ini").flatMap((text) => [...text.matchAll(/^ExecStart=\S+ (.*)$/gm)]);
  const shell = blocks("text").flatMap((
    text,
  ) => [...text.matchAll(/^sitetree (.*?)(?: [>#].*)?$/gm)]);
  const image = /^CMD (.*)$/m.exec(blocks("dockerfile")[0]!)![1]!;
  return [
    ...containers.map(({ args }) => args),
    ...[...units, ...shell].map(([, args]) => args!.trim().replaceAll('"', "").split(" ")),
    JSON.parse(image),
  ];
}

Deno.test("the commands of the page on operating are those of the command line", () => {
  const all = commands();
  assert(all.length >= 7, `${all.length}`);
  for (const [first, ...rest] of all) {
    const name = commandOf(first!);
    const command = isParent(name) ? commandOf(rest.shift()!, name) : name;
    // a template has the number of its instance, and a shell knows variables
    const args = rest.map((arg) =>
      arg.replace("%i", "1").replace("$SITETREE_DATABASE", "postgres://db/fleet")
    );
    parseArguments(command as CommandName, args);
  }
});

Deno.test("the manifests of the page on operating are those of Kubernetes", async () => {
  assertEquals(MANIFESTS.map(({ kind }) => kind), Object.keys(KINDS));
  for (const manifest of MANIFESTS) {
    const { Model } = KINDS[manifest.kind as keyof typeof KINDS];
    new Model(manifest).validate();
    const broken = structuredClone(manifest);
    broken.spec.schedule = broken.spec.replicas = "three";
    broken.spec.selector = broken.spec.jobTemplate = undefined;
    await assertRejects(async () => await new Model(broken).validate());
  }
});

Deno.test("the manifests of the page on operating have no unknown fields", async () => {
  await inFolder(async (folder) => {
    const check = async (manifests: readonly Manifest[]) => {
      const lines = manifests.flatMap((manifest, at) => {
        const { path } = KINDS[manifest.kind as keyof typeof KINDS];
        const json = JSON.stringify(manifest);
        return [
          `import type { I${manifest.kind} } from "npm:kubernetes-models@5.1.0/${path}";`,
          `export const manifest${at}: I${manifest.kind} = ${json};`,
        ];
      });
      const path = `${folder}/manifests.ts`;
      await Deno.writeTextFile(path, lines.join("\n"));
      return await runDeno(["check", "--quiet", `--config=${CONFIG_PATH}`, LOCK, path], { folder });
    };
    const { code, stderr } = await check(MANIFESTS);
    assertEquals(code, 0, stderr);
    const broken = structuredClone(MANIFESTS);
    broken[0].spec.template.spec.containers[0].readyProbe = {};
    const { stderr: refusal } = await check(broken);
    assert(refusal.includes("readyProbe"), refusal);
  });
});

Deno.test({
  name: "the units of the page on operating are those of systemd",
  ignore: !has("systemd-analyze"),
  async fn() {
    await inFolder(async (folder) => {
      const names = ["sitetree@.service", "sitetree-sync.timer", "sitetree-sync.service"];
      const units = blocks("ini");
      assertEquals(units.length, names.length);
      for (const [at, name] of names.entries()) {
        assert(PAGE.includes(`/etc/systemd/system/${name}`), name);
        // a program that is there
        const unit = units[at]!.replace("/usr/bin/sitetree", "/bin/true");
        await Deno.writeTextFile(`${folder}/${name}`, unit);
      }
      const { success, stderr } = await new Deno.Command("systemd-analyze", {
        args: [
          "verify",
          "--man=no",
          ...names.map((name) => `${folder}/${name.replace("@", "@1")}`),
        ],
        stderr: "piped",
      }).output();
      const said = new TextDecoder().decode(stderr);
      // of units of the machine, which are not ours
      const ours = said.split("\n").filter((line) => line.includes("sitetree"));
      assertEquals([success, ours], [true, []], said);
    });
  },
});

const WALK = { retries: 0, useKnownPaths: false, useHomepage: false } as const;

Deno.test({
  name: "a backup that is made while workers run is restored, and its consumers begin anew",
  ignore: !HAS_POSTGRES || !has("pg_dump"),
  async fn() {
    await using server = await startPostgres();
    await inFolder(async (folder) => {
      for (const name of ["fleet", "restored"]) await create(server.url, name);
      const sites = Array.from({ length: 60 }, (_, at) => `https://s${at}.test/`);
      const half = Promise.withResolvers<void>(), dumped = Promise.withResolvers<void>();
      let asked = 0;
      const fetch = async (address: string) => {
        const { origin, pathname } = new URL(address);
        if (pathname === "/robots.txt") return new Response(`Sitemap: ${origin}/s.txt`);
        if (++asked === 30) half.resolve();
        if (asked >= 30) await dumped.promise;
        return new Response(`${origin}/a\n${origin}/b`);
      };
      const dump = `${folder}/fleet.dump`;
      let seen = 0, restored = 0;
      {
        await using fleet = await openFleet(server.urlOf("fleet"), {
          // those of the backup end soon
          leaseSeconds: 2,
          walk: { ...WALK, fetch },
        });
        await fleet.enqueue("nightly", sites);
        const work = fleet.work({ slots: 5, drain: true });
        await half.promise;
        await run("pg_dump", "--format=custom", `--file=${dump}`, server.urlOf("fleet"));
        dumped.resolve();
        await work;
        seen = await fleet.snapshot.head();
        assertEquals(seen, 120);
      }
      const url = server.urlOf("restored");
      await run("pg_restore", "--no-owner", `--dbname=${url}`, dump);
      {
        await using snapshot = await openSnapshot(url, { readOnly: true });
        const head = await snapshot.head();
        assert(head > 0 && head < seen, `${head}`);
        // a consumer with a number of its own finds out
        await assertRejects(() => Array.fromAsync(snapshot.changes({ after: seen })), RangeError);
        const pages = await Array.fromAsync(snapshot.pages());
        // numbers that were taken, and not committed yet, are not given again
        assert(pages.length > 0 && pages.length <= head, `${pages.length} of ${head}`);
        restored = pages.length;
        await snapshot.ack("search", head);
      }
      await using fleet = await openFleet(url, { walk: { ...WALK, fetch } });
      await fleet.work({ drain: true });
      const verdicts = (await Array.fromAsync(fleet.sites("nightly"))).map(({ verdict }) =>
        verdict
      );
      assertEquals(verdicts, sites.map(() => "complete"));
      const pages = await Array.fromAsync(fleet.snapshot.pages());
      assertEquals(new Set(pages.map(({ page }) => page.url)).size, 120);
      assertEquals(pages.length, 120);
      const rest = await Array.fromAsync(fleet.snapshot.changes({ consumer: "search" }));
      assertEquals(rest.length, 120 - restored);
    });
  },
});

async function create(url: string, database: string): Promise<void> {
  await run("psql", "--quiet", `--command=create database ${database}`, url);
}

async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, stderr: "piped" }).output();
  assert(success, new TextDecoder().decode(stderr));
}
