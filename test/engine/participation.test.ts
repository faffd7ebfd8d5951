import { describe, expect, it } from "vitest";
import { createMarketFeed } from "../../src/adapters/memory/index.ts";
import { createRandom } from "../../src/common/random.ts";
import { add, formatQuantity, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OwnFillsInPrints } from "../../src/ports/index.ts";
import { type OrderFields, orderIntent } from "../../src/requests/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { createMortalWorld, type MortalWorld } from "../support/mortal-world.ts";
import { filled, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL, type World } from "../support/world.ts";

/** A tenth of the executed volume, until 10 is filled. */
const POV = { type: "POV", quantity: "10", participationBips: 1_000 } as const;
const CAPPED = { ...POV, type: "LIMIT", targetStrategy: 1_000_004, price: "100" } as const;

async function trading(
  fields: Partial<OrderFields> = POV,
  world?: World,
): Promise<Readonly<{ world: World; order: ParentOrder }>> {
  const own = world ?? (await createWorld());
  await own.quote("99", "100");
  return { world: own, order: await own.place(fields) };
}

const waitsFor = async (world: World, { orderId }: ParentOrder): Promise<string | undefined> =>
  (await world.engine.story(orderId))?.waitingFor;

/** The print of a fill, as its venue reports it. */
const ownPrint = async (world: World, order: ParentOrder): Promise<void> => {
  const { executions } = await world.order(order);
  const sent = world.venue.submitted.at(-1);
  await world.print(formatQuantity(sent?.quantity ?? ZERO_QUANTITY), { id: executions.last ?? "" });
};

