import { createRandom, type Random } from "../../../src/common/random.ts";
import { type Reply, type SandboxProcess, startSandboxProcess } from "../../support/sandbox-process.ts";
import { listRequest, type Near, scheduleFields } from "./rest-lists.ts";

/** Everything that a client of the crashing sandbox knows. */
export type Ledger = {
  /** Client id to managed id of every acknowledged parent. */
  readonly acknowledged: Map<string, number>;
  /** The same for lists, by list client id. */
  readonly lists: Map<string, number>;
  /** Client ids that were refused. */
  readonly refused: Set<string>;
  /** Client ids without an answer. */
  readonly uncertain: Set<string>;
  /** Highest floor seen of each trailing SELL parent, by client id. */
  readonly floors: Map<string, number>;
  /** Scheduled orders whose slots were checked after their end. */
  readonly checkedSlots: Set<number>;
};

export const createLedger = (): Ledger => ({
  acknowledged: new Map(),
  lists: new Map(),
  refused: new Set(),
  uncertain: new Set(),
  floors: new Map(),
  checkedSlots: new Set(),
});

/** The interfaces of a sandbox that clients use. */
export type QueriedSandbox = Pick<SandboxProcess, "control" | "signed">;

/** A sandbox that is killed and restarted on the same files. */
export type CrashRun = Readonly<{
  random: Random;
  ledger: Ledger;
  env: Readonly<Record<string, string>>;
  ids: { next: number };
}>;

export const createCrashRun = (
  folder: string,
  seed: number,
  settings: Readonly<Record<string, string>> = {},
): CrashRun => ({
  random: createRandom(seed),
  ledger: createLedger(),
  env: {
    STORE: `sqlite:${folder}/orders.db`,
    MARKET: "manual",
    CLOCK: "manual",
    CLOCK_START: "1760000000000",
    QUOTE_MAX_AGE_MS: "3600000",
    ...settings,
  },
  ids: { next: 0 },
});

const SYMBOL = "BTC/USD";
const BASE = 7_000;

type Fields = Record<string, string | number | boolean>;

const nearOf =
  (random: Random): Near =>
  (spread) =>
    (BASE + random.below(2 * spread) - spread).toFixed(2);

function orderFields(random: Random, id: string): Fields {
  const near = nearOf(random);
  const common = {
    symbol: SYMBOL,
    newClientOrderId: id,
    quantity: `0.${1 + random.below(9)}`,
    side: random.pick(["BUY", "SELL"]),
  };
  return random.pick<() => Fields>([
    () => ({ ...common, type: "SYNTHETIC_LIMIT", price: near(40) }),
    () => ({ ...common, type: "STOP_MARKET", stopPrice: near(60) }),
    () => ({ ...common, type: "STOP_LOSS_LIMIT", stopPrice: near(60), price: near(60) }),
    () => ({ ...common, type: "TAKE_PROFIT_LIMIT", stopPrice: near(60), price: near(60) }),
    () => ({ ...common, type: "TRAILING_STOP_MARKET", trailingDelta: 20 + random.below(200) }),
    () => ({ ...common, side: "SELL", type: "TRAILING_STOP_LIMIT", trailingDelta: 2_000, limitOffset: "5" }),
    () => ({ ...scheduleFields(random, common) }),
    // Refused: below the minimum, or too precise.
    () => ({ ...common, type: "SYNTHETIC_LIMIT", price: "1" }),
    () => ({ ...common, type: "STOP_MARKET", stopPrice: "7000.123456789" }),
  ])();
}

/** Whether an answer leaves open what became of a request; -1001 says that nothing was stored. */
const isUncertain = (status: number, { code }: Reply["body"]): boolean => status >= 500 && code !== -1001;

/** Places an order, which may be one that is refused. */
export async function place(run: CrashRun, sandbox: QueriedSandbox): Promise<void> {
  const id = `crash-${run.ids.next++}`;
  run.ledger.uncertain.add(id);
  const { status, body } = await sandbox.signed("POST", "/api/order", orderFields(run.random, id));
  if (isUncertain(status, body)) return;
  run.ledger.uncertain.delete(id);
  if (status === 200) run.ledger.acknowledged.set(id, body["orderId"] as number);
  else run.ledger.refused.add(id);
}

