import { describe, expect, it } from "vitest";
import type { ParentOrder } from "../../src/model/index.ts";
import {
  createScriptedVenue,
  filled,
  fillOf,
  reported,
  type ScriptedVenue,
  sentTo,
} from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

type InFlight = Readonly<{ world: World; order: ParentOrder; venue: ScriptedVenue; childId: string }>;

/** A BUY of 1 with cap 100 whose child is open at the venue; look-ups fail until a test changes that. */
async function inFlight(capabilities: Parameters<typeof createScriptedVenue>[0] = {}): Promise<InFlight> {
  const venue = createScriptedVenue(capabilities);
  const world = await createWorld({ venue });
  const order = await world.place({ price: "100" });
  venue.onSubmit = ({ childId }) => reported(childId, "open");
  venue.onLookup = () => new Error("no connection");
  await world.quote("99", "100");
  return { world, order, venue, childId: venue.submitted[0]?.childId ?? "" };
}

/** Sends a report that the venue's types forbid. */
async function say(world: World, answer: unknown): Promise<void> {
  world.venue.say(answer as never);
  await world.engine.idle();
}

const alertsOf = (world: World): readonly string[] =>
  world.alerts.map(({ alert, detail }) => `${alert} ${detail.replace(/aqc-[0-9a-z-]+/, "X")}`);

/** Sends quotes that would fill, for a period. */
async function cross(world: World, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    await world.pass(500);
    await world.quote("99", "100");
  }
}

const good = fillOf({ quantity: "0.4", id: "good" });
const bad = (change: object): unknown => ({ ...fillOf({ quantity: "0.5", id: "bad" }), ...change });