describe("a POV follows external trades", () => {
  it("for its share of the volume since its admission, rounded down to whole steps", async () => {
    const { world, order } = await trading({ ...POV, participationBips: 3_333 });
    expect(await waitsFor(world, order)).toBe("a trade of another participant that it can follow");
    await world.print("1.000002");
    expect(sentTo(world.venue)).toEqual(["BUY 0.3333"]);
    const { cause } = (await world.engine.story(order.orderId))?.records[1] ?? {};
    expect(cause).toMatchObject({ kind: "PRINT", print: { id: "print-1" } });
  });

  it("volume before its admission does not count", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    await world.print("1000");
    const { order } = await trading(POV, world);
    expect(formatQuantity(order.volumeBefore ?? ZERO_QUANTITY)).toBe("1000");
    await world.print("2");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2"]);
  });

  it("not on quotes, heartbeats or time", async () => {
    const { world, order } = await trading();
    await world.print("2");
    for (let n = 0; n < 10; n++) {
      await world.quote("99", "100");
      await world.pass(1_000);
    }
    expect(sentTo(world.venue)).toEqual(["BUY 0.2"]);
    expect(await waitsFor(world, order)).toBe("a trade of another participant that it can follow");
  });

  it("a trade without enough size may be followed on a later quote, at most once", async () => {
    const { world } = await trading();
    await world.print("1.4");
    await world.quote("107", "108");
    expect(sentTo(world.venue)).toEqual(["BUY 0.14"]);
    await world.quote("107", "108");
    expect(sentTo(world.venue)).toHaveLength(1);
  });

  it("its own fills count as volume, and are not followed", async () => {
    const { world, order } = await trading();
    await world.print("2");
    await ownPrint(world, order);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2"]);
    await world.print("1.8");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2", "BUY 0.2"]);
    expect(await world.executed(order)).toBe("0.4");
  });

  it("it sends nothing while a child is out; then one child follows the trades since", async () => {
    const { world } = await trading();
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.print("2");
    for (let n = 0; n < 5; n++) await world.print("1");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2"]);
    const [child] = world.venue.submitted;
    if (child === undefined) throw new Error("nothing was sent");
    world.venue.onSubmit = (next) => filled(next);
    world.venue.say(filled(child));
    await world.engine.idle();
    for (let n = 0; n < 3; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2", "BUY 0.5"]);
  });

  it("after a child without a fill it waits for the next trade, and includes the rest", async () => {
    const { world } = await trading();
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    await world.print("2");
    await world.pass(1_000);
    for (let n = 0; n < 3; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(1);
    world.venue.onSubmit = (child) => filled(child);
    await world.print("1");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2", "BUY 0.3"]);
  });

  it("a pause after a refusal skips the next trade, and a later quote replaces it", async () => {
    const { world } = await trading();
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    await world.print("2");
    await world.print("2");
    expect(sentTo(world.venue)).toHaveLength(1);
    await world.pass(100);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2", "BUY 0.4"]);
  });

  it("I34: whatever the market does, its share never exceeds its basis points of the executed volume", async () => {
    for (const participationBips of [1, 2_500, 10_000]) {
      const random = createRandom(20_261_121 + participationBips);
      const { world, order } = await trading({ ...POV, quantity: "100000", participationBips });
      let volume = ZERO_QUANTITY;
      for (let n = 0; n < 60; n++) {
        const size = `${random.below(40)}.${String(1 + random.below(999_999)).padStart(6, "0")}`;
        volume = add(volume, quantity(size));
        await world.print(size);
        const { executions, executedQuantity } = await world.order(order);
        const share = (BigInt(volume) * BigInt(participationBips)) / 10_000n;
        expect([size, BigInt(executedQuantity) <= share]).toEqual([size, true]);
        if (executions.size === 0 || random.below(2) === 0) continue;
        const own = world.venue.submitted.at(-1)?.quantity ?? ZERO_QUANTITY;
        const before = world.engine.metrics().printsCounted;
        await world.print(formatQuantity(own), { id: executions.last ?? "" });
        if (world.engine.metrics().printsCounted > before) volume = add(volume, own);
        expect(world.venue.submitted.length, "one child a trade").toBeLessThanOrEqual(n + 1);
      }
    }
  });

  it("several POVs of one market each follow each trade, and none follows another's trades", async () => {
    const { world } = await trading();
    await world.place({ ...POV, side: "SELL", participationBips: 2_000 }, 2);
    await world.print("2");
    expect([...sentTo(world.venue)].sort()).toEqual(["BUY 0.2", "SELL 0.4"]);
  });
});

describe("contract: stale observations pause a POV", () => {
  it("a stale quote pauses it; it continues with a fresh one", async () => {
    const { world, order } = await trading();
    await world.pass(5_001, { heartbeat: false });
    await world.print("2");
    expect([sentTo(world.venue), await waitsFor(world, order)]).toEqual([
      [],
      "a fresh quote: the last quote is too old",
    ]);
    world.engine.market.heartbeat(SYMBOL);
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["BUY 0.2"]);
  });

  it("a missing quote pauses it", async () => {
    const world = await createWorld();
    await world.place(CAPPED);
    await world.print("2");
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2 @ 100"]);
  });

  it("a price outside its cap pauses it; the volume meanwhile is included inside the cap", async () => {
    const { world } = await trading(CAPPED);
    await world.quote("100", "100.01");
    for (let n = 0; n < 3; n++) await world.print("2");
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.6 @ 100"]);
  });
});

describe("the end of a POV", () => {
  it("an exposure requested while trades continue is awaited, and one child sent", async () => {
    const requesting: (() => void)[] = [];
    let slow = false;
    const held = quantity("5");
    const position = () =>
      slow ? new Promise<typeof held>((resolve) => requesting.push(() => resolve(held))) : held;
    const world = await createWorld({ exposure: { position } });
    await trading({ ...POV, side: "SELL", reduceOnly: true }, world);
    slow = true;
    world.engine.market.print({ symbol: SYMBOL, price: "100", quantity: "2", id: "a", timeMs: START_MS });
    await turns();
    world.engine.market.print({ symbol: SYMBOL, price: "100", quantity: "2", id: "b", timeMs: START_MS });
    await turns();
    for (const answer of requesting.splice(0)) answer();
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["SELL 0.4"]);
  });
});

