import { describe, expect, it } from "vitest";
import type { ListUpdate } from "../../src/engine/index.ts";
import { listStatusOf } from "../../src/lifecycle/index.ts";
import type { OrderList } from "../../src/model/index.ts";
import { breakingIntent } from "../support/breaking-intent.ts";
import { legOf, OCO, OTO, OTOCO } from "../support/list-samples.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, lineOf, listOf, type World } from "../support/world.ts";

const lineOfUpdate = ({ list, record }: ListUpdate): string =>
  `${record.cause.kind} ${listStatusOf(list).listOrderStatus}: ${list.legs.map(lineOf).join(", ")}`;
const received = (world: World): readonly string[] => world.lists.map(lineOfUpdate);

describe("contract, Events: list events", () => {
  it("its creation, the release, the winner, the end of the last leg; each as of its record", async () => {
    const world = await createWorld();
    await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    await world.quote("110", "111");
    expect(received(world)).toEqual([
      "PLACE EXECUTING: NEW WAITING, PENDING_NEW WAITING, PENDING_NEW WAITING",
      "VENUE EXECUTING: FILLED FILLED, NEW WAITING, NEW WAITING",
      "QUOTE EXECUTING: FILLED FILLED, CANCELED CANCELED, NEW WORKING",
      "VENUE ALL_DONE: FILLED FILLED, CANCELED CANCELED, FILLED FILLED",
    ]);
  });

  it("not for records that change no leg: a child, a partial fill, a trigger outside a pair", async () => {
    const world = await createWorld();
    await world.placeList("oto", { ...OTO, workingType: "STOP_LOSS_LIMIT", workingStopPrice: "95" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.4" })]);
    await world.quote("99", "100");
    expect(received(world)).toHaveLength(1);
  });

  it("a cancel, and the end that it waits for", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", OTO);
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    await world.cancelList(list);
    world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "closed"));
    await world.engine.idle();
    expect(received(world).slice(1)).toEqual([
      "CANCEL EXECUTING: NEW WORKING cancelPending, CANCELED CANCELED",
      "VENUE ALL_DONE: CANCELED CANCELED, CANCELED CANCELED",
    ]);
  });

  it("an expiry of one leg alone", async () => {
    const world = await createWorld();
    const expireTime = world.clock.nowMs() + 1_000;
    await world.placeList("oco", { ...OCO, aboveTimeInForce: "GTD", expireTime });
    await world.pass(1_000);
    expect(received(world).slice(1)).toEqual(["TIMER EXECUTING: NEW WAITING, EXPIRED EXPIRED"]);
  });

  it("I54: after the orders of the same record, with its number, and durable", async () => {
    const world = await createWorld();
    const order: string[] = [];
    world.engine.events.on("order", ({ sequence }) => order.push(`order ${sequence}`));
    world.engine.events.on("list", ({ sequence }) => order.push(`list ${sequence}`));
    await world.placeList("oco", OCO);
    await world.quote("110", "111");
    expect(order).toEqual([
      ...["order 1", "order 1", "list 1"],
      ...["order 2", "order 2", "list 2"],
      ...["order 3", "list 3"],
    ]);
  });

  it("an order outside lists is reported as an order only", async () => {
    const world = await createWorld();
    await world.place({ price: "100" });
    await world.quote("99", "100");
    expect([world.lists, world.updates.length > 0]).toEqual([[], true]);
  });
});

