import { assertEquals } from "@std/assert";
import { trimSpace } from "../../src/data/text.ts";
import fc from "../support/fast_check.ts";
import {
  addressKey,
  isAbsoluteHttp,
  isHttp,
  isRobotsUrl,
  resolveAddress,
  validStart,
  withoutPassword,
  withoutPasswords,
} from "../../src/data/url.ts";

const BASE = "https://base.test/dir/s.xml";

/** Returns the resolved address and the reported codes: `https://a.test/ repaired`. */
function outcomeOf(address: string, documentUrl: string, base?: string): string {
  const codes: string[] = [];
  const onRepair = (code: string) => void codes.push(code);
  const url = resolveAddress(address, documentUrl, { base, onRepair });
  assertEquals(resolveAddress(address, documentUrl, { base }), url, "the callback changes nothing");
  return [url ?? "unusable", ...codes].join(" ");
}

function assertOutcomes(documentUrl: string, expected: Readonly<Record<string, string>>): void {
  for (const [address, outcome] of Object.entries(expected)) {
    assertEquals(outcomeOf(address, documentUrl), outcome, address);
  }
}

Deno.test("resolveAddress() keeps absolute addresses as written and reports nothing", () => {
  const kept = [
    "https://a.test",
    "HTTPS://A.TEST/X",
    "http://a.test:80/ü?q=a b#f",
    "http://user:pw@a.test/",
    "https://a.test?x",
    "https://a.test\\x",
    "https://a.test/?u=https:/b.test",
  ];
  for (const base of [BASE, ""]) {
    assertOutcomes(base, Object.fromEntries(kept.map((address) => [address, address])));
  }
});

Deno.test("resolveAddress() resolves relative addresses and reports them", () => {
  assertOutcomes(BASE, {
    "x": "https://base.test/dir/x relative-address",
    "//other.test/x": "https://other.test/x relative-address",
    "\\\\other.test\\x": "https://other.test/x relative-address",
    "/\\\\/other.test/x": "https://other.test/x relative-address",
    "?q": "https://base.test/dir/s.xml?q relative-address",
    "../a b": "https://base.test/a%20b relative-address",
    "base.test/x": "https://base.test/dir/base.test/x relative-address",
    "wwwx.test/": "https://base.test/dir/wwwx.test/ relative-address",
    "www": "https://base.test/dir/www relative-address",
    "/www.a.test/": "https://base.test/www.a.test/ relative-address",
    "./http://a.test/": "https://base.test/dir/http://a.test/ relative-address",
  });
  assertOutcomes("http://base.test/", {
    "//other.test/x": "http://other.test/x relative-address",
  });
});

Deno.test("resolveAddress() removes tabs and line breaks inside an address", () => {
  assertOutcomes(BASE, {
    "https://a.test/x\r\n\t\ty?z=\t1": "https://a.test/xy?z=1 address-repaired",
    "https://a.test/x y\tz": "https://a.test/x yz address-repaired",
    "https://a.\ntest/X": "https://a.test/X address-repaired",
    "ht\ttps:/\n/a.test/X": "https://a.test/X address-repaired",
    "//a.\ttest/b": "https://a.test/b address-repaired relative-address",
    "w\tww.a.test/x": "https://www.a.test/x address-repaired",
    // the URL parser does not remove vertical tabs and form feeds
    "https://a.test/x\vy": "https://a.test/x\vy",
  });
});

Deno.test("resolveAddress() accepts any number and kind of slashes behind http(s):", () => {
  const slashes = ["", "/", "///", "////", "\\", "\\\\", "/\\", "\\/", "//\\", "//////\\\\"];
  for (const base of [BASE, "", "http://base.test/"]) {
    for (const scheme of ["http", "https"]) {
      assertOutcomes(
        base,
        Object.fromEntries(slashes.map((slash) => [
          `${scheme}:${slash}A.test/x y`,
          `${scheme}://a.test/x%20y address-repaired`,
        ])),
      );
    }
    assertOutcomes(base, {
      "HTTPS:/a.test": "https://a.test/ address-repaired",
      "Http:a.test:80/x": "http://a.test/x address-repaired",
      "https:/user:pw@a.test/": "https://user:pw@a.test/ address-repaired",
      "https:/www.a.test/": "https://www.a.test/ address-repaired",
      "https:https://a.test/": "https://https//a.test/ address-repaired",
    });
  }
});

Deno.test("resolveAddress() adds the scheme of the sitemap to an address that begins with www.", () => {
  const rests = ["a.test", "a.test/x y/É?q#f", "a.test:8080/", "a.test?x", "a.test\\x", ""];
  for (const [base, scheme] of [[BASE, "https:"], ["http://base.test/", "http:"], ["", "https:"]]) {
    assertOutcomes(
      base!,
      Object.fromEntries(
        rests.map((rest) => [`www.${rest}`, `${scheme}//www.${rest} address-repaired`]),
      ),
    );
  }
  assertOutcomes("file:///s.xml", { "www.a.test": "https://www.a.test address-repaired" });
  assertOutcomes(BASE, {
    "WWW.A.test/x": "https://WWW.A.test/x address-repaired",
    "www.a b/": "unusable",
    "www.a.test:99999/": "unusable",
  });
});

