import { ok, status } from "../support/fault_server.ts";
import { transcripts } from "./transcript.ts";

transcripts("sync", {
  second_walk: {
    sites: {
      site: {
        "/robots.txt": ok("Sitemap: {{origin}}/a.txt\nSitemap: {{origin}}/b.txt\n"),
        "/a.txt": ok("{{origin}}/1\n"),
        "/b.txt": [status(503), ok("{{origin}}/2\n")],
      },
    },
  },
});
