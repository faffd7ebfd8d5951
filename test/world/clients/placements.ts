import { parseExactQuantity, parsePrice, parseQuantity, ZERO_QUANTITY } from "../../../src/decimal/index.ts";
import type { JsonValue } from "../../../src/wire/index.ts";
import type { SeenOrder } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import { exactOf } from "../venue-row.ts";
import type { Entry, Intent } from "./ledger.ts";
import type { InstanceReply } from "./transport.ts";
import { arrayOf, codeOf, numberOf } from "./wire.ts";

/** Codes with which a placement may be refused here. After each of them nothing was stored. */
export const REFUSALS: readonly number[] = [
  -1001, -1003, -1008, -1013, -1015, -1016, -1021, -1112, -1130, -2010, -2016, -2022,
];

/** Codes after which it is unknown whether something was stored. */
export const UNSURE: readonly number[] = [-1006, -1007, -1000];

/** Judges the answer to a placement (I01-I04) against the data that is durable now. */
export function judgePlacement(
  parts: WorldParts,
  entry: Entry,
  answer: InstanceReply | "lost",
  sent: "first" | "again",
): void {
  if (answer === "lost") {
    entry.unsure++;
    return;
  }
  parts.ledger.answered++;
  const code = codeOf(answer.reply);
  if (code === 0) return placed(parts, entry, answer, sent);
  const { requireThat, situations } = parts;
  const reported = (): string => `${entry.intent.clientId}: ${JSON.stringify(answer.reply.body)}`;
  requireThat(
    REFUSALS.includes(code) || UNSURE.includes(code),
    "the reply to a placement matches the contract",
    reported,
  );
  if (UNSURE.includes(code)) {
    entry.unsure++;
    situations.observe("outcome of a placement not known");
    return;
  }
  entry.refused++;
  if (code === -1016) situations.observe("request refused while the engine drains");
  if (code === -1015) situations.observe("order limit reached");
  const isDuplicate = JSON.stringify(answer.reply.body).includes("Duplicate");
  requireThat(!isDuplicate, "I03", reported);
  if (parts.ledger.mayExist(entry)) return;
  requireThat(idOf(parts, entry.intent) === undefined, "I02", () => `${reported()}, but it exists`);
}

/** Returns the id of the durable order or list with an intent's client id. */
function idOf({ journal }: WorldParts, { kind, accountId, clientId }: Intent): number | undefined {
  if (kind === "order") return journal.named(accountId, clientId)?.orderId;
  // The newest one: a list with the same client id may have left the store before.
  const named = [...journal.lists.values()].filter(
    (list) => list.accountId === accountId && list.listClientOrderId === clientId,
  );
  return named.at(-1)?.listId;
}

function placed(parts: WorldParts, entry: Entry, { reply }: InstanceReply, sent: "first" | "again"): void {
  const { requireThat, ledger, situations, journal } = parts;
  const { intent } = entry;
  const id = numberOf(reply.body, intent.kind === "order" ? "orderId" : "orderListId");
  const reported = (): string =>
    `${intent.clientId} is answered with ${id}, durable is ${idOf(parts, intent)}`;
  requireThat(Number.isSafeInteger(id) && id < 0, "I05", reported);
  requireThat(
    entry.created === undefined || entry.created === id || hasLeft(parts, entry),
    "I03",
    () => `${reported()}, before with ${entry.created}`,
  );
  requireThat(idOf(parts, intent) === id, "I01", reported);
  if (entry.created === undefined) {
    if (sent === "again" && entry.unsure > 0) situations.observe("answer lost, then found by sending again");
    ledger.created.push(entry);
  }
  entry.created = id;
  if (intent.kind === "list") {
    const legs = arrayOf(reply.body, "orders").map((leg) => numberOf(leg, "orderId"));
    requireThat(
      String(legs) === String(journal.lists.get(id)?.legs),
      "I01",
      () => `${reported()}, legs ${legs}`,
    );
    for (const report of arrayOf(reply.body, "orderReports")) judgeSnapshot(parts, report, intent.accountId);
  } else judgeSnapshot(parts, reply.body, intent.accountId);
}

/** Returns whether the order or list that an entry has created has left the store, so that its client id is free. */
export function hasLeft({ journal }: WorldParts, { intent, created = 0 }: Entry): boolean {
  const orderIds = intent.kind === "order" ? [created] : (journal.lists.get(created)?.legs ?? []);
  return orderIds.some((orderId) => journal.departed.has(orderId));
}

const TERMINAL: readonly unknown[] = ["FILLED", "CANCELED", "EXPIRED", "REJECTED"];
const OPEN: readonly unknown[] = ["NEW", "PARTIALLY_FILLED"];
const MANAGED: readonly unknown[] = ["WAITING", "WORKING", "UNKNOWN"];

/** Checks that a snapshot is of that account and of a durable order, and shows only durable data (I07, I16, I51). */
export function judgeSnapshot(
  parts: WorldParts,
  reported: JsonValue,
  accountId: number,
): SeenOrder | undefined {
  const { requireThat, journal } = parts;
  const view = reported as Readonly<Record<string, JsonValue>>;
  const { orderId, status, apiState, held, cancelPending } = view;
  const seen = (): string =>
    JSON.stringify([orderId, status, apiState, held, cancelPending, view.executedQty]);
  const order = typeof orderId === "number" ? journal.find(orderId) : undefined;
  requireThat(order !== undefined, "I01", () => `${seen()} is shown, but is not durable`);
  if (order === undefined) return undefined;
  requireThat(view.accountId === accountId && order.accountId === accountId, "I07", seen);
  const isEnd = TERMINAL.includes(status) && apiState === status && held === false && cancelPending === false;
  const isHeld =
    status === "PENDING_NEW" && apiState === "WAITING" && held === true && cancelPending === false;
  const isOpen = OPEN.includes(status) && MANAGED.includes(apiState) && held === false;
  requireThat(
    isEnd || isHeld || (isOpen && !(cancelPending === true && apiState === "WAITING")),
    "I51",
    seen,
  );
  const executed = exactOf(parseExactQuantity(String(view.executedQty)) ?? { quantity: ZERO_QUANTITY });
  requireThat(executed <= order.executed, "I10", () => `${seen()} of ${order.executed} that are durable`);
  if (isEnd)
    requireThat(
      order.ended?.status === status,
      "I50",
      () => `${seen()} is ${order.ended?.status} in the journal`,
    );
  const { intent } = order;
  requireThat(parseQuantity(String(view.origQty)) === intent.quantity, "I16", seen);
  requireThat(view.price === undefined || parsePrice(String(view.price)) === intent.price, "I16", seen);
  requireThat(
    view.stopPrice === undefined || parsePrice(String(view.stopPrice)) === intent.stopPrice,
    "I16",
    seen,
  );
  return order;
}
