import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";
import { type DayOrder, type DayOutcome, fillLine, priceOf, quantityOf } from "./recompute.ts";

type Fact = Readonly<{
  kind: string;
  trigger?: { atMs: number };
  fill?: { quantity: string; price: string; timeMs: number };
}>;
type JournalLine = Readonly<{
  cause: { quote?: { timeMs: number } };
  changes: readonly { facts: readonly Fact[] }[];
}>;

const text = (value: bigint, decimals: number): string => {
  const digits = String(value).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};

function fieldsOf(symbol: string, order: DayOrder): Record<string, string | number> {
  const { kind, side, quantity, trailingBps, stopPrice, limit, id } = order;
  const types = {
    trailing: "TRAILING_STOP_MARKET",
    "stop-limit": "STOP_LOSS_LIMIT",
    "take-profit-limit": "TAKE_PROFIT_LIMIT",
    limit: "SYNTHETIC_LIMIT",
  };
  return {
    symbol,
    side,
    type: types[kind],
    quantity: text(quantity, 6),
    newClientOrderId: id,
    ...(trailingBps === undefined ? {} : { trailingDelta: Number(trailingBps) }),
    ...(stopPrice === undefined ? {} : { stopPrice: text(stopPrice, 8) }),
    ...(limit === undefined ? {} : { price: text(limit, 8) }),
  };
}

/** Places the orders on a sandbox after the first row of the day, lets the day pass, and reads what became of them. */
export async function replayDay(
  files: Readonly<{ quotes: string; trades: string; folder: string; symbol: string; lastMs: number }>,
  orders: readonly DayOrder[],
): Promise<ReadonlyMap<string, DayOutcome>> {
  const sandbox = await startSandboxProcess({
    STORE: `sqlite:${files.folder}/day.db`,
    MARKET: `replay:${files.quotes},${files.trades}`,
    CLOCK: "manual",
    QUOTE_MAX_AGE_MS: "300000",
  });
  try {
    const ids = new Map<string, number>();
    for (const order of orders) {
      const { status, body } = await sandbox.signed("POST", "/api/order", fieldsOf(files.symbol, order));
      if (status !== 200) throw new Error(`${order.id} was refused: ${JSON.stringify(body)}`);
      ids.set(order.id, body["orderId"] as number);
    }
    await sandbox.control("POST", "clock", { now: files.lastMs });
    const verification = await sandbox.control("GET", "verify");
    if (verification["equal"] !== true) throw new Error(`I53: ${JSON.stringify(verification)}`);
    const outcomes = await Promise.all(
      [...ids].map(async ([id, orderId]) => [id, await outcomeOf(sandbox, orderId)] as const),
    );
    return new Map(outcomes);
  } finally {
    await sandbox.kill();
  }
}

async function outcomeOf(sandbox: SandboxProcess, orderId: number): Promise<DayOutcome> {
  const journal = await sandbox.control<readonly JournalLine[]>("GET", `orders/${orderId}/journal`);
  let triggeredAtMs: number | undefined;
  const fills: string[] = [];
  for (const { cause, changes } of journal) {
    for (const fact of changes.flatMap((change) => change.facts)) {
      if (fact.kind === "TRIGGERED") triggeredAtMs = cause.quote?.timeMs;
      if (fact.fill !== undefined)
        fills.push(fillLine(fact.fill.timeMs, priceOf(fact.fill.price), quantityOf(fact.fill.quantity)));
    }
  }
  return { fills, ...(triggeredAtMs === undefined ? {} : { triggeredAtMs }) };
}
