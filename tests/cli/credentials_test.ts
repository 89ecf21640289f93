/** Passwords: to whom they are sent, and that none is printed or stored. @module */

import { assert, assertEquals } from "@std/assert";
import { FaultServer, redirect } from "../support/fault_server.ts";
import { selfSigned } from "../support/self_signed.ts";
import { test } from "./folder_cases.ts";
import { HAS_PERMISSIONS, IS_DENO, runCli } from "./run_cli.ts";
import {
  assertFilesWithoutSecret,
  assertWithoutSecret,
  hostOf,
  PERMISSIONS,
  SECRET,
  SITE,
  USER,
} from "./secret.ts";
import { transcripts, withTls } from "./transcript.ts";

/** The site without TLS of the transcript. */
let plain: FaultServer;

transcripts("credentials", {
  fallback: {
    sites: {
      alert: withTls(SITE, { tls: "alert" }),
      close: withTls(SITE, { tls: "close" }),
      garbage: withTls(SITE, { tls: "garbage" }),
      silence: withTls(SITE, { tls: "silence" }),
    },
  },
  redirect: {
    sites: {
      plain: () => plain = new FaultServer(SITE),
      secure: withTls(
        { "*": (wire) => redirect(`${plain.origin}/robots.txt`)(wire) },
        { certificate: await selfSigned("site.test") },
      ),
    },
    ignore: !IS_DENO,
  },
});

const FORMATS = ["tree", "pages", "ndjson", "json", "csv", "xml", "events"];

test("no command prints or stores a password", async (folder) => {
  await using server = new FaultServer(SITE);
  await using closed = new FaultServer(SITE, { tls: "close" });
  const site = `http://${USER}@${hostOf(server)}/`;
  await Deno.writeTextFile(`${folder}/list.txt`, `${site}\n${site}none.xml\nhttp:${USER}@\n`);
  await Deno.writeTextFile(`${folder}/s.xml`, "<urlset><url><loc>/a</loc></url></urlset>");
  const options = { cwd: folder, permissions: PERMISSIONS };
  const verbose = ["-vvv", "-H", `X-Token: ${SECRET}`, "-H", `Cookie: a=${SECRET}`];
  const commands: string[][] = [
    ...FORMATS.map((format) => ["ls", ...verbose, "-f", format, site]),
    ...["text", "json"].map((format) => ["ls", ...verbose, "--sitemaps", "-f", format, site]),
    ["ls", ...verbose, "--log-file", "log.txt", "-o", "out.xml", site],
    ["ls", "-f", "events", "-o", "events.ndjson", site, `${site}s.xml`],
    ["ls", ...verbose, `${site}none/none.xml`],
    ["ls", ...verbose, "--from", "list.txt"],
    ["ls", ...verbose, `${USER}@${hostOf(closed)}`, `${USER}@${hostOf(closed)}/s.xml`],
    ["ls", ...verbose, `https://${USER}@${hostOf(closed)}/s.xml`, "--retries", "0"],
    ["ls", ...verbose, `https://${USER}@unknown.invalid/`],
    ["report", site],
    ["report", "-f", "json", site, site],
    ...["text", "json", "markdown", "github", "junit", "sarif"].map((format) => [
      ...["check", ...verbose, "-f", format, site, `${site}none/none.xml`],
    ]),
    ["ls", "-f", "events", "--url", `http://${USER}@a.test/`, "s.xml"],
    ["sync", ...verbose, "-f", "ndjson", site, "site.db"],
    ["sync", ...verbose, "-f", "csv", "--dry-run", site, "new.db"],
    ["ls", site, "--proxy", `http://${USER}@${hostOf(closed)}`, "-v", "--retries", "0"],
  ];
  for (const args of commands) {
    const { stdout, stderr } = await runCli(args, options);
    assertWithoutSecret(`${stdout}${stderr}`);
  }
  for (
    const args of [
      ["changes", "-f", "ndjson", "site.db"],
      ["ls", "-f", "events", "site.db"],
      ["ls", "--site", site, "-f", "pages", "site.db"],
      ["ls", "--site", `http://${USER}@b.test/`, "site.db"],
      ["ls", "-f", "tree", "events.ndjson"],
    ]
  ) {
    const { stdout, stderr } = await runCli(args, options);
    assertWithoutSecret(`${stdout}${stderr}`);
    assert(stdout !== "" || args[2]?.includes("b.test"), stderr);
  }
  assert(server.requests.some(({ headers }) => headers.has("authorization")));
  await assertFilesWithoutSecret(folder, ["list.txt"]);
});

