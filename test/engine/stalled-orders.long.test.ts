import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { Quantity } from "../../src/decimal/index.ts";
import type { ChildReport, LevelInput } from "../../src/ports/index.ts";
import { type OrderFields, orderIntent } from "../../src/requests/index.ts";
import { breakingIntent } from "../support/breaking-intent.ts";
import { createScriptedVenue, filled, fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL, type World, type WorldOptions } from "../support/world.ts";

const WORDS = "Account has insufficient balance for requested action.";
const refused = (childId: string): ChildReport => ({ ...reported(childId, "rejected"), detail: WORDS });
const withoutFunds = (childId: string): ChildReport =>
  ({ ...refused(childId), mark: "INSUFFICIENT_FUNDS" }) as ChildReport;

type Fields = Partial<OrderFields> & Readonly<Record<string, unknown>>;
const STOP: Fields = { side: "SELL", type: "STOP_MARKET", stopPrice: "90" };

/** The alerts of stalled orders so far: the second in which they came, what, and why. */
const received = (world: World): readonly string[] =>
  world.alerts
    .filter(({ alert }) => alert === "ORDER_STALLED" || alert === "ORDER_RESUMED")
    .map(({ alert, detail, timeMs }) => `${Math.floor((timeMs - START_MS) / 1_000)} s ${alert} ${detail}`);

const kindsOf = (world: World): readonly string[] =>
  received(world).map((line) => line.replace(/^\S+ s (\S+) (?:([A-Z_]+):)?.*$/, "$1 $2").trim());

type Quoted = Readonly<{ bid?: string; ask?: string; bids?: readonly LevelInput[]; everyMs?: number }>;

/** Lets time pass, with the same quote in every second. */
async function quoteFor(
  world: World,
  seconds: number,
  { bid = "89", ask = "90", bids, everyMs = 1_000 }: Quoted = {},
): Promise<void> {
  for (let ms = 0; ms < seconds * 1_000; ms += everyMs) {
    await world.pass(everyMs, { heartbeat: false });
    await world.quote(bid, ask, bids && { bids });
  }
}

/** A world with an order of 1, by default a stop-loss at 90, in a market of 99 to 100. */
async function worldOf(order: Fields = STOP, options: WorldOptions = {}): Promise<World> {
  const world = await createWorld(options);
  world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: 1_000_000 as Quantity });
  await world.quote("99", "100");
  await world.place(order as Partial<OrderFields>);
  await world.quote("99", "100");
  return world;
}

const stalled = (world: World) => world.engine.metrics().stalled;
const reasons = (world: World): readonly string[] =>
  world.engine.status().reasons.map(({ kind, detail }) => `${kind}: ${detail}`);

