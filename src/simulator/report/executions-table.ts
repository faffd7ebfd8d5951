import {
  add,
  formatQuantity,
  type Notional,
  notional,
  notionalOf,
  price,
  type Quantity,
  quantity,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { SimulatedFill } from "../result/index.ts";
import type { Markup } from "./markup.ts";
import { averageText, grouped, usd } from "./numbers.ts";
import { table } from "./table.ts";

type Sum = Readonly<{
  count: number;
  executedQuantity: Quantity;
  executedNotional: Notional;
  commissions: Notional;
}>;

const EMPTY: Sum = {
  count: 0,
  executedQuantity: ZERO_QUANTITY,
  executedNotional: ZERO_NOTIONAL,
  commissions: ZERO_NOTIONAL,
};

/** Returns a table of all executions by symbol, side and liquidity. */
export function executionsTable(fills: readonly SimulatedFill[]): Markup {
  const sums = new Map<string, Sum & Pick<SimulatedFill, "symbol" | "side" | "liquidity">>();
  for (const fill of fills) {
    const { symbol, side, liquidity } = fill;
    const name = JSON.stringify([symbol, side, liquidity]);
    sums.set(name, { symbol, side, liquidity, ...joined(sums.get(name) ?? EMPTY, fill) });
  }
  return table({
    caption: "Executions",
    columns: [
      { name: "Symbol" },
      { name: "Side" },
      { name: "Liquidity" },
      { name: "Executions", isNumber: true },
      { name: "Quantity", isNumber: true },
      { name: "Average price", isNumber: true },
      { name: "Value, USD", isNumber: true },
      { name: "Commissions, USD", isNumber: true },
    ],
    rows: [...sums.values()].map(({ symbol, side, liquidity, ...sum }) => [
      ...[symbol, side, liquidity, grouped(String(sum.count))],
      ...[grouped(formatQuantity(sum.executedQuantity)), averageText(sum)],
      ...[usd(sum.executedNotional), usd(sum.commissions)],
    ]),
  });
}

function joined(sum: Sum, fill: SimulatedFill): Sum {
  const filled = quantity(fill.quantity);
  return {
    count: sum.count + 1,
    executedQuantity: add(sum.executedQuantity, filled),
    executedNotional: add(sum.executedNotional, notionalOf(price(fill.price), filled)),
    commissions: add(sum.commissions, notional(fill.commission)),
  };
}
