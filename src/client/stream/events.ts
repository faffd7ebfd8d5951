import {
  ACCOUNT_UPDATE,
  type AccountEvent,
  LIST_STATUS,
  MARGIN_CALL,
  members,
  ORDER_EVENT,
  object,
  type Reader,
  STAMP,
} from "../../replies/index.ts";

/** The reader of each event by its name. */
const EVENTS: Readonly<Record<Exclude<AccountEvent["e"], "unknown">, Reader<AccountEvent>>> =
  /* @__PURE__ */ (() => ({
    ORDER_TRADE_UPDATE: object(ORDER_EVENT),
    listStatus: object(LIST_STATUS),
    ACCOUNT_UPDATE: object(ACCOUNT_UPDATE),
    MARGIN_CALL: object(MARGIN_CALL),
  }))();

const stamp = /* @__PURE__ */ object(STAMP);

const isKnown = (name: unknown): name is keyof typeof EVENTS =>
  typeof name === "string" && Object.hasOwn(EVENTS, name);

/** Reads an event of an account. Throws WrongType for one with a missing or wrong member. */
export const readEvent: Reader<AccountEvent> = (value, at) => {
  const event = members(value, at);
  if (isKnown(event.e)) return EVENTS[event.e](value, at);
  const { E, sequence } = stamp(value, at);
  return { e: "unknown", E, sequence, members: event };
};
