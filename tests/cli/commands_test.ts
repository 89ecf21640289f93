/** What all commands that read sites have in common: their options, and their help. @module */

import { robots, urlset } from "./sites.ts";
import { transcripts } from "./transcript.ts";

const PAGES = urlset("{{origin}}/a 2024-05-01", "{{origin}}/z 2024-05-01");

transcripts("commands", {
  options: {
    sites: {
      site: {
        "/robots.txt": `User-agent: *\nDisallow: /private\n${robots("{{origin}}/s.xml")}`,
        "/s.xml": PAGES,
        "/more.xml": urlset("{{origin}}/b"),
        "/": "<!doctype html><html><body>Hello</body></html>",
      },
      preview: { "/robots.txt": robots("/s.xml"), "/s.xml": urlset("https://mill.example/a") },
      proxy: {
        "http://mill.example/robots.txt": robots("/s.xml"),
        "http://mill.example/s.xml": urlset("http://mill.example/a"),
      },
    },
    files: { "none.json": "{}" },
  },
});
