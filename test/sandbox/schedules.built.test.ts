import { describe, expect, it } from "vitest";
import {
  CRASH_POINTS,
  DrivenSandbox,
  type Fields,
  factsOf,
  MINUTE_MS,
  millionths,
  type Order,
  SECOND_MS,
  START_MS,
  SYMBOL,
  sumOf,
} from "./driven-sandbox.ts";

type Plan = Readonly<{
  startsAtMs: number;
  intervalMs: number;
  count: number;
  cumulative?: readonly number[];
}>;

/** Slice k of a quantity by cumulative floor, computed independently; without weights all slots weigh the same. */
function sliceOf(plan: Plan, quantity: string, slot: number): bigint {
  const sums = plan.cumulative ?? Array.from({ length: plan.count }, (_, index) => index + 1);
  const all = BigInt(sums.at(-1) ?? 0);
  const upTo = (count: number): bigint =>
    (millionths(quantity) * BigInt(count === 0 ? 0 : (sums[count - 1] ?? 0))) / all;
  return upTo(slot + 1) - upTo(slot);
}

/** The single plan of an order, from its journal. */
async function planOf(sandbox: DrivenSandbox, orderId: number): Promise<Plan> {
  const plans = factsOf(await sandbox.journal(orderId), orderId).flatMap(({ plan }) => plan ?? []);
  expect(plans).toHaveLength(1);
  return plans[0] as Plan;
}

/**
 * I33: every child was intended once, in its own slot, with the slice of the plan; the venue has the same children, and
 * their executions add up to the order's.
 */
async function checkSchedule(sandbox: DrivenSandbox, { orderId, origQty }: Order, plan: Plan): Promise<void> {
  const children = factsOf(await sandbox.journal(orderId), orderId).flatMap(({ child }) => child ?? []);
  const slots = children.map(({ slot }) => slot ?? -1);
  expect(slots).toEqual([...new Set(slots)].sort((a, b) => a - b));
  for (const { slot = -1, quantity, intendedAtMs } of children) {
    const opensAtMs = plan.startsAtMs + slot * plan.intervalMs;
    expect(intendedAtMs).toBeGreaterThanOrEqual(opensAtMs);
    expect(intendedAtMs).toBeLessThan(opensAtMs + plan.intervalMs);
    expect([slot, millionths(quantity)]).toEqual([slot, sliceOf(plan, origQty, slot)]);
  }
  const arrived = await sandbox.children(orderId);
  expect(arrived.length).toBeLessThanOrEqual(children.length);
  const { executedQty } = await sandbox.order(orderId);
  expect(millionths(executedQty)).toBe(sumOf(arrived.map((child) => child.executedQty)));
}

