import type { Bounds, FormPlan, Kind, LegPlan } from "./forms.ts";

const WORKING: readonly Kind[] = [
  "limit",
  "post-only",
  "iceberg",
  "stop",
  "stop-limit",
  "take-profit",
  "take-profit-limit",
  "trailing stop",
  "trailing stop-limit",
];
const PENDING: readonly Kind[] = WORKING.filter((kind) => kind !== "iceberg");
const PROFIT: readonly Kind[] = ["limit", "post-only", "take-profit", "take-profit-limit"];
const PROTECTIVE: readonly Kind[] = ["stop", "stop-limit", "trailing stop", "trailing stop-limit"];

const leg = (kind: Kind): LegPlan => ({ kind });
const gtd = (kind: Kind, expiresAt: number): LegPlan => ({ kind, expiresAt });
const reducing = (kind: Kind): LegPlan => ({ kind, reduceOnly: true });

const PAIRS: readonly (readonly [LegPlan, LegPlan])[] = PROTECTIVE.flatMap((protective) =>
  PROFIT.map((profit): [LegPlan, LegPlan] => [leg(protective), leg(profit)]),
);

/** Single orders: the degenerate list of one. */
const SINGLES: readonly FormPlan[] = [
  ...WORKING.map((kind) => single("BUY", leg(kind))),
  ...WORKING.map((kind) => single("SELL", leg(kind))),
  single("BUY", gtd("limit", 1)),
  single("SELL", gtd("trailing stop", 1)),
  single("SELL", reducing("limit")),
  single("SELL", reducing("stop")),
  single("SELL", { ...reducing("limit"), expiresAt: 1 }),
  single("SELL", { ...reducing("stop"), expiresAt: 1 }),
];

const OCO: readonly FormPlan[] = [
  ...PAIRS.map((legs) => oco("SELL", legs)),
  ...PAIRS.map((legs) => oco("BUY", legs)),
  oco("SELL", [gtd("stop", 1), leg("limit")]),
  oco("SELL", [leg("stop-limit"), gtd("limit", 1)]),
  oco("SELL", [gtd("trailing stop", 1), gtd("post-only", 2)]),
  oco("BUY", [gtd("trailing stop", 2), gtd("take-profit-limit", 1)]),
  oco("BUY", [gtd("stop", 1), gtd("limit", 1)]),
  oco("SELL", [reducing("stop"), reducing("limit")]),
  oco("BUY", [reducing("trailing stop"), leg("post-only")]),
];

const OTO: readonly FormPlan[] = [
  ...WORKING.flatMap((working) => PENDING.map((pending) => oto("BUY", [leg(working), leg(pending)]))),
  ...WORKING.map((working) => oto("SELL", [leg(working), leg("stop-limit")])),
  oto("BUY", [gtd("limit", 1), leg("stop")]),
  oto("BUY", [leg("limit"), gtd("stop", 1)]),
  oto("SELL", [gtd("trailing stop", 1), gtd("limit", 1)]),
  oto("BUY", [leg("limit"), reducing("stop")]),
  oto("SELL", [reducing("limit"), leg("stop")]),
];

const OTOCO: readonly FormPlan[] = [
  ...PAIRS.map((legs) => otoco("BUY", [leg("limit"), ...legs])),
  ...PAIRS.map((legs) => otoco("SELL", [leg("limit"), ...legs])),
  ...WORKING.map((working) => otoco("BUY", [leg(working), leg("trailing stop"), leg("post-only")])),
  otoco("BUY", [gtd("limit", 1), leg("stop"), leg("limit")]),
  otoco("BUY", [leg("limit"), gtd("stop", 1), leg("limit")]),
  otoco("BUY", [leg("limit"), leg("stop"), gtd("limit", 1)]),
  otoco("BUY", [leg("limit"), reducing("stop"), reducing("limit")]),
];

