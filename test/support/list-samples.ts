import type { Fact, LegRole, OrderList, ParentOrder } from "../../src/model/index.ts";
import type { World } from "./world.ts";

/** A limit above and a stop below, of which one wins. */
export const OCO = {
  side: "SELL",
  quantity: "1",
  aboveType: "LIMIT",
  abovePrice: "110",
  belowType: "STOP_MARKET",
  belowStopPrice: "90",
} as const;

/** The same for a BUY. */
export const BUY_OCO = {
  side: "BUY",
  quantity: "1",
  aboveType: "STOP_MARKET",
  aboveStopPrice: "110",
  belowType: "LIMIT",
  belowPrice: "90",
} as const;

/** An entry of 1 at 100, and a stop for its position. */
export const OTO = {
  workingType: "LIMIT",
  workingSide: "BUY",
  workingQuantity: "1",
  workingPrice: "100",
  pendingType: "STOP_MARKET",
  pendingSide: "SELL",
  pendingQuantity: "1",
  pendingStopPrice: "90",
} as const;

/** The same entry, and a pair for its position. */
export const OTOCO = {
  workingType: "LIMIT",
  workingSide: "BUY",
  workingQuantity: "1",
  workingPrice: "100",
  pendingSide: "SELL",
  pendingQuantity: "1",
  pendingAboveType: "LIMIT",
  pendingAbovePrice: "110",
  pendingBelowType: "STOP_MARKET",
  pendingBelowStopPrice: "90",
} as const;

/** The leg of a list in a role. */
export function legOf({ legs }: OrderList, role: LegRole): ParentOrder {
  const leg = legs.find(({ list }) => list?.role === role);
  if (leg === undefined) throw new Error(`the list has no ${role} leg`);
  return leg;
}

/** The content of a record about a list, leg by leg in its order, such as "profit: ENDED CANCELED OCO_TRIGGER". */
export async function storyOf(world: World, { listId, legs }: OrderList): Promise<readonly string[]> {
  const roles = new Map(legs.map(({ orderId, list }) => [orderId, list?.role]));
  const records = (await world.engine.listStory(listId)) ?? [];
  return records.map(({ changes }) =>
    changes.map(({ orderId, facts }) => `${roles.get(orderId)}: ${facts.map(wordsOf).join(", ")}`).join("; "),
  );
}

function wordsOf(fact: Fact): string {
  if (fact.kind === "ENDED") return `ENDED ${fact.status} ${fact.reason}`;
  if (fact.kind === "END_REQUESTED") return `END_REQUESTED ${fact.end.status}`;
  return fact.kind === "ALERT" ? `ALERT ${fact.alert}` : fact.kind;
}

/** The kinds of alerts so far. */
export const alertsOf = (world: World): readonly string[] => world.alerts.map(({ alert }) => alert);
