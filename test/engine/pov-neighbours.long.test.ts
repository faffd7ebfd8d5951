import { describe, expect, it } from "vitest";
import { createMarketFeed } from "../../src/adapters/memory/index.ts";
import { createRandom } from "../../src/common/random.ts";
import { formatQuantity, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { ChildRequest, ParentOrder } from "../../src/model/index.ts";
import type { OwnFillsInPrints } from "../../src/ports/index.ts";
import { filled, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

const MOST = { type: "POV", quantity: "100", participationBips: 6_000 } as const;

async function neighbours(ownFills?: OwnFillsInPrints, fields: object = MOST): Promise<World> {
  const world = await createWorld({ marketData: createMarketFeed(ownFills) });
  await world.quote("99", "100");
  for (const account of [1, 2]) await world.place(fields, account);
  return world;
}

/** The print of a child that was filled, under its execution id or under one of the tape. */
const printOf = async (world: World, child: ChildRequest | undefined, ownFills?: OwnFillsInPrints) => {
  const id = ownFills === "other-id" ? `tape-${child?.childId}` : `x-${child?.childId}`;
  await world.print(formatQuantity(child?.quantity ?? ZERO_QUANTITY), { id });
};

/** POV orders of two accounts in one market whose children are reported and printed in whatever order, also twice. */
async function crowdOf(seed: number, ownFills: OwnFillsInPrints) {
  const random = createRandom(seed);
  const world = await createWorld({ marketData: createMarketFeed(ownFills) });
  await world.quote("99", "100");
  const bips = Array.from({ length: 2 + random.below(4) }, () => 100 + random.below(9_901));
  const orders: ParentOrder[] = [];
  for (const [n, participationBips] of bips.entries())
    orders.push(await world.place({ type: "POV", quantity: "100000", participationBips }, 1 + (n % 2)));
  const late: ChildRequest[] = [];
  world.venue.onSubmit = (child) => {
    if (random.below(3) > 0) return filled(child);
    late.push(child);
    return reported(child.childId, "open");
  };
  const due: ChildRequest[] = [];
  let [foreign, trades, seen] = [0n, 0, 0];

  async function printOne(): Promise<boolean> {
    const at = random.below(due.length + 1);
    const child = ownFills === "none" ? undefined : due[at];
    if (child === undefined || random.below(2) > 0) return false;
    await printOf(world, child, ownFills);
    if (random.below(3) > 0) due.splice(at, 1);
    return true;
  }

  function reportOne(): boolean {
    if (late.length === 0 || random.below(2) > 0) return false;
    for (const open of late.splice(random.below(late.length), 1)) world.venue.say(filled(open));
    return true;
  }

  async function tradeOfOthers(): Promise<void> {
    const size = `${1 + random.below(9)}.${random.below(10)}`;
    foreign += BigInt(quantity(size));
    trades++;
    await world.print(size);
  }

  const sumOf = (children: readonly ChildRequest[]): bigint =>
    children.reduce((sum, child) => sum + BigInt(child.quantity), 0n);

  function check(): void {
    const { submitted } = world.venue;
    for (const [n, { orderId }] of orders.entries()) {
      const own = submitted.filter(({ parentOrderId }) => parentOrderId === orderId);
      const volume = foreign + sumOf(ownFills === "none" ? own : submitted);
      const isWithin = sumOf(own) <= (volume * BigInt(bips[n] ?? 0)) / 10_000n;
      expect([seed, n, own.length <= trades, isWithin]).toEqual([seed, n, true, true]);
    }
  }

  const printAll = async (children: readonly ChildRequest[]): Promise<void> => {
    for (const child of children) await printOf(world, child, ownFills);
    await world.pass(7_000);
  };

  return {
    world,
    async step({ isForeign }: Readonly<{ isForeign: boolean }>): Promise<void> {
      for (const child of world.venue.submitted.slice(seen)) due.push(child);
      seen = world.venue.submitted.length;
      if (!(await printOne()) && !reportOne() && isForeign && random.below(3) === 0) await tradeOfOthers();
      await world.quote("99", "100");
      check();
    },
    /** Lets everything be reported and printed. Resolves to the number of children. */
    async rest(): Promise<number> {
      for (const child of late) world.venue.say(filled(child));
      await printAll(due);
      return world.venue.submitted.length;
    },
    async printAgain(): Promise<void> {
      await printAll(world.venue.submitted.slice(-50));
      await world.quote("99", "100");
    },
  };
}

describe("POV orders do not follow each other", () => {
  it.each(["by-execution-id", "other-id"] as const)(
    "prints of their children start none (%s)",
    async (ownFills) => {
      const world = await neighbours(ownFills);
      await world.print("1");
      for (let n = 0; n < Math.min(world.venue.submitted.length, 20); n++) {
        await printOf(world, world.venue.submitted[n], ownFills);
        await world.quote("99", "100");
      }
      expect(world.venue.submitted).toHaveLength(2);
      await world.pass(7_000);
      await world.quote("99", "100");
      expect(world.venue.submitted).toHaveLength(2);
      await world.print("1");
      await world.pass(7_000);
      await world.quote("99", "100");
      expect(world.venue.submitted).toHaveLength(4);
    },
  );

  it("nor do those of an order of another type", async () => {
    const world = await neighbours();
    await world.place({ type: "SYNTHETIC_LIMIT", price: "100", quantity: "3" });
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["BUY 3 @ 100"]);
    await printOf(world, world.venue.submitted[0]);
    await world.quote("99", "100");
    expect(world.venue.submitted).toHaveLength(1);
  });

  it.each([
    ["by-execution-id", true],
    ["by-execution-id", false],
    ["other-id", true],
  ] as const)("a print before the report waits for it (%s, own: %s)", async (ownFills, isOwn) => {
    const world = await neighbours(ownFills, { ...MOST, participationBips: 5_000, quantity: "1000" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.place({ type: "SYNTHETIC_LIMIT", price: "100", quantity: "3" });
    await world.engine.idle();
    const [child] = world.venue.submitted;
    if (child === undefined) throw new Error("nothing was sent");
    await (isOwn ? printOf(world, child, ownFills) : world.print("3"));
    await world.quote("99", "100");
    expect(world.venue.submitted).toHaveLength(1);
    world.venue.onSubmit = (next) => filled(next);
    world.venue.say(filled(child));
    await world.engine.idle();
    expect(sentTo(world.venue).slice(1)).toEqual(isOwn ? [] : ["BUY 1.5", "BUY 1.5"]);
  });

  it("a child without an answer holds back no print for longer than prints are fresh", async () => {
    const world = await neighbours();
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    world.venue.onLookup = ({ childId }) => reported(childId, "open");
    await world.place({ type: "SYNTHETIC_LIMIT", price: "100", quantity: "3" });
    await world.engine.idle();
    await world.print("1");
    await world.pass(6_000);
    expect(world.venue.submitted).toHaveLength(1);
    await world.quote("99", "100");
    await world.print("1");
    expect(world.venue.submitted).toHaveLength(3);
  });

  it("also after a restart, of orders that have ended too", async () => {
    const world = await neighbours();
    await world.place({ type: "SYNTHETIC_LIMIT", price: "100", quantity: "3" });
    await world.engine.idle();
    await world.print("1");
    const children = [...world.venue.submitted];
    expect(children).toHaveLength(3);
    await world.crash();
    await world.quote("99", "100");
    for (const child of children) await printOf(world, child);
    await world.quote("99", "100");
    expect(world.venue.submitted).toHaveLength(3);
  });

  it.each(["by-execution-id", "other-id", "none"] as const)(
    "I34: whatever comes in whatever order, each stays in its share and all come to rest (%s)",
    async (ownFills) => {
      for (const seed of [1, 2, 3, 4, 5, 6]) {
        const market = await crowdOf(seed, ownFills);
        for (let n = 0; n < 480; n++) await market.step({ isForeign: n < 80 });
        const length = await market.rest();
        await market.printAgain();
        expect([seed, market.world.venue.submitted.length]).toEqual([seed, length]);
        expect(length, `seed ${seed}`).toBeGreaterThan(3);
      }
    },
    60_000,
  );
});
