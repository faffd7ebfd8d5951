import { expect, it } from "vitest";
import { reportOf, type SimulationResult, type Strategy } from "../../../src/simulator/index.ts";
import { elementsOf, parseHtml, rowsOf } from "../../support/html-tree.ts";
import { onWalk, SYMBOL } from "./walks.ts";

const PLACED = 100;
const COPIES = 40;
const ORDERS: number = PLACED * COPIES;

/** Places small orders of four kinds around the price, ten a second. */
const placeMany: Strategy = ({ account, every, quote }) => {
  let placed = 0;
  every(1_000, async () => {
    const bid = Math.floor(Number(quote(SYMBOL)?.bid) / 1e8);
    for (let n = 0; n < 10 && placed < PLACED; n++) {
      placed += 1;
      const order = {
        symbol: SYMBOL,
        side: "BUY",
        quantity: "0.1",
        newClientOrderId: `many-${placed}`,
      } as const;
      if (n === 0) await account.place({ ...order, type: "TWAP", interval: 1_000, intervalCount: 3 });
      else if (n === 1) await account.place({ ...order, type: "POV", participationBips: 500 });
      else if (n === 2) await account.place({ ...order, type: "TRAILING_STOP_MARKET", trailingAmount: "30" });
      else await account.place({ ...order, type: "SYNTHETIC_LIMIT", price: `${bid - 20 * (n - 4)}` });
    }
  });
};

/** Repeats the orders of a result, with ids of their own. */
function repeated(result: SimulationResult): SimulationResult {
  const copies = Array.from({ length: COPIES }, (_, copy) => copy);
  const copied = <T extends Readonly<{ orderId: number }>>(all: readonly T[]): readonly T[] =>
    copies.flatMap((copy) => all.map((each) => ({ ...each, orderId: each.orderId - copy * 1_000_000 })));
  const fills = result.fills.map((fill) => ({ ...fill, orderId: fill.orderId ?? 0 }));
  return {
    ...result,
    orders: copied(result.orders),
    fills: copied(fills),
    journal: result.journal.map((record) => ({ ...record, changes: copied(record.changes) })),
    ...(result.chart && { chart: { ...result.chart, orders: copied(result.chart.orders) } }),
  };
}

it("decision RJ: a report of thousands of orders stays small and says what it leaves out", async () => {
  const result = repeated(await onWalk(2, placeMany, { seconds: 60 }));
  const text = reportOf(result);
  const page = parseHtml(text);
  console.log(`${result.orders.length} orders, ${result.fills.length} fills: ${text.length} characters`);
  expect([result.orders.length, result.fills.length > ORDERS]).toEqual([ORDERS, true]);
  expect(text.length).toBeLessThan(3_000_000);
  expect(rowsOf(page, "Managed orders")).toHaveLength(500);
  const answer = elementsOf(page, ({ name }) => name === "p")
    .map((line) => line.text)
    .join("\n");
  const scheduled = ORDERS / 10 - 20;
  for (const left of [
    `${ORDERS - 500} more orders not shown.`,
    `${scheduled} more schedules not shown.`,
    `${scheduled} more POV orders not shown.`,
    `${ORDERS - 100} more orders have no levels and no children in this chart`,
    `${scheduled} more orders with a trigger not shown.`,
  ])
    expect(answer).toContain(left);
  const small = parseHtml(reportOf(result, { maxRows: 3, maxCharts: 1 }));
  expect(rowsOf(small, "Managed orders")).toHaveLength(3);
  expect(elementsOf(small, ({ name }) => name === "figure")).toHaveLength(6);
});
