import { describe, expect, it } from "vitest";
import { price, quantity } from "../../src/decimal/index.ts";
import type {
  ChildRequest,
  LegIntent,
  LegRole,
  ListIntent,
  OrderList,
  StopMove,
} from "../../src/model/index.ts";
import type { AmendFields } from "../../src/requests/index.ts";
import { bracketOf, SHARED } from "../lifecycle/bracket-subject.ts";
import { intentOf } from "../lifecycle/support.ts";
import { alertsOf, storyOf } from "../support/list-samples.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

let made = 0;

const legsOf = (inputs: ReturnType<typeof bracketOf>): readonly LegIntent[] =>
  inputs.map(({ role, intent, name }) => ({
    role,
    intent: intentOf({ ...intent, clientOrderId: `${name}-${made}` }),
    generatedClientId: false,
  }));

const bracketIntent = (stopMove?: StopMove, shares?: readonly string[]): ListIntent => ({
  listClientOrderId: `bracket-${++made}`,
  contingency: "OTOCO",
  kind: "BRACKET",
  ...(stopMove && { stopMove }),
  legs: legsOf(bracketOf(shares)),
});

async function placed(world: World, list: ListIntent = bracketIntent()): Promise<OrderList> {
  return (await world.engine.placeList({ accountId: 1, list })).list;
}

/** A venue that executes this much of each BUY child, and every SELL child whole at its limit or the bid. */
const executing =
  (size: string, bid: () => string) =>
  (child: ChildRequest): ReturnType<typeof filled> =>
    child.side === "BUY"
      ? reported(child.childId, "closed", [fillOf({ quantity: size, price: "100" })])
      : filled(child, child.limitPrice === undefined ? bid() : undefined);