describe("TWAP over a crash", () => {
  const COUNT = 10;
  const QUANTITY = "10.000003";
  const TWAP: Fields = {
    side: "BUY",
    type: "LIMIT",
    price: "101",
    targetStrategy: 180,
    quantity: QUANTITY,
    interval: MINUTE_MS,
    intervalCount: COUNT,
    intervalDelay: 30 * SECOND_MS,
  };

  const place = (sandbox: DrivenSandbox): Promise<Order> =>
    sandbox.place({ ...TWAP, newClientOrderId: "twap" });
  const quote = (sandbox: DrivenSandbox): Promise<unknown> => sandbox.quote("99", "100");

  /** Advances to one second into a slot and feeds quotes: at most one child results. */
  async function useSlot(sandbox: DrivenSandbox, plan: Plan, slot: number): Promise<void> {
    await sandbox.passTo(plan.startsAtMs + slot * plan.intervalMs + SECOND_MS);
    await quote(sandbox);
    await quote(sandbox);
  }

  it("I33, decision 27: without a crash ten slots are ten slices, their sum exact, none before its time", async () => {
    const sandbox = await DrivenSandbox.start();
    await quote(sandbox);
    const order = await place(sandbox);
    const plan = await planOf(sandbox, order.orderId);
    expect(plan).toEqual({ startsAtMs: START_MS + 30 * SECOND_MS, intervalMs: MINUTE_MS, count: COUNT });
    await sandbox.passTo(plan.startsAtMs - 1);
    await quote(sandbox);
    expect(await sandbox.children()).toEqual([]);
    for (let slot = 0; slot < COUNT; slot++) {
      await useSlot(sandbox, plan, slot);
      expect(await sandbox.children()).toHaveLength(slot + 1);
    }
    expect(await sandbox.order(order.orderId)).toMatchObject({ status: "FILLED", executedQty: QUANTITY });
    await checkSchedule(sandbox, order, plan);
  });

  it("decision 27: SIGKILL in the middle: the same plan continues, and slots that pass without a quote do not burst", async () => {
    const sandbox = await DrivenSandbox.start();
    await quote(sandbox);
    const order = await place(sandbox);
    const plan = await planOf(sandbox, order.orderId);
    for (let slot = 0; slot < 4; slot++) await useSlot(sandbox, plan, slot);
    await sandbox.restart();
    await quote(sandbox);
    expect(await sandbox.children()).toHaveLength(4);
    expect(await place(sandbox)).toMatchObject({ orderId: order.orderId, intervalCount: COUNT });
    // Slot 4 opens on the quote that stands, and slot 5 passes without one.
    for (let slot = 6; slot < COUNT; slot++) {
      await useSlot(sandbox, plan, slot);
      expect(await sandbox.children()).toHaveLength(slot);
    }
    expect(await sandbox.order(order.orderId)).toMatchObject({ status: "PARTIALLY_FILLED" });
    await sandbox.passTo(plan.startsAtMs + COUNT * MINUTE_MS);
    const missed = sliceOf(plan, QUANTITY, 5);
    const { status, executedQty } = await sandbox.order(order.orderId);
    expect([status, millionths(executedQty)]).toEqual(["EXPIRED", millionths(QUANTITY) - missed]);
    expect(await planOf(sandbox, order.orderId)).toEqual(plan);
    await checkSchedule(sandbox, order, plan);
  });

  it.each(CRASH_POINTS)(
    "I21, I33: SIGKILL %s in slots 2 and 7: no slot twice, the rest as planned",
    async (point) => {
      const sandbox = await DrivenSandbox.start();
      await quote(sandbox);
      const order = await place(sandbox);
      const plan = await planOf(sandbox, order.orderId);
      for (let slot = 0; slot < COUNT; slot++) {
        if (slot === 2 || slot === 7) {
          await sandbox.crashAt(point, () => useSlot(sandbox, plan, slot));
          await sandbox.recover();
          await quote(sandbox);
          await quote(sandbox);
        } else await useSlot(sandbox, plan, slot);
      }
      await sandbox.passTo(plan.startsAtMs + COUNT * MINUTE_MS);
      expect(await planOf(sandbox, order.orderId)).toEqual(plan);
      await checkSchedule(sandbox, order, plan);
      const { status, executedQty } = await sandbox.order(order.orderId);
      // A slot whose intent was durable and never reached the venue is used up; any other was filled.
      const used = point === "after-append" || point === "before-submit" ? [2, 7] : [];
      const lost = used.reduce((sum, slot) => sum + sliceOf(plan, QUANTITY, slot), 0n);
      expect([status, millionths(executedQty)]).toEqual([
        lost === 0n ? "FILLED" : "EXPIRED",
        millionths(QUANTITY) - lost,
      ]);
      expect(await sandbox.children()).toHaveLength(COUNT - used.length);
    },
  );
});

