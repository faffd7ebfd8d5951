import type { Random } from "../../../src/common/random.ts";
import type { Reply } from "../../support/sandbox-process.ts";

type Fields = Readonly<Record<string, string | number | boolean>>;
type Order = Reply["body"];

/** The venue's own record of a child. */
export type VenueChild = Readonly<{
  clientOrderId: string;
  parentOrderId: number;
  quantity: string;
  executedQty: string;
  submissions: number;
  time: number;
}>;

/** A price within `spread` of the market of the load. */
export type Near = (spread: number) => string;

/** A list as a client of the crashing sandbox sends it: its path and its fields. */
export function listRequest(
  random: Random,
  id: string,
  near: Near,
): Readonly<{ path: string; fields: Fields }> {
  const quantity = `0.${1 + random.below(9)}`;
  const exits = (prefix: "" | "pending"): Fields => {
    const name = (leg: string): string => (prefix === "" ? leg.toLowerCase() : `${prefix}${leg}`);
    return {
      [`${name("Above")}Type`]: random.pick(["LIMIT", "TAKE_PROFIT", "LIMIT_MAKER"]),
      [`${name("Above")}Price`]: "7060",
      [`${name("Below")}Type`]: "STOP_LOSS",
      [`${name("Below")}StopPrice`]: "6960",
    };
  };
  const entry: Fields = {
    symbol: "BTC/USD",
    listClientOrderId: id,
    workingType: "LIMIT",
    workingSide: "BUY",
    workingQuantity: quantity,
    workingPrice: near(40),
    pendingSide: "SELL",
    pendingQuantity: quantity,
  };
  const made = random.pick<() => Readonly<{ path: string; fields: Fields }>>([
    () => ({
      path: "/api/v3/orderList/oco",
      fields: { symbol: "BTC/USD", listClientOrderId: id, side: "SELL", quantity, ...exits("") },
    }),
    () => ({
      path: "/api/v3/orderList/oto",
      fields: { ...entry, pendingType: "TRAILING_STOP", pendingTrailingDelta: 50 },
    }),
    () => ({ path: "/api/v3/orderList/otoco", fields: { ...entry, ...exits("pending") } }),
  ])();
  return { ...made, fields: takeProfitByStop(made.fields) };
}

/** A take-profit leg has a stop price where a limit has a price. */
function takeProfitByStop(fields: Fields): Fields {
  const renamed = Object.entries(fields).map(([name, value]) => {
    const leg = name.slice(0, -"Price".length);
    const isLevel = name.endsWith("bovePrice") && fields[`${leg}Type`] === "TAKE_PROFIT";
    return [isLevel ? `${leg}StopPrice` : name, value];
  });
  return Object.fromEntries(renamed) as Fields;
}

/** An order that trades over time, in parts, or along with the volume. */
export function scheduleFields(random: Random, common: Fields): Fields {
  return random.pick<() => Fields>([
    () => ({ ...common, type: "TWAP", interval: 1_000, intervalCount: 2 + random.below(6) }),
    () => ({ ...common, type: "VWAP", interval: 1_000, volumeProfile: "3,0,1,2" }),
    () => ({ ...common, type: "POV", participationBips: 1 + random.below(10_000) }),
    () => ({ ...common, type: "ICEBERG", price: "7000", icebergQty: "0.05" }),
  ])();
}

/** Statuses of an order that has ended. */
export const TERMINAL: readonly unknown[] = ["FILLED", "CANCELED", "EXPIRED", "REJECTED"];

/** Checks lists after every restart; throws the first problem. */
export function checkLists(lists: readonly Order[], children: readonly VenueChild[]): void {
  const withChildren = new Set(children.map(({ parentOrderId }) => parentOrderId));
  for (const list of lists) {
    const name = `list ${list["orderListId"]} (${list["contingencyType"]})`;
    const legs = list["orderReports"] as readonly Order[];
    const isDone = legs.every(({ status }) => TERMINAL.includes(status));
    demand((list["listOrderStatus"] === "ALL_DONE") === isDone, `I44: ${name} is ${list["listOrderStatus"]}`);
    const isPair = list["contingencyType"] === "OCO";
    const [working, pending] = isPair ? [undefined, legs] : [legs[0], legs.slice(1)];
    const pair = pending.length === 2 ? pending : [];
    const acted = pair.filter((leg) => withChildren.has(leg["orderId"] as number));
    demand(acted.length <= 1, `I40: both legs of ${name} have children`);
    if (acted[0] !== undefined) {
      const loser = pair.find((leg) => leg !== acted[0]);
      demand(TERMINAL.includes(loser?.["status"]), `I40: the loser of ${name} is ${loser?.["status"]}`);
    }
    if (working === undefined) continue;
    const isFull = working["status"] === "FILLED";
    for (const leg of pending) {
      const isReleased = leg["held"] === false && !TERMINAL.includes(leg["status"]);
      const hasActed = withChildren.has(leg["orderId"] as number);
      demand(isFull || !(isReleased || hasActed), `I41: ${name} released a leg on ${working["status"]}`);
      const isOver = TERMINAL.includes(working["status"]);
      demand(!isOver || leg["held"] === false, `I42: ${name} holds a leg of a working leg that ended`);
    }
  }
}

/** On a manual clock, a child reaches the venue in its slot. Checks that each slot of a schedule is used once. */
export function checkSchedules(orders: Iterable<Order>, children: readonly VenueChild[]): void {
  const byParent = new Map<number, VenueChild[]>();
  for (const child of children) {
    byParent.set(child.parentOrderId, [...(byParent.get(child.parentOrderId) ?? []), child]);
  }
  for (const order of orders) {
    if (!isScheduled(order)) continue;
    const slots = (byParent.get(order["orderId"] as number) ?? []).map(({ time }) =>
      Math.floor((time - (order["transactTime"] as number)) / (order["interval"] as number)),
    );
    demand(
      new Set(slots).size === slots.length,
      `I33: ${order["orderId"]} used a slot twice: ${slots.join()}`,
    );
    const last = order["type"] === "TWAP" ? (order["intervalCount"] as number) : Number.POSITIVE_INFINITY;
    demand(
      slots.every((slot) => slot >= 0 && slot < last),
      `I33: ${order["orderId"]} sent outside its slots`,
    );
  }
}

/** Whether an order trades in slots. */
export const isScheduled = ({ type }: Order): boolean => type === "TWAP" || type === "VWAP";

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
