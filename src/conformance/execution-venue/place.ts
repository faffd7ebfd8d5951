import {
  flagOption,
  functionOption,
  nameOption,
  type OptionCheck,
  type OptionChecks,
  optionsOf,
} from "../../common/index.ts";
import type { ChildRequest, Side } from "../../model/index.ts";
import type { Awaitable, ExecutionVenue } from "../../ports/index.ts";
import { controlsOf } from "../suite/index.ts";

/** What children can take at one price, in decimal strings. */
export interface OfferedLevel {
  readonly price: string;
  readonly quantity: string;
}

/** What children of one market and side can take: levels, the best first. No levels means nothing. */
export interface Offer {
  readonly symbol: string;
  readonly side: Side;
  readonly levels: readonly OfferedLevel[];
}

/**
 * Why the venue refuses a child: for now, so that a later child may succeed; for ever; or because the account has too
 * little of the asset that the child needs.
 */
export type RefusalReason = "now" | "never" | "funds";

/** An adapter that runs, as in a process of the engine. */
export interface OpenVenue {
  readonly venue: ExecutionVenue;
  /** Ends the adapter, as the end of its process does. The exchange continues. */
  close(): Awaitable<void>;
}

/**
 * An exchange behind the adapter, and what the suite needs of it: the exchange's own test system, or a stand-in for its
 * API. Account 1 can pay every child, and nobody else trades.
 */
export interface ExecutionVenuePlace {
  /** Opens the adapter. The suite closes it before it opens the next, as in a restart. */
  open(): Awaitable<OpenVenue>;
  /** Returns the exchange's own time in epoch milliseconds. */
  nowMs(): number;
  /** Replaces what children of a market and side can take. */
  offer(offer: Offer): Awaitable<void>;
  /**
   * Makes the exchange refuse the next child. May return members that this child needs, such as the account of a
   * customer without funds. "never" and "funds" are asked for only if they are declared.
   */
  refuse(reason: RefusalReason): Awaitable<Partial<ChildRequest> | undefined>;
  /** Loses the next child on its way to the exchange, or the exchange's answer to it. */
  lose(what: "child" | "answer"): Awaitable<void>;
  /** Makes the exchange unreachable, for children and look-ups, or reachable again. */
  setOutage(isOut: boolean): Awaitable<void>;
  /**
   * Resolves when every answer and event that is due has come: when the stand-in has nothing more to do, or after the
   * time in which the exchange always answers. What has not come by then counts as missing.
   */
  idle(): Promise<void>;
  /**
   * Returns what account 1 has bought in a market less what it has sold, according to the exchange, as decimal text such
   * as "-0.5". The suite compares it with the reports: an execution that the adapter hides is found here.
   */
  position(symbol: string): Awaitable<string>;
  /** Removes the place. The adapter is closed. */
  remove(): Awaitable<void>;
  /** With `openChildren`: lets the next child rest at the exchange, with what it could take, until `settle`. */
  hold?(): Awaitable<void>;
  /** With `openChildren`: ends a child that rests. It executes what was offered when it arrived, and nothing else. */
  settle?(childId: string): Awaitable<void>;
  /** With `openChildren`: sends the last event of a child again. */
  repeat?(childId: string): Awaitable<void>;
  /** With `partialReports`: executes this part of a child that rests. */
  fill?(childId: string, part: OfferedLevel): Awaitable<void>;
  /** With `earlyEvents`: withholds the answer to the next submit, until the returned function is called. */
  withholdAnswer?(): Awaitable<() => Awaitable<void>>;
  /** With `lateFills`: executes a part of a child that was reported closed. */
  fillLate?(childId: string, part: OfferedLevel): Awaitable<void>;
}

/** The optional parts of a venue, each declared as present or absent. */
export interface ExecutionVenueSupport {
  /** The capability `honoursDeadline`. */
  readonly honoursDeadline: boolean;
  /** The capability `canVoid`, with the function `voidChild`. */
  readonly canVoid: boolean;
  /** Whether "not found" comes with the exchange's time, as `notFoundAtMs`. Without it there is no `venueTimeMs` either. */
  readonly venueTime: boolean;
  /** Whether a submit ends when its signal aborts. */
  readonly abortable: boolean;
  /** Whether a submit may answer that the child is open, with the end of the child in an event. */
  readonly openChildren: boolean;
  /** Whether reports on an open child show what it has executed so far. */
  readonly partialReports: boolean;
  /** Whether an event on a child may come before the answer to its submit. */
  readonly earlyEvents: boolean;
  /** Whether the exchange may execute a child that was reported closed. */
  readonly lateFills: boolean;
  /** Whether some refusals are `final`. */
  readonly finalRefusals: boolean;
  /** Whether refusals for insufficient funds have the mark INSUFFICIENT_FUNDS. */
  readonly fundsMark: boolean;
}

/** An adapter of the execution venue port as its author describes it to the suite. */
export interface ExecutionVenueSubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: ExecutionVenueSupport;
  /** Creates an exchange without children. The suite creates one per test, and removes it at the end. */
  createPlace(): Awaitable<ExecutionVenuePlace>;
}

const partsOption: OptionCheck = /* @__PURE__ */ optionsOf<ExecutionVenueSupport>({
  ...{ honoursDeadline: flagOption, canVoid: flagOption, venueTime: flagOption, abortable: flagOption },
  ...{ openChildren: flagOption, partialReports: flagOption, earlyEvents: flagOption },
  ...{ lateFills: flagOption, finalRefusals: flagOption, fundsMark: flagOption },
});

const supportsOption: OptionCheck = (value, name) => {
  partsOption(value, name);
  const { openChildren, partialReports } = value as ExecutionVenueSupport;
  if (partialReports && !openChildren)
    throw new TypeError(`${name}.partialReports is about open children: declare openChildren too`);
};

/** Checks an adapter that is handed to the suite. */
export const executionVenueSubject: OptionCheck = /* @__PURE__ */ optionsOf<ExecutionVenueSubject>({
  ...{ name: nameOption, supports: supportsOption, createPlace: functionOption("creates an exchange") },
});

/**
 * Returns the check of a place. It demands the controls of every part that is declared. Parts of open children need
 * `openChildren`.
 */
export function placeCheck(supports: ExecutionVenueSupport): OptionCheck {
  const { always, where } = controlsOf("ExecutionVenuePlace");
  const { openChildren, partialReports, earlyEvents, lateFills } = supports;
  const controls: OptionChecks<ExecutionVenuePlace> = {
    ...{
      open: always,
      nowMs: always,
      offer: always,
      refuse: always,
      lose: always,
    },
    ...{ setOutage: always, idle: always, position: always, remove: always },
    ...{
      hold: where(openChildren),
      settle: where(openChildren),
      repeat: where(openChildren),
    },
    ...{
      fill: where(partialReports),
      withholdAnswer: where(earlyEvents),
      fillLate: where(lateFills),
    },
  };
  return optionsOf<ExecutionVenuePlace>(controls, { open: true });
}