/** Entries that end with a rest below the minimum and release their exits. */
const COUNTING: readonly FormPlan[] = [
  oto("BUY", [leg("limit"), leg("stop")]),
  oto("BUY", [leg("stop-limit"), reducing("stop")]),
  oto("SELL", [leg("iceberg"), gtd("stop-limit", 1)]),
  otoco("BUY", [leg("limit"), leg("stop"), leg("limit")]),
  otoco("BUY", [leg("take-profit-limit"), reducing("trailing stop"), reducing("limit")]),
].map((plan) => ({ ...plan, countsResiduals: true }));

/** A leg with fewer children than its form allows: for forms in which other legs matter. */
const upTo = (attempts: number, plan: LegPlan): LegPlan => ({ ...plan, attempts });

/**
 * With two children of every leg, the states of an entry multiply with those of its exits: minutes and gigabytes for
 * one form. So each form is searched twice, with two children of the entry and one of its exits, and with one of the
 * entry and two of its exits.
 */
const inTurns = (plan: FormPlan): readonly FormPlan[] => {
  const [working, ...exits] = plan.legs as readonly [LegPlan, ...LegPlan[]];
  return [
    { ...plan, legs: [working, ...exits.map((exit) => upTo(1, exit))] },
    { ...plan, legs: [upTo(1, working), ...exits] },
  ];
};

/** Every form of order and of list without a kind of its own, with the bounds of the long search. */
const PAIRED: readonly FormPlan[] = [
  ...SINGLES,
  ...OCO,
  ...OTO.flatMap(inTurns),
  ...OTOCO.flatMap(inTurns),
  ...COUNTING.flatMap(inTurns),
];

/** Every form once, for the shorter search. */
const FORMS: readonly FormPlan[] = [...SINGLES, ...OCO, ...OTO, ...OTOCO, ...COUNTING];

/** One child per leg; only the venue fails. */
const NEAR: Bounds = { attempts: 1, undurable: 1, faults: 0, lies: false };
const CRASHING: Bounds = { attempts: 1, undurable: 2, faults: 1, lies: false };
const RETRYING: Bounds = { attempts: 2, undurable: 1, faults: 0, lies: true };

const searchedTo = (bounds: Bounds, plans: readonly FormPlan[]): readonly FormPlan[] =>
  plans.map((plan) => ({ ...plan, bounds }));

const CRASHED: readonly FormPlan[] = searchedTo(CRASHING, [
  single("BUY", gtd("stop-limit", 1)),
  oco("SELL", [leg("trailing stop"), leg("post-only")]),
  oto("BUY", [gtd("limit", 1), leg("stop")]),
  otoco("BUY", [leg("limit"), leg("stop"), leg("limit")]),
]);

const RETRIED: readonly FormPlan[] = searchedTo(RETRYING, [
  single("BUY", gtd("stop-limit", 1)),
  single("BUY", leg("limit")),
  oco("SELL", [leg("stop-limit"), leg("take-profit-limit")]),
  oto("BUY", [gtd("limit", 1), upTo(0, leg("limit"))]),
  oto("BUY", [leg("stop-limit"), upTo(0, gtd("limit", 1))]),
  oto("BUY", [leg("limit"), upTo(1, leg("stop"))]),
  otoco("BUY", [leg("limit"), upTo(0, gtd("stop", 1)), upTo(0, leg("limit"))]),
  otoco("BUY", [leg("stop-limit"), upTo(0, leg("stop")), upTo(0, gtd("limit", 1))]),
]);

/** Every form with small bounds, and one or two of each kind with larger ones: the search that the tests run. */
export const SHORT_CATALOGUE: readonly FormPlan[] = [...searchedTo(NEAR, FORMS), ...CRASHED, ...RETRIED];

