import { countsText, SEVERITIES } from "../../check/severity.ts";
import { count, grouped } from "../../data/text.ts";
import type { Report, ReportFinding, ReportFindings } from "../report.ts";
import { type Child, element, link, muted, prose } from "./dom.ts";
import { folded, GrowingList } from "./tables.ts";
import { MARKS } from "./words.ts";

export function findingList({ findings, sites }: Report): readonly Child[] {
  const { items, help, skipped, counts } = findings!;
  const all = SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);
  if (all === 0) {
    const isWhole = sites.length > 0 && sites.every(({ verdict }) => verdict !== undefined);
    const text = `The check found nothing${isWhole ? "" : " in what was read"}`;
    return [element("p", text), skippedRules(skipped)];
  }
  const shown = element("div.findings");
  const growing = new GrowingList(shown, (item) => finding(item, help[item.code]), items);
  const result = element("p.muted", { role: "status" });
  const { view: filters, accepts } = filterForm(findings!, () => {
    const accepted = items.filter(accepts);
    growing.show(accepted);
    result.textContent = `${grouped(accepted.length)} of ${count(items.length, "finding")}`;
  });
  return [
    filters,
    result,
    shown,
    growing.more,
    all > items.length && muted(`The first ${items.length} of ${grouped(all)} findings`),
    skippedRules(skipped),
  ];
}

function filterForm({ items, counts }: ReportFindings, change: () => void) {
  const boxes = SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) => {
    const box = element("input", { type: "checkbox", value: severity, checked: true });
    const label = countsText({ [severity]: counts[severity] });
    return { severity, box, label: element("label", box, ` ${label}`) };
  });
  const sitemaps = [...new Set(items.flatMap(({ sitemap }) => sitemap ?? []))];
  const select = element(
    "select",
    { "aria-label": "Sitemap" },
    element("option", { value: "" }, "All sitemaps"),
    ...sitemaps.map((url, at) => element("option", { value: at }, url)),
  );
  const view = element(
    "fieldset.filters",
    element("legend.unseen", "Filter findings"),
    ...boxes.map(({ label }) => label),
    sitemaps.length > 1 && select,
  );
  view.addEventListener("change", change);
  const accepts = ({ severity, sitemap }: ReportFinding) =>
    boxes.some((one) => one.severity === severity && one.box.checked) &&
    (select.value === "" || sitemaps[Number(select.value)] === sitemap);
  return { view, accepts };
}

function finding(item: ReportFinding, help: string | undefined): HTMLElement {
  const { code, severity, message, sitemap, count: number, isEstimated, examples } = item;
  const [about, estimated] = isEstimated ? ["about ", " (estimated)"] : ["", ""];
  return element(
    "article.finding",
    { "data-severity": severity },
    element(
      "h3",
      element("span", { class: `badge ${severity}` }, `${MARKS[severity]} ${severity}`),
      ` ${message}`,
    ),
    muted(
      element("code", code),
      ` · ${about}${count(number, "place")}${estimated}`,
      ...(sitemap === undefined ? [] : [" · ", link(sitemap)]),
    ),
    help !== undefined && element("p.help", ...prose(help)),
    examples.length > 0 &&
      folded(count(examples.length, "example"), () => examples.map(exampleItem)),
  );
}

function exampleItem({ url, line, value }: ReportFinding["examples"][number]): Child[] {
  return [
    url !== undefined && link(url),
    line !== undefined && element("span.muted", ` line ${line}`),
    ...(value === undefined ? [] : [" ", element("code", value)]),
  ];
}

function skippedRules(skipped: ReportFindings["skipped"]): Child {
  return skipped.length > 0 &&
    folded(
      `${count(skipped.length, "rule")} could not be judged`,
      () => skipped.map(({ code, reason }) => [element("code", code), ` ${reason}`]),
    );
}
