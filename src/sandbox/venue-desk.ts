import type { VenueFault } from "../paper-exchange/index.ts";
import type { JsonInput } from "../wire/index.ts";
import { type ControlCall, requireInstrument, VENUE_HANDLERS, type VenueControls } from "./venue-controls.ts";

/** Balances and positions of an account at the venue: decimal text by asset, and signed decimal text by symbol. */
export type AccountFunds = Readonly<{
  balances: Readonly<Record<string, string>>;
  positions: Readonly<Record<string, string>>;
}>;

/** What the control interface asks of market and venue, in this process or in another one. */
export type VenueDesk = Readonly<{
  /** Answers a call about market or venue; returns undefined for any other call. */
  answer: (call: ControlCall) => Promise<JsonInput> | undefined;
  /** Activates a fault of the venue in place of the previous one. Rejects with an error for the caller if it is invalid. */
  setFault: (fault: VenueFault) => Promise<void>;
  /** Sets all balances, all positions, or both. Rejects with an error for the caller if one is invalid. */
  setFunds: (accountId: number, funds: FundsGiven) => Promise<void>;
  funds: (accountId: number) => Promise<AccountFunds>;
}>;

/** Funds to set. What is left out stays as it is. */
export type FundsGiven = Readonly<{ [Part in keyof AccountFunds]?: AccountFunds[Part] | undefined }>;

/** Returns the key of a call in a table of handlers. */
export const callKey = ({ method, path }: Pick<ControlCall, "method" | "path">): string =>
  `${method} ${path.join("/")}`;

/** Returns the desk of a paper venue of this process. */
export function paperDesk(controls: VenueControls): VenueDesk {
  const { venue } = controls;
  return {
    answer(call) {
      const handler = VENUE_HANDLERS.get(callKey(call));
      return handler && (async () => (await handler(controls, call)) as JsonInput)();
    },
    async setFault(fault) {
      // A fault of a misspelt market would never happen, and a test that relies on it would prove nothing.
      if (fault.symbol !== undefined) requireInstrument(controls, fault.symbol);
      venue.setFault(fault);
    },
    async setFunds(accountId, { balances, positions }) {
      if (balances !== undefined) await venue.setBalances(accountId, balances);
      if (positions !== undefined) await venue.setPositions(accountId, positions);
    },
    funds: async (accountId) => ({
      balances: venue.balances(accountId),
      positions: venue.positions(accountId),
    }),
  };
}