describe("an order that should act and cannot says so", () => {
  it("a stop that the venue refuses without end: one alert with the venue's words, again after ten minutes, and its end", async () => {
    const world = await worldOf();
    world.venue.onSubmit = ({ childId }) => refused(childId);
    await quoteFor(world, 12);
    expect(received(world)).toEqual([`11 s ORDER_STALLED REFUSED: ${WORDS}`]);
    expect(stalled(world)).toMatchObject({ REFUSED: 1, LIMIT: 0 });
    expect(reasons(world)).toEqual([
      `ORDERS_STALLED: 1 order sends nothing that executes: 1 REFUSED in ${SYMBOL}`,
    ]);
    await quoteFor(world, 595);
    expect(kindsOf(world)).toEqual(["ORDER_STALLED REFUSED"]);
    await quoteFor(world, 20);
    expect(kindsOf(world)).toEqual(["ORDER_STALLED REFUSED", "ORDER_STALLED REFUSED"]);
    world.venue.onSubmit = (child) => filled(child);
    await quoteFor(world, 6);
    expect(kindsOf(world).slice(2)).toEqual(["ORDER_RESUMED"]);
    expect(stalled(world)).toMatchObject({ REFUSED: 0 });
    expect(reasons(world)).toEqual([]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  const never = (): Promise<never> => new Promise(() => undefined);
  const silentExposure = (): NonNullable<WorldOptions["exposure"]> => {
    let requested = 0;
    return { position: () => (requested++ === 0 ? (1_000_000 as Quantity) : never()) };
  };

  it.each<readonly [string, string, Fields, WorldOptions, Quoted]>([
    [
      "a trailing stop that is worth USD 18, after a fall",
      "BELOW_MINIMUM",
      { side: "SELL", type: "TRAILING_STOP_MARKET", trailingDelta: 1_000, quantity: "0.2" },
      {},
      { bid: "70", ask: "71" },
    ],
    [
      "a stop-limit whose market is below its floor",
      "LIMIT",
      { ...STOP, type: "STOP_LOSS_LIMIT", price: "89.5" },
      {},
      { bid: "80", ask: "81" },
    ],
    [
      "a reduce-only stop whose position is not told",
      "WAITING_FOR_EXPOSURE",
      { ...STOP, reduceOnly: true },
      { exposure: silentExposure() },
      {},
    ],
  ])("%s: %s", async (_what, cause, order, options, quoted) => {
    const world = await worldOf(order, options);
    await quoteFor(world, 9, quoted);
    expect(received(world)).toEqual([]);
    await quoteFor(world, 3, quoted);
    expect(kindsOf(world)).toEqual([`ORDER_STALLED ${cause}`]);
    await quoteFor(world, 60, quoted);
    expect(kindsOf(world)).toEqual([`ORDER_STALLED ${cause}`]);
  });

  it("a limit inside its price with too little on offer: BELOW_MINIMUM, over when the price goes away", async () => {
    const world = await createWorld();
    await world.quote("79", "80");
    await world.place({ side: "SELL", price: "85" });
    await quoteFor(world, 12, { bids: [["89", "0.1"]] });
    expect(kindsOf(world)).toEqual(["ORDER_STALLED BELOW_MINIMUM"]);
    await quoteFor(world, 12, { bid: "79", ask: "80" });
    expect(kindsOf(world)).toEqual(["ORDER_STALLED BELOW_MINIMUM", "ORDER_RESUMED"]);
    expect(reasons(world)).toEqual([]);
    await quoteFor(world, 60, { bids: [["89", "0.1"]] });
    expect(kindsOf(world).length).toBe(2);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("no funds: the venue's words with the cause NO_FUNDS", async () => {
    const world = await worldOf();
    world.venue.onSubmit = ({ childId }) => withoutFunds(childId);
    await quoteFor(world, 12);
    expect(received(world)).toEqual([`11 s ORDER_STALLED NO_FUNDS: ${WORDS}`]);
  });

  it("the rate of the venue: RATE", async () => {
    const venue = createScriptedVenue({ ratePerSecond: 1 });
    venue.onSubmit = (child) => reported(child.childId, "closed", [fillOf({ quantity: "0.2" })]);
    const world = await createWorld({ venue });
    await world.quote("99", "100");
    for (let n = 0; n < 40; n++) await world.place({ ...STOP, quantity: "100" } as Partial<OrderFields>);
    await quoteFor(world, 20, { everyMs: 500 });
    expect(kindsOf(world)).toContain("ORDER_STALLED RATE");
    expect(stalled(world).STORE_SLOW).toBe(0);
  });

  it("an order whose account is stopped: HALTED", async () => {
    const world = await worldOf();
    const order = {
      side: "SELL",
      type: "TRAILING_STOP_LIMIT",
      trailingDelta: 500,
      limitOffset: "1",
    } as const;
    const { intent, state } = breakingIntent(
      orderIntent({ ...order, symbol: SYMBOL, quantity: "1", newClientOrderId: "broken" }),
    );
    await world.engine.place({ accountId: 1, intent });
    await world.quote("99", "100");
    state.isBroken = true;
    await world.quote("93", "94");
    state.isBroken = false;
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["INVARIANT_BROKEN"]);
    await quoteFor(world, 12);
    expect(kindsOf(world)).toContain("ORDER_STALLED HALTED");
  });

  it("a child that is refused is no progress, a partial fill is: the time begins anew", async () => {
    const world = await worldOf({ ...STOP, quantity: "100" }, { settings: { retryMaxMs: 500 } });
    world.venue.onSubmit = ({ childId }) => refused(childId);
    await quoteFor(world, 8);
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.2" })]);
    await quoteFor(world, 3);
    world.venue.onSubmit = ({ childId }) => refused(childId);
    await quoteFor(world, 8);
    expect(received(world)).toEqual([]);
    await quoteFor(world, 6);
    expect(kindsOf(world)).toEqual(["ORDER_STALLED REFUSED"]);
  });

  it("what waits for what it was placed to wait for is not stalled: a price, volume, a slot, a fresh market", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    await world.place({ price: "80" });
    await world.place(STOP as Partial<OrderFields>);
    await world.place({ type: "POV", participationBips: 1_000, quantity: "1" } as Partial<OrderFields>);
    await world.place({
      type: "TWAP",
      interval: 60_000,
      intervalCount: 2,
      quantity: "1",
    } as Partial<OrderFields>);
    await quoteFor(world, 60, { bid: "99", ask: "100" });
    await world.print("1");
    world.venue.onSubmit = ({ childId }) => refused(childId);
    await world.quote("89", "90");
    await world.pass(60_000, { heartbeat: false });
    expect(received(world)).toEqual([]);
  });

  it("a silent market is no time in which an order could act: a slot that opens right after it is not stalled", async () => {
    const world = await createWorld({ settings: { quoteMaxAgeMs: 300_000 } });
    await world.quote("99", "100");
    const slots = { interval: 60_000, intervalCount: 4, intervalDelay: 2_000 };
    await world.place({ type: "TWAP", ...slots, quantity: "4" } as Partial<OrderFields>);
    await quoteFor(world, 240, { bid: "99", ask: "100", everyMs: 60_000 });
    expect(world.venue.submitted).toHaveLength(4);
    expect(received(world)).toEqual([]);
  });

  it("an open slot whose child is refused is stalled, and POV with volume to follow", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => refused(childId);
    await world.quote("99", "100");
    await world.place({
      type: "TWAP",
      interval: 3_000,
      intervalCount: 9,
      quantity: "9",
    } as Partial<OrderFields>);
    await world.place({ type: "POV", participationBips: 1_000, quantity: "100" } as Partial<OrderFields>);
    for (let second = 0; second < 12; second++) {
      await world.print("10");
      await quoteFor(world, 1, { bid: "99", ask: "100" });
    }
    await quoteFor(world, 2, { bid: "99", ask: "100" });
    expect(kindsOf(world)).toEqual(["ORDER_STALLED REFUSED", "ORDER_STALLED REFUSED"]);
  });

  it("a market whose quotes come more slowly than one stays fresh: what cannot act on each of them is stalled", async () => {
    const world = await worldOf();
    world.venue.onSubmit = ({ childId }) => refused(childId);
    await quoteFor(world, 42, { everyMs: 6_000 });
    expect(kindsOf(world)).toEqual(["ORDER_STALLED REFUSED"]);
  });

  it("after a restart the alert stands, is not raised again, and ends when something executes", async () => {
    const world = await worldOf();
    world.venue.onSubmit = ({ childId }) => refused(childId);
    await quoteFor(world, 12);
    await world.crash();
    expect(stalled(world)).toMatchObject({ REFUSED: 1 });
    await world.quote("89", "90");
    await quoteFor(world, 60);
    expect(kindsOf(world)).toEqual(["ORDER_STALLED REFUSED"]);
    world.venue.onSubmit = (child) => filled(child);
    await quoteFor(world, 6);
    expect(kindsOf(world)).toEqual(["ORDER_STALLED REFUSED", "ORDER_RESUMED"]);
    expect(stalled(world)).toMatchObject({ REFUSED: 0 });
  });

  it("a cancel ends it without another alert", async () => {
    const world = await worldOf();
    world.venue.onSubmit = ({ childId }) => refused(childId);
    await quoteFor(world, 12);
    await world.engine.cancelAll(1);
    expect(kindsOf(world)).toEqual(["ORDER_STALLED REFUSED"]);
    expect([stalled(world).REFUSED, reasons(world)]).toEqual([0, []]);
  });

  it("a thousand orders of one market raise one alert each, spread over time, and one line of the status", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => refused(childId);
    await world.quote("99", "100");
    for (let n = 0; n < 1_000; n++) await world.place({ ...STOP, price: undefined } as Partial<OrderFields>);
    await quoteFor(world, 15, { bid: "89", ask: "90" });
    expect(kindsOf(world).length).toBe(1_000);
    const atMs = new Set(world.alerts.map(({ timeMs }) => timeMs));
    expect(atMs.size).toBeGreaterThan(2);
    expect(reasons(world)).toEqual([
      `ORDERS_STALLED: 1000 orders send nothing that executes: 1000 REFUSED in ${SYMBOL}`,
    ]);
  });

  it("a store that answers later than any child may go out: STORE_SLOW", async () => {
    let [lateByMs, clock]: [number, World["clock"] | undefined] = [0, undefined];
    const world = await worldOf(STOP, {
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return {
          ...store,
          append: async (batch) => {
            const dueMs = (clock?.monotonicMs() ?? 0) + lateByMs;
            if (lateByMs > 0) await new Promise<void>((resolve) => clock?.schedule(dueMs, () => resolve()));
            return await store.append(batch);
          },
        };
      },
    });
    [lateByMs, clock] = [15_000, world.clock];
    await quoteFor(world, 90);
    expect(world.venue.submitted).toEqual([]);
    expect(kindsOf(world)).toEqual(["ORDER_STALLED STORE_SLOW"]);
  });
});

