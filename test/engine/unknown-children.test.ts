import { describe, expect, it } from "vitest";
import type { ParentOrder } from "../../src/model/index.ts";
import {
  createScriptedVenue,
  filled,
  reported,
  type ScriptedVenue,
  sentTo,
} from "../support/scripted-venue.ts";
import { createWorld, type World, type WorldOptions } from "../support/world.ts";

type LostChild = Readonly<{ world: World; order: ParentOrder; venue: ScriptedVenue }>;

/** A BUY of 1 whose child was handed over and never answered; the deadline has just passed. */
async function lost(
  options: WorldOptions = {},
  capabilities: Parameters<typeof createScriptedVenue>[0] = {},
): Promise<LostChild> {
  const venue = createScriptedVenue(capabilities);
  const world = await createWorld({ venue, ...options });
  const order = await world.place({ price: "100" });
  venue.onSubmit = () => "silence";
  await world.quote("99", "100");
  await world.pass(world.engine.settings.submitDeadlineMs);
  expect(await world.status(order)).toBe("NEW UNKNOWN");
  venue.onSubmit = (child) => filled(child);
  return { world, order, venue };
}

/** Sends quotes that would fill, for a period. */
async function cross(world: World, ms: number, stepMs = 100): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await world.pass(stepMs);
    await world.quote("99", "100");
  }
}

describe("a child whose outcome is not known", () => {
  it("I21: is never sent again, and its parent sends nothing else", async () => {
    const { world, order, venue } = await lost();
    venue.onLookup = () => new Error("no connection");
    await cross(world, 20_000);
    expect(sentTo(venue)).toEqual(["BUY 1 @ 100"]);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
  });

  it("I22: is settled by not-found only after deadline and quiet time, confirmed twice; the next attempt has a new id", async () => {
    const { world, order, venue } = await lost();
    await cross(world, 1_900);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    await world.pass(100);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    await world.pass(100);
    expect(await world.status(order)).toBe("NEW WAITING");
    await cross(world, 500);
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(venue.submitted.map(({ childId }) => childId.slice(-2))).toEqual(["-1", "-2"]);
    expect(await world.facts(order)).toEqual([
      "ACCEPTED",
      "CHILD_INTENDED",
      "CHILD_UNKNOWN",
      "CHILD_CLOSED",
      "CHILD_INTENDED",
      "FILLED",
      "CHILD_CLOSED",
      "ENDED",
    ]);
  });

  it("I22: a not-found to a question from within the quiet time proves nothing, however late it arrives", async () => {
    const venue = createScriptedVenue();
    const world = await createWorld({ venue });
    const order = await world.place({ price: "100" });
    const answers: (() => void)[] = [];
    const answer = async (): Promise<void> => {
      for (const each of answers.splice(0)) each();
      await world.pass(0);
    };
    venue.onSubmit = () => "silence";
    venue.onLookup = () => new Promise((resolve) => answers.push(() => resolve("not-found")));
    await world.quote("99", "100");
    await world.pass(4_050);
    expect(answers).toHaveLength(1);
    await answer();
    await world.pass(500);
    await answer();
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    await world.pass(500);
    await answer();
    expect(await world.status(order)).toBe("NEW WAITING");
  });

  it("is resolved by the venue's finding, with its fills", async () => {
    const { world, order, venue } = await lost();
    venue.onLookup = (child) => filled(child);
    await world.pass(5_000);
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(sentTo(venue)).toHaveLength(1);
  });

  it("is resolved by a late answer to the submit", async () => {
    const venue = createScriptedVenue();
    const world = await createWorld({ venue });
    const order = await world.place({ price: "100" });
    let answer = (): void => undefined;
    venue.onSubmit = (child) => new Promise((resolve) => (answer = () => resolve(filled(child))));
    venue.onLookup = () => new Error("no connection");
    await world.quote("99", "100");
    await world.pass(10_000);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    answer();
    await world.engine.idle();
    await world.engine.idle();
    expect(await world.status(order)).toBe("FILLED FILLED");
    await world.pass(60_000);
    expect(await world.executed(order)).toBe("1");
  });

  it("is open again when the venue reports it open", async () => {
    const { world, order, venue } = await lost();
    venue.onLookup = ({ childId }) => reported(childId, "open");
    await world.pass(5_000);
    expect(await world.status(order)).toBe("NEW WORKING");
    expect(world.engine.metrics().unknown).toBe(0);
  });

  it("I63: is escalated once if look-ups fail for longer than the limit, and stays unknown", async () => {
    const { world, order, venue } = await lost();
    venue.onLookup = () => new Error("no connection");
    await world.pass(59_000);
    expect(world.alerts).toEqual([]);
    await world.pass(10_000);
    expect(world.alerts.map(({ alert, orderId }) => [alert, orderId])).toEqual([
      ["UNKNOWN_ESCALATED", order.orderId],
    ]);
    await world.pass(600_000);
    expect(world.alerts).toHaveLength(1);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
  });

  it("I63: is escalated too if look-ups never answer, and found as soon as one does", async () => {
    const { world, order, venue } = await lost();
    venue.onLookup = () => new Promise(() => undefined);
    await world.pass(80_000);
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["UNKNOWN_ESCALATED"]);
    venue.onLookup = (child) => filled(child);
    await world.pass(10_000);
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("I63: one in flight whose look-ups stay silent for as long is unknown, reported, and settled by an operator", async () => {
    const venue = createScriptedVenue();
    const world = await createWorld({ venue });
    const order = await world.place({ price: "100" });
    venue.onSubmit = ({ childId }) => reported(childId, "open");
    venue.onLookup = () => new Error("no longer remembered");
    await world.quote("99", "100");
    await world.pass(60_000);
    expect(await world.status(order)).toBe("NEW WORKING");
    await world.pass(10_000);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    await world.pass(65_000);
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["UNKNOWN_ESCALATED"]);
    const [{ childId } = { childId: "" }] = venue.submitted;
    await world.engine.settleChild({ childId, state: "rejected", by: "ops", why: "the venue's own books" });
    expect(await world.status(order)).toBe("NEW WAITING");
  });

  it("is looked up with growing pauses, not in a loop", async () => {
    const { world, venue } = await lost();
    venue.onLookup = () => new Error("no connection");
    await world.pass(60_000);
    expect(venue.lookups.length).toBeGreaterThan(8);
    expect(venue.lookups.length).toBeLessThan(25);
  });
});