/** Misuse, with a password in each. */
const MISUSE: readonly (readonly string[])[] = [
  [`https://${USER}@a.test/`],
  [`${USER}@a.test`],
  [`-H${USER}`],
  ["ls", `ftp://${USER}@a.test/`],
  ["ls", `https://ann:x/${SECRET}@a.test/`],
  ["ls", `https://ann:x y/${SECRET}@a.test/`],
  ["ls", `https://${USER}@a.test:99999/`],
  ["ls", `${USER}@a.test:99999`],
  ["ls", `https://${USER}@a..test/`],
  ["ls", "--timeout", `${USER}@a.test`, "a.test"],
  ["ls", "-f", `https://${USER}@a.test/`],
  ["ls", `--quiet=https://${USER}@a.test/`, "a.test"],
  ["ls", "--proxy", `ftp://${USER}@a.test/`, "a.test"],
  ["ls", "--proxy", `${USER}@a.test:8080`, "a.test"],
  ["ls", "--url", `${USER}@a.test`, "./s.xml"],
  ["ls", "-H", `Authorization ${SECRET}`, "a.test"],
  ["ls", "-H", `Authorization: ${SECRET}\nX: y`, "a.test"],
  ["ls", "--insecure", "--proxy", `http://${USER}@a.test/`, "-H", `X: ${SECRET}`, "a.test"],
  ["ls", "--from", `https://${USER}@a.test/`],
  ["ls", "-o", `https://${USER}@a.test/x.xml`, "./s.xml"],
  ["ls", "-o", `https://${USER}@a.test/x.yaml`, "./s.xml"],
  ["ls", "--log-file", `https://${USER}@a.test/x`, "./s.xml"],
  ["demo", `https://${USER}@a.test/`],
  ["sync", `https://${USER}@a.test/`],
  ["sync", `${USER}@a.test`],
  ["sync", `https://${USER}@a.test/x`, "./site.db"],
  ["sync", `ftp://${USER}@a.test/`, "./site.db"],
  ["changes", "./site.db", `https://${USER}@a.test/`],
  ["changes", `https://${USER}@a.test/`],
  ["completions", `https://${USER}@a.test/`],
  ["fleet", `https://${USER}@a.test/`],
  ["fleet", "status", "--database", `https://${USER}@a.test/`],
  ["fleet", "status", "run", `https://${USER}@a.test/`],
  ["fleet", "status", "--database", `mysql://${USER}@a.test/`],
  ["fleet", "status", "--database", `postgres://${USER}@127.0.0.1:1/a`],
  ["fleet", "status", "--database", `postgres://127.0.0.1:1/a?user=ann&password=${SECRET}`],
  ["sync", "a.test", `postgres://${USER}@127.0.0.1:1/a`],
  ["sync", `postgres://${USER}@127.0.0.1:1/a`, "./site.db"],
  ...["changes", "snapshot sites", "snapshot runs", "ls", "report"].map((command) => [
    ...[...command.split(" "), `postgres://127.0.0.1:1/a?user=ann&password=${SECRET}`],
  ]),
  ["snapshot", "forget", `postgres://${USER}@127.0.0.1:1/a`, "a.test"],
  ["snapshot", "prune", `postgres://${USER}@127.0.0.1:1/a`],
];

test("no message about misuse quotes a password", async (folder) => {
  const leaks: string[] = [];
  for (const args of MISUSE) {
    const options = { cwd: folder, permissions: PERMISSIONS };
    const { code, stdout, stderr } = await runCli(args, options);
    assert(code !== 0, args.join(" "));
    if (`${stdout}${stderr}`.includes(SECRET)) leaks.push(`${args.join(" ")}: ${stderr}`);
  }
  assertEquals(leaks, []);
});

Deno.test("the command that grants permissions has no password", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  const headers = ["-H", `Authorization: ${SECRET}`, `-HX-Key: ${SECRET}`, `--header=A: ${SECRET}`];
  for (
    const args of [
      ["ls", ...headers, "-vH", `B: ${SECRET}`, `https://${USER}@a.test/`],
      ["ls", ...headers, `${USER}@b.test`],
      ["ls", "--proxy", `http://${USER}@a.test:8080`, "a.test"],
    ]
  ) {
    const { code, stderr } = await runCli(args, { permissions: [] });
    assertEquals([code, stderr.includes("run: deno run")], [1, true], stderr);
    assertWithoutSecret(stderr);
  }
});
