import { recordedDay } from "../../sandbox/recorded-day.ts";
import type { RecordedRows } from "../../world/index.ts";

/** The day begins at 7,400. */
const SCALE = 1 / 74;

/** The recorded day of the sandbox's tests, scaled down to a price of 100. */
export const RECORDED_ROWS: RecordedRows = recordedDay().quotes.map((line) => {
  const [, , bid = "", bidQuantity = "", ask = "", askQuantity = ""] = line.split(",");
  return { bid: near100(bid), bidQuantity, ask: near100(ask), askQuantity };
});

function near100(price: string): string {
  return (Number.parseFloat(price) * SCALE).toFixed(4);
}
