import { countsText, SEVERITIES } from "../../check/severity.ts";
import { count, grouped } from "../../data/text.ts";
import type { ReportFinding, ReportFindings } from "../report.ts";
import { type Child, element, link, list, muted, prose } from "./dom.ts";
import { disclosure, GrowingList } from "./tables.ts";
import { MARKS } from "./words.ts";

/** `isWhole` is whether all walks have ended. */
export function findingList(findings: ReportFindings, isWhole: boolean): readonly Child[] {
  const { items, help, skipped, counts } = findings;
  const all = SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);
  const left = all - items.length;
  if (all === 0) {
    const text = isWhole ? "The check found nothing" : "The check found nothing in what was read";
    return [element("p", {}, text), skippedRules(skipped)];
  }
  const shown = element("div", { class: "findings" });
  const growing = new GrowingList(shown, (item) => finding(item, help[item.code]), items);
  const result = element("p", { role: "status", class: "muted" });
  const { view: filters, accepts } = filterForm(findings, () => {
    const accepted = items.filter(accepts);
    growing.show(accepted);
    result.textContent = `${grouped(accepted.length)} of ${count(items.length, "finding")}`;
  });
  return [
    filters,
    result,
    shown,
    growing.more,
    left > 0 ? muted(`The first ${items.length} of ${grouped(all)} findings`) : undefined,
    skippedRules(skipped),
  ];
}

interface Filters {
  readonly view: HTMLElement;
  readonly accepts: (item: ReportFinding) => boolean;
}

function filterForm({ items, counts }: ReportFindings, change: () => void): Filters {
  const boxes = SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) => {
    const box = element("input", { type: "checkbox", value: severity, checked: true });
    const label = countsText({ [severity]: counts[severity] });
    return { severity, box, view: element("label", {}, box, ` ${label}`) };
  });
  const sitemaps = [...new Set(items.flatMap(({ sitemap }) => sitemap ?? []))];
  const select = element(
    "select",
    { "aria-label": "Sitemap" },
    element("option", { value: "" }, "All sitemaps"),
    ...sitemaps.map((url, at) => element("option", { value: at }, url)),
  );
  const view = element(
    "fieldset",
    { class: "filters" },
    element("legend", { class: "unseen" }, "Filter findings"),
    ...boxes.map((box) => box.view),
    sitemaps.length < 2 ? undefined : select,
  );
  view.addEventListener("change", change);
  const accepts = ({ severity, sitemap }: ReportFinding) =>
    boxes.some((box) => box.severity === severity && box.box.checked) &&
    (select.value === "" || sitemaps[Number(select.value)] === sitemap);
  return { view, accepts };
}

function finding(item: ReportFinding, help: string | undefined): HTMLElement {
  const { code, severity, message, sitemap, count: number, isEstimated, examples } = item;
  const places = `${isEstimated ? "about " : ""}${count(number, "place")}` +
    (isEstimated ? " (estimated)" : "");
  return element(
    "article",
    { class: "finding", "data-severity": severity },
    element(
      "h3",
      {},
      element("span", { class: `badge ${severity}` }, `${MARKS[severity]} ${severity}`),
      ` ${message}`,
    ),
    muted(
      element("code", {}, code),
      ` · ${places}`,
      ...(sitemap === undefined ? [] : [" · ", link(sitemap)]),
    ),
    help === undefined ? undefined : element("p", { class: "help" }, ...prose(help)),
    examples.length === 0 ? undefined : disclosure(
      count(examples.length, "example"),
      () => [list(examples.map(exampleItem))],
      "printed",
    ),
  );
}

function exampleItem({ url, line, value }: ReportFinding["examples"][number]): Child[] {
  return [
    url === undefined ? undefined : link(url),
    line === undefined ? undefined : element("span", { class: "muted" }, ` line ${line}`),
    ...(value === undefined ? [] : [" ", element("code", {}, value)]),
  ];
}

function skippedRules(skipped: ReportFindings["skipped"]): HTMLElement | undefined {
  if (skipped.length === 0) return undefined;
  return disclosure(
    `${count(skipped.length, "rule")} could not be judged`,
    () => [list(skipped.map(({ code, reason }) => [element("code", {}, code), ` ${reason}`]))],
    "printed",
  );
}
