import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { add, ZERO_QUANTITY } from "../../../src/decimal/index.ts";
import { Quantity, statusOf } from "../../../src/index.ts";
import { reportOf, type SimulationResult } from "../../../src/simulator/index.ts";
import { grouped } from "../../../src/simulator/report/numbers.ts";
import { elementsOf, type HtmlElement, parseHtml, rowsOf } from "../../support/html-tree.ts";
import { onWalk, placeEveryKind } from "./walks.ts";

const SECTIONS = [
  ...["equity", "prices", "triggers", "schedules", "participation"],
  ...["slippage", "statistics", "orders", "run"],
];

const classed = (root: HtmlElement, name: string, value: string): readonly HtmlElement[] =>
  elementsOf(
    root,
    (each) => each.name === name && each.attributes.get("class")?.split(" ").includes(value) === true,
  );

/** Returns the values of a series by the title of its figure. */
function valuesOf(root: HtmlElement, title: string, series: string): readonly string[] {
  const figures = classed(root, "figure", "chart");
  const found = figures.find((figure) =>
    elementsOf(figure, ({ name }) => name === "figcaption")[0]?.text.includes(title),
  );
  if (found === undefined) throw new Error(`the page has no figure ${title}`);
  const items = elementsOf(
    found,
    ({ name, attributes }) => name === "li" && attributes.get("data-name") === series,
  );
  return items[0]?.attributes.get("data-values")?.split(" ") ?? [];
}

const quantityText = (value: Quantity): string => grouped(Quantity.format(value));

