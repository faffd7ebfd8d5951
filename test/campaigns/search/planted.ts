import {
  type LegEvent,
  type Transition,
  type TransitionContext,
  transition,
} from "../../../src/lifecycle/index.ts";
import { ExecutionIds, type Fact, type ParentOrder } from "../../../src/model/index.ts";
import type { FormPlan, LegPlan } from "./forms.ts";
import { quantityOf } from "./market.ts";
import { RULES_AS_THEY_ARE, type Subject } from "./subject.ts";

/** A planted bug, a form in which it shows, and the check that finds it. */
export type PlantedBug = Readonly<{ bug: string; found: string; plan: FormPlan; subject: Subject }>;

type Steps = readonly Transition[];
type Decide = (of: LegEvent, context: TransitionContext) => Steps;

const real = RULES_AS_THEY_ARE;
const decide: Decide = real.transitionList;
const deciding = (transitionList: Decide): Subject => ({ ...real, transitionList });

/** Gives the rules a wrong view of the state. */
const seeing = (
  change: (of: LegEvent, context: TransitionContext) => readonly [LegEvent, TransitionContext],
): Subject => deciding((of, context) => decide(...change(of, context)));

/** Changes the decision of the rules. */
const answering = (change: (steps: Steps, of: LegEvent, context: TransitionContext) => Steps): Subject =>
  deciding((of, context) => change(decide(of, context), of, context));

const seenAs = (of: LegEvent, orderId: number, change: Partial<ParentOrder>): LegEvent => ({
  ...of,
  legs: of.legs.map((leg) => (leg.orderId === orderId ? without({ ...leg, ...change }) : leg)),
});

/** Returns an order without the members that are undefined. */
function without(order: Readonly<Record<keyof ParentOrder, unknown>> | object): ParentOrder {
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined)) as ParentOrder;
}

const ended = ({ facts }: Transition): boolean => facts.some(({ kind }) => kind === "ENDED");
const hasFact = (steps: Steps, kind: Fact["kind"]): boolean =>
  steps.some(({ facts }) => facts.some((fact) => fact.kind === kind));

const leg = (kind: LegPlan["kind"]): LegPlan => ({ kind });
const SINGLE: FormPlan = { contingency: "single", side: "BUY", legs: [leg("limit")] };
const OCO: FormPlan = { contingency: "OCO", side: "SELL", legs: [leg("stop"), leg("limit")] };
const OTO: FormPlan = { contingency: "OTO", side: "BUY", legs: [leg("limit"), leg("stop")] };
const OTO_GTD: FormPlan = {
  contingency: "OTO",
  side: "BUY",
  legs: [{ kind: "limit", expiresAt: 1 }, leg("stop")],
};
const TRAILING_OCO: FormPlan = {
  contingency: "OCO",
  side: "SELL",
  legs: [leg("trailing stop"), leg("take-profit")],
};
const REDUCING: FormPlan = {
  contingency: "single",
  side: "SELL",
  legs: [{ kind: "limit", reduceOnly: true }],
};

/** Complaint 1. */
export const RELEASES_ON_A_PARTIAL_FILL: PlantedBug = {
  bug: "held legs are released by a partial fill",
  found: "I41",
  plan: OTO,
  subject: answering((steps, { legs }, context) => {
    if (!hasFact(steps, "FILLED") || steps.length > 1) return steps;
    const held = legs.filter((one) => one.held === true && one.ended === undefined);
    return [...steps, ...held.map((one) => transition(one, { kind: "RELEASED" }, context))];
  }),
};

/** An exit that sells its whole quantity although its entry bought less. */
const IGNORES_WHAT_THE_ENTRY_EXECUTED: PlantedBug = {
  bug: "a leg that a residual released sends its whole quantity",
  found: "I14",
  plan: { ...OTO, countsResiduals: true },
  subject: deciding((of, context) => {
    const order = of.legs.find(({ orderId }) => orderId === of.orderId);
    const entry = of.legs.find(({ list }) => list?.role === "working");
    if (order === undefined || order === entry || entry?.ended === undefined) return decide(of, context);
    return decide(seenAs(of, entry.orderId, { executedQuantity: entry.intent.quantity }), context);
  }),
};

export const SUBMITS_BEFORE_IT_IS_DURABLE: PlantedBug = {
  bug: "a child is handed over before the record that cancels its sibling is durable",
  found: "I40",
  plan: OCO,
  subject: { ...real, submits: "when decided" },
};