describe("a bracket by fills", () => {
  it("its exits act for each part of the entry, on the quote that stands, also after a restart", async () => {
    const world = await createWorld();
    world.venue.onSubmit = executing("1", () => "90");
    const list = await placed(world);
    await world.quote("99", "100");
    expect(await world.legs(list)).toEqual([
      "PARTIALLY_FILLED WAITING",
      "NEW WAITING",
      "NEW WAITING",
      "PENDING_NEW WAITING",
    ]);
    await world.quote("110", "111");
    await world.crash();
    await world.quote("130", "131");
    const waits = await world.engine.story(list.legs[3]?.orderId ?? 0);
    expect(waits?.waitingFor).toMatch(/executions of its entry/);
    await world.quote("89", "90");
    expect(sentTo(world.venue)).toEqual(["BUY 3 @ 100", "SELL 1 @ 110"]);
    expect((await world.legs(list)).slice(2)).toEqual(["FILLED FILLED", "CANCELED CANCELED"]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("the stop is watched at its new level, which acts at once if the market has passed it", async () => {
    const world = await createWorld();
    let bid = "110";
    world.venue.onSubmit = executing("3", () => bid);
    const list = await placed(world, bracketIntent({ after: 1, to: price("109.5") }));
    await world.quote("99", "100");
    await world.quote("110", "111");
    expect(await storyOf(world, list)).toContain(
      "profit: FILLED, CHILD_CLOSED, ENDED FILLED FILLED; protective: AMENDED",
    );
    await world.crash();
    bid = "109";
    await world.quote("109", "110");
    expect(sentTo(world.venue)).toEqual(["BUY 3 @ 100", "SELL 1 @ 110", "SELL 2"]);
    expect(await world.legs(list)).toEqual([
      "FILLED FILLED",
      "CANCELED CANCELED",
      "FILLED FILLED",
      "CANCELED CANCELED",
    ]);
  });

  it("a moved level that the market has passed acts on the quote that stands", async () => {
    const world = await createWorld();
    world.venue.onSubmit = executing("3", () => "110");
    await placed(world, bracketIntent({ after: 1, to: price("115") }));
    await world.quote("99", "100");
    await world.quote("110", "111", { bid: "5" });
    expect(sentTo(world.venue)).toEqual(["BUY 3 @ 100", "SELL 1 @ 110", "SELL 2"]);
  });

  it("an exit is not held by the unknown child of another, and has what that may not execute", async () => {
    const world = await createWorld();
    world.venue.onSubmit = (child) =>
      child.limitPrice === price("110") ? new Error("lost") : executing("3", () => "90")(child);
    world.venue.onLookup = () => new Error("down");
    const list = await placed(world);
    await world.quote("99", "100");
    await world.quote("110", "111");
    await world.quote("90", "91");
    expect(sentTo(world.venue)).toEqual(["BUY 3 @ 100", "SELL 1 @ 110", "SELL 2"]);
    expect(await world.legs(list)).toEqual([
      "FILLED FILLED",
      "PARTIALLY_FILLED WAITING",
      "NEW UNKNOWN cancelPending",
      "CANCELED CANCELED",
    ]);
    expect(alertsOf(world)).not.toContain("POSITION_UNPROTECTED");
  });

  it("small shares join their neighbours, also for a repeated command", async () => {
    const world = await createWorld();
    const intent = bracketIntent({ after: 3, to: "ENTRY" }, ["0.1", "1", "0.1"]);
    const list = await placed(world, intent);
    expect(list.legs.slice(2).map((leg) => leg.intent.quantity)).toEqual([quantity("1.2")]);
    expect(list).toMatchObject({ kind: "BRACKET", stopMove: { after: 1, to: "ENTRY" } });
    expect(await world.engine.placeList({ accountId: 1, list: intent })).toMatchObject({ created: false });
  });

  it("a level of an exit can be amended on its side of the others, a quantity cannot", async () => {
    const world = await createWorld();
    await world.quote("99", "100.5");
    const { legs } = await placed(world);
    const amend = (index: number, changes: AmendFields): Promise<string> =>
      world.engine
        .amend({ accountId: 1, orderId: legs[index]?.orderId ?? 0, changes })
        .then(({ intent }) => String(intent.stopPrice ?? intent.price), String);
    expect(await amend(1, { stopPrice: "95" })).toBe(String(price("95")));
    expect(await amend(3, { price: "125" })).toBe(String(price("125")));
    expect(await amend(3, { price: "94" })).toContain("upper leg");
    expect(await amend(1, { stopPrice: "115" })).toContain("upper leg");
    for (const index of [0, 1, 2])
      expect(await amend(index, { quantity: "2.5" })).toContain("share one quantity");
    expect(await amend(2, { quantity: "1", price: "111" })).toBe(String(price("111")));
    expect((await world.engine.verify()).equal).toBe(true);
  });

  const role = (name: LegRole): RegExp => new RegExp(name);
  it.each<readonly [string, (list: ListIntent) => ListIntent, RegExp]>([
    ["no take-profit", (list) => ({ ...list, legs: list.legs.slice(0, 2) }), /one to ten/],
    [
      "a move after one that is not there",
      (list) => ({ ...list, stopMove: { after: 3, to: "ENTRY" } }),
      /1 to 2/,
    ],
    [
      "a move beyond the take-profits that are left",
      (list) => ({ ...list, stopMove: { after: 1, to: price("121") } }),
      /between the stop/,
    ],
    [
      "a move behind the stop",
      (list) => ({ ...list, stopMove: { after: 1, to: price("89") } }),
      /between the stop/,
    ],
    [
      "a stop that expires",
      (list) => ({
        ...list,
        legs: list.legs.map((leg) =>
          leg.role === "protective"
            ? { ...leg, intent: { ...leg.intent, timeInForce: "GTD", expireTimeMs: 2e12 } }
            : leg,
        ),
      }),
      /without it/,
    ],
    ["a mode", (list) => ({ ...list, mode: "REDUCE" }), /bracket/],
    ["no kind", ({ kind: _kind, ...list }) => list, role("protective")],
  ])("is refused with %s", async (_what, change, problem) => {
    const world = await createWorld();
    const refused = world.engine.placeList({ accountId: 1, list: change(bracketIntent()) });
    await expect(refused.then(undefined, (error) => JSON.stringify(error) + error.message)).resolves.toMatch(
      problem,
    );
  });
});

it("an OCA that reduces executes its quantity once, on any of its orders, and survives a restart", async () => {
  const world = await createWorld();
  world.venue.onSubmit = (child) =>
    reported(child.childId, "closed", [
      fillOf({ quantity: child.limitPrice === price("110") ? "1" : child.quantity, price: "120" }),
    ]);
  const list = await placed(world, {
    listClientOrderId: `oca-${++made}`,
    contingency: "OCO",
    kind: "OCA",
    mode: "REDUCE",
    legs: legsOf(SHARED),
  });
  await world.quote("110", "111");
  await world.crash();
  // A child that closed early is looked up before another order takes its part.
  for (let quotes = 0; quotes < 3; quotes++) await world.quote("120", "121");
  expect(sentTo(world.venue).slice(0, 2)).toEqual(["SELL 3 @ 110", "SELL 2 @ 110"]);
  const { legs } = await world.list(list);
  const executed = legs.reduce((sum, leg) => sum + Number(leg.executedQuantity), 0);
  expect([executed / 1e6, await world.legs(list)]).toEqual([3, ["FILLED FILLED", "CANCELED CANCELED"]]);
  expect((await world.engine.verify()).equal).toBe(true);
});
