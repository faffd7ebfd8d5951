import type { ShownFact, ShownRecord } from "../../sandbox/driven-sandbox.ts";
import type { Reply } from "../../support/sandbox-process.ts";
import { checkLists, checkSchedules, isScheduled, TERMINAL, type VenueChild } from "./rest-lists.ts";
import { advance, type CrashRun, type Ledger, type QueriedSandbox } from "./rest-load.ts";

const millionths = (text: string): bigint => {
  const [whole = "0", decimals = ""] = text.split(".");
  return BigInt(whole + decimals.padEnd(6, "0"));
};

/** Checks everything after every restart; throws the first problem. */
export async function checkRestart(run: CrashRun, sandbox: QueriedSandbox): Promise<void> {
  const verification = await sandbox.control("GET", "verify");
  demand(
    verification["equal"] === true,
    `I53: the journal makes another state: ${JSON.stringify(verification)}`,
  );
  await checkAccount(run, sandbox, await checkVenue(run, sandbox));
}

/** The venue's own record of all children, and how much they have executed of each parent. */
export type VenueRecord = Readonly<{
  children: readonly VenueChild[];
  executed: ReadonlyMap<number, bigint>;
}>;

/** Waits until every outcome is known, and checks the venue's record of all children. Resolves to it. */
export async function checkVenue(
  run: Pick<CrashRun, "env">,
  sandbox: Pick<QueriedSandbox, "control">,
): Promise<VenueRecord> {
  await settleUnknown(run, sandbox);
  const record = await readVenue(sandbox);
  for (const child of record.children)
    demand(child.submissions <= 1, `I21: ${child.clientOrderId} was submitted ${child.submissions} times`);
  return record;
}

async function readVenue(sandbox: Pick<QueriedSandbox, "control">): Promise<VenueRecord> {
  const children = await sandbox.control<readonly VenueChild[]>("GET", "children");
  const executed = new Map<number, bigint>();
  for (const { parentOrderId, executedQty } of children) {
    executed.set(parentOrderId, (executed.get(parentOrderId) ?? 0n) + millionths(executedQty));
  }
  return { children, executed };
}

/** Checks the orders and lists of one account against what its client knows, and against the venue's record. */
export async function checkAccount(
  run: CrashRun,
  sandbox: QueriedSandbox,
  { children, executed }: VenueRecord,
): Promise<void> {
  const orders = await allOrders(sandbox);
  for (const [clientOrderId, orderId] of run.ledger.acknowledged) {
    const order = orders.get(clientOrderId);
    demand(order?.["orderId"] === orderId, `I01: acknowledged ${clientOrderId} (${orderId}) is not there`);
  }
  for (const [clientOrderId, order] of orders) {
    demand(!run.ledger.refused.has(clientOrderId), `I02: refused ${clientOrderId} is there`);
    await checkExecuted(run, sandbox, { order, executed });
    checkFloor(run.ledger, clientOrderId, order);
  }
  await checkListsOf(run, sandbox, children);
  if (run.env["CLOCK"] === "manual") checkSchedules(orders.values(), children);
  else await checkSlots(run.ledger, sandbox, orders.values());
}

/** I10: an order has executed what the venue's record says. On a real clock, it may have executed more since that was read. */
async function checkExecuted(
  { env }: CrashRun,
  sandbox: QueriedSandbox,
  { order, executed }: Readonly<{ order: Reply["body"]; executed: VenueRecord["executed"] }>,
): Promise<void> {
  const orderId = order["orderId"] as number;
  const answer = millionths(String(order["executedQty"]));
  const there = executed.get(orderId) ?? 0n;
  if (answer === there) return;
  const { executed: since } = env["CLOCK"] === "manual" ? { executed } : await readVenue(sandbox);
  const now = since.get(orderId) ?? 0n;
  demand(
    there < answer && answer <= now,
    `I10: ${JSON.stringify(order)} says ${answer}, the venue ${there}, and ${now} later`,
  );
}

async function checkListsOf(
  { ledger }: CrashRun,
  sandbox: QueriedSandbox,
  children: readonly VenueChild[],
): Promise<void> {
  const lists = await allLists(sandbox);
  const listIds = new Map(lists.map((list) => [list["listClientOrderId"], list["orderListId"]]));
  for (const [clientId, listId] of ledger.lists) {
    const there = listIds.get(clientId) ?? (await findList(sandbox, clientId));
    demand(there === listId, `I01: acknowledged ${clientId} (${listId}) is not there`);
  }
  for (const id of listIds.keys()) {
    demand(!ledger.refused.has(String(id)), `I02: refused ${String(id)} is there`);
  }
  checkLists(lists, children);
}

/** On a real clock, a child may reach the venue in a later slot: checks the slots that the journal names. */
async function checkSlots(
  { checkedSlots }: Ledger,
  sandbox: QueriedSandbox,
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
async function settleUnknown(
  run: Pick<CrashRun, "env">,
  sandbox: Pick<QueriedSandbox, "control">,
): Promise<void> {
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
async function allOrders(sandbox: QueriedSandbox): Promise<ReadonlyMap<string, Reply["body"]>> {
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
async function findList(sandbox: QueriedSandbox, listClientOrderId: string): Promise<unknown> {
  const { body } = await sandbox.signed("GET", "/api/v3/orderList", { listClientOrderId });
  return body["orderListId"];
}

/**
 * Reads the lists page by page, one window of time after the other. A page holds at most 1,000 lists. If more of them
 * have the same millisecond, because the clock stands still, it shows the newest.
 */
async function allLists(sandbox: QueriedSandbox): Promise<readonly Reply["body"][]> {
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