export const BRINGS_THE_LOSER_BACK: PlantedBug = {
  bug: "the loser is brought back when the child of the winner fills nothing",
  found: "I50",
  plan: OCO,
  subject: answering((steps, { legs, event, orderId }) => {
    const nothing =
      event.kind === "REPORTED" && event.report.state === "closed" && event.report.fills.length === 0;
    const loser = legs.find((one) => one.orderId !== orderId && one.ended?.reason === "OCO_TRIGGER");
    if (!nothing || loser === undefined || !hasFact(steps, "CHILD_CLOSED")) return steps;
    const back: Transition = {
      order: without({ ...loser, ended: undefined }),
      facts: [{ kind: "POSTED" }],
      effects: [],
    };
    return [...steps, back];
  }),
};

/** At least one planted bug for every check. */
export const PLANTED: readonly PlantedBug[] = [
  RELEASES_ON_A_PARTIAL_FILL,
  IGNORES_WHAT_THE_ENTRY_EXECUTED,
  SUBMITS_BEFORE_IT_IS_DURABLE,
  BRINGS_THE_LOSER_BACK,
  {
    bug: "a late fill of an order that has ended is not counted",
    found: "I10",
    plan: SINGLE,
    subject: deciding((of, context) => {
      const order = of.legs.find(({ orderId }) => orderId === of.orderId);
      return order?.ended === undefined ? decide(of, context) : [];
    }),
  },
  {
    bug: "an overfill is not reported",
    found: "I11",
    plan: SINGLE,
    subject: answering((steps) =>
      steps.map((step) => ({
        ...step,
        facts: step.facts.filter((fact) => fact.kind !== "ALERT" || fact.alert !== "OVERFILL"),
      })),
    ),
  },
  {
    bug: "a child is sent for the whole quantity, ignoring earlier executions",
    found: "I12",
    plan: SINGLE,
    subject: deciding((of, context) => {
      const order = of.legs.find(({ orderId }) => orderId === of.orderId);
      const blind = seenAs(of, of.orderId, { executedQuantity: quantityOf(0) });
      const steps = decide(of.event.kind === "FIRED" ? blind : of, context);
      if (of.event.kind !== "FIRED" || order === undefined) return steps;
      return steps.map((step) => ({
        ...step,
        order: { ...step.order, executedQuantity: order.executedQuantity },
      }));
    }),
  },
  {
    bug: "a reduce-only child exceeds the exposure",
    found: "I13",
    plan: REDUCING,
    subject: seeing((of, context) => {
      const { event } = of;
      if (event.kind !== "MEASURED") return [of, context];
      return [{ ...of, event: { ...event, exposure: quantityOf(2) } }, context];
    }),
  },
  {
    bug: "children below the minimum are sent",
    found: "I14",
    plan: SINGLE,
    subject: seeing((of, context) => [
      of,
      { ...context, rules: { ...context.rules, minimum: 0 as unknown as typeof context.rules.minimum } },
    ]),
  },
  {
    bug: "an execution that is reported twice is counted twice",
    found: "I15",
    plan: SINGLE,
    subject: answering((steps, { event }, context) =>
      steps.map((step) => {
        const again =
          event.kind === "REPORTED" && step.facts.length === 0 ? event.report.fills[0] : undefined;
        if (again === undefined || event.kind !== "REPORTED") return step;
        const fact: Fact = { kind: "FILLED", childId: event.report.childId, fill: again };
        const executions = ExecutionIds.of([
          ...step.order.executions,
          [...step.order.executions].at(-1) ?? "",
        ]);
        const executedQuantity = quantityOf(
          Number(step.order.executedQuantity) / 1e6 + Number(again.quantity) / 1e6,
        );
        const alert: Fact = { kind: "ALERT", alert: "LATE_FILL", detail: "" };
        const order = { ...step.order, executions, executedQuantity, lastSequence: context.sequence };
        return { order, facts: [fact, alert], effects: [] };
      }),
    ),
  },
  {
    bug: "a child is handed over before its intent is durable",
    found: "I20",
    plan: SINGLE,
    subject: { ...real, submits: "when decided" },
  },
  {
    bug: "a child with an unknown outcome is given up",
    found: "I22",
    plan: SINGLE,
    subject: seeing((of, context) => {
      const { event } = of;
      return [
        event.kind === "OUTCOME_UNKNOWN" ? { ...of, event: { ...event, kind: "CHILD_VOIDED" } } : of,
        context,
      ];
    }),
  },
  {
    bug: "a held leg triggers",
    found: "I23",
    plan: OTO,
    subject: seeing((of, context) => {
      const { event } = of;
      const seen = event.kind === "FIRED" ? seenAs(of, of.orderId, { held: undefined as never }) : of;
      return [seen, context];
    }),
  },
  {
    bug: "a second child is sent while the first is outstanding",
    found: "I24",
    plan: SINGLE,
    subject: seeing((of, context) => {
      const { event } = of;
      const seen = event.kind === "FIRED" ? seenAs(of, of.orderId, { child: undefined as never }) : of;
      return [seen, context];
    }),
  },
  {
    bug: "a stale quote is accepted for a child",
    found: "I25",
    plan: SINGLE,
    subject: seeing((of, context) => {
      const { event } = of;
      return [event.kind === "FIRED" ? { ...of, event: { ...event, fresh: true } } : of, context];
    }),
  },
  {
    bug: "a winner leaves its sibling open until its child is done",
    found: "I40",
    plan: OCO,
    subject: answering((steps, { orderId }) => steps.filter(({ order }) => order.orderId === orderId)),
  },
  {
    bug: "a full fill releases nothing",
    found: "I41",
    plan: OTO,
    subject: answering((steps) => (hasFact(steps, "RELEASED") ? steps.slice(0, 1) : steps)),
  },
  {
    bug: "the expiry of a working leg does not end the legs that it holds",
    found: "I42",
    plan: OTO_GTD,
    subject: answering((steps, { event }) => (event.kind === "EXPIRED" ? steps.slice(0, 1) : steps)),
  },
  {
    bug: "a cancel cancels one leg",
    found: "I43",
    plan: OCO,
    subject: answering((steps, { event, orderId }) =>
      event.kind === "CANCEL" ? steps.filter(({ order }) => order.orderId === orderId) : steps,
    ),
  },
  {
    bug: "a canceled order forgets the cancel when its child is refused",
    found: "I21",
    plan: SINGLE,
    subject: answering((steps, { event }) =>
      event.kind === "CANCEL"
        ? steps.map((step) => ({ ...step, order: without({ ...step.order, child: undefined }) }))
        : steps,
    ),
  },
  {
    bug: "a child that is proved lost is never settled",
    found: "I43, I63",
    plan: { ...SINGLE, bounds: { lies: false } },
    subject: deciding((of, context) => (of.event.kind === "CHILD_VOIDED" ? [] : decide(of, context))),
  },
  {
    bug: "a list is done when its first leg ends",
    found: "I44",
    plan: OCO,
    subject: {
      ...real,
      listStatusOf: (list) => {
        const first = list.legs.filter((one) => one.ended !== undefined);
        return real.listStatusOf({ legs: first.length > 0 ? first : list.legs });
      },
    },
  },
  {
    bug: "every change of one leg of a pair ends the other",
    found: "I50",
    plan: { ...OCO, legs: [{ kind: "stop", expiresAt: 1 }, leg("limit")] },
    subject: answering((steps, { legs, event, orderId }, context) => {
      const other = legs.find((one) => one.orderId !== orderId && one.ended === undefined);
      const alone = event.kind === "EXPIRED" && steps.some(ended) && other !== undefined;
      return alone ? [...steps, transition(other, { kind: "EXPIRED" }, context)] : steps;
    }),
  },
  {
    bug: "a cancel that waits for a child is not shown",
    found: "I51",
    plan: SINGLE,
    subject: { ...real, statusOf: (order) => ({ ...real.statusOf(order), cancelPending: false }) },
  },
  {
    bug: "replay forgets a trigger",
    found: "I53",
    plan: OCO,
    subject: {
      ...real,
      evolve: (order, fact, context) =>
        fact.kind === "TRIGGERED" && order !== undefined
          ? real.evolve(order, { kind: "ALERT", alert: "LATE_FILL", detail: "" }, context)
          : real.evolve(order, fact, context),
    },
  },
  {
    bug: "a leg occurs twice in a record",
    found: "I54",
    plan: SINGLE,
    subject: answering((steps) => [...steps, ...steps]),
  },
  {
    bug: "a child is sent after the expiry",
    found: "I55",
    plan: { ...SINGLE, legs: [{ kind: "limit", expiresAt: 1 }] },
    subject: seeing((of, context) => {
      const { legs, event } = of;
      const isLate = event.kind === "FIRED" && legs[0]?.intent.expireTimeMs === context.nowMs;
      return [of, isLate ? { ...context, nowMs: context.nowMs - 1 } : context];
    }),
  },
  {
    bug: "the legs that one quote fires act in the order in which the book has them",
    found: "Within one quote",
    plan: TRAILING_OCO,
    subject: { ...real, protectiveFirst: (fired) => fired },
  },
  {
    bug: "a trigger is undone when the child fills nothing",
    found: "A stop that the market has already passed",
    plan: OCO,
    subject: answering((steps, { event }) =>
      event.kind === "REPORTED" && hasFact(steps, "CHILD_CLOSED")
        ? steps.map((step) => ({ ...step, order: without({ ...step.order, trigger: undefined }) }))
        : steps,
    ),
  },
  {
    bug: "fills that are left unprotected raise no alert",
    found: "Release",
    plan: OTO,
    subject: answering((steps) =>
      steps.map((step) => ({
        ...step,
        facts: step.facts.filter((fact) => fact.kind !== "ALERT" || fact.alert !== "POSITION_UNPROTECTED"),
      })),
    ),
  },
];
