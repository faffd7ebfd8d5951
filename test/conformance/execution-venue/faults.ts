import { createForeignVenue } from "../../../examples/foreign-venue/venue.ts";
import {
  accumulated,
  addedUp,
  answeredEvents,
  answeredOnly,
  answering,
  asNumber,
  changed,
  countedIds,
  earlyEvents,
  executed,
  filling,
  firstListener,
  forgetful,
  freshIds,
  looking,
  losesOld,
  never,
  oneAnswer,
  onFailure,
  onNotFound,
  onSilence,
  onTime,
  openAnswers,
  ownEvents,
  ownMemory,
  type PlantedFault,
  QUIET,
  refusal,
  refusing,
  reporting,
  roundedDown,
  sending,
  shortIds,
  silent,
  storedTime,
  untilClosed,
  voidsInMemory,
  voidsOnce,
  wanted,
  without,
} from "./broken-venue.ts";

/** The mistakes by the rule that finds them. */
export const PLANTED: Readonly<Record<string, readonly PlantedFault[]>> = {
  "the capabilities are those that are declared, and readable": [
    {
      mistake: "promises to honour deadlines in the manifest only",
      create: changed(({ capabilities }) => ({ capabilities: { ...capabilities, honoursDeadline: false } })),
    },
    {
      mistake: "a rate as text",
      create: changed(({ capabilities }) => ({
        capabilities: { ...capabilities, ratePerSecond: "10" as never },
      })),
    },
    {
      mistake: "canVoid without a function",
      create: changed(() => ({ voidChild: undefined as never })),
    },
    {
      mistake: "a function in spite of canVoid: false",
      supports: { canVoid: false },
      create: createForeignVenue,
    },
  ],
  "a child that is completely executed is closed, with every execution at its own price": [
    { mistake: "filled for closed", create: answering((report) => ({ ...report, state: "filled" })) },
    {
      mistake: "a missing fill",
      create: answering((report) => ({ ...report, fills: without(report.fills) })),
    },
    {
      mistake: "one execution at the average price",
      create: answering((report) => ({
        ...report,
        fills: report.fills.slice(0, 1).map((fill) => ({ ...fill, quantity: executed(report) })),
      })),
    },
    { mistake: "never closed", create: answering((report) => ({ ...report, state: "open" })) },
  ],
  "quantities and prices are exact whole numbers of steps, never text, never floating-point numbers": [
    {
      mistake: "quantities as text",
      create: filling((fill) => ({ ...fill, quantity: String(fill.quantity) })),
    },
    {
      mistake: "quantities as decimals",
      create: filling((fill) => ({ ...fill, quantity: asNumber(fill.quantity, 6) })),
    },
    {
      mistake: "prices as decimals",
      create: filling((fill) => ({ ...fill, price: asNumber(fill.price, 8) })),
    },
    {
      mistake: "steps from a floating-point number, cut off",
      create: filling((fill) => ({ ...fill, quantity: Math.floor(asNumber(fill.quantity, 6) * 1e6) })),
    },
    {
      mistake: "steps from a floating-point number, rounded to the nearest double",
      create: filling((fill) => ({ ...fill, price: BigInt(Number(fill.price)) })),
    },
  ],
  "an IOC child closes with what it found; the rest of it does not stay at the exchange": [
    {
      mistake: "an expired rest is open",
      create: answering((report, child) =>
        child !== undefined && executed(report) > 0n && executed(report) < BigInt(child.quantity)
          ? { ...report, state: "open" }
          : report,
      ),
    },
  ],
  "a child that finds nothing is over, without executions": [
    {
      mistake: "an order without trades is open",
      create: answering((report) => (report.fills.length === 0 ? { ...report, state: "open" } : report)),
    },
  ],
  "a FOK child executes completely or not at all": [
    { mistake: "every child is IOC", create: sending(() => ({ timeInForce: "IOC" })) },
  ],
  "complaint 10: a child with a limit price never executes beyond it": [
    { mistake: "every child is at market", create: sending(() => ({ limitPrice: undefined as never })) },
    { mistake: "limit prices with two decimals, rounded down", create: sending(roundedDown) },
  ],
  "a child executes on its own side of the market": [
    { mistake: "every child buys", create: sending(() => ({ side: "BUY" })) },
  ],
  "a child executes in its own market": [
    { mistake: "every child is in BTC/USD", create: sending(() => ({ symbol: "BTC/USD" })) },
  ],
  "I15: every execution of a child has an id of its own": [
    {
      mistake: "the id is that of the order",
      create: filling((fill) => ({ ...fill, executionId: "1" })),
    },
  ],
  "I15: an execution has the same id, quantity, price and time in every report": [
    { mistake: "ids are made for each report", create: countedIds() },
  ],
  "the time of an execution is the exchange's, in milliseconds since the epoch": [
    { mistake: "seconds", create: filling((fill) => ({ ...fill, timeMs: Math.floor(fill.timeMs / 1_000) })) },
    { mistake: "microseconds", create: filling((fill) => ({ ...fill, timeMs: fill.timeMs * 1_000 })) },
  ],
  "I06: a child that arrives twice executes once": [
    { mistake: "a new client id for each submit", create: freshIds() },
  ],
  "children that are submitted at once are answered each with its own executions": [
    { mistake: "one answer is awaited at a time", create: oneAnswer() },
  ],
  "child ids are used whole: two that differ in one character are two children": [
    { mistake: "client ids of 20 characters", create: shortIds() },
  ],
  "a child whose deadline has passed executes nothing": [
    { mistake: "no deadline", create: sending(() => ({ deadlineMs: Number.MAX_SAFE_INTEGER })) },
    {
      mistake: "the deadline as a duration",
      create: sending((_, { deadlineMs }) => ({ deadlineMs: 1_760_000_000_000 + deadlineMs })),
    },
    {
      mistake: "the deadline rounded up to seconds",
      create: sending((_, { deadlineMs }) => ({ deadlineMs: Math.ceil(deadlineMs / 1_000) * 1_000 })),
    },
  ],
  "a child whose deadline is some seconds ahead executes": [
    {
      mistake: "the deadline in seconds",
      create: sending((_, { deadlineMs }) => ({ deadlineMs: Math.floor(deadlineMs / 1_000) })),
    },
  ],
  "an adapter that declares no open children answers with the end of each child": [
    {
      mistake: "answers on arrival",
      supports: QUIET,
      create: changed((honest) => ({ ...openAnswers(honest), subscribe: silent })),
    },
  ],
  "a submit ends when its signal aborts, and what became of the child stays unknown": [
    { mistake: "ignores the signal", create: sending(() => ({ signal: new AbortController().signal })) },
    { mistake: "an abort is a refusal", create: onFailure("abort", refusal) },
  ],
  "an abort does not cancel the child": [
    { mistake: "an abort is a refusal", create: onFailure("abort", refusal) },
    { mistake: "forgets a child whose submit was aborted", create: forgetful() },
  ],
  "complaint 17: a child whose answer is lost is not reported by the submit, and found by the look-up": [
    { mistake: "a timeout is a refusal", create: onSilence(refusal) },
    { mistake: "finds only children with an answer", create: answeredOnly() },
  ],
  "complaint 18: a child that is lost on its way is not reported as refused": [
    { mistake: "a timeout is a refusal", create: onSilence(refusal) },
    {
      mistake: "a timeout is a close",
      create: onSilence((child) => ({ ...refusal(child), state: "closed" })),
    },
  ],
  "while the exchange cannot be reached, no submit is answered with a report": [
    { mistake: "a broken connection is a refusal", create: onFailure("connection", refusal) },
  ],
  "a child that the exchange refuses is rejected, and the next child is not affected": [
    {
      mistake: "a refusal rejects",
      create: refusing(() => {
        throw new Error("refused");
      }),
    },
    { mistake: "a refusal is a close", create: refusing((report) => ({ ...report, state: "closed" })) },
  ],
  "a refusal after which a later child may succeed is not final": [
    { mistake: "every refusal is final", create: refusing((report) => ({ ...report, final: true })) },
  ],
  "a refusal that no later attempt can avoid is final": [
    { mistake: "no refusal is final", create: refusing((report) => ({ ...report, final: false })) },
  ],
  "a refusal for insufficient funds has its mark, and is not final": [
    { mistake: "no marks", create: refusing((report) => ({ ...report, mark: undefined })) },
    { mistake: "a mark of its own", create: refusing((report) => ({ ...report, mark: "NO_FUNDS" })) },
    { mistake: "final", create: refusing((report) => ({ ...report, final: true })) },
  ],
  "an adapter that declares no mark for insufficient funds sets none": [
    {
      mistake: "marks every refusal",
      supports: { fundsMark: false },
      create: refusing((report) => ({ ...report, mark: "INSUFFICIENT_FUNDS" })),
    },
  ],
  "a refusal for another reason than funds has no mark": [
    {
      mistake: "marks every refusal",
      create: refusing((report) => ({ ...report, mark: "INSUFFICIENT_FUNDS" })),
    },
  ],
  "a look-up reports all that the submit reported, also when the market has moved on": [
    { mistake: "a look-up without executions", create: looking((report) => ({ ...report, fills: [] })) },
    {
      mistake: "the position of the order as one execution",
      create: looking((report) => ({ ...report, fills: without(report.fills) })),
    },
  ],
  "I22: after a restart, a look-up finds every child of the process before": [
    { mistake: "remembers children in memory", create: ownMemory() },
  ],
  'a child that never arrived is "not found"': [
    {
      mistake: "rejects",
      create: onNotFound(() => {
        throw new Error("no such order");
      }),
    },
    { mistake: "undefined", create: onNotFound(() => undefined) },
    { mistake: "an open report", create: onNotFound((childId) => ({ childId, state: "open", fills: [] })) },
  ],
  "not found comes with the exchange's own time, in milliseconds since the epoch": [
    { mistake: "seconds", create: onNotFound((_, atMs) => ({ notFoundAtMs: Math.floor(atMs / 1_000) })) },
    { mistake: "no time", create: onNotFound(() => "not-found") },
    { mistake: "the clock of the machine", create: onNotFound(() => ({ notFoundAtMs: Date.now() })) },
  ],
  "an adapter that can be asked for the time tells the exchange's, and rejects during an outage": [
    { mistake: "asked once and kept", create: storedTime() },
    { mistake: "microseconds", create: onTime((atMs) => atMs * 1_000) },
    { mistake: "a fraction", create: onTime((atMs) => atMs + 0.5) },
    { mistake: "the clock of the machine", create: onTime(() => Date.now()) },
    {
      mistake: "the clock of the machine during an outage",
      create: changed((honest) => ({
        venueTimeMs: () => honest.venueTimeMs?.().catch(() => Date.now()) ?? Promise.resolve(0),
      })),
    },
    {
      mistake: "no answer during an outage when asked for the time",
      create: changed((honest) => ({
        venueTimeMs: () => honest.venueTimeMs?.().catch(never) ?? Promise.resolve(0),
      })),
    },
  ],
  "an adapter that declares no venue time gives none": [
    { mistake: "gives one", supports: { venueTime: false }, create: createForeignVenue },
    {
      mistake: "gives one when asked for it",
      supports: { venueTime: false },
      create: onNotFound(() => "not-found"),
    },
  ],
  "complaint 31: while the exchange cannot be reached, a look-up rejects": [
    {
      mistake: "every failure is not found",
      create: changed((honest) => ({
        lookup: (child) => honest.lookup(child).catch(() => "not-found" as const),
      })),
    },
    {
      mistake: "no answer during an outage",
      create: changed((honest) => ({ lookup: (child) => honest.lookup(child).catch(never) })),
    },
  ],
  "a look-up reports the requested child, and no execution of another": [
    { mistake: "all executions of the account", create: accumulated() },
  ],
  "a look-up changes nothing: the child can still be submitted, once": [
    {
      mistake: "voids what it does not find",
      create: changed((honest) => ({
        lookup: async (child) => {
          const found = await honest.lookup(child);
          if (typeof found === "object" && !("childId" in found)) await honest.voidChild?.(child);
          return found;
        },
      })),
    },
  ],
  "the end of an open child comes as an event with all its executions, and the look-up agrees": [
    { mistake: "no events", create: changed(() => ({ subscribe: silent })) },
    {
      mistake: "a closed event without its executions",
      create: reporting((report) => ({ ...report, fills: [] })),
    },
  ],
  "every report on an open child has all its executions so far, not only the new one": [
    { mistake: "increments", create: reporting((report) => ({ ...report, fills: report.fills.slice(-1) })) },
  ],
  "an adapter that declares no partial reports shows no execution of an open child": [
    {
      mistake: "shows the wanted quantity as executed",
      supports: { partialReports: false },
      create: answering((report) =>
        report.state === "open" ? { ...report, fills: [wanted(report)] } : report,
      ),
    },
  ],
  "I15: an event that comes twice reports the same executions under the same ids": [
    { mistake: "adds up events", create: addedUp() },
  ],
  "every listener receives every event until it is removed, and no event after that": [
    { mistake: "only the first listener", create: firstListener() },
    {
      mistake: "listeners cannot leave",
      create: changed((honest) => ({
        subscribe: (listener) => {
          honest.subscribe(listener);
          return () => undefined;
        },
      })),
    },
  ],
  "after a restart, events on the children of the process before are delivered": [
    { mistake: "only events on its own children", create: ownEvents() },
  ],
  "an event that comes before the answer to the submit is delivered, and the answer after it is complete or open":
    [{ mistake: "only events on answered children", create: answeredEvents() }],
  "an adapter that declares no early events sends none before the answer to the submit": [
    { mistake: "sends them", supports: { earlyEvents: false }, create: earlyEvents() },
  ],
  "complaint 33: an execution after the close is an event with all executions, also for a later listener": [
    { mistake: "no events after the close", create: untilClosed() },
    {
      mistake: "not for a later listener",
      create: (api) => createForeignVenue({ ...api, corrected: async () => [] }),
    },
  ],
  "an adapter that declares no late executions never changes a closed child": [
    { mistake: "loses executions in a restart", supports: { lateFills: false }, create: losesOld() },
  ],
  "a child that was voided before it arrived never executes": [
    { mistake: "says so", create: changed(() => ({ voidChild: async () => "voided" })) },
    { mistake: "rejects the second time", create: voidsOnce() },
  ],
  "a child that was voided never executes after a restart either": [
    { mistake: "remembers voided children in memory", create: voidsInMemory() },
  ],
  "voiding a child that has executed returns its report": [
    { mistake: "every child is voided", create: changed(() => ({ voidChild: async () => "voided" })) },
  ],
};