describe("VWAP from the service's own volume", () => {
  const NOW_MS = START_MS + 30 * SECOND_MS;
  const WINDOW = 512;

  /** Volume of each minute of the window in thousandths, oldest first; a part of it has none. */
  const VOLUMES = Array.from({ length: WINDOW }, (_, minute) =>
    minute >= 100 && minute < 104 ? 0 : ((minute * 7_919) % 97) + 1,
  );
  const volumeText = (thousandths: number): string => `0.${String(thousandths).padStart(3, "0")}`;

  /** Prints of the window, a minute's volume in one or two of them, and prints outside the window. */
  function prints(): readonly object[] {
    const firstMs = START_MS - WINDOW * MINUTE_MS;
    const print = (id: string, time: number, thousandths: number): object => ({
      symbol: SYMBOL,
      price: "100",
      quantity: volumeText(thousandths),
      id,
      time,
    });
    const inside = VOLUMES.flatMap((volume, minute) => {
      const atMs = firstMs + minute * MINUTE_MS;
      if (volume === 0) return [];
      if (volume === 1) return [print(`${minute}`, atMs, volume)];
      return [print(`${minute}`, atMs, 1), print(`${minute}-b`, atMs + MINUTE_MS - 1, volume - 1)];
    });
    return [print("older", firstMs - 1, 999), ...inside, print("unfinished", START_MS, 999)];
  }

  async function startWithVolume(): Promise<DrivenSandbox> {
    const sandbox = await DrivenSandbox.start({ CLOCK_START: String(NOW_MS) });
    const fed = prints();
    expect(await sandbox.control("POST", "trades", fed)).toEqual({ accepted: fed.length });
    await sandbox.quote("9999", "10000");
    return sandbox;
  }

  /** Running sums of the volumes in millionths, by groups of minutes. */
  function sums(minutes: readonly number[], group: number): readonly number[] {
    let sum = 0;
    const all: number[] = [];
    minutes.forEach((volume, index) => {
      sum += volume * 1_000;
      if ((index + 1) % group === 0) all.push(sum);
    });
    return all;
  }

  const VWAP: Fields = { side: "BUY", type: "VWAP", quantity: "10" };

  it("decision 29: weights are the volumes of the 512 completed minutes, grouped by interval, oldest first", async () => {
    const sandbox = await startWithVolume();
    const whole = await sandbox.place({ ...VWAP, interval: 4 * MINUTE_MS, intervalCount: 128 });
    const plan = await planOf(sandbox, whole.orderId);
    expect(plan).toEqual({
      startsAtMs: NOW_MS,
      intervalMs: 4 * MINUTE_MS,
      count: 128,
      cumulative: sums(VOLUMES, 4),
    });
    const open = await sandbox.place({ ...VWAP, quantity: "100" });
    expect(open).toMatchObject({ interval: MINUTE_MS, intervalCount: WINDOW });
    expect((await planOf(sandbox, open.orderId)).cumulative).toEqual(sums(VOLUMES, 1));
    const newest = await sandbox.place({ ...VWAP, interval: 3 * MINUTE_MS, intervalCount: 5 });
    expect((await planOf(sandbox, newest.orderId)).cumulative).toEqual(sums(VOLUMES.slice(-15), 3));
  });

  it("I34: a plan is frozen and survives SIGKILL, and repeated prints change nothing", async () => {
    const sandbox = await startWithVolume();
    const before = await sandbox.place({ ...VWAP, intervalCount: 20 });
    const plan = await planOf(sandbox, before.orderId);
    await sandbox.restart();
    await sandbox.control("POST", "trades", prints());
    await sandbox.quote("9999", "10000");
    const after = await sandbox.place({ ...VWAP, intervalCount: 20 });
    expect(await planOf(sandbox, before.orderId)).toEqual(plan);
    expect((await planOf(sandbox, after.orderId)).cumulative).toEqual(plan.cumulative);
  });

  it("I33, decision 29: follows its weights over a SIGKILL: a slot without weight places nothing, the sum is exact", async () => {
    const sandbox = await startWithVolume();
    const order = await sandbox.place({ ...VWAP, interval: MINUTE_MS, volumeProfile: "5,0,3,1,0,0,7,1" });
    const plan = await planOf(sandbox, order.orderId);
    expect(plan.cumulative).toEqual([5, 5, 8, 9, 9, 9, 16, 17]);
    const used: number[] = [];
    for (let slot = 0; slot < 8; slot++) {
      await sandbox.passTo(plan.startsAtMs + slot * MINUTE_MS + SECOND_MS);
      if (slot === 3) await sandbox.restart();
      await sandbox.quote("9999", "10000");
      used.push((await sandbox.children(order.orderId)).length);
    }
    expect(used).toEqual([1, 1, 2, 3, 3, 3, 4, 5]);
    expect(await sandbox.order(order.orderId)).toMatchObject({ status: "FILLED", executedQty: "10" });
    await checkSchedule(sandbox, order, plan);
  });

  it("I33: a plan of the service's own volumes runs to its exact sum", async () => {
    const sandbox = await startWithVolume();
    const order = await sandbox.place({ ...VWAP, intervalCount: 8, quantity: "10.000007" });
    const plan = await planOf(sandbox, order.orderId);
    expect(plan.cumulative).toEqual(sums(VOLUMES.slice(-8), 1));
    for (let slot = 0; slot < 8; slot++) {
      await sandbox.passTo(plan.startsAtMs + slot * MINUTE_MS + SECOND_MS);
      await sandbox.quote("9999", "10000");
    }
    expect(await sandbox.order(order.orderId)).toMatchObject({ status: "FILLED", executedQty: "10.000007" });
    await checkSchedule(sandbox, order, plan);
  });

  it("decision 29: without any volume in the window, -2016, and nothing is stored", async () => {
    const sandbox = await startWithVolume();
    await sandbox.control("POST", "quotes", { symbol: "ETH/USD", bid: "100", ask: "101" });
    const ether = { ...VWAP, symbol: "ETH/USD" };
    expect(await sandbox.refused("POST", "/api/order", { ...ether, intervalCount: 2 })).toBe(-2016);
    // The last 4 of these minutes have volume, the first 508 none, and the 4 without any are long past.
    await sandbox.passTo(NOW_MS + 600 * MINUTE_MS);
    await sandbox.quote("9999", "10000");
    expect(await sandbox.refused("POST", "/api/order", { ...VWAP, symbol: SYMBOL })).toBe(-2016);
    expect(await sandbox.control("GET", "health")).toMatchObject({ openParents: 0 });
  });
});