describe("the report of a simulation", () => {
  let result: SimulationResult;
  let text = "";
  let page: HtmlElement;

  beforeAll(async () => {
    result = await onWalk(2, placeEveryKind, { seconds: 300 });
    text = reportOf(result, { title: "Every kind", parameters: { seed: "2" } });
    page = parseHtml(text);
  });

  it("is one well-formed page with all sections, each with a heading", () => {
    const sections = elementsOf(page, ({ name }) => name === "section");
    expect(sections.map(({ attributes }) => attributes.get("id"))).toEqual(SECTIONS);
    for (const { attributes } of sections) {
      const heading = elementsOf(
        page,
        (each) => each.attributes.get("id") === attributes.get("aria-labelledby"),
      );
      expect(heading.map(({ name }) => name)).toEqual(["h2"]);
    }
  });

  it("loads nothing, and permits its own style and script only", () => {
    const all = elementsOf(page, () => true);
    expect([...new Set(all.map(({ name }) => name))].sort()).toEqual(
      [
        ...[
          "a",
          "body",
          "caption",
          "code",
          "dd",
          "div",
          "dl",
          "dt",
          "figcaption",
          "figure",
          "g",
          "h1",
          "h2",
          "head",
        ],
        ...[
          "header",
          "li",
          "main",
          "meta",
          "nav",
          "output",
          "p",
          "path",
          "script",
          "section",
          "span",
          "style",
          "svg",
        ],
        ...["table", "tbody", "td", "text", "th", "thead", "title", "tr", "ul"],
      ].sort(),
    );
    for (const { attributes } of all) {
      for (const name of ["src", "style", "data", "action", "onclick", "onload"])
        expect(attributes.has(name)).toBe(false);
      expect(attributes.get("href") ?? "#").toMatch(/^#/);
    }
    expect(text).not.toMatch(/url\(|@import|https?:/);
    const policy = all.find(({ attributes }) => attributes.get("http-equiv") === "Content-Security-Policy");
    const hash = (name: string): string => {
      const [, content = ""] = text.split(new RegExp(`</?${name}>`));
      return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
    };
    expect(policy?.attributes.get("content")).toBe(
      `default-src 'none'; style-src ${hash("style")}; script-src ${hash("script")}; base-uri 'none'; form-action 'none'`,
    );
  });

  it("the same run gives the same text, byte by byte", async () => {
    const again = await onWalk(2, placeEveryKind, { seconds: 300 });
    expect(reportOf(again, { title: "Every kind", parameters: { seed: "2" } })).toBe(text);
  });

  it("every drawing has a description, every table a caption, every chart a title", () => {
    for (const drawing of elementsOf(page, ({ name }) => name === "svg"))
      expect(drawing.attributes.get("aria-label") ?? drawing.attributes.get("aria-hidden")).toBeTruthy();
    for (const table of elementsOf(page, ({ name }) => name === "table"))
      expect(table.children[0]?.name).toBe("caption");
    for (const figure of classed(page, "figure", "chart"))
      expect(figure.children[0]?.name).toBe("figcaption");
  });

  it("the table has every order with what it executed", () => {
    const rows = rowsOf(page, "Managed orders");
    expect(rows.map((cells) => [cells[1], cells[3], cells[5], cells[6], cells[8]])).toEqual(
      result.orders.map((order) => [
        ...[order.intent.clientOrderId, order.intent.type, quantityText(order.intent.quantity)],
        ...[quantityText(order.executedQuantity), statusOf(order).status],
      ]),
    );
    const filled = result.fills.reduce((sum, fill) => sum + (fill.orderId === undefined ? 0 : 1), 0);
    expect(filled).toBeGreaterThan(20);
    for (const [index, order] of result.orders.entries()) {
      const parts = result.fills.filter(({ orderId }) => orderId === order.orderId);
      const sum = parts.reduce((total, part) => add(total, Quantity.parse(part.quantity)), ZERO_QUANTITY);
      expect(quantityText(sum)).toBe(rows[index]?.[6]);
    }
  });

  it("the plan of a schedule ends at its quantity, the execution at what was executed", () => {
    const scheduled = result.orders.filter(({ plan }) => plan !== undefined);
    expect(scheduled.map(({ intent }) => intent.type)).toEqual(["TWAP", "VWAP"]);
    for (const { intent, executedQuantity } of scheduled) {
      const title = `${intent.type} ${intent.side}`;
      expect(valuesOf(page, title, "Plan").at(-1)).toBe(quantityText(intent.quantity));
      expect(valuesOf(page, title, "Executed").at(-1)).toBe(quantityText(executedQuantity));
    }
  });

  it("the share of a POV is its executed quantity divided by the volume since its acceptance", () => {
    const [executed, volume, share] = ["Executed", "Volume", "Share"].map((name) =>
      valuesOf(page, "POV BUY", name),
    );
    const order = result.orders.find(({ intent }) => intent.type === "POV");
    expect(executed?.at(-1)).toBe(quantityText(order?.executedQuantity ?? Quantity.parse("1")));
    for (const [index, text_] of (share ?? []).entries()) {
      const [part, all] = [executed?.[index], volume?.[index]].map((each) =>
        Number(each?.replaceAll(",", "")),
      );
      expect(Number(text_.replace("%", ""))).toBeCloseTo((100 * (part ?? 0)) / (all ?? 1), 3);
    }
    expect(share?.length).toBeGreaterThan(50);
  });

  it("each order with a trigger has a chart of its own life", () => {
    const triggered = result.orders.filter(({ intent }) => /STOP|TAKE/.test(intent.type));
    expect(triggered.length).toBeGreaterThan(4);
    const section = elementsOf(page, ({ attributes }) => attributes.get("id") === "triggers")[0];
    const figures = section === undefined ? [] : classed(section, "figure", "chart");
    expect(figures.map((figure) => elementsOf(figure, ({ name }) => name === "code")[0]?.text)).toEqual(
      triggered.map(({ intent }) => intent.clientOrderId),
    );
    for (const figure of figures) {
      const [from, to] = ["data-from", "data-to"].map((name) => Number(figure.attributes.get(name)));
      const title = elementsOf(figure, ({ name }) => name === "figcaption")[0]?.text ?? "";
      const { orderId, ended } =
        triggered.find(({ intent }) => title.endsWith(` ${intent.clientOrderId}`)) ?? {};
      const arrival = result.chart?.orders.find((each) => each.orderId === orderId)?.arrival;
      expect(from).toBeLessThanOrEqual(arrival?.timeMs ?? result.chart?.startMs ?? 0);
      expect(to).toBeGreaterThanOrEqual(ended?.atMs ?? result.chart?.endMs ?? 0);
    }
  });

  it("the executions of a symbol are summed by side and liquidity", () => {
    const rows = rowsOf(page, "Executions");
    const count = rows.reduce((sum, cells) => sum + Number(cells[3]), 0);
    expect(count).toBe(result.fills.length);
    for (const [symbol, side, liquidity, , quantity] of rows) {
      const parts = result.fills.filter(
        (fill) => fill.symbol === symbol && fill.side === side && fill.liquidity === liquidity,
      );
      const sum = parts.reduce((total, part) => add(total, Quantity.parse(part.quantity)), ZERO_QUANTITY);
      expect(quantity).toBe(quantityText(sum));
    }
  });

  it("prices, equity and hash are those of the result", () => {
    const prices = result.chart?.markets[0]?.prices ?? [];
    expect(valuesOf(page, "price, orders", "Bid")).toEqual(prices.map(({ bid }) => grouped(bid)));
    expect(valuesOf(page, "price, orders", "Ask")).toEqual(prices.map(({ ask }) => grouped(ask)));
    expect(valuesOf(page, "Equity", "Equity")).toHaveLength(
      new Set(result.equity.map(({ timeMs }) => timeMs)).size,
    );
    expect(classed(page, "code", "hash")[0]?.text).toBe(result.hash);
    expect(rowsOf(page, "Parameters")).toEqual([["seed", "2"]]);
    const figures = new Map(rowsOf(page, "Statistics of the account").map(([name, value]) => [name, value]));
    expect(figures.get("End equity")).toBe(`${grouped(result.statistics.endEquity)} USD`);
    expect(figures.get("Commissions")).toBe(`${grouped(result.statistics.commissions)} USD`);
  });

  it("without the course of the market, the page says so and has the rest", async () => {
    const bare = parseHtml(reportOf(await onWalk(4, placeEveryKind, { chart: false })));
    const sections = elementsOf(bare, ({ name }) => name === "section");
    expect(sections.map(({ attributes }) => attributes.get("id"))).toEqual(
      SECTIONS.filter((id) => !["triggers", "participation", "slippage"].includes(id)),
    );
    expect(bare.text).toContain("ran without the option chart");
  });
});