describe("a report that cannot be read", () => {
  it.each<readonly [what: string, fill: unknown, problem: string]>([
    [
      "a quantity in text",
      bad({ quantity: "0.5" }),
      "the quantity of an execution is not a whole number of steps",
    ],
    [
      "a quantity as a float",
      bad({ quantity: 0.5 }),
      "the quantity of an execution is not a whole number of steps",
    ],
    ["a quantity of 0", bad({ quantity: 0 }), "the quantity of an execution is not above 0"],
    ["a quantity below 0", bad({ quantity: -1 }), "the quantity of an execution is not above 0"],
    ["a quantity of 10^12", bad({ quantity: 10n ** 18n }), "the quantity of an execution is out of range"],
    [
      "no quantity",
      bad({ quantity: undefined }),
      "the quantity of an execution is not a whole number of steps",
    ],
    ["a price of 0", bad({ price: 0 }), "the price of an execution is not above 0"],
    [
      "a price that is not a number",
      bad({ price: Number.NaN }),
      "the price of an execution is not a whole number of steps",
    ],
    ["a price of 10^10", bad({ price: 10n ** 18n }), "the price of an execution is out of range"],
    ["an empty id", bad({ executionId: "" }), "the id of an execution must have 1 to 64 characters"],
    [
      "an id of 65 characters",
      bad({ executionId: "x".repeat(65) }),
      "the id of an execution must have 1 to 64 characters",
    ],
    [
      "an id with a line break",
      bad({ executionId: "a\nb" }),
      "the id of an execution has characters other than printable ASCII",
    ],
    ["a number as id", bad({ executionId: 7 }), "the id of an execution is not a string"],
    ["a time in text", bad({ timeMs: "now" }), "the time of an execution is not a whole number"],
    ["a time below 0", bad({ timeMs: -1 }), "the time of an execution is out of range"],
    ["null", null, "an execution is not an object"],
    [
      "two amounts under one id",
      bad({ executionId: "good" }),
      "one execution is reported with two different amounts",
    ],
    [
      "a part that throws",
      {
        get executionId(): string {
          throw new Error("secret");
        },
      },
      "reading one of its properties throws",
    ],
  ])(
    "%s in a closed report: readable parts count, the child is unknown, nothing more goes out",
    async (_what, fill, problem) => {
      const { world, order, venue, childId } = await inFlight();
      await say(world, { childId, state: "closed", fills: [good, fill] });
      expect(await world.executed(order)).toBe("0.4");
      expect(await world.status(order)).toBe("PARTIALLY_FILLED UNKNOWN");
      await cross(world, 10_000);
      expect(sentTo(venue)).toEqual(["BUY 1 @ 100"]);
      expect(alertsOf(world)).toEqual([`VENUE_REPORT_INVALID child X: ${problem}`]);
      expect((await world.engine.verify()).equal).toBe(true);
    },
  );

  it.each<readonly [what: string, report: (childId: string) => unknown, problem: string]>([
    [
      "an unknown state",
      (childId) => ({ childId, state: "filled", fills: [good] }),
      "the state is not one of open, closed, rejected",
    ],
    ["no state", (childId) => ({ childId, fills: [good] }), "the state is not one of open, closed, rejected"],
    ["no executions", (childId) => ({ childId, state: "closed" }), "the executions are not an array"],
    [
      "executions that are not an array",
      (childId) => ({ childId, state: "closed", fills: { 0: good } }),
      "the executions are not an array",
    ],
    [
      "final in text",
      (childId) => ({ childId, state: "rejected", fills: [], final: "no" }),
      "final is not a boolean",
    ],
    [
      "a detail that is an object",
      (childId) => ({ childId, state: "rejected", fills: [], detail: {} }),
      "the detail is not a string",
    ],
    [
      "too many executions",
      (childId) => ({ childId, state: "closed", fills: new Array(10_001).fill(good) }),
      "there are more than 10000 executions",
    ],
  ])("a report with %s makes the child unknown and reserves its quantity", async (_what, report, problem) => {
    const { world, order, venue, childId } = await inFlight();
    await say(world, report(childId));
    expect((await world.status(order)).split(" ")[1]).toBe("UNKNOWN");
    await cross(world, 10_000);
    expect(sentTo(venue)).toEqual(["BUY 1 @ 100"]);
    expect(alertsOf(world)).toEqual([`VENUE_REPORT_INVALID child X: ${problem}`]);
  });

  it.each<readonly [what: string, said: unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["text", "closed"],
    ["an array", []],
    ["a report without a child", { state: "closed", fills: [] }],
    ["a number as child", { childId: 7, state: "closed", fills: [] }],
    [
      "a part that throws",
      {
        get childId(): string {
          throw new Error("no");
        },
      },
    ],
  ])(
    "an event with %s changes nothing, is counted and never throws into the venue's code",
    async (_what, answer) => {
      const { world, order } = await inFlight();
      await say(world, answer);
      expect(await world.status(order)).toBe("NEW WORKING");
      expect(world.engine.metrics().alerts).toBe(1);
      expect(world.reported).toContain("venue.report-refused");
    },
  );

  it.each<readonly [what: string, answer: unknown, problem: string]>([
    ["nothing", undefined, "the report is not an object"],
    ["text", "done", "the report is not an object"],
    ["another child", reported("aqc-1-1-1", "closed", [good]), "the report is about another child"],
  ])(
    "%s as the answer to a submit is not an answer: the child is unknown and looked up",
    async (_what, answer, problem) => {
      const world = await createWorld();
      const order = await world.place({ price: "100" });
      world.venue.onSubmit = () => answer as never;
      world.venue.onLookup = () => new Error("no connection");
      await world.quote("99", "100");
      expect(await world.status(order)).toBe("NEW UNKNOWN");
      await world.pass(0);
      expect(world.venue.lookups.length).toBeGreaterThan(0);
      expect(alertsOf(world)).toEqual([`VENUE_REPORT_INVALID child X: ${problem}`]);
    },
  );
});

