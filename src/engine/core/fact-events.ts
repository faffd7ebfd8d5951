import type { Fact, ParentOrder } from "../../model/index.ts";
import type { EventSource } from "./event-source.ts";
import type { ChildUpdate, OrderNow } from "./events.ts";

/** The order of a fact after its record, and when the record was written. */
type After = Readonly<{ order: ParentOrder; timeMs: number }>;

/** Emits the event `fill`, `child` or `ended` of a durable fact, if it has one and somebody listens. */
export function emitFact(events: EventSource, fact: Fact, after: After): void {
  if (fact.kind === "FILLED") {
    const { childId, fill } = fact;
    if (events.hasListener("fill")) events.emit("fill", { ...orderNow(after), childId, fill });
  } else if (fact.kind === "ENDED") {
    const { status, reason } = fact;
    if (events.hasListener("ended")) events.emit("ended", { ...orderNow(after), status, reason });
  } else if (events.hasListener("child")) {
    const child = childNow(fact);
    if (child !== undefined) events.emit("child", { ...orderNow(after), ...child });
  }
}

function orderNow({ order, timeMs }: After): OrderNow {
  const { accountId, orderId, intent } = order;
  return { accountId, orderId, clientOrderId: intent.clientOrderId, order, timeMs };
}

/** Returns the state that a fact gives to a child; undefined for a fact about something else. */
function childNow(fact: Fact): Omit<ChildUpdate, keyof OrderNow> | undefined {
  switch (fact.kind) {
    case "CHILD_INTENDED":
      return { childId: fact.child.childId, state: "SENT" };
    case "CHILD_OPEN":
      return { childId: fact.childId, state: "OPEN" };
    case "CHILD_UNKNOWN":
      return { childId: fact.childId, state: "UNKNOWN", ...detailOf(fact.problem) };
    case "CHILD_CLOSED":
      return { childId: fact.childId, state: fact.outcome, ...detailOf(fact.detail) };
    default:
      return undefined;
  }
}

const detailOf = (detail: string | undefined): Readonly<{ detail?: string }> =>
  detail === undefined ? {} : { detail };