describe("late executions of legs", () => {
  /** A list whose working leg was canceled after its child filled nothing. */
  async function lost(world: World): Promise<OrderList> {
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    const list = await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    await world.cancelList(list);
    return list;
  }

  it("I50: of a list that is done: the fill is added, the states stay, the list is not reported again", async () => {
    const world = await createWorld();
    const list = await lost(world);
    const count = world.lists.length;
    world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "closed", [fillOf({ quantity: "1" })]));
    await world.engine.idle();
    await world.engine.idle();
    expect(await world.executed(legOf(list, "working"))).toBe("1");
    expect(await world.legs(list)).toEqual(Array(3).fill("CANCELED CANCELED"));
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["LATE_FILL"]);
    expect(world.lists).toHaveLength(count);
    expect((await world.engine.verify()).equal).toBe(true);
    await world.crash();
    expect(await world.executed(legOf(await world.list(list), "working"))).toBe("1");
  });

  it("of an ended leg while its list is open: the list shows it, and can be read after a crash", async () => {
    const world = await createWorld();
    const list = await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    const { childId = "" } = world.venue.submitted[0] ?? {};
    for (const size of ["0.25", "0.5"])
      world.venue.say(reported(childId, "closed", [fillOf({ quantity: size })]));
    await world.engine.idle();
    await world.engine.idle();
    const working = legOf(await world.list(list), "working");
    expect([await world.executed(working), lineOf(working)]).toEqual(["1.75", "FILLED FILLED"]);
    await world.crash();
    expect(await world.executed(legOf(await world.list(list), "working"))).toBe("1.75");
    expect((await world.engine.verify()).equal).toBe(true);
    await world.quote("90", "91");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "FILLED FILLED", "CANCELED CANCELED"]);
  });

  it("late executions of two legs of a list that is done, at once", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", OTO);
    await world.quote("99", "100");
    await world.quote("90", "91");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "FILLED FILLED"]);
    for (const { childId } of world.venue.submitted)
      world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.5" })]));
    for (let n = 0; n < 3; n++) await world.engine.idle();
    expect(await Promise.all(list.legs.map(({ orderId }) => world.executed(orderId)))).toEqual([
      "1.5",
      "1.5",
    ]);
    expect(world.engine.metrics().openParents).toBe(0);
    expect((await world.engine.verify()).equal).toBe(true);
  });
});

describe("a frozen leg", () => {
  /** A pair whose protective leg breaks an invariant on the quote that triggers it. */
  async function broken(world: World): Promise<OrderList> {
    await world.quote("100", "100");
    const { belowStopPrice: _stop, ...fields } = OCO;
    const trail = {
      belowType: "TRAILING_STOP_LIMIT",
      belowTrailingAmount: "1",
      belowLimitOffset: "1",
    } as const;
    const list = listOf("oco", { ...fields, ...trail });
    const [protective, ...others] = list.legs;
    if (protective === undefined) throw new Error("no leg");
    const { intent, state } = breakingIntent(protective.intent);
    const legs = [{ ...protective, intent }, ...others];
    const placed = (await world.engine.placeList({ accountId: 1, list: { ...list, legs } })).list;
    state.isBroken = true;
    await world.quote("100", "100");
    await world.quote("99", "100");
    state.isBroken = false;
    return placed;
  }

  it("keeps its list and its account from sending, and can be canceled with its list", async () => {
    const world = await createWorld();
    const list = await broken(world);
    expect(world.alerts.map(({ alert, orderId }) => [alert, orderId])).toEqual([
      ["INVARIANT_BROKEN", legOf(list, "protective").orderId],
    ]);
    await world.quote("110", "111");
    expect([sentTo(world.venue), await world.legs(list)]).toEqual([[], ["NEW WAITING", "NEW WAITING"]]);
    const other = await world.placeList("oco", OCO, 2);
    await world.quote("110", "111");
    expect(await world.legs(other)).toEqual(["CANCELED CANCELED", "FILLED FILLED"]);
    expect((await world.cancelList(list)).legs.map(lineOf)).toEqual(Array(2).fill("CANCELED CANCELED"));
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("accepts reports of the venue, and the other legs get their events", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    const entry = await world.placeList("oto", OTO);
    await world.quote("99", "100");
    await broken(world);
    const [child] = world.venue.submitted;
    if (child === undefined) throw new Error("nothing was sent");
    world.venue.say(filled(child));
    await world.engine.idle();
    expect(await world.legs(entry)).toEqual(["FILLED FILLED", "NEW WAITING"]);
    await world.quote("90", "91");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    const story = await world.engine.story(legOf(entry, "pending").orderId);
    expect(story?.waitingFor).toMatch(/^the account is stopped/);
  });
});