describe("a venue that repeats it", () => {
  it("the same unreadable answer at every look-up is reported once, requested with growing pauses and escalated", async () => {
    const { world, order, venue, childId } = await inFlight();
    venue.onLookup = () => ({ childId, state: "closed", fills: [bad({ quantity: "0.5" })] }) as never;
    await say(world, { childId, state: "filled", fills: [] });
    await world.pass(600_000);
    expect(world.alerts.map(({ alert }) => alert)).toEqual([
      "VENUE_REPORT_INVALID",
      "VENUE_REPORT_INVALID",
      "UNKNOWN_ESCALATED",
    ]);
    expect(venue.lookups.length).toBeLessThan(150);
    expect((await world.engine.story(order.orderId))?.records.length).toBeLessThan(8);
  });

  it.each<readonly [how: string, capabilities: Parameters<typeof createScriptedVenue>[0]]>([
    ["deadlines that are honoured", { honoursDeadline: true }],
    ["an id that is voided", { honoursDeadline: false, canVoid: true }],
  ])(
    "I22: a child that the venue has reported did arrive: not-found settles nothing afterwards, with %s",
    async (_how, capabilities) => {
      const { world, order, venue, childId } = await inFlight(capabilities);
      await say(world, { childId, state: "closed", fills: [bad({ quantity: "0.5" })] });
      venue.onLookup = () => "not-found";
      await cross(world, 120_000);
      expect(await world.status(order)).toBe("NEW UNKNOWN");
      expect(sentTo(venue)).toHaveLength(1);
      expect(alertsOf(world)).toEqual([
        "VENUE_REPORT_INVALID child X: the quantity of an execution is not a whole number of steps",
        "VENUE_REPORT_INVALID child X: the venue does not know it any more, only a person can settle it",
      ]);
    },
  );

  it("I22: nor after an open report: the rest is not sent again, before or after a crash", async () => {
    const { world, order, venue, childId } = await inFlight();
    await say(world, { childId, state: "open", fills: [good] });
    venue.onLookup = () => "not-found";
    await cross(world, 60_000);
    await world.crash();
    await cross(world, 60_000);
    expect(await world.status(order)).toBe("PARTIALLY_FILLED UNKNOWN");
    expect(sentTo(venue)).toHaveLength(1);
    expect(alertsOf(world).filter((alert) => !alert.startsWith("CLOCK_STEPPED"))).toEqual([
      "VENUE_REPORT_INVALID child X: the venue does not know it any more, only a person can settle it",
    ]);
    venue.onSubmit = (child) => filled(child);
    venue.onLookup = () => reported(childId, "closed", [good]);
    await cross(world, 60_000);
    expect(sentTo(venue)).toEqual(["BUY 1 @ 100", "BUY 0.6 @ 100"]);
  });

  it.each<readonly [what: string, answer: unknown]>([
    ["nothing", undefined],
    ["an unknown word", "unknown"],
    ["voided where it was looked up", "voided"],
  ])("I22: %s as the answer to a look-up is not a not-found", async (_what, answer) => {
    const { world, order, venue } = await inFlight();
    await world.pass(0);
    venue.onLookup = () => answer as never;
    await cross(world, 30_000);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    expect(sentTo(venue)).toHaveLength(1);
  });

  it("I22: an unreadable answer to a void voids nothing", async () => {
    const venue = createScriptedVenue({ honoursDeadline: false, canVoid: true });
    const world = await createWorld({ venue });
    const order = await world.place({ price: "100" });
    venue.onSubmit = () => "silence";
    venue.onVoid = () => true as never;
    await world.quote("99", "100");
    await cross(world, 60_000);
    expect(venue.voids.length).toBeGreaterThan(1);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    expect(sentTo(venue)).toHaveLength(1);
  });
});

describe("a report that cannot be read, of a child that was closed", () => {
  it("I50: of an ended parent: readable parts count, the rest is reported once, the state stays", async () => {
    const { world, order, childId } = await inFlight();
    await say(world, reported(childId, "closed"));
    await world.cancel(order);
    for (let n = 0; n < 3; n++)
      await say(world, { childId, state: "closed", fills: [good, bad({ quantity: 0.5 })] });
    expect(await world.executed(order)).toBe("0.4");
    expect(await world.status(order)).toBe("CANCELED CANCELED");
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["LATE_FILL", "VENUE_REPORT_INVALID"]);
    expect(world.engine.metrics().openParents).toBe(0);
    expect((await world.engine.verify()).equal).toBe(true);
  });
});

describe("an execution beyond the limit of its child", () => {
  const dear = fillOf({ quantity: "0.4", price: "100.01", id: "dear" });

  it("is counted and reported, and its parent sends nothing more", async () => {
    const { world, order, venue, childId } = await inFlight();
    await say(world, reported(childId, "closed", [dear]));
    expect(await world.executed(order)).toBe("0.4");
    expect(await world.status(order)).toBe("CANCELED CANCELED");
    expect((await world.order(order)).ended?.reason).toBe("BEYOND_LIMIT");
    expect(alertsOf(world)).toEqual([
      "CHILD_BEYOND_LIMIT execution dear of X at 100.01 lies beyond the limit 100",
    ]);
    await cross(world, 2_000);
    expect(sentTo(venue)).toHaveLength(1);
  });
});
