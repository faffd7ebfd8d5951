import { dollars, grouped, shortPrice, timeText } from "./numbers.ts";
import { reasonWords, type Tone } from "./orders.ts";

/** A fact of a journal record, as the control interface shows it: prices and quantities are texts. */
type ShownFact = Readonly<{ kind: string }> & Readonly<Record<string, unknown>>;

/** A journal record, as the control interface shows it. */
export type ShownRecord = Readonly<{
  sequence: number;
  timeMs: number;
  cause: Readonly<{ kind: string }> & Readonly<Record<string, unknown>>;
  changes: readonly Readonly<{ orderId: number; facts: readonly ShownFact[] }>[];
}>;

/** A child in the record of the venue. */
export type ShownChild = Readonly<{
  clientOrderId: string;
  parentOrderId: number;
  symbol: string;
  side: "BUY" | "SELL";
  quantity: string;
  price: string | null;
  executedQty: string;
  averagePrice: string;
  submissions: number;
  time: number;
}>;

/** One event in the life of an order. */
export type LifeLine = Readonly<{ timeMs: number; text: string; why: string; tone: Tone }>;

const textAt = (value: unknown, ...path: readonly string[]): string => {
  let at: unknown = value;
  for (const name of path) at = typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined;
  return typeof at === "string" || typeof at === "number" ? String(at) : "";
};

const WORDINGS: Readonly<Record<string, (fact: ShownFact) => readonly [text: string, tone: Tone]>> = {
  ACCEPTED: () => ["Accepted", "open"],
  RELEASED: () => ["Released: its entry is filled", "open"],
  POSTED: () => ["Posted: no quote matched it at once", "open"],
  ACTIVATED: (fact) => [`Trails from ${dollars(textAt(fact, "activation", "seed"))}`, "open"],
  TRIGGERED: (fact) => [
    `Triggered: ${dollars(textAt(fact, "trigger", "observed"))} reached ${shortPrice(textAt(fact, "trigger", "level"))}`,
    "work",
  ],
  CHILD_INTENDED: (fact) => [
    `Sent ${grouped(textAt(fact, "child", "quantity"))} to the venue${limitText(fact)}`,
    "work",
  ],
  CHILD_OPEN: () => ["Arrived at the venue", "work"],
  CHILD_UNKNOWN: () => ["No answer from the venue: it is asked again", "bad"],
  FILLED: (fact) => [
    `Filled ${grouped(textAt(fact, "fill", "quantity"))} at ${dollars(textAt(fact, "fill", "price"))}`,
    "good",
  ],
  CHILD_CLOSED: (fact) => OUTCOMES[textAt(fact, "outcome")] ?? ["Ended at the venue", "off"],
  END_REQUESTED: () => ["Ends once the venue has answered", "work"],
  ENDED: (fact) => [
    `${statusWord(textAt(fact, "status"))}${reasonText(fact)}`,
    textAt(fact, "status") === "FILLED" ? "good" : "off",
  ],
  AMENDED: (fact) => [`Changed: ${termsText(fact)}`, "open"],
  ALERT: (fact) => [`Alert ${inWords(textAt(fact, "alert"))}: ${textAt(fact, "detail")}`, "bad"],
  FROZEN: () => ["Frozen: it sends nothing more", "bad"],
};

/** Returns the old and the new value of each term that an amend has changed. */
function termsText({ before, after }: ShownFact): string {
  const names = typeof after === "object" && after !== null ? Object.keys(after) : [];
  return names
    .map((name) => `${TERMS[name] ?? name} ${termText(before, name)} → ${termText(after, name)}`)
    .join(", ");
}

const TERMS: Readonly<Record<string, string>> = {
  ...{ stopPrice: "stop price", trailing: "distance", limitOffset: "limit beyond the trigger" },
  ...{ icebergQuantity: "shown at once", expireTimeMs: "expiry", participationBips: "share of the volume" },
};

function termText(terms: unknown, name: string): string {
  if (name === "expireTimeMs") return timeText(Number.parseInt(textAt(terms, name), 10));
  if (name !== "trailing") return grouped(textAt(terms, name));
  const bps = textAt(terms, name, "bps");
  if (bps !== "") return `${bps} bps`;
  const percent = textAt(terms, name, "percent");
  return percent === "" ? `${textAt(terms, name, "amount")} USD` : `${percent} %`;
}

const limitText = (fact: ShownFact): string => {
  const limit = textAt(fact, "child", "limitPrice");
  return limit === "" ? "" : `, limit ${dollars(limit)}`;
};

const OUTCOMES: Readonly<Record<string, readonly [string, Tone]>> = {
  DONE: ["Done at the venue", "work"],
  REJECTED: ["Refused by the venue: it is tried again", "bad"],
  REJECTED_FINAL: ["Refused by the venue for good", "bad"],
  VOIDED: ["Never arrived at the venue: it can be sent again", "bad"],
  WITHDRAWN: ["Withdrawn before it was sent", "off"],
};

function reasonText(fact: ShownFact): string {
  const words = reasonWords(textAt(fact, "reason"));
  return words === "" ? "" : `: ${words}`;
}

/** Returns why an order has ended, from the records of the journal that concern it. */
export function endReasonOf(records: readonly ShownRecord[], orderId: string): string | undefined {
  const facts = records.flatMap(({ changes }) =>
    changes.filter((change) => String(change.orderId) === orderId).flatMap((change) => change.facts),
  );
  return facts.filter(({ kind }) => kind === "ENDED").map((fact) => textAt(fact, "reason"))[0];
}

const statusWord = (status: string): string => `${status.slice(0, 1)}${inWords(status.slice(1))}`;

const inWords = (code: string): string => code.toLowerCase().replaceAll("_", " ");

const CAUSES: Readonly<Record<string, string>> = {
  PLACE: "your request",
  CANCEL: "your cancel",
  AMEND: "your change",
  RECOVERY: "after a restart",
  TIMER: "its time",
  PRINT: "a trade",
  OPERATOR: "an operator",
};

function causeText(cause: ShownRecord["cause"]): string {
  if (cause.kind === "QUOTE")
    return `bid ${dollars(textAt(cause, "quote", "bid"))}, ask ${dollars(textAt(cause, "quote", "ask"))}`;
  if (cause.kind === "VENUE") return cause["source"] === "LOOKUP" ? "the venue, asked again" : "the venue";
  return CAUSES[cause.kind] ?? inWords(cause.kind);
}

/** Returns the life of an order, oldest event first, from the records of the journal that concern it. */
export function lifeOf(records: readonly ShownRecord[], orderId: string): readonly LifeLine[] {
  return records.flatMap(({ timeMs, cause, changes }) =>
    changes
      .filter((change) => String(change.orderId) === orderId)
      .flatMap(({ facts }) => facts)
      .map((fact): LifeLine => {
        const [text, tone] = WORDINGS[fact.kind]?.(fact) ?? [inWords(fact.kind), "open"];
        return { timeMs, text, why: causeText(cause), tone };
      }),
  );
}

/** Returns what the venue says of a child. That it arrived once is the point of the whole engine. */
export function childText({ quantity, price, executedQty, averagePrice, submissions }: ShownChild): string {
  const limit = price === null ? "at market" : `limit ${dollars(price)}`;
  const fill =
    executedQty === "0"
      ? "nothing executed"
      : `executed ${grouped(executedQty)} at ${shortPrice(averagePrice)}`;
  const times = submissions === 1 ? "arrived once" : `arrived ${submissions} times`;
  return `${grouped(quantity)} ${limit}: ${fill}, ${times}`;
}