describe("POV", () => {
  const start = async (): Promise<DrivenSandbox> => {
    const sandbox = await DrivenSandbox.start();
    await sandbox.quote("99", "100");
    return sandbox;
  };
  const place = (sandbox: DrivenSandbox, participationBips: number, quantity = "100"): Promise<Order> =>
    sandbox.place({ side: "BUY", type: "POV", quantity, participationBips });

  const executed = async (sandbox: DrivenSandbox, { orderId }: Order): Promise<string> =>
    (await sandbox.order(orderId)).executedQty;

  /**
   * I34: executed is at most the share of all volume since admission, own fills included, by the venue's own record.
   */
  async function checkShare(
    sandbox: DrivenSandbox,
    { orderId }: Order,
    since: Readonly<{ external: readonly string[]; bips: number }>,
  ): Promise<void> {
    const own = sumOf((await sandbox.children(orderId)).map(({ executedQty }) => executedQty));
    const volume = sumOf(since.external) + own;
    expect(own * 10_000n).toBeLessThanOrEqual(volume * BigInt(since.bips));
    expect(millionths((await sandbox.order(orderId)).executedQty)).toBe(own);
  }

  it("decision 30: the target is the share of all volume, own fills included, and only an external trade causes a child", async () => {
    const sandbox = await start();
    await sandbox.trade("1000", "before admission");
    const order = await place(sandbox, 1_000);
    await sandbox.quote("99", "100");
    expect(await sandbox.children()).toEqual([]);
    const seen: string[] = [];
    const external = ["50", "1", "10", "0.3", "4"];
    for (const [index, quantity] of external.entries()) {
      await sandbox.trade(quantity, `t-${index}`);
      for (let quote = 0; quote < 3; quote++) await sandbox.quote("99", "100");
      seen.push(await executed(sandbox, order));
      await checkShare(sandbox, order, { external: external.slice(0, index + 1), bips: 1_000 });
    }
    // 10% of 50, of 56, of 66.6; of 67.96, where the due part is worth 13.60 USD and waits; of 71.96.
    expect(seen).toEqual(["5", "5.6", "6.66", "6.66", "7.196"]);
  });

  it("decision 30: at 10,000 basis points it follows each trade once and does not follow its own fills", async () => {
    const sandbox = await start();
    const order = await place(sandbox, 10_000, "1000");
    const external: string[] = [];
    for (let trades = 1; trades <= 5; trades++) {
      external.push("1");
      await sandbox.trade("1", `t-${trades}`);
      for (let quote = 0; quote < 10; quote++) await sandbox.quote("99", "100");
      expect(await sandbox.children()).toHaveLength(trades);
      await checkShare(sandbox, order, { external, bips: 10_000 });
    }
    expect(await executed(sandbox, order)).toBe("15");
  });

  it("decision 30: a repeated trade, an old one and one during a stale feed have no effect", async () => {
    const sandbox = await DrivenSandbox.start({ QUOTE_MAX_AGE_MS: String(MINUTE_MS) });
    await sandbox.quote("99", "100");
    const order = await place(sandbox, 1_000);
    await sandbox.trade("10", "one");
    expect(await executed(sandbox, order)).toBe("1");
    await sandbox.trade("10", "one");
    const old = { symbol: SYMBOL, price: "100", quantity: "10", id: "old", time: START_MS - MINUTE_MS - 1 };
    await sandbox.control("POST", "trades", old);
    await sandbox.control("POST", "faults", { volume: { mode: "stale" } });
    await sandbox.trade("10", "lost");
    await sandbox.quote("99", "100");
    await sandbox.control("POST", "faults", { volume: { mode: "none" } });
    await sandbox.quote("99", "100");
    expect(await executed(sandbox, order)).toBe("1");
    await sandbox.trade("10", "two");
    expect(await executed(sandbox, order)).toBe("2.1");
  });

  it.each(CRASH_POINTS)(
    "I21, I34: SIGKILL %s: volume counts once over the crash, the share is kept",
    async (point) => {
      const sandbox = await start();
      const order = await place(sandbox, 5_000);
      await sandbox.trade("10", "one");
      const known = millionths(await executed(sandbox, order));
      expect(known).toBe(millionths("5"));
      await sandbox.crashAt(point, () => sandbox.trade("10", "two"));
      await sandbox.recover();
      await sandbox.quote("99", "100");
      await sandbox.trade("10", "one");
      await sandbox.trade("10", "two");
      await sandbox.quote("99", "100");
      await checkShare(sandbox, order, { external: ["10", "10"], bips: 5_000 });
      await sandbox.trade("10", "three");
      await checkShare(sandbox, order, { external: ["10", "10", "10"], bips: 5_000 });
      expect(millionths(await executed(sandbox, order))).toBeGreaterThan(known);
      expect((await sandbox.children(order.orderId)).length).toBeLessThanOrEqual(3);
    },
  );
});
