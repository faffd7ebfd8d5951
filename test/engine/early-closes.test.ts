import { describe, expect, it } from "vitest";
import { createScriptedVenue, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World, type WorldOptions } from "../support/world.ts";

/** An order of 1 of which the venue has executed 0.4 before it closed the child. */
async function closedEarly(options: WorldOptions = {}) {
  const world = await createWorld(options);
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.4" })]);
  const order = await world.place({ quantity: "1", price: "100" });
  return { world, order };
}

/** Time passes with the same market, a quote each second. */
async function resume(world: World, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await world.pass(1_000);
    await world.quote("99", "100");
  }
}

describe("decision 55: before the next child, one that closed with less than asked is looked up", () => {
  it("and what it has executed since counts", async () => {
    const { world, order } = await closedEarly();
    world.venue.onClosedLookup = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.6", id: "after the close" })]);
    await world.quote("99", "100");
    await resume(world, 2);
    expect(world.venue.closedLookups).toHaveLength(1);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    expect(await world.executed(order)).toBe("1");
    expect(await world.status(order)).toMatch(/^FILLED/);
  });

  it("once, if it has executed nothing since", async () => {
    const { world } = await closedEarly();
    await world.quote("99", "100");
    await world.quote("99", "100");
    const [first] = world.venue.submitted;
    expect(world.venue.closedLookups.filter((id) => id === first?.childId)).toHaveLength(1);
    expect(sentTo(world.venue).slice(0, 2)).toEqual(["BUY 1 @ 100", "BUY 0.6 @ 100"]);
  });

  it("after the time that the venue declares", async () => {
    const { world } = await closedEarly({ venue: createScriptedVenue({ fillsMayFollowCloseMs: 3_000 }) });
    await world.quote("99", "100");
    await resume(world, 2);
    expect(world.venue.closedLookups).toEqual([]);
    expect(sentTo(world.venue)).toHaveLength(1);
    await resume(world, 2);
    expect(world.venue.closedLookups).toHaveLength(1);
    expect(sentTo(world.venue)).toHaveLength(2);
  });

  it("also if the engine stops between the close and the look-up", async () => {
    const { world, order } = await closedEarly({
      venue: createScriptedVenue({ fillsMayFollowCloseMs: 3_000 }),
    });
    await world.quote("99", "100");
    world.venue.onClosedLookup = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.6", id: "while it was down" })]);
    await world.crash();
    await resume(world, 5);
    expect(sentTo(world.venue)).toHaveLength(1);
    expect(await world.executed(order)).toBe("1");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("and a look-up that fails delays it by 30 s", async () => {
    const { world } = await closedEarly();
    world.venue.onClosedLookup = () => new Error("busy");
    await world.quote("99", "100");
    await resume(world, 29);
    expect(sentTo(world.venue)).toHaveLength(1);
    await resume(world, 2);
    expect(sentTo(world.venue)).toHaveLength(2);
  });

  it("and nothing is sent while the venue says that it is open again", async () => {
    const { world } = await closedEarly();
    world.venue.onClosedLookup = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    await resume(world, 60);
    expect(sentTo(world.venue)).toHaveLength(1);
  });
});

describe("decision 55: one late execution raises the wait to as long as it took", () => {
  /** The first child executes 0.1 more, five seconds after it was closed. */
  async function lateByFive() {
    const { world, order } = await closedEarly();
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.1" })]);
    await world.quote("90", "100");
    world.venue.onSubmit = () => "silence";
    const [{ childId = "" } = {}] = world.venue.submitted;
    await world.pass(5_000);
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.1", id: "late" })]));
    await world.pass(0);
    return { world, order };
  }

  it("of every order, at once and after a restart, with an alert", async () => {
    const { world } = await lateByFive();
    expect(world.alerts.map(({ alert, detail }) => [alert, detail.split("; ")[1]])).toContainEqual([
      "LATE_FILL",
      "a child that closes with less than asked is looked up after 5000 ms, before the next one",
    ]);
    await world.crash();
    const before = world.venue.closedLookups.length;
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.1" })]);
    await world.place({ quantity: "1", price: "100" }, 2);
    await world.quote("99", "100");
    const mine = (): number => world.venue.submitted.filter(({ accountId }) => accountId === 2).length;
    expect(mine()).toBe(1);
    await resume(world, 4);
    expect(mine()).toBe(1);
    await resume(world, 2);
    expect(mine()).toBe(2);
    expect(world.venue.closedLookups.length).toBeGreaterThan(before);
  });

  it("and to 30 s at most", async () => {
    const { world, order } = await closedEarly();
    await world.quote("90", "100");
    const [{ childId = "" } = {}] = world.venue.submitted;
    world.venue.onSubmit = () => "silence";
    await world.pass(600_000);
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.1", id: "late" })]));
    await world.pass(0);
    expect((await world.order(order)).earlyClose?.waitMs).toBe(30_000);
  });
});
