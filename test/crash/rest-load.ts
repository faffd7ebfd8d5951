import { createRandom, type Random } from "../../src/simulator/random/index.ts";
import type { ShownFact, ShownRecord } from "../sandbox/driven-sandbox.ts";
import { type Reply, type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";
import {
  checkLists,
  checkSchedules,
  isScheduled,
  listRequest,
  type Near,
  scheduleFields,
  TERMINAL,
  type VenueChild,
} from "./rest-lists.ts";

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
export type AskedSandbox = Pick<SandboxProcess, "control" | "signed">;

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

async function place(run: CrashRun, sandbox: AskedSandbox): Promise<void> {
  const id = `crash-${run.ids.next++}`;
  run.ledger.uncertain.add(id);
  const { status, body } = await sandbox.signed("POST", "/api/order", orderFields(run.random, id));
  if (isUncertain(status, body)) return;
  run.ledger.uncertain.delete(id);
  if (status === 200) run.ledger.acknowledged.set(id, body["orderId"] as number);
  else run.ledger.refused.add(id);
}

async function placeList(run: CrashRun, sandbox: AskedSandbox): Promise<void> {
  const id = `list-${run.ids.next++}`;
  run.ledger.uncertain.add(id);
  const { path, fields } = listRequest(run.random, id, nearOf(run.random));
  const { status, body } = await sandbox.signed("POST", path, fields);
  if (isUncertain(status, body)) return;
  run.ledger.uncertain.delete(id);
  if (status === 200) run.ledger.lists.set(id, body["orderListId"] as number);
  else run.ledger.refused.add(id);
}

async function cancelList(run: CrashRun, sandbox: AskedSandbox): Promise<void> {
  const ids = [...run.ledger.lists.keys()];
  if (ids.length > 0)
    await sandbox.signed("DELETE", "/api/v3/orderList", { listClientOrderId: run.random.pick(ids) });
}

/** Opens slots and reports trades of other participants. */
async function passTime(run: CrashRun, sandbox: AskedSandbox): Promise<void> {
  await advance(run, sandbox, 200 + run.random.below(400));
  const quantity = `0.${1 + run.random.below(9)}`;
  await sandbox.control("POST", "trades", { symbol: SYMBOL, price: String(BASE), quantity });
}

/** Moves a manual clock; waits for a real one. */
async function advance({ env }: CrashRun, sandbox: AskedSandbox, ms: number): Promise<void> {
  if (env["CLOCK"] === "manual") await sandbox.control("POST", "clock", { advanceMs: ms });
  else await new Promise((resolve) => setTimeout(resolve, ms));
}

async function cancel(run: CrashRun, sandbox: AskedSandbox): Promise<void> {
  const ids = [...run.ledger.acknowledged.keys()];
  if (ids.length > 0)
    await sandbox.signed("DELETE", "/api/v2/order", {
      symbol: SYMBOL,
      origClientOrderId: run.random.pick(ids),
    });
}

async function quote(run: CrashRun, sandbox: AskedSandbox): Promise<void> {
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
export type LoadedSandbox = AskedSandbox & Readonly<{ ended: Promise<unknown>; answersAtOnce?: boolean }>;

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

const millionths = (text: string): bigint => {
  const [whole = "0", decimals = ""] = text.split(".");
  return BigInt(whole + decimals.padEnd(6, "0"));
};

/** Checks everything after every restart; throws the first problem. */
export async function checkRestart(run: CrashRun, sandbox: AskedSandbox): Promise<void> {
  const verification = await sandbox.control("GET", "verify");
  demand(
    verification["equal"] === true,
    `I53: the journal makes another state: ${JSON.stringify(verification)}`,
  );
  await settleUnknown(run, sandbox);
  const children = await sandbox.control<readonly VenueChild[]>("GET", "children");
  for (const child of children)
    demand(child.submissions <= 1, `I21: ${child.clientOrderId} was submitted ${child.submissions} times`);
  const executed = new Map<number, bigint>();
  for (const { parentOrderId, executedQty } of children) {
    executed.set(parentOrderId, (executed.get(parentOrderId) ?? 0n) + millionths(executedQty));
  }
  const orders = await allOrders(sandbox);
  for (const [clientOrderId, orderId] of run.ledger.acknowledged) {
    const order = orders.get(clientOrderId);
    demand(order?.["orderId"] === orderId, `I01: acknowledged ${clientOrderId} (${orderId}) is not there`);
  }
  for (const [clientOrderId, order] of orders) {
    demand(!run.ledger.refused.has(clientOrderId), `I02: refused ${clientOrderId} is there`);
    const there = executed.get(order["orderId"] as number) ?? 0n;
    demand(
      millionths(String(order["executedQty"])) === there,
      `I10: ${clientOrderId} says ${order["executedQty"]}, the venue ${there}`,
    );
    checkFloor(run.ledger, clientOrderId, order);
  }
  const lists = await allLists(sandbox);
  const listIds = new Map(lists.map((list) => [list["listClientOrderId"], list["orderListId"]]));
  for (const [clientId, listId] of run.ledger.lists) {
    const there = listIds.get(clientId) ?? (await findList(sandbox, clientId));
    demand(there === listId, `I01: acknowledged ${clientId} (${listId}) is not there`);
  }
  for (const id of listIds.keys()) {
    demand(!run.ledger.refused.has(String(id)), `I02: refused ${String(id)} is there`);
  }
  checkLists(lists, children);
  if (run.env["CLOCK"] === "manual") checkSchedules(orders.values(), children);
  else await checkSlots(run.ledger, sandbox, orders.values());
}

/** On a real clock, a child may reach the venue in a later slot: checks the slots that the journal names. */
async function checkSlots(
  { checkedSlots }: Ledger,
  sandbox: AskedSandbox,
  orders: Iterable<Reply["body"]>,
): Promise<void> {
  for (const order of orders) {
    const orderId = order["orderId"] as number;
    if (!isScheduled(order) || checkedSlots.has(orderId)) continue;
    const records = await sandbox.control<readonly ShownRecord[]>("GET", `orders/${orderId}/journal`);
    const changes = records.flatMap((record) => record.changes.filter((one) => one.orderId === orderId));
    const slots = slotsOf(changes.flatMap(({ facts }) => facts));
    demand(new Set(slots).size === slots.length, `I33: ${orderId} used a slot twice: ${slots.join()}`);
    // Its journal changes no more, and there are many.
    if (TERMINAL.includes(order["status"])) checkedSlots.add(orderId);
  }
}

/** Returns the slots in which children were sent. A child that was never handed over has not used its slot. */
function slotsOf(facts: readonly ShownFact[]): readonly number[] {
  const slots: number[] = [];
  for (const { child, outcome } of facts) {
    if (child?.slot !== undefined) slots.push(child.slot);
    if (outcome === "WITHDRAWN") slots.pop();
  }
  return slots;
}

/** I31: the floor of a trailing SELL parent only rises. */
function checkFloor(ledger: Ledger, clientOrderId: string, order: Reply["body"]): void {
  if (order["type"] !== "TRAILING_STOP_LIMIT" || order["dynamicLimit"] === undefined) return;
  const floor = Number(order["dynamicLimit"]);
  const before = ledger.floors.get(clientOrderId) ?? 0;
  demand(floor >= before, `I31: the floor of ${clientOrderId} fell from ${before} to ${floor}`);
  ledger.floors.set(clientOrderId, floor);
}

/** Advances time until every outcome is known: past the deadline and the quiet time, with two look-ups. */
async function settleUnknown(run: CrashRun, sandbox: AskedSandbox): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const { inFlight, unknown } = await sandbox.control<{ inFlight: number; unknown: number }>(
      "POST",
      "settle",
      {},
    );
    if (inFlight === 0 && unknown === 0) return;
    await advance(run, sandbox, 2_000);
  }
  throw new Error("I63: an outcome stayed unknown");
}

