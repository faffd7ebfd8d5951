/** The exchange's test system as the suite sees it. */
import type { ExecutionVenuePlace, ExecutionVenueSubject, RefusalReason } from "managed-orders/conformance";
import type { ExecutionVenue } from "managed-orders/ports";
import { Exchange, type ExchangeApi } from "./exchange.ts";
import { createForeignVenue } from "./venue.ts";

const CODES = {
  now: "MARKET_HALTED",
  never: "ACCOUNT_CLOSED",
  funds: "INSUFFICIENT_BALANCE",
} as const satisfies Record<RefusalReason, string>;

/** Creates the place of one test: an exchange, and adapters on it. */
export function createPlace(
  create: (api: ExchangeApi) => ExecutionVenue = createForeignVenue,
): ExecutionVenuePlace {
  const exchange = new Exchange();
  return {
    open: () => ({ venue: create(exchange.api), close: () => undefined }),
    nowMs: () => exchange.now(),
    offer: ({ symbol, side, levels }) =>
      exchange.setBook(symbol.replace("/", "-"), side === "BUY" ? "bid" : "ask", levels),
    refuse(reason) {
      exchange.next({ code: CODES[reason] });
      return undefined;
    },
    lose: (lost) => exchange.next({ lost }),
    setOutage: (isOut) => exchange.setOutage(isOut),
    // The exchange answers in this turn of the event loop, so in the next turn nothing is missing.
    idle: () => new Promise((resolve) => setImmediate(resolve)),
    position: (symbol) => exchange.position(1, symbol.replace("/", "-")),
    remove: () => undefined,
    hold: () => exchange.next({ rests: true }),
    settle: (childId) => exchange.end(childId),
    repeat: (childId) => exchange.tell(childId),
    fill: (childId, part) => exchange.trade(childId, part),
    fillLate: (childId, part) => exchange.trade(childId, part),
    withholdAnswer() {
      let answer = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        answer = resolve;
      });
      exchange.next({ gate });
      return () => answer();
    },
  };
}

/** The adapter as the suite tests it. */
export const foreignVenue: ExecutionVenueSubject = {
  name: "foreign exchange",
  supports: {
    ...{ honoursDeadline: true, canVoid: true, venueTime: true, abortable: true },
    ...{ openChildren: true, partialReports: true, earlyEvents: true, lateFills: true },
    ...{ finalRefusals: true, fundsMark: true },
  },
  createPlace: () => createPlace(),
};
