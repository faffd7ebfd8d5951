import type { Engine } from "../../../src/engine/index.ts";
import type { Fact, JournalRecord } from "../../../src/model/index.ts";
import type { NativeOrders } from "../../../src/ports/index.ts";

/** A change that only a client can request: an order was created or canceled. */
export type Happening = Readonly<{
  kind: "created" | "canceled";
  accountId: number;
  /** As text: managed ids are negative, native ones have 64 bits. */
  orderId: string;
  clientOrderId: string;
}>;

/** Collects changes until they are requested. */
export type Happenings = Readonly<{ take: () => readonly Happening[] }>;

const CHILD = "aqc-";

/** Records every creation and every cancel, managed and native, from the events of engine and venue. */
export function watchHappenings(engine: Engine, native: NativeOrders): Happenings {
  let stored: Happening[] = [];
  engine.events.on("order", ({ record, order }) => {
    const kind = kindOf(record, order.orderId);
    const { accountId, orderId } = order;
    const { clientOrderId } = order.intent;
    if (kind !== undefined) stored.push({ kind, accountId, orderId: String(orderId), clientOrderId });
  });
  native.subscribe(({ execType, order }) => {
    const { accountId, orderId, clientOrderId, reason } = order;
    if (clientOrderId.startsWith(CHILD)) return;
    const named = { accountId, orderId: String(orderId), clientOrderId };
    if (execType === "NEW") stored.push({ kind: "created", ...named });
    else if (execType === "CANCELED" && reason === "USER_CANCELED")
      stored.push({ kind: "canceled", ...named });
  });
  return {
    take() {
      const taken = stored;
      stored = [];
      return taken;
    },
  };
}

function kindOf({ cause, changes }: JournalRecord, orderId: number): Happening["kind"] | undefined {
  const facts = changes.filter((change) => change.orderId === orderId).flatMap((change) => change.facts);
  if (cause.kind === "PLACE") return has(facts, "ACCEPTED") ? "created" : undefined;
  const ends = has(facts, "ENDED") || has(facts, "END_REQUESTED");
  return cause.kind === "CANCEL" && ends ? "canceled" : undefined;
}

const has = (facts: readonly Fact[], kind: Fact["kind"]): boolean => facts.some((fact) => fact.kind === kind);
