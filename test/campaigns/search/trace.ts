import { formatQuantity } from "../../../src/decimal/index.ts";
import type { Fact } from "../../../src/model/index.ts";
import type { Form } from "./forms.ts";
import type { Happening } from "./happening.ts";
import { PRICE_WORDS, unitsOf } from "./market.ts";
import type { RuleEvent } from "./rule-event.ts";
import type { Rules } from "./rules.ts";
import { type World, workingOf } from "./world.ts";

/** One step of a trace, in words: the event and the decision. */
export function momentWords(
  { form, rules }: Readonly<{ form: Form; rules: Rules }>,
  { before, happening }: Readonly<{ before: World; happening: Happening }>,
): string {
  const what = happeningWords(form, happening);
  const decided = eventsOf(happening).length === 0 ? [] : decidedOn(rules, { form, before, happening });
  return decided.length === 0 ? what : `${what}: ${decided.join("; ")}`;
}

const legName = (form: Form, leg: number): string =>
  form.roles[leg] === "order" ? "the order" : `the ${form.roles[leg]} leg`;

const childName = (form: Form, { leg, attempt }: Readonly<{ leg: number; attempt: number }>): string =>
  `child ${attempt} of ${legName(form, leg)}`;

function happeningWords(form: Form, happening: Happening): string {
  switch (happening.kind) {
    case "QUOTE":
      return quoteWords(happening);
    case "EVENT":
      return eventWords(form, happening.event);
    case "DURABLE":
      return "the oldest record is durable";
    case "HANDED_OVER":
      return `${childName(form, happening)} is handed to the venue`;
    case "VENUE":
      return `${childName(form, happening)}: the venue ${happening.what}`;
    case "CLOCK":
      return "time passes, up to the next expiry";
    case "CRASH":
      return `the process dies and starts again${storedWords(happening)}`;
    case "STORE_FAILS":
      return `the store fails${storedWords(happening)}`;
  }
}

function storedWords({ stored, of }: Readonly<{ stored: number; of: number }>): string {
  return of === 0 ? "" : `; of the records in flight (${of}) the store has ${stored}`;
}

function quoteWords({ price, fresh, exposure }: Extract<Happening, { kind: "QUOTE" }>): string {
  const measured = exposure === undefined ? "" : `, ${exposure} can be reduced`;
  return `the market is at ${PRICE_WORDS[price]}${measured}${fresh ? "" : ", but the quote is stale by now"}`;
}

function eventWords(form: Form, event: RuleEvent): string {
  const leg = legName(form, event.leg);
  switch (event.kind) {
    case "FIRED":
      return `the market is at ${PRICE_WORDS[event.price]}`;
    case "MEASURED":
      return `${leg} learns that ${event.exposure} can be reduced, the market is at ${PRICE_WORDS[event.price]}`;
    case "ACTIVATED":
      return `the trail of ${leg} begins`;
    case "CANCEL":
      return `the owner cancels ${leg}`;
    case "EXPIRED":
      return `the expiry of ${leg} is noticed`;
    case "REPORTED":
      return reportWords(form, event);
    case "OUTCOME_UNKNOWN":
      return `the outcome of ${childName(form, event)} is unknown`;
    case "CHILD_VOIDED":
      return `it is proved that ${childName(form, event)} never executes`;
    case "CHILD_WITHDRAWN":
      return `${childName(form, event)} is not handed over after all`;
  }
}

function reportWords(form: Form, event: Extract<RuleEvent, { kind: "REPORTED" }>): string {
  const executed = event.fills.reduce((sum, units) => sum + units, 0);
  const state = event.state === "rejected" ? (event.final ? "refused for good" : "rejected") : event.state;
  const at = event.quote === undefined ? "" : ` (the market is at ${PRICE_WORDS[event.quote]})`;
  return `the venue says of ${childName(form, event)}: ${state}, executed ${executed}${at}`;
}

/** The events that one step puts to the rules. */
function eventsOf(happening: Happening): readonly RuleEvent[] {
  if (happening.kind === "EVENT") return [happening.event];
  if (happening.kind !== "QUOTE") return [];
  const { price, fresh, exposure, fired } = happening;
  const seen = { price, fresh, ...(exposure === undefined ? {} : { exposure }) };
  return fired.map((leg) => ({ kind: "FIRED", leg, ...seen }));
}

type TraceStep = Readonly<{ form: Form; before: World; happening: Happening }>;

/** Asks the rules again for their decision. */
function decidedOn(rules: Rules, { form, before, happening }: TraceStep): readonly string[] {
  const words: string[] = [];
  let legs = workingOf(before);
  for (const event of eventsOf(happening)) {
    try {
      const { steps, after } = rules.explain({ legs, clock: before.clock, lies: before.lies }, event);
      for (const { order, facts } of steps) {
        const place = legs.findIndex((leg) => leg.order.orderId === order.orderId);
        if (facts.length > 0) words.push(`${legName(form, place)} ${facts.map(factWords).join(", ")}`);
      }
      legs = after;
    } catch (error) {
      words.push(error instanceof Error ? error.message : String(error));
    }
  }
  return words;
}

function factWords(fact: Fact): string {
  switch (fact.kind) {
    case "TRIGGERED":
      return "triggers";
    case "POSTED":
      return "does not cross and waits";
    case "ACTIVATED":
      return "is active";
    case "RELEASED":
      return "is released";
    case "CHILD_INTENDED":
      return `decides child ${fact.child.attempt} for ${formatQuantity(fact.child.quantity)}`;
    case "CHILD_OPEN":
      return "knows its child in flight";
    case "CHILD_UNKNOWN":
      return "does not know the outcome of its child";
    case "FILLED":
      return `counts ${unitsOf(fact.fill.quantity)} executed`;
    case "CHILD_CLOSED":
      return `has done with its child (${fact.outcome})`;
    case "END_REQUESTED":
      return `will end ${fact.end.status} (${fact.end.reason}) when its child is resolved`;
    case "ENDED":
      return `ends ${fact.status} (${fact.reason})`;
    case "ALERT":
      return `alerts ${fact.alert}`;
    default:
      return fact.kind;
  }
}