describe("the declared capabilities of the venue", () => {
  it("without deadlines and without voids, not-found never settles a child; it is escalated", async () => {
    const { world, order, venue } = await lost({}, { honoursDeadline: false, canVoid: false });
    await cross(world, 20_000, 500);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["UNKNOWN_ESCALATED"]);
    expect(sentTo(venue)).toHaveLength(1);
    expect(venue.voids).toEqual([]);
  });

  it("a venue that can void is asked to, and only then does the next attempt go out", async () => {
    const { world, order, venue } = await lost({}, { honoursDeadline: false, canVoid: true });
    await cross(world, 10_000, 500);
    expect(venue.voids).toEqual([venue.submitted[0]?.childId]);
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(sentTo(venue)).toHaveLength(2);
  });

  it("a void that finds the child applies its state", async () => {
    const { world, order, venue } = await lost({}, { honoursDeadline: false, canVoid: true });
    venue.onVoid = (child) => filled(child);
    await world.pass(10_000);
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(sentTo(venue)).toHaveLength(1);
  });

  it("I63: a void that fails or never answers is retried", async () => {
    const { world, order, venue } = await lost({}, { honoursDeadline: false, canVoid: true });
    venue.onVoid = () => new Error("no connection");
    await world.pass(10_000);
    expect(venue.voids.length).toBeGreaterThan(1);
    venue.onVoid = () => new Promise(() => undefined);
    await world.pass(10_000);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    venue.onVoid = () => "voided";
    await world.pass(10_000);
    expect(await world.facts(order)).toContain("CHILD_CLOSED");
  });
});

describe("over a crash", () => {
  it("a child that was handed over and not answered is unknown, looked up, and never sent again", async () => {
    const venue = createScriptedVenue();
    const world = await createWorld({ venue });
    const order = await world.place({ price: "100" });
    venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    await world.crash();
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    venue.onLookup = (child) => filled(child);
    await world.pass(5_000);
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(sentTo(venue)).toHaveLength(1);
  });

  it("I22: the deadline of a child restarts with the process, since its hand-over time is unknown", async () => {
    const venue = createScriptedVenue();
    const world = await createWorld({ venue });
    const order = await world.place({ price: "100" });
    venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    await world.pass(1_500);
    await world.crash();
    await world.pass(3_999);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    await world.pass(200);
    expect(await world.status(order)).toBe("NEW WAITING");
  });

  it("an open child is looked up again, and its parent sends nothing before the answer", async () => {
    const venue = createScriptedVenue();
    const world = await createWorld({ venue });
    const order = await world.place({ price: "100" });
    venue.onSubmit = ({ childId }) => reported(childId, "open");
    venue.onLookup = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    await world.crash();
    await world.pass(1_000);
    expect(await world.status(order)).toBe("NEW WORKING");
    await cross(world, 2_000);
    expect(sentTo(venue)).toHaveLength(1);
  });
});