Deno.test("resolveAddress() rejects addresses that are not http(s) or have no host", () => {
  const refused = [
    "",
    "ftp://a.test/",
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    "file:///etc/passwd",
    "httpss://a.test/",
    "a.test:8080/x",
    "http:",
    "http://",
    "https://?x",
    "//",
    "https://a b/",
    "https://a\u3000b/",
    "http://[::1",
    "http://a:99999/",
    "https://user@/",
  ];
  for (const base of [BASE, ""]) {
    assertOutcomes(base, Object.fromEntries(refused.map((address) => [address, "unusable"])));
  }
});

Deno.test("resolveAddress() rejects relative addresses without a base", () => {
  const relative = ["x", "/x", "//a.test/", "?x", "#x", "../x", "a\nb", "base.test/x"];
  assertOutcomes("", Object.fromEntries(relative.map((address) => [address, "unusable"])));
  assertOutcomes("mailto:x", { "x": "unusable", "https://a.test/": "https://a.test/" });
});

Deno.test("resolveAddress() resolves against a given base", () => {
  const documentUrl = "http://base.test/dir/s.xml";
  const outcomes: [string, string, string][] = [
    ["x", "https://blog.test/posts/", "https://blog.test/posts/x relative-address"],
    ["//cdn.test/", "https://blog.test/", "https://cdn.test/ relative-address"],
    ["x", "", "unusable"],
    ["x", "no url", "unusable"],
    ["https://a.test/x", "https://blog.test/", "https://a.test/x"],
    // the scheme of the sitemap, which is not the base
    ["www.a.test", "https://blog.test/", "http://www.a.test address-repaired"],
    ["http:/a.test", "https://blog.test/", "http://a.test/ address-repaired"],
  ];
  for (const [address, base, outcome] of outcomes) {
    assertEquals(outcomeOf(address, documentUrl, base), outcome, `${address} in ${base}`);
  }
  assertEquals(outcomeOf("x", documentUrl), "http://base.test/dir/x relative-address");
});

const PARTS = [
  ...["http://", "https://", "HTTP://", "http:", "https:/", "//", "www.", "/", "\\", "?", "#"],
  ...["a.test", "b.test", "é.test", "a b", "[::1]", "[", "]", "%", "%zz", "%41", "1.2.3.4.5"],
  ...[":", ":80", ":99999", "@", "u:p@", "\t", "\n", "\r", "\0", "\x7f", "x", "..", "\ud800"],
];
const ADDRESS = fc.array(fc.constantFrom(...PARTS), { maxLength: 6 })
  .map((parts) => trimSpace(parts.join("")));

Deno.test("resolveAddress() returns URLs that the URL parser reads alike", () => {
  fc.assert(
    fc.property(ADDRESS, (address) => {
      const outcome = outcomeOf(address, BASE);
      const [url, ...codes] = outcome.split(/ (?=address-repaired|relative-address)/);
      const unbroken = address.replace(/[\t\r\n]/g, "");
      // Deno 2.9 rejects `///host`
      const standard = unbroken.replace(/^[/\\]{3,}/, "//");
      const parsed = URL.parse(standard, ...(/^https?:/i.test(unbroken) ? [] : [BASE]));
      if (/^www\./i.test(unbroken)) {
        assertEquals(url !== "unusable", URL.canParse(`https://${address}`), address);
      } else {
        const expected = parsed !== null && isHttp(parsed) && address !== "" ? parsed : undefined;
        assertEquals(url === "unusable" ? undefined : new URL(url!).href, expected?.href, address);
      }
      if (codes.length === 0 && url !== "unusable") assertEquals(url, address);
      if (url !== "unusable") assertEquals(/[\t\r\n]/.test(url!), false);
    }),
    { numRuns: 20_000 },
  );
});

Deno.test("isAbsoluteHttp() agrees with the URL parser, unless a repair is needed", () => {
  const address = fc.array(fc.constantFrom(...PARTS), { maxLength: 6 })
    .map((parts) => trimSpace(`http://${parts.join("")}`));
  fc.assert(
    fc.property(address, (address) => {
      const needsRepair = /[\t\r\n]|^http:\/\/[/\\]/.test(address);
      assertEquals(isAbsoluteHttp(address), !needsRepair && URL.canParse(address), address);
    }),
    { numRuns: 20_000 },
  );
  for (const address of ["", "x", "/x", "http:/a.test", "www.a.test", "ftp://a.test/", "http:a"]) {
    assertEquals(isAbsoluteHttp(address), false, address);
  }
});

