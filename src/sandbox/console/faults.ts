/** A fault that the page offers: what it is called, what happens, and the body of the call that sets it. */
export type Fault = Readonly<{ label: string; says: string; body: Readonly<Record<string, unknown>> }>;

const ofVenue = (mode: string, more: Readonly<Record<string, unknown>> = {}): Fault["body"] => ({
  venue: { mode, ...more },
});
const ONE = { count: 1 };

/** The name of a fault. */
export type FaultName =
  | "none"
  | "timeout-after"
  | "timeout-before"
  | "reject"
  | "partial"
  | "hold"
  | "store-fail"
  | "store-unknown";

/** The faults by the name of their choice. Each but the last of the venue concerns the next child only. */
export const FAULTS: Readonly<Record<FaultName, Fault>> = {
  none: {
    label: "No fault",
    says: "The venue answers, and the store writes.",
    body: { venue: { mode: "none" }, store: { mode: "none" } },
  },
  "timeout-after": {
    label: "Answer lost, child executes",
    says: "The engine must find out that the next child was executed, and must not send it again.",
    body: ofVenue("timeout-after", ONE),
  },
  "timeout-before": {
    label: "Child never arrives",
    says: "The engine must prove that the next child never arrived before the order may act again.",
    body: ofVenue("timeout-before", ONE),
  },
  reject: {
    label: "Venue refuses the child",
    says: "The next child is refused. The order waits a moment and tries again.",
    body: ofVenue("reject", ONE),
  },
  partial: {
    label: "Child fills in part",
    says: "Of the next child, half is executed. The order sends the rest.",
    body: ofVenue("partial", { ...ONE, fraction: "0.5" }),
  },
  hold: {
    label: "Venue holds the child",
    says: "The next child stays in flight until you release it. A cancel waits for its outcome.",
    body: ofVenue("hold", ONE),
  },
  "store-fail": {
    label: "Store fails once",
    says: "The next append fails. What is not durable is not accepted, and nothing leaves the engine.",
    body: { store: { mode: "fail", count: 1 } },
  },
  "store-unknown": {
    label: "Append without an answer",
    says: "The outcome of the next append is unknown. The engine reads the store before it goes on.",
    body: { store: { mode: "unknown", count: 1 } },
  },
};

/** Returns the fault of a text from the page, or none. */
export const faultOf = (text: string): FaultName =>
  Object.hasOwn(FAULTS, text) ? (text as FaultName) : "none";

/** The points at which the process can kill itself, with what has happened there. */
export const CRASHES: readonly (readonly [at: string, label: string])[] = [
  ["after-submit", "after its child was sent"],
  ["before-submit", "before its child is sent"],
  ["before-outcome-append", "before its fill is written"],
  ["before-append", "before the next record"],
  ["after-append", "after the next record"],
];