describe("a POV over a restart and a failing store", () => {
  it("executed volume is durable: earlier volume counts, repeated prints do not", async () => {
    const { world, order } = await trading();
    await world.print("1", { id: "a" });
    await world.crash();
    await world.quote("99", "100");
    await world.print("1", { id: "a" });
    expect(sentTo(world.venue)).toEqual([]);
    await world.print("0.5", { id: "b" });
    expect(sentTo(world.venue)).toEqual(["BUY 0.15"]);
    expect(formatQuantity((await world.order(order)).volumeBefore ?? quantity("1"))).toBe("0");
  });

  it("only trades after the restart are followed; quotes alone send nothing", async () => {
    const { world } = await trading(CAPPED);
    await world.quote("100", "101");
    await world.print("5");
    await world.crash();
    for (let n = 0; n < 3; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([]);
    await world.print("1");
    expect(sentTo(world.venue)).toEqual(["BUY 0.6 @ 100"]);
  });

  it("I20: prints of a failed append count once, and the lost intent follows the next trade", async () => {
    const { world, store } = await createFaultyWorld();
    await trading(POV, world);
    store().inject("fail", 1);
    await world.print("2");
    await world.pass(1_000);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([]);
    await world.print("1");
    expect(sentTo(world.venue)).toEqual(["BUY 0.3"]);
    await world.crash();
    await world.quote("99", "100");
    await world.print("2");
    expect(sentTo(world.venue)).toEqual(["BUY 0.3", "BUY 0.2"]);
  });

  it("prints of an append that was written despite its failure also count once", async () => {
    const { world, store } = await createFaultyWorld();
    await trading(POV, world);
    store().inject("unknown", 1);
    await world.print("1");
    await world.pass(1_000);
    await world.quote("99", "100");
    await world.crash();
    await world.quote("99", "100");
    await world.print("0.5");
    expect(sentTo(world.venue)).toEqual(["BUY 0.15"]);
  });
});

/** Half of the executed volume, until 1.2 is filled. */
const INTENT = orderIntent({
  symbol: SYMBOL,
  side: "BUY",
  type: "POV",
  quantity: "1.2",
  participationBips: 5_000,
  newClientOrderId: "share",
});

/** Trades of 0.6, one per second, each reported twice, until the order has ended. */
async function traded({ world, quote, pass, attempt }: MortalWorld): Promise<ParentOrder> {
  await quote("99", "100");
  const place = () => world.engine.place({ accountId: 1, intent: INTENT });
  await attempt(place);
  await quote("99", "100");
  const { orderId } = (await place()).order;
  for (let round = 1; round <= 30 && (await world.order(orderId)).ended === undefined; round++) {
    const timeMs = world.clock.nowMs();
    const print = { symbol: SYMBOL, price: "100", quantity: "0.6", id: `trade-${round}`, timeMs };
    for (let n = 0; n < 2; n++) {
      await attempt(async () => world.engine.market.print(print));
      await quote("99", "100");
    }
    await pass(1_000);
  }
  return await world.order(orderId);
}

it("I20, I21, I34: after a crash at any point, a POV gets its share, and each trade counts once", async () => {
  const open = (dieAt: number): Promise<MortalWorld> =>
    createMortalWorld({ dieAt, answer: (child) => filled(child) });
  const whole = await open(0);
  await traded(whole);
  expect(new Set(whole.points).size).toBe(7);
  for (let dieAt = 1; dieAt <= whole.points.length; dieAt++) {
    const mortal = await open(dieAt);
    const { world } = mortal;
    const order = await traded(mortal);
    const at = `dies at ${dieAt}: ${whole.points[dieAt - 1]}`;
    expect([at, order.ended?.status, await world.executed(order)]).toEqual([at, "FILLED", "1.2"]);
    const reported = world.updates.flatMap(({ record }) => record.changes.flatMap(({ facts }) => facts));
    let executed = 0n;
    for (const fact of reported) {
      if (fact.kind === "FILLED") executed += BigInt(fact.fill.quantity);
      if (fact.kind !== "CHILD_INTENDED") continue;
      const share = BigInt(fact.volume ?? 0) / 2n;
      expect([at, executed + BigInt(fact.child.quantity) <= share]).toEqual([at, true]);
      expect([at, BigInt(fact.volume ?? 0) % 600_000n]).toEqual([at, 0n]);
    }
    expect((await world.engine.verify()).equal, at).toBe(true);
  }
});

const HALF = { type: "POV", quantity: "1000", participationBips: 5_000 } as const;

async function following(
  ownFills: OwnFillsInPrints | undefined,
  fields = HALF,
): Promise<Readonly<{ world: World; order: ParentOrder }>> {
  const world = await createWorld({ marketData: createMarketFeed(ownFills) });
  await world.quote("99", "100");
  return { world, order: await world.place(fields) };
}

/** The public print of the newest child, under an id of the tape. */
const tapePrint = async (world: World, sent = world.venue.submitted.at(-1)): Promise<void> =>
  world.print(formatQuantity(sent?.quantity ?? ZERO_QUANTITY));

describe("a POV does not follow its own fills", () => {
  it("prints that name them by other ids are volume, and are not followed", async () => {
    const { world, order } = await following("other-id");
    await world.print("10");
    for (let n = 0; n < world.venue.submitted.length; n++) {
      await tapePrint(world, world.venue.submitted[n]);
      await world.quote("99", "100");
    }
    expect([sentTo(world.venue), await world.executed(order)]).toEqual([["BUY 5"], "5"]);
  });

  it("prints of them that come after those of others are not followed either", async () => {
    const { world } = await following("other-id");
    await world.print("10");
    await world.print("6");
    expect(sentTo(world.venue)).toEqual(["BUY 5", "BUY 3"]);
    for (const sent of [...world.venue.submitted]) await tapePrint(world, sent);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(2);
    await world.pass(7_000);
    await world.quote("99", "100");
    await world.print("9");
    // Half of 10 + 6 + 5 + 3 + 9, less 8: the trade of others exceeds what may still have been their own.
    expect(sentTo(world.venue)).toEqual(["BUY 5", "BUY 3", "BUY 8.5"]);
  });

  it("those of before a restart are not followed after it", async () => {
    const { world } = await following("other-id");
    await world.print("10");
    await world.crash();
    await world.quote("99", "100");
    await tapePrint(world);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 5"]);
    await world.pass(6_000);
    await world.quote("99", "100");
    await world.print("0.1");
    await world.print("0.9");
    expect(sentTo(world.venue)).toEqual(["BUY 5", "BUY 3"]);
  });

  it("fills that the prints leave out are added to the volume", async () => {
    const { world } = await following("none");
    await world.print("10");
    await world.quote("99", "100");
    await world.print("1");
    // Half of 10 + 5 + 1, less 5.
    expect(sentTo(world.venue)).toEqual(["BUY 5", "BUY 3"]);
  });

  it("a source that says nothing names them by execution id", async () => {
    const { world, order } = await following(undefined);
    await world.print("10");
    const { executions } = await world.order(order);
    await world.print("5", { id: executions.last ?? "" });
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 5"]);
  });

  it("a word that is none of these is refused", async () => {
    await expect(following("sometimes" as OwnFillsInPrints)).rejects.toThrow(
      "marketData.ownFillsInPrints must be one of by-execution-id, other-id, none",
    );
  });

  it.each(["other-id", "none"] as const)(
    "I34: whenever its prints come (%s), a child follows a trade of others and stays in its share",
    async (ownFills) => {
      for (const participationBips of [500, 5_000, 9_000, 10_000]) {
        const random = createRandom(43_012 + participationBips);
        const { world } = await following(ownFills, {
          ...HALF,
          quantity: "1000000",
          participationBips,
        } as never);
        let [external, printedOwn, sinceChild, printed] = [ZERO_QUANTITY, 0, 0, 0];
        for (let n = 0; n < 120; n++) {
          const before = world.venue.submitted.length;
          const isOwn = ownFills === "other-id" && printedOwn < before && random.below(3) > 0;
          if (isOwn) await tapePrint(world, world.venue.submitted[printedOwn++]);
          else {
            const size = `${random.below(40)}.${String(1 + random.below(999_999)).padStart(6, "0")}`;
            external = add(external, quantity(size));
            sinceChild++;
            await world.print(size);
          }
          printed++;
          if (random.below(4) === 0) await world.pass(random.below(2_500));
          await world.quote("99", "100");
          const after = world.venue.submitted.length;
          expect([n, after - before <= Math.min(1, sinceChild)]).toEqual([n, true]);
          if (after > before) sinceChild = 0;
          const own = world.venue.submitted.reduce((sum, one) => sum + BigInt(one.quantity), 0n);
          const share = ((BigInt(external) + own) * BigInt(participationBips)) / 10_000n;
          expect([printed, own <= share]).toEqual([printed, true]);
        }
        expect(world.venue.submitted.length, `${participationBips}`).toBeGreaterThan(5);
      }
    },
  );
});