/** Reads every parent with history, page by page (I70), by client id. */
async function allOrders(sandbox: AskedSandbox): Promise<ReadonlyMap<string, Reply["body"]>> {
  const orders = new Map<string, Reply["body"]>();
  for (let afterOrderId = 0, more = true; more; ) {
    const { status, body } = await sandbox.signed("GET", "/api/v3/openOrders", {
      apiManaged: true,
      includeHistory: true,
      limit: 1_000,
      afterOrderId,
    });
    demand(status === 200, `a page was refused: ${JSON.stringify(body)}`);
    for (const order of body["orders"] as Reply["body"][]) orders.set(String(order["clientOrderId"]), order);
    afterOrderId = body["nextOrderId"] as number;
    more = afterOrderId !== 0;
  }
  return orders;
}

/** Returns the id of a list by its client id; undefined if there is none. */
async function findList(sandbox: AskedSandbox, listClientOrderId: string): Promise<unknown> {
  const { body } = await sandbox.signed("GET", "/api/v3/orderList", { listClientOrderId });
  return body["orderListId"];
}

/**
 * Reads the lists page by page, one window of time after the other. A page holds at most 1,000 lists. If more of them
 * have the same millisecond, because the clock stands still, it shows the newest.
 */
async function allLists(sandbox: AskedSandbox): Promise<readonly Reply["body"][]> {
  const lists = new Map<unknown, Reply["body"]>();
  for (let endTime: number | undefined; ; ) {
    const parameters = { limit: 1_000, ...(endTime === undefined ? {} : { endTime }) };
    const { status, body } = await sandbox.signed("GET", "/api/v3/allOrderList", parameters);
    demand(status === 200, `a page of lists was refused: ${JSON.stringify(body)}`);
    const page = body as unknown as readonly Reply["body"][];
    const before = lists.size;
    for (const list of page) lists.set(list["orderListId"], list);
    if (page.length < 1_000 || lists.size === before) return [...lists.values()];
    endTime = page[0]?.["transactionTime"] as number;
  }
}

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
