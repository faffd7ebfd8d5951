import { describe, expect, it } from "vitest";
import { formatQuantity, min, type Quantity, quantity } from "../../src/decimal/index.ts";
import { legOf, OTO, OTOCO } from "../support/list-samples.ts";
import { fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

/** Shows sizes, of which the venue executes what it has: of every child as much as the newest quote shows. */
function marketOf(world: World): (bid: string, ask: string, size: string) => Promise<void> {
  let visible: Quantity = quantity("1");
  let at = { BUY: "100", SELL: "100" };
  world.venue.onSubmit = ({ childId, side, quantity: requested }) =>
    reported(childId, "closed", [fillOf({ quantity: min(visible, requested), price: at[side] })]);
  return async (bid, ask, size) => {
    visible = quantity(size);
    at = { BUY: ask, SELL: bid };
    await world.quote(bid, ask, { bid: size, ask: size });
  };
}

describe("decision 25: the engine's own cut leaves no dust", () => {
  it("an entry of 1 that sees 0.4 and then 0.5 fills whole, and its stop is released", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", OTO);
    const quote = marketOf(world);
    for (const size of ["0.4", "0.5", "0.5"]) await quote("99", "100", size);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 0.4125 @ 100", "BUY 0.1875 @ 100"]);
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING"]);
  });

  it("an iceberg of 1 by 0.45 fills whole, no part larger than its display", async () => {
    const world = await createWorld();
    const iceberg = { type: "ICEBERG", quantity: "1", price: "100", icebergQty: "0.45" } as const;
    const order = await world.place(iceberg);
    for (let n = 0; n < 4; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.45 @ 100", "BUY 0.3625 @ 100", "BUY 0.1875 @ 100"]);
    expect(await world.status(order)).toBe("FILLED FILLED");
  });
});

describe("decision 35: residualCountsAsFilled", () => {
  /** Places a list whose venue keeps a fee of 0.0002 of its entry. */
  const entered = async (
    settings: object,
  ): Promise<readonly [World, Awaited<ReturnType<World["placeList"]>>]> => {
    const world = await createWorld({ settings });
    const list = await world.placeList("otoco", OTOCO);
    world.venue.onSubmit = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.9998", id: `of ${childId}` })]);
    await world.quote("99", "100");
    return [world, list];
  };

  it("off: what the venue leaves ends the entry and its exits, and the alert names the setting", async () => {
    const [world, list] = await entered({});
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "CANCELED CANCELED", "CANCELED CANCELED"]);
    expect(world.alerts.map(({ alert, detail }) => [alert, detail])).toEqual([
      [
        "POSITION_UNPROTECTED",
        "executed 0.9998, and no order is left that would close it; the setting residualCountsAsFilled releases the exits of such an entry",
      ],
    ]);
  });

  it("on: the exits are released, the winner sells what was bought and ends EXPIRED with its residual", async () => {
    const [world, list] = await entered({ residualCountsAsFilled: true });
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "NEW WAITING", "NEW WAITING"]);
    expect(world.alerts).toEqual([]);
    await world.crash();
    await world.quote("90", "91");
    expect(sentTo(world.venue).slice(1)).toEqual(["SELL 0.9998"]);
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "EXPIRED EXPIRED", "CANCELED CANCELED"]);
    const stop = await world.order(legOf(list, "protective"));
    expect([stop.ended?.reason, formatQuantity(stop.intent.quantity)]).toEqual([
      "RESIDUAL_BELOW_MIN_NOTIONAL",
      "1",
    ]);
  });

  it("on: a late fill of the entry counts for the exits too", async () => {
    const [world, list] = await entered({ residualCountsAsFilled: true });
    const { childId } = world.venue.submitted[0] ?? { childId: "" };
    world.venue.say(
      reported(childId, "closed", [
        fillOf({ quantity: "0.9998", id: `of ${childId}` }),
        fillOf({ quantity: "0.0001" }),
      ]),
    );
    await world.engine.idle();
    world.venue.onSubmit = ({ childId: id, quantity: requested }) =>
      reported(id, "closed", [fillOf({ quantity: requested, price: "90" })]);
    await world.quote("90", "91");
    expect(sentTo(world.venue).slice(1)).toEqual(["SELL 0.9999"]);
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "EXPIRED EXPIRED", "CANCELED CANCELED"]);
  });

  it("on: an entry that is canceled releases nothing", async () => {
    const world = await createWorld({ settings: { residualCountsAsFilled: true } });
    const list = await world.placeList("oto", OTO);
    await marketOf(world)("99", "100", "0.4");
    await world.cancelList(list);
    expect(await world.legs(list)).toEqual(["CANCELED CANCELED", "CANCELED CANCELED"]);
  });
});
