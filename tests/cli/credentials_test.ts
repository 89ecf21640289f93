/** Passwords: to whom they are sent, and that none is printed or stored. @module */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FaultServer, type FaultServerOptions, ok, redirect } from "../support/fault_server.ts";
import { selfSigned } from "../support/self_signed.ts";
import { test } from "./folder_cases.ts";
import { HAS_PERMISSIONS, IS_DENO, runCli } from "./run_cli.ts";
import {
  assertFilesWithoutSecret,
  assertWithoutSecret,
  ENCODED,
  hostOf,
  PERMISSIONS,
  SECRET,
  SITE,
  USER,
} from "./secret.ts";

// ------------------------------------------------------------------------------------ fallback

const CREDENTIALS: Readonly<Record<string, (host: string) => readonly string[]>> = {
  "user info": (host) => [`${USER}@${host}`],
  "user info and a path": (host) => [`${USER}@${host}/s.xml`],
  "a user": (host) => [`ann@${host}`],
  "an Authorization": (host) => ["-H", `Authorization: Bearer ${SECRET}`, host],
  "a Cookie": (host) => ["-H", `cookie: a=${SECRET}`, host],
  "a Proxy-Authorization": (host) => ["-H", `Proxy-Authorization: Basic ${ENCODED}`, host],
  "an API key": (host) => ["-H", `X-Api-Key: ${SECRET}`, host],
};

for (const [name, args] of Object.entries(CREDENTIALS)) {
  Deno.test(`a host with ${name} is not read by http if https fails`, async () => {
    await using server = new FaultServer(SITE, { tls: "alert" });
    const { code, stdout, stderr } = await runCli(["ls", "-f", "pages", ...args(hostOf(server))]);
    assertEquals({ code, stdout, requests: server.requests }, {
      code: 5,
      stdout: "",
      requests: [],
    });
    assertStringIncludes(stderr, "not tried by http, which would send the credentials unencrypted");
    assertStringIncludes(stderr, 'write "http://" before the host');
    assertWithoutSecret(stderr);
  });
}

const FAILURES: readonly FaultServerOptions[] = [
  { tls: "alert" },
  { tls: "close" },
  { tls: "garbage" },
  { tls: "silence" },
];

for (const options of FAILURES) {
  Deno.test(`no credentials are sent by http after "${options.tls}" instead of TLS`, async () => {
    await using server = new FaultServer(SITE, options);
    const host = hostOf(server);
    for (
      const command of [["ls", "-f", "pages", "--timeout", "500ms"], ["report", "--timeout=500ms"]]
    ) {
      const { code, stderr } = await runCli([
        ...command,
        `${USER}@${host}`,
        `${USER}@${host}/s.xml`,
      ]);
      assertEquals([code, server.requests], [5, []], stderr);
      assertStringIncludes(stderr, "not tried by http");
    }
  });
}

Deno.test("headers that are not credentials do not prevent http", async () => {
  await using server = new FaultServer(SITE, { tls: "alert" });
  const headers = ["-H", "Accept-Language: de", "-A", "own"];
  const { code, stdout } = await runCli(["ls", "-f", "pages", "-u", ...headers, hostOf(server)]);
  assertEquals({ code, stdout }, { code: 0, stdout: "/a\n/b\n" });
});

Deno.test("credentials are sent by http if the scheme is written", async () => {
  await using server = new FaultServer(SITE);
  await runCli(["ls", "-f", "pages", `http://${USER}@${hostOf(server)}`]);
  const sent = server.requests.map(({ headers }) => headers.get("authorization")?.trim());
  assertEquals(new Set(sent), new Set([`Basic ${ENCODED}`]));
});

Deno.test("a redirect from https to http gets no credentials", { ignore: !IS_DENO }, async () => {
  await using http = new FaultServer({
    "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
    "/s.xml": ok("<urlset><url><loc>/a</loc></url></urlset>"),
  });
  await using https = new FaultServer(
    { "*": redirect(`${http.origin}/robots.txt`) },
    { certificate: await selfSigned("site.test") },
  );
  const headers = ["-H", `Cookie: a=${SECRET}`, "-H", `X-Auth-Token: ${SECRET}`];
  const operand = https.url.replace("//", `//${USER}@`);
  const args = ["ls", "-f", "pages", "--insecure", "--no-known", ...headers, operand];
  const { code, stderr } = await runCli(args);
  assertEquals([code, stderr.includes(SECRET)], [0, false], stderr);
  assert(https.requests.every(({ headers }) => headers.has("authorization")));
  assertEquals(http.requests.map(({ path }) => path), ["/robots.txt", "/s.xml"]);
  for (const { headers } of http.requests) {
    for (const name of ["authorization", "cookie", "x-auth-token"]) {
      assertEquals(headers.get(name), null, name);
    }
  }
});

// ------------------------------------------------------------------------------------- secrets

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
