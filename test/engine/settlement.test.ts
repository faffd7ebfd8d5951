import { describe, expect, it } from "vitest";
import { type ChildSettlement, SettlementError } from "../../src/engine/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { FaultyStore } from "../support/faulty-store.ts";
import { createFaultyWorld } from "../support/faulty-world.ts";
import {
  createScriptedVenue,
  filled,
  fillOf,
  reported,
  type ScriptedVenue,
  sentTo,
} from "../support/scripted-venue.ts";
import type { World } from "../support/world.ts";

type LostChild = Readonly<{
  world: World;
  store: FaultyStore;
  order: ParentOrder;
  venue: ScriptedVenue;
  childId: string;
}>;

/** A BUY of 1 with cap 100 whose child is not answered by its deadline, at a venue that cannot be queried. */
async function late(): Promise<LostChild> {
  const venue = createScriptedVenue();
  const { world, store } = await createFaultyWorld({ venue });
  const order = await world.place({ price: "100" });
  venue.onSubmit = () => "silence";
  venue.onLookup = () => new Error("no connection");
  await world.quote("99", "100");
  await world.pass(world.engine.settings.submitDeadlineMs);
  venue.onSubmit = (child) => filled(child);
  expect(await world.status(order)).toBe("NEW UNKNOWN");
  return { world, store: store(), order, venue, childId: venue.submitted[0]?.childId ?? "" };
}

/** Such a child after the quiet time, when it cannot arrive any more. */
async function lost(): Promise<LostChild> {
  const child = await late();
  await child.world.pass(child.world.engine.settings.venueQuietMs);
  return child;
}

const WORD = { by: "ann", why: "looked at the exchange's list" };

async function settle(world: World, answer: Omit<ChildSettlement, "by" | "why">): Promise<ParentOrder> {
  const order = await world.engine.settleChild({ ...answer, ...WORD });
  await world.engine.idle();
  return order;
}

const refusal = (requested: Promise<unknown>): Promise<string> =>
  requested.then(
    () => "taken",
    (error: unknown) =>
      error instanceof SettlementError ? `${error.problem}: ${error.message}` : String(error),
  );

describe("an operator settles an unknown child", () => {
  it("as never arrived: its quantity is free, and the next attempt has a new id", async () => {
    const { world, order, venue, childId } = await lost();
    await settle(world, { childId, state: "never" });
    expect(await world.status(order)).toBe("NEW WAITING");
    await world.pass(1_000);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(venue.submitted.map(({ childId: id }) => id.slice(-2))).toEqual(["-1", "-2"]);
  });

  it("as partly executed: it counts once, over a crash too, and only the rest goes out", async () => {
    const { world, order, venue, childId } = await lost();
    const fill = fillOf({ quantity: "0.4" });
    const after = await settle(world, { childId, state: "closed", fills: [fill, fill] });
    expect([...after.executions]).toEqual([`1 ${fill.executionId}`]);
    await world.crash();
    // What the next attempt has executed comes beside it.
    expect(await world.executed(order)).toBe("1");
    expect((await world.engine.verify()).equal).toBe(true);
    await world.quote("99", "100");
    expect(sentTo(venue)).toEqual(["BUY 1 @ 100", "BUY 0.6 @ 100"]);
    world.venue.say(reported(childId, "closed", [fill]));
    await world.engine.idle();
    expect(await world.executed(order)).toBe("1");
    expect(world.alerts).toEqual([]);
  });

  it("as refused, which ends an order that was canceled meanwhile", async () => {
    const { world, order, childId } = await lost();
    await world.cancel(order);
    await settle(world, { childId, state: "rejected" });
    expect(await world.status(order)).toBe("CANCELED CANCELED");
  });

  it("with author and reason in the journal", async () => {
    const { world, order, childId } = await lost();
    await settle(world, { childId, state: "never" });
    const story = await world.engine.story(order.orderId);
    expect(story?.records.at(-1)?.cause).toEqual({ kind: "OPERATOR", ...WORD });
    expect(story?.records.at(-1)?.changes[0]?.facts).toMatchObject([
      { kind: "CHILD_CLOSED", outcome: "VOIDED" },
    ]);
  });

  it("whose reports cannot be read: the operator's statement settles it", async () => {
    const { world, order, venue, childId } = await lost();
    venue.onLookup = () =>
      ({ childId, state: "closed", fills: [{ ...fillOf({ quantity: "0.5" }), quantity: "0.5" }] }) as never;
    await world.pass(60_000);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    await settle(world, { childId, state: "closed", fills: [fillOf({ quantity: "0.5" })] });
    expect(await world.facts(order)).toContain("FILLED");
  });

  it("with a statement checked like a report: an overfill, also beyond the limit, is counted, reported and stops the parent", async () => {
    const { world, order, childId } = await lost();
    await settle(world, { childId, state: "closed", fills: [fillOf({ quantity: "0.5", price: "101" })] });
    expect(await world.status(order)).toBe("CANCELED CANCELED");
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["CHILD_BEYOND_LIMIT"]);
    const other = await lost();
    await settle(other.world, {
      childId: other.childId,
      state: "closed",
      fills: [fillOf({ quantity: "1.5" })],
    });
    expect(other.world.alerts.map(({ alert }) => alert)).toEqual(["OVERFILL"]);
  });

  it("two at once: one is accepted, the other finds nothing unknown", async () => {
    const { world, childId } = await lost();
    const words = [0, 1].map(() => refusal(world.engine.settleChild({ childId, state: "never", ...WORD })));
    expect((await Promise.all(words)).sort()).toEqual([
      "NOT_UNKNOWN: the child cannot be settled: its outcome is known already, or still awaited",
      "taken",
    ]);
  });

  it("two at once whose append fails: neither operator is told that the outcome is known", async () => {
    const { world, store, order, childId } = await lost();
    store.inject("fail", 1);
    const words = [0, 1].map(() => world.engine.settleChild({ childId, state: "never", ...WORD }));
    await Promise.all(words.map((word) => expect(word).rejects.toMatchObject({ code: -1001 })));
    expect(await world.status(order)).toBe("NEW UNKNOWN");
  });
});

