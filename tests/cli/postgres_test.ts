import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serveRoutes } from "../support/fixture_server.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { ALL_PERMISSIONS, HAS_PERMISSIONS, runCli } from "./run_cli.ts";
import { assertSteps } from "./transcript.ts";

const ON_POSTGRES = { ignore: !HAS_PERMISSIONS || !HAS_POSTGRES };
const OPTIONS = { permissions: [...ALL_PERMISSIONS, "--allow-env"] };

Deno.test(
  "a database is the snapshot of sync and of all commands that read one",
  ON_POSTGRES,
  async () => {
    await using database = await startPostgres({ password: "p:w" });
    let pages = "/1\n/2\n";
    await using site = serveRoutes({
      "/robots.txt": () => new Response("Sitemap: /s.txt\n"),
      "/s.txt": (request) => {
        const { origin } = new URL(request.url);
        return new Response(pages.replaceAll("/", `${origin}/`));
      },
    });
    const { url } = database;
    const line = (...args: string[]) => ({ args, options: OPTIONS });
    await assertSteps("postgres", { db: url, site: site.url }, [
      line("snapshot", "sites", url),
      line("sync", "-k", site.url, url, "--dry-run", "-f", "text"),
      line("sync", "-k", site.url, url, "-f", "text"),
      () => {
        pages = "/2\n/3\n";
      },
      line("sync", "-k", url, "--connections", "2", "-f", "text"),
      line("sync", "-k", url, "--pooled", "-v", "-l", "/dev/null"),
      line("changes", url, "--consumer", "index", "--ack"),
      line("changes", url, "--consumer", "index", "--pooled"),
      line("snapshot", "sites", url, "-f", "csv"),
      line("snapshot", "runs", url, "-f", "ndjson", "--site", site.url),
      line("ls", url, "-f", "ndjson"),
      line("ls", url, "--site", site.url, "-f", "pages"),
      line("ls", url, "--site", "a.test"),
      line("snapshot", "prune", url),
      line("snapshot", "prune", url, "--keep-changes", "90d"),
      line("snapshot", "forget", url, "a.test"),
      line("snapshot", "forget", url, site.url, "--pooled"),
      line("ls", url, "-f", "pages"),
    ]);
  },
);

Deno.test(
  "a database that cannot be used is one line and a hint, without its password",
  ON_POSTGRES,
  async () => {
    await using database = await startPostgres({ password: "secret" });
    const expected = [
      [
        database.url.replace("secret", "sesame"),
        "wrong user or password",
        "check user and password",
      ],
      [
        database.urlOf("none"),
        "no such database",
        "check host, port and database",
      ],
      [
        database.url.replace(/:\d+\//, ":1/"),
        "connection refused",
        "check host, port and database",
      ],
    ] as const;
    for (const [url, reason, hint] of expected) {
      for (
        const args of [["sync", "a.test", url], ["changes", url], ["ls", url], [
          "snapshot",
          "forget",
          url,
          "a",
        ]]
      ) {
        const { code, stdout, stderr } = await runCli(args, OPTIONS);
        assertEquals([code, stdout], [1, ""]);
        assertMatch(
          stderr,
          new RegExp(`^error: Cannot connect to "[^"]*": ${reason}\n  ${hint}.*\n$`),
        );
        assertEquals(/secret|sesame/.test(stderr), false, stderr);
      }
    }
  },
);

Deno.test(
  "a database names the permissions that it needs",
  { ignore: !HAS_PERMISSIONS },
  async () => {
    const { code, stderr } = await runCli(["ls", "postgres://ann:secret@a.test/b"], {
      permissions: ["--allow-net"],
    });
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      "error: Cannot open the database: no permission for read, write, env\n",
    );
    assertStringIncludes(stderr, "--allow-env");
    assertEquals(stderr.includes("secret"), false, stderr);
  },
);

/** Serves the error of a pool that refuses settings of a connection, once. */
async function refuseSettings(listener: Deno.Listener): Promise<void> {
  using connection = await listener.accept();
  await connection.read(new Uint8Array(1000));
  const fields = ["SFATAL", "C08P01", "Munsupported startup parameter: lock_timeout", "", ""];
  const body = new TextEncoder().encode(fields.join("\0"));
  const message = new Uint8Array(5 + body.length);
  message.set([0x45, 0, 0, 0, 4 + body.length]);
  message.set(body, 5);
  await connection.write(message);
}

Deno.test("a pool of connections names the option that it needs", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const refused = refuseSettings(listener);
  const { code, stderr } = await runCli(
    ["snapshot", "sites", `postgres://ann@127.0.0.1:${port}/b`],
    OPTIONS,
  );
  await refused;
  assertEquals([code, stderr], [
    1,
    `error: Cannot connect to "postgres://ann@127.0.0.1:${port}/b": a pool of connections\n` +
    "  add --pooled\n",
  ]);
});