describe("quotes of a watched market that do not count", () => {
  const quotesReported = (world: World): readonly string[] =>
    world.statuses.map(({ change, detail }) => `${change}: ${detail}`);

  it("a source in microseconds: one alert, with the cause by which its quotes are dropped, and its end", async () => {
    const world = await createWorld();
    await world.place({ price: "80" });
    for (let second = 0; second < 60; second++) {
      await world.pass(1_000, { heartbeat: false });
      await world.quote("99", "100", { timeMs: world.clock.nowMs() * 1_000 });
    }
    expect(quotesReported(world)).toEqual([
      expect.stringMatching(
        /^QUOTES_STOPPED: no quote has counted for 10 s.*BTC\/USD \(\d+ dropped .* as future\)$/,
      ),
    ]);
    expect(reasons(world)).toEqual([
      expect.stringMatching(/^QUOTES_STOPPED: .*BTC\/USD \(60 dropped.*future\)$/),
    ]);
    await quoteFor(world, 12, { bid: "99", ask: "100" });
    expect(quotesReported(world).slice(1)).toEqual([`QUOTES_RESUMED: quotes count again: ${SYMBOL}`]);
    expect(reasons(world)).toEqual([]);
  });

  it("a source that says nothing: silence; a market that nobody watches raises nothing", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    world.engine.market.quote({ symbol: "ETH/USD", bid: "9", ask: "10" });
    const order = await world.place({ price: "80" });
    await world.pass(9_000, { heartbeat: false });
    expect(quotesReported(world)).toEqual([]);
    await world.pass(2_000, { heartbeat: false });
    expect(quotesReported(world)).toEqual([expect.stringMatching(/: BTC\/USD \(no quote comes\)$/)]);
    await world.cancel(order);
    await world.pass(60_000, { heartbeat: false });
    expect(quotesReported(world).length).toBe(1);
  });

  it("an order that is placed in silence is watched too: in another market, or after the last one has ended", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const order = await world.place({ price: "80" });
    const silence = async (): Promise<void> => {
      for (let second = 0; second < 12; second++) await world.pass(1_000, { heartbeat: false });
    };
    await silence();
    const other = await world.place({ symbol: "ETH/USD", price: "80" });
    await silence();
    await world.cancel(order);
    await world.cancel(other);
    await world.place({ price: "80" });
    await silence();
    expect(quotesReported(world)).toEqual([
      expect.stringMatching(/^QUOTES_STOPPED: .*: BTC\/USD \(no quote comes\)$/),
      expect.stringMatching(/^QUOTES_STOPPED: .*: ETH\/USD \(no quote comes\)$/),
      expect.stringMatching(/^QUOTES_STOPPED: .*: BTC\/USD \(no quote comes\)$/),
    ]);
  });

  it("heartbeats keep a market alive", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    await world.place({ price: "80" });
    for (let second = 0; second < 60; second++) await world.pass(1_000);
    expect(quotesReported(world)).toEqual([]);
  });
});