/** The fewest forms that together show every transition. */
export const TABLE_CATALOGUE: readonly FormPlan[] = [
  ...searchedTo(NEAR, [
    single("SELL", leg("iceberg")),
    single("SELL", leg("post-only")),
    single("SELL", gtd("trailing stop", 1)),
    oco("BUY", [leg("stop-limit"), leg("limit")]),
    oco("BUY", [leg("stop-limit"), leg("post-only")]),
    oco("BUY", [leg("stop"), leg("take-profit-limit")]),
    oco("BUY", [gtd("stop", 1), gtd("limit", 1)]),
    oco("SELL", [gtd("trailing stop", 1), gtd("post-only", 2)]),
    oto("SELL", [leg("iceberg"), leg("stop-limit")]),
    oto("BUY", [leg("take-profit"), leg("trailing stop")]),
    oto("BUY", [leg("take-profit-limit"), leg("post-only")]),
    oto("BUY", [leg("post-only"), leg("trailing stop")]),
    oto("SELL", [gtd("trailing stop", 1), gtd("limit", 1)]),
    otoco("BUY", [leg("limit"), leg("stop-limit"), leg("post-only")]),
    otoco("BUY", [leg("post-only"), leg("trailing stop"), leg("post-only")]),
    otoco("BUY", [leg("take-profit-limit"), leg("trailing stop"), leg("post-only")]),
    otoco("SELL", [leg("limit"), leg("stop"), leg("take-profit")]),
    otoco("BUY", [gtd("limit", 1), leg("stop"), leg("limit")]),
    otoco("BUY", [leg("limit"), gtd("stop", 1), leg("limit")]),
    otoco("BUY", [leg("limit"), leg("stop"), gtd("limit", 1)]),
    ...COUNTING,
  ]),
  ...RETRIED,
];

const units = (count: number, plan: LegPlan): LegPlan => ({ ...plan, units: count });

const bracket = (...legs: readonly LegPlan[]): FormPlan => ({
  contingency: "OTOCO",
  listKind: "BRACKET",
  moves: true,
  side: "BUY",
  legs,
});

const oca = (mode: "CANCEL" | "REDUCE", ...legs: readonly LegPlan[]): FormPlan => ({
  contingency: "OCO",
  listKind: "OCA",
  mode,
  side: "SELL",
  legs,
});

const ENTRY = units(3, leg("limit"));
const TARGETS = [leg("limit"), leg("take-profit")].map((plan, index) => units(index + 1, plan));

const STOP = units(3, leg("stop"));
const OCAS: readonly FormPlan[] = (["REDUCE", "CANCEL"] as const).map((mode) =>
  oca(mode, units(3, leg("limit")), STOP),
);
const ONE_TARGET = bracket(leg("limit"), leg("stop"), units(1, leg("limit")));

/** Brackets by fills and OCAs for the search that the tests run. */
export const SHORT_KINDS: readonly FormPlan[] = searchedTo(NEAR, [...OCAS, ONE_TARGET]);

/** With one child of most legs: they have more legs, and more states, than other lists. */
const KINDS: readonly FormPlan[] = [
  ...searchedTo(NEAR, [
    bracket(ENTRY, STOP, ...TARGETS),
    bracket(leg("limit"), upTo(2, leg("stop")), units(1, leg("limit"))),
    bracket(upTo(2, ENTRY), STOP, units(1, leg("limit"))),
  ]),
  ...searchedTo(CRASHING, [ONE_TARGET, ...OCAS]),
];

/** Every form of order and list, for the long search. */
export const CATALOGUE: readonly FormPlan[] = [...PAIRED, ...KINDS];

function single(side: FormPlan["side"], only: LegPlan): FormPlan {
  return { contingency: "single", side, legs: [only] };
}

function oco(side: FormPlan["side"], legs: readonly LegPlan[]): FormPlan {
  return { contingency: "OCO", side, legs };
}

function oto(side: FormPlan["side"], legs: readonly LegPlan[]): FormPlan {
  return { contingency: "OTO", side, legs };
}

function otoco(side: FormPlan["side"], legs: readonly LegPlan[]): FormPlan {
  return { contingency: "OTOCO", side, legs };
}