/** Places a list. */
export async function placeList(run: CrashRun, sandbox: QueriedSandbox): Promise<void> {
  const id = `list-${run.ids.next++}`;
  run.ledger.uncertain.add(id);
  const { path, fields } = listRequest(run.random, id, nearOf(run.random));
  const { status, body } = await sandbox.signed("POST", path, fields);
  if (isUncertain(status, body)) return;
  run.ledger.uncertain.delete(id);
  if (status === 200) run.ledger.lists.set(id, body["orderListId"] as number);
  else run.ledger.refused.add(id);
}

/** Cancels a list that was acknowledged, and may have ended. */
export async function cancelList(run: CrashRun, sandbox: QueriedSandbox): Promise<void> {
  const ids = [...run.ledger.lists.keys()];
  if (ids.length > 0)
    await sandbox.signed("DELETE", "/api/v3/orderList", { listClientOrderId: run.random.pick(ids) });
}

/** Opens slots and reports trades of other participants. */
export async function passTime(run: CrashRun, sandbox: QueriedSandbox): Promise<void> {
  await advance(run, sandbox, 200 + run.random.below(400));
  const quantity = `0.${1 + run.random.below(9)}`;
  await sandbox.control("POST", "trades", { symbol: SYMBOL, price: String(BASE), quantity });
}

/** Moves a manual clock; waits for a real one. */
export async function advance(
  { env }: Pick<CrashRun, "env">,
  sandbox: Pick<QueriedSandbox, "control">,
  ms: number,
): Promise<void> {
  if (env["CLOCK"] === "manual") await sandbox.control("POST", "clock", { advanceMs: ms });
  else await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Cancels an order that was acknowledged, and may have ended. */
export async function cancel(run: CrashRun, sandbox: QueriedSandbox): Promise<void> {
  const ids = [...run.ledger.acknowledged.keys()];
  if (ids.length > 0)
    await sandbox.signed("DELETE", "/api/v2/order", {
      symbol: SYMBOL,
      origClientOrderId: run.random.pick(ids),
    });
}

/** Moves the market. */
export async function quote(run: CrashRun, sandbox: QueriedSandbox): Promise<void> {
  const bid = BASE - 50 + run.random.below(100);
  const size = `0.${1 + run.random.below(9)}`;
  await sandbox.control("POST", "quotes", {
    symbol: SYMBOL,
    bid: String(bid),
    ask: String(bid + 1),
    bidQuantity: size,
    askQuantity: size,
  });
}

/**
 * A sandbox under load, which ends with `ended`. `answersAtOnce`: its control requests are answered by a venue in a process
 * of its own, which does not wait until the sandbox is at rest.
 */
export type LoadedSandbox = QueriedSandbox & Readonly<{ ended: Promise<unknown>; answersAtOnce?: boolean }>;

/** How long a control request may wait before the other clients pause for it. */
const CONTROL_WAITS_MS = 100;

/**
 * Sends placements, cancels and quotes from several clients at once until the process is gone. A control request is
 * answered when everything is at rest, which several clients can delay for ever; so they pause for one that has waited.
 */
export async function loadUntilDeath(run: CrashRun, sandbox: LoadedSandbox): Promise<void> {
  let alive = true;
  void sandbox.ended.then(() => {
    alive = false;
  });
  const waiting = new Set<Promise<unknown>>();
  const client = async (act: () => Promise<void>): Promise<void> => {
    while (alive) {
      await Promise.all(waiting);
      await act().catch(() => undefined);
      // A client without work must not keep the others from working.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const control = async (act: () => Promise<void>): Promise<void> => {
    const answered = act().catch(() => undefined);
    const pause = (): void => void (sandbox.answersAtOnce !== true && waiting.add(answered));
    const timer = setTimeout(pause, CONTROL_WAITS_MS);
    await answered;
    clearTimeout(timer);
    waiting.delete(answered);
  };
  await Promise.all([
    ...Array.from({ length: 6 }, () => client(() => place(run, sandbox))),
    client(() => placeList(run, sandbox)),
    client(() => placeList(run, sandbox)),
    client(() => cancelList(run, sandbox)),
    client(() => control(() => passTime(run, sandbox))),
    client(() => cancel(run, sandbox)),
    client(() => control(() => quote(run, sandbox))),
  ]);
}

export const startAgain = (run: CrashRun): Promise<SandboxProcess> => startSandboxProcess(run.env);
