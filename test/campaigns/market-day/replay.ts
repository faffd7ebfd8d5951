import { KEY, type SandboxProcess, SECRET, startSandboxProcess } from "../../support/sandbox-process.ts";
import { type DayOrder, type DayOutcome, fillLine, priceOf, quantityOf } from "./recompute.ts";
import type { ScheduleOutcome } from "./recompute-schedules.ts";
import type { ScheduleOrder } from "./schedule-orders.ts";

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

/** The files of a day, and the place for the store of its sandbox. */
export type DayFiles = Readonly<{
  quotes: string;
  trades: string;
  folder: string;
  symbol: string;
  lastMs: number;
}>;

/** Places the orders on a sandbox after the first row of the day, plays the day, and reads the results. */
export function replayDay(
  files: DayFiles,
  orders: readonly DayOrder[],
): Promise<ReadonlyMap<string, DayOutcome>> {
  return onSandbox(files, "day", async (sandbox) => {
    const ids = new Map<string, number>();
    for (const order of orders) ids.set(order.id, await place(sandbox, fieldsOf(files.symbol, order)));
    await passTo(sandbox, files.lastMs);
    return await eachOf(ids, (orderId) => outcomeOf(sandbox, orderId));
  });
}

/** Places each schedule after the rows of its time were fed, plays the day, and reads the results. */
export function replaySchedules(
  files: DayFiles,
  orders: readonly ScheduleOrder[],
): Promise<ReadonlyMap<string, ScheduleOutcome>> {
  return onSandbox(files, "schedules", async (sandbox) => {
    await sandbox.control("POST", "accounts", RICH);
    const ids = new Map<string, number>();
    for (const order of [...orders].sort((a, b) => a.placedAtMs - b.placedAtMs)) {
      await passTo(sandbox, order.placedAtMs);
      ids.set(order.id, await place(sandbox, scheduleFieldsOf(files.symbol, order)));
    }
    await passTo(sandbox, files.lastMs);
    return await eachOf(ids, async (orderId) => {
      const query = { symbol: files.symbol, orderId };
      const { body } = await sandbox.signed("GET", "/api/v2/order", query);
      const { fills } = await outcomeOf(sandbox, orderId);
      return { status: String(body["status"]), fills };
    });
  });
}

async function onSandbox<T>(
  files: DayFiles,
  name: string,
  run: (sandbox: SandboxProcess) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandboxProcess({
    STORE: `sqlite:${files.folder}/${name}.db`,
    MARKET: `replay:${files.quotes},${files.trades}`,
    CLOCK: "manual",
    QUOTE_MAX_AGE_MS: "300000",
  });
  try {
    const outcome = await run(sandbox);
    const verification = await sandbox.control("GET", "verify");
    if (verification["equal"] !== true) throw new Error(`I53: ${JSON.stringify(verification)}`);
    return outcome;
  } finally {
    await sandbox.kill();
  }
}

const passTo = (sandbox: SandboxProcess, now: number): Promise<unknown> =>
  sandbox.control("POST", "clock", { now });

async function place(sandbox: SandboxProcess, fields: Record<string, string | number>): Promise<number> {
  const { status, body } = await sandbox.signed("POST", "/api/order", fields);
  if (status !== 200) throw new Error(`${fields["newClientOrderId"]} was refused: ${JSON.stringify(body)}`);
  return body["orderId"] as number;
}

async function eachOf<T>(
  ids: ReadonlyMap<string, number>,
  read: (orderId: number) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  return new Map(
    await Promise.all([...ids].map(async ([id, orderId]) => [id, await read(orderId)] as const)),
  );
}

/** The demo account with more funds than a day can use. */
const RICH = {
  accountId: 1,
  apiKey: KEY,
  secret: SECRET,
  permissions: ["READ", "TRADE"],
  enableDataSharing: true,
  balances: { USD: "1000000000", BTC: "1000000", ETH: "1000000" },
};

const STRATEGIES = { TWAP: 180, VWAP: 1_000_002, POV: 1_000_004 } as const;

function scheduleFieldsOf(symbol: string, order: ScheduleOrder): Record<string, string | number> {
  const { kind, side, quantity, limit, expiresAtMs, id } = order;
  const type =
    limit === undefined
      ? { type: kind }
      : { type: "LIMIT", targetStrategy: STRATEGIES[kind], price: text(limit, 8) };
  const expiry = expiresAtMs === undefined ? {} : { timeInForce: "GTD", expireTime: expiresAtMs };
  const common = { symbol, side, quantity: text(quantity, 6), newClientOrderId: id, ...type, ...expiry };
  if (order.kind === "POV") return { ...common, participationBips: Number(order.bips) };
  const { intervalMs: interval, delayMs: intervalDelay, count: intervalCount } = order;
  const profile = order.kind === "VWAP" && order.weights ? { volumeProfile: order.weights.join(",") } : {};
  return { ...common, interval, intervalDelay, intervalCount, ...profile };
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