Deno.test("validStart() returns the authority of an absolute address that is valid", () => {
  const starts: Readonly<Record<string, string | undefined>> = {
    "https://a.test/x": "https://a.test/",
    "https://a.test/y?z": "https://a.test/",
    "http://B.test:80?q": "http://B.test:80?",
    "https://u:p@c.test#f/": "https://u:p@c.test#",
    "https://a.test": "https://a.test",
    "https://a.test\\x": "https://a.test\\x",
    // these are not absolute without a repair
    "https:///d.test/": undefined,
    "https://a b/": undefined,
    "relative": undefined,
  };
  for (const [address, start] of Object.entries(starts)) {
    assertEquals(validStart(address), start, address);
  }
});

Deno.test("isAbsoluteHttp() rejects a tab or line break anywhere", () => {
  for (const space of ["\t", "\n", "\r"]) {
    for (const address of [`https://a.test/x${space}y`, `https://a.test/${space}`]) {
      assertEquals(isAbsoluteHttp(address), false, JSON.stringify(address));
    }
  }
});

Deno.test("resolveAddress() and addressKey() do not overflow the stack", () => {
  const path = "/".repeat(10_000_000), host = "a.".repeat(5_000_000);
  for (const address of [`https://a.test${path}`, `https://${host}/`, "https://a.test/a"]) {
    assertEquals(resolveAddress(address, "") === address, true);
    assertEquals(addressKey(address) === address, true);
  }
});

Deno.test("addressKey() returns the serialised URL without fragment", () => {
  assertEquals(addressKey("HTTPS://A.test:443/x/../y?q#f"), "https://a.test/y?q");
  assertEquals(addressKey("https://a.test"), addressKey("https://a.test/#"));
  assertEquals(addressKey("no url"), "no url");
});

Deno.test("addressKey() equals what the URL parser returns", () => {
  const starts = [
    "http://a.test/",
    "https://A.test/",
    "http://a.test:80/",
    "http://127.1/",
    "/",
    "https://xn--a.test/",
    "https://a-.b--c.test/",
    "https://a.1/",
  ];
  const parts = [
    ...["/", "//", ".", "..", "%2e", "%2E%2e", "a", "B-c_d~1", "%", "%zz", "?", "?q=1&r=/./", "#f"],
    ...["'", '"', "<", "|", "\\", "^", "`", "{", "[", "é", "\u{1f577}", " ", ":@!$&()*+,;=", "\n"],
  ];
  const address = fc.tuple(
    fc.constantFrom(...starts),
    fc.array(fc.constantFrom(...parts), { maxLength: 6 }),
  ).map(([start, parts]) => start + parts.join(""));
  fc.assert(
    fc.property(address, (address) => {
      const url = URL.parse(address);
      if (url !== null) url.hash = "";
      assertEquals(addressKey(address), url?.href ?? address);
    }),
    { numRuns: 10_000 },
  );
});

Deno.test("isRobotsUrl() checks the end of the path", () => {
  const urls: Readonly<Record<string, boolean>> = {
    "https://a.test/robots.txt": true,
    "https://a.test/dir/robots.txt?x#y": true,
    "https://a.test/Robots.txt": false,
    "https://a.test/my-robots.txt": false,
    "https://a.test/robots.txt/": false,
    "https://a.test/?/robots.txt": false,
    "no url": false,
  };
  for (const [url, expected] of Object.entries(urls)) {
    assertEquals(isRobotsUrl(URL.parse(url)), expected, url);
  }
});

Deno.test("withoutPasswords() keeps everything but passwords of URLs in a text", () => {
  const cases = [
    ['Cannot read "https://me:pw@a.test/b": no', 'Cannot read "https://me@a.test/b": no'],
    ["to postgres://me:p@w@a.test/b?password=c", "to postgres://me@a.test/b?password=…"],
    ["at 12:30 to https://a.test:80/b", "at 12:30 to https://a.test:80/b"],
    ["at 12:30 to https://a.test:80/@b", "at 12:30 to https://a.test:80/@b"],
  ] as const;
  for (const [text, expected] of cases) assertEquals(withoutPasswords(text), expected);
});

Deno.test("withoutPassword() keeps everything but the password of a word", () => {
  const cases = [
    ["postgres://me:p/w:d@x@db.test:5432/a?b=c", "postgres://me@db.test:5432/a?b=c"],
    ["postgres:///a?host=/tmp&password=p%20w&b=c", "postgres:///a?host=/tmp&password=…&b=c"],
    ["postgres://me@db.test/a", "postgres://me@db.test/a"],
    ["me:p w@a.test", "me@a.test"],
    ["//me:pw@a.test/b", "//me@a.test/b"],
    ["https://me:p/w@a.test:99999/b", "https://me@a.test:99999/b"],
    ["https://a.test:80/@b", "https://a.test:80/@b"],
    ["a.test:80/@b", "a.test:80/@b"],
    ["./a.xml", "./a.xml"],
  ] as const;
  for (const [text, expected] of cases) assertEquals(withoutPassword(text), expected);
});