describe("refused statements of an operator", () => {
  it("about a child that is in flight, resolved, or unknown", async () => {
    const { world, order, childId } = await lost();
    const say = (id: string): Promise<string> =>
      refusal(world.engine.settleChild({ childId: id, state: "never", ...WORD }));
    expect(await say(childId.replace(/-1$/, "-2"))).toBe(
      "NO_SUCH_CHILD: no open order has sent the child with this childId",
    );
    expect(await say("native-1")).toBe("NO_SUCH_CHILD: childId is not the id of a child order");
    world.venue.say(reported(childId, "open"));
    await world.engine.idle();
    expect(await say(childId)).toMatch("NOT_UNKNOWN");
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: "1" })]));
    await world.engine.idle();
    expect(await say(childId)).toMatch("NO_SUCH_CHILD");
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("that a child never arrived, while it may still arrive: until deadline and quiet time have passed", async () => {
    const { world, order, childId } = await late();
    const waitMs = world.engine.settings.venueQuietMs;
    const never = (): Promise<string> =>
      refusal(world.engine.settleChild({ childId, state: "never", ...WORD }));
    expect(await never()).toBe(
      `TOO_EARLY: the child may still arrive at the venue: say "never" in ${waitMs} ms at the earliest`,
    );
    await world.pass(waitMs - 1);
    expect(await never()).toMatch("TOO_EARLY");
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    await world.pass(1);
    expect(await never()).toBe("taken");
  });

  it("nor after the wall clock was set forward, nor before the deadline of a process whose clock was ahead", async () => {
    const { world, childId } = await late();
    const never = (): Promise<string> =>
      refusal(world.engine.settleChild({ childId, state: "never", ...WORD }));
    world.clock.stepWall(3_600_000);
    expect(await never()).toMatch("TOO_EARLY");
    const ahead = await late();
    ahead.world.clock.stepWall(-60_000);
    await ahead.world.pass(10_000);
    const word = { childId: ahead.childId, state: "never", ...WORD } as const;
    expect(await refusal(ahead.world.engine.settleChild(word))).toMatch("TOO_EARLY");
    expect(await refusal(ahead.world.engine.settleChild({ ...word, state: "rejected" }))).toBe("taken");
  });

  it("that a child with counted executions never arrived", async () => {
    const { world, childId } = await lost();
    world.venue.say({ childId, state: "no", fills: [fillOf({ quantity: "0.25" })] } as never);
    await world.engine.idle();
    expect(await refusal(settle(world, { childId, state: "never" }))).toMatch("CONTRADICTED");
    expect(await refusal(settle(world, { childId, state: "rejected" }))).toMatch("CONTRADICTED");
  });

  it.each<readonly [what: string, said: object, message: string]>([
    ["an unknown state", { state: "open" }, "state is not one of closed, rejected, never"],
    [
      "executions of nothing",
      { state: "never", fills: [fillOf({ quantity: "1" })] },
      "a settlement with state never must not have executions",
    ],
    [
      "a quantity in text",
      { state: "closed", fills: [{ ...fillOf({ quantity: "1" }), quantity: "1" }] },
      "the quantity of an execution is not a whole number of steps",
    ],
    ["nobody", { by: "" }, "by must have 1 to 64 characters"],
    ["an author with a line break", { by: "a\nb" }, "by has characters other than printable ASCII"],
    ["no reason", { why: undefined }, "why is not a string"],
    ["a reason that is too long", { why: "x".repeat(201) }, "why must have 1 to 200 characters"],
  ])("%s is refused and changes nothing", async (_what, change, message) => {
    const { world, order, childId } = await lost();
    const answer = { childId, state: "never", ...WORD, ...change } as ChildSettlement;
    expect(await refusal(world.engine.settleChild(answer))).toBe(`UNREADABLE: ${message}`);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
  });
});
