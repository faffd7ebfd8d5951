import { describe, expect, it } from "vitest";
import { formatNotional, quantity } from "../../src/decimal/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { ChildReport } from "../../src/ports/index.ts";
import { fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

type InFlight = Readonly<{ world: World; order: ParentOrder; childId: string }>;

/** A BUY of 1 with cap 100 whose child is open at the venue. */
async function inFlight(): Promise<InFlight> {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  world.venue.onLookup = () => new Error("not asked");
  await world.quote("99", "100");
  const childId = world.venue.submitted[0]?.childId ?? "";
  return { world, order, childId };
}

async function say(world: World, ...reports: readonly ChildReport[]): Promise<void> {
  for (const report of reports) world.venue.say(report);
  await world.engine.idle();
}

const alertsOf = (world: World): readonly string[] => world.alerts.map(({ alert }) => alert);

describe("decision 11: a venue's reports of a child", () => {
  it("I15: an execution that arrives twice, by event and by answer, counts once", async () => {
    const { world, order, childId } = await inFlight();
    const fill = fillOf({ quantity: "0.4" });
    await say(
      world,
      reported(childId, "open", [fill]),
      reported(childId, "open", [fill, fill]),
      reported(childId, "closed", [fill]),
    );
    expect(await world.executed(order)).toBe("0.4");
    expect([...(await world.order(order)).executions]).toEqual([`1 ${fill.executionId}`]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I15: ids that repeat from child to child are other executions: an iceberg ends with its quantity", async () => {
    const world = await createWorld();
    const order = await world.place({ type: "ICEBERG", quantity: "3", icebergQty: "1", price: "100" });
    world.venue.onSubmit = ({ childId, quantity: size }) =>
      reported(childId, "closed", [fillOf({ id: "1", quantity: size })]);
    for (let count = 0; count < 5; count++) await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(world.venue.submitted).toHaveLength(3);
    expect([...(await world.order(order)).executions]).toEqual(["1 1", "2 1", "3 1"]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I17: a child whose executions do not sum to what was counted of it is unreadable, and nothing more is sent", async () => {
    const { world, order, childId } = await inFlight();
    const fill = fillOf({ id: "1", quantity: "0.4" });
    await say(world, reported(childId, "open", [fill]));
    await say(world, reported(childId, "open", [{ ...fill, quantity: quantity("0.6") }]));
    expect([await world.executed(order), await world.status(order)]).toEqual([
      "0.4",
      "PARTIALLY_FILLED UNKNOWN",
    ]);
    expect(alertsOf(world)).toEqual(["VENUE_REPORT_INVALID"]);
    await world.quote("99", "100");
    expect(world.venue.submitted).toHaveLength(1);
    await say(world, reported(childId, "closed", [fill]));
    expect(await world.status(order)).toBe("PARTIALLY_FILLED WAITING");
  });

  it("I10: executions that a later report leaves out stay counted", async () => {
    const { world, order, childId } = await inFlight();
    await say(
      world,
      reported(childId, "open", [fillOf({ quantity: "0.4" })]),
      reported(childId, "closed", [fillOf({ quantity: "0.1" })]),
    );
    expect(await world.executed(order)).toBe("0.5");
  });

  it("a fill before the acknowledgement counts, and the acknowledgement changes nothing", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    const fill = fillOf({ quantity: "1" });
    world.venue.onSubmit = async ({ childId }) => {
      world.venue.say(reported(childId, "closed", [fill]));
      await world.engine.idle();
      expect(await world.status(order)).toBe("FILLED FILLED");
      return reported(childId, "open", [fill]);
    };
    await world.quote("99", "100");
    await world.engine.idle();
    expect(await world.executed(order)).toBe("1");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(alertsOf(world)).toEqual([]);
  });

  it("children that were never sent change nothing, whatever their id", async () => {
    const { world, order, childId } = await inFlight();
    const [prefix, parent, time] = childId.split("-");
    const foreign = [
      "native-1",
      "",
      `${prefix}-${parent}-${time}-2`,
      `${prefix}-${parent}-${time}-0`,
      `${prefix}-${parent}-1-1`,
      `${prefix}-zzzzzzzzzzz-${time}-1`,
      `${prefix}-0-${time}-1`,
      childId.toUpperCase(),
    ];
    for (const id of foreign) await say(world, reported(id, "closed", [fillOf({ quantity: "1" })]));
    expect(await world.status(order)).toBe("NEW WORKING");
    expect(world.engine.metrics().alerts).toBe(foreign.length);
  });
});

describe("decision 11: late executions", () => {
  it("a late fill of a closed child adds to an open parent, and the next child is for the rest", async () => {
    const { world, order, childId } = await inFlight();
    await say(
      world,
      reported(childId, "closed", [fillOf({ quantity: "0.25" })]),
      reported(childId, "closed", [fillOf({ quantity: "0.25" })]),
    );
    expect(await world.status(order)).toBe("PARTIALLY_FILLED WAITING");
    expect(alertsOf(world)).toEqual(["LATE_FILL"]);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 0.5 @ 100"]);
  });

  it("I50: a late fill of an ended parent increases executedQty and keeps the state, over a crash too", async () => {
    const { world, order, childId } = await inFlight();
    await say(world, reported(childId, "closed"));
    await world.cancel(order);
    await say(world, reported(childId, "closed", [fillOf({ quantity: "0.25", price: "99" })]));
    await world.crash();
    const after = await world.order(order);
    expect(await world.status(order)).toBe("CANCELED CANCELED");
    expect(formatNotional(after.executedNotional)).toBe("24.75");
    expect(after.ended?.reason).toBe("USER_CANCELED");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I10: many late fills of one ended parent are all counted", async () => {
    const { world, order, childId } = await inFlight();
    await say(world, reported(childId, "closed"));
    await world.cancel(order);
    const fills = Array.from({ length: 10 }, () => fillOf({ quantity: "0.05" }));
    await say(world, ...fills.map((fill) => reported(childId, "closed", [fill])));
    expect(await world.executed(order)).toBe("0.5");
    expect(world.engine.metrics().openParents).toBe(0);
  });
});

describe("decision 11, I11: overfills", () => {
  it("an overfill of the whole parent is recorded as reported, raises an alert, and ends it FILLED", async () => {
    const { world, order, childId } = await inFlight();
    await say(world, reported(childId, "closed", [fillOf({ quantity: "1.5" })]));
    expect(await world.executed(order)).toBe("1.5");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(alertsOf(world)).toEqual(["OVERFILL"]);
  });
});
