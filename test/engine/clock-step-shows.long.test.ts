import { describe, expect, it } from "vitest";
import type { ManualClock } from "../../src/adapters/memory/index.ts";
import { createRandom, type Random } from "../../src/common/random.ts";
import { formatPrice, formatQuantity } from "../../src/decimal/index.ts";
import type { MarketHub } from "../../src/engine/market/market-hub.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import type {
  ChildReport,
  ExecutionVenue,
  NotFound,
  PrintInput,
  VenueCapabilities,
} from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createListing, type Listing } from "../support/listing.ts";
import { filled, sentTo } from "../support/scripted-venue.ts";
import { ACCOUNT, createWorld, INSTRUMENTS, START_MS, type World } from "../support/world.ts";

const HOUR = 3_600_000;

/** The fate of the first child on its way to the venue. */
const STAGES = ["queued", "submitted", "lost before landing", "landing late", "lost after landing"] as const;
type Stage = (typeof STAGES)[number];

/** The clock by which the venue judges deadlines, and whether its "not found" states the time. */
const VENUES = [
  "its own clock",
  "the wall clock",
  "the wall clock, told without a time",
  "a clock 10 s ahead, told when asked",
  "a clock 10 s behind, told when asked",
  "a clock 10 s behind, told when asked and not found",
] as const;
type Kind = (typeof VENUES)[number];

/** How far a venue's own clock is ahead of true time. */
const aheadOf = (kind: Kind): number =>
  kind.includes("10 s ahead") ? 10_000 : kind.includes("10 s behind") ? -10_000 : 0;

const WAYS = [
  ["back an hour, then forth", [-HOUR, HOUR]],
  ["forth an hour, then back", [HOUR, -HOUR]],
] as const;

/** The shortest delay of a late message: longer than the wait for a lost child. */
const UNDER_WAY_MS = 10_000;

/** A venue that honors deadlines by a clock of its kind. Late messages may arrive an hour later. */
class Outside implements ExecutionVenue {
  readonly capabilities: VenueCapabilities = { honoursDeadline: true, canVoid: false, ratePerSecond: 1 };
  readonly executed: ChildRequest[] = [];
  /** Messages that are still in flight. */
  readonly underWay: (() => void)[] = [];
  readonly venueTimeMs?: () => Promise<number>;
  readonly #known: Map<string, ChildReport> = new Map();
  readonly #clock: ManualClock;
  readonly #kind: Kind;
  #stage: Stage | undefined;

  constructor(clock: ManualClock, kind: Kind, stage: Stage) {
    this.#clock = clock;
    this.#kind = kind;
    this.#stage = stage;
    if (kind.includes("when asked")) this.venueTimeMs = () => Promise.resolve(this.#nowMs());
  }

  async submit(child: ChildRequest, { deadlineMs }: Readonly<{ deadlineMs: number }>): Promise<ChildReport> {
    const stage = this.#stage;
    if (child.symbol === "BTC/USD") this.#stage = undefined;
    if (stage === "lost before landing" || stage === "landing late") {
      const fromMs = this.#clock.monotonicMs() + UNDER_WAY_MS;
      const arrive = (): void => {
        if (this.#clock.monotonicMs() >= fromMs) this.#land(child, deadlineMs);
      };
      if (stage === "landing late") this.underWay.push(arrive);
      return await new Promise<never>(() => undefined);
    }
    if (stage === "submitted") {
      return await new Promise((resolve) => {
        this.#clock.schedule(this.#clock.monotonicMs() + 1_500, () => resolve(this.#land(child, deadlineMs)));
      });
    }
    const report = this.#land(child, deadlineMs);
    return stage === "lost after landing" ? await new Promise<never>(() => undefined) : report;
  }

  async lookup({ childId }: ChildRequest): Promise<ChildReport | NotFound> {
    const known = this.#known.get(childId);
    if (known !== undefined) return known;
    const tellsNone = this.#kind.endsWith("without a time") || this.#kind.endsWith("when asked");
    return tellsNone ? "not-found" : { notFoundAtMs: this.#nowMs() };
  }

  subscribe(): () => void {
    return () => undefined;
  }

  /** A message arrives once; one refused for its deadline may have arrived a little earlier, so it tries again. */
  #land(child: ChildRequest, deadlineMs: number): ChildReport {
    const known = this.#known.get(child.childId);
    if (known !== undefined) return known;
    if (this.#nowMs() > deadlineMs) return { childId: child.childId, state: "rejected", fills: [] };
    const report = filled(child);
    this.#known.set(child.childId, report);
    this.executed.push(child);
    return report;
  }

  #nowMs(): number {
    if (this.#kind.startsWith("the wall clock")) return this.#clock.nowMs();
    return this.#clock.monotonicMs() + aheadOf(this.#kind);
  }
}

/** Seconds of the market; every message in flight tries to arrive in each of them. */
async function seconds(world: World, outside: Outside, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await world.quote("99", "100");
    await world.pass(1_000);
    for (const land of outside.underWay) land();
  }
}

const executedOf = (outside: Outside, orderId: number): string =>
  outside.executed
    .filter(({ parentOrderId }) => parentOrderId === orderId)
    .map(({ quantity }) => formatQuantity(quantity))
    .join(" ");

type Case = Readonly<{ stage: Stage; kind: Kind; steps: readonly number[]; restart: boolean }>;

/** One child in flight while the clock is set twice, with a schedule and an expiry beside it. */
async function run({ stage, kind, steps, restart }: Case): Promise<void> {
  const venues: Outside[] = [];
  const world = await createWorld({
    settings: { escalateAfterMs: 10 * HOUR },
    executes: (clock) => {
      const venue = new Outside(clock, kind, stage);
      venues.push(venue);
      return venue;
    },
  });
  const [outside] = venues;
  if (outside === undefined) throw new Error("no venue was made");
  const expireTime = START_MS + 2 * HOUR + 60_000;
  const order = await world.place({ price: "100", quantity: "1" });
  const gtd = await world.place({ price: "50", expireTime });
  if (stage === "queued") await world.place({ price: "100", quantity: "2" });
  await world.quote("99", "100");
  await world.pass(500);
  for (const stepMs of steps) {
    world.clock.stepWall(stepMs);
    if (restart) await world.crash();
    await seconds(world, outside, 20);
  }
  // The wall clock is right again. After the wrong hour, nothing waits for a deadline set in it.
  await world.pass(HOUR);
  await seconds(world, outside, 20);
  expect(executedOf(outside, order.orderId)).toBe("1");
  expect(await world.status(order)).toBe("FILLED FILLED");
  // Set back or forward, it expires by the requested time; a restart may lose seconds that were not recorded.
  const leftMs = expireTime - world.clock.monotonicMs();
  if (steps[0] === -HOUR) {
    await world.pass(leftMs - 1);
    expect(await world.status(gtd)).toBe("NEW WAITING");
  }
  await world.pass(expireTime - world.clock.monotonicMs() + (restart ? 45_000 : 0));
  expect(await world.status(gtd)).toBe("EXPIRED EXPIRED");
}

describe.each(WAYS)("one child in flight while the clock is set %s", (_way, steps) => {
  describe.each(VENUES)("at a venue that judges by %s", (kind) => {
    it.each(STAGES)("%s: one execution", (stage) => run({ stage, kind, steps, restart: false }));
    it.each(STAGES)("%s, over restarts: one execution", (stage) =>
      run({ stage, kind, steps, restart: true }),
    );
  });

  it("a schedule placed before has a child in every slot that the clock does not jump over", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const count = 30;
    const terms = { type: "TWAP", quantity: "30", interval: 1_000, intervalCount: count } as const;
    const order = await world.place(terms);
    const sent = (): number => world.venue.submitted.length;
    for (const stepMs of [0, ...steps]) {
      world.clock.stepWall(stepMs);
      for (let n = 0; n < 10; n++) {
        await world.quote("99", "100");
        await world.pass(1_000);
      }
    }
    const jumps = steps[0] === HOUR;
    expect(sent()).toBe(jumps ? 11 : count);
    expect(await world.status(order)).toBe(jumps ? "EXPIRED EXPIRED" : "FILLED FILLED");
    // A schedule that is placed now, with the clock right again, is not affected.
    const later = await world.place(terms);
    for (let n = 0; n < count; n++) {
      await world.quote("99", "100");
      await world.pass(1_000);
    }
    expect(await world.status(later)).toBe("FILLED FILLED");
  });
});

const SYMBOLS = ["BTC/USD", "ETH/USD"] as const;
const SEEDS = 12;
const STEPS = 100;

/** An engine whose instruments come and go, and one that has them all the time and hears and takes the same. */
class History {
  readonly #random: Random;
  readonly #listing: Listing;
  readonly #changing: World;
  readonly #steady: World;
  readonly #listed: Set<string> = new Set();
  /** The markets that the engine with changing instruments has opened. */
  readonly #open: Set<string> = new Set();
  readonly #prices: Map<string, number> = new Map();
  readonly #orders: number[] = [];
  readonly #prints: PrintInput[] = [];

  constructor(random: Random, listing: Listing, changing: World, steady: World) {
    this.#random = random;
    this.#listing = listing;
    this.#changing = changing;
    this.#steady = steady;
  }

  async step(): Promise<void> {
    const symbol = this.#random.pick(SYMBOLS);
    const steps = [
      ...Array.from({ length: 5 }, () => () => this.#quote(symbol)),
      ...Array.from({ length: 3 }, () => () => this.#place(symbol)),
      () => this.#print(symbol),
      () => this.#list(symbol),
      () => this.#cancel(),
      () => this.#pass(),
      () => this.#crash(),
    ];
    await this.#random.pick(steps)();
    expect(await this.#stateOf(this.#changing)).toEqual(await this.#stateOf(this.#steady));
  }

  #list(symbol: string): void {
    if (!this.#listed.delete(symbol)) this.#listed.add(symbol);
    this.#listing.list(INSTRUMENTS.filter((one) => this.#listed.has(one.symbol)));
  }

  async #quote(symbol: string): Promise<void> {
    const near = (this.#prices.get(symbol) ?? 100) * (0.95 + this.#random.next() * 0.1);
    this.#prices.set(symbol, Math.min(200, Math.max(50, near)));
    // Now and then a wild one, which is held back also after an opening.
    const bid = near * (this.#random.chance(0.06) ? 20 : 1);
    const quote = { symbol, bid: bid.toFixed(4), ask: (bid * 1.001).toFixed(4) };
    const verdicts = await this.#receive(symbol, ({ engine }) => engine.market.quote(quote));
    if (verdicts.length === 1) expect(verdicts).toEqual(["unknown-symbol"]);
    else expect(verdicts[0]).toBe(verdicts[1]);
  }

  async #print(symbol: string): Promise<void> {
    const id = `print-${this.#prints.length}`;
    const timeMs = this.#changing.clock.nowMs() - this.#random.below(8_000);
    this.#prints.push({ symbol, id, price: "100", quantity: "3", timeMs });
    const again = this.#random.pick(this.#prints);
    for (const print of [...this.#prints.slice(-1), again])
      await this.#receive(print.symbol, ({ engine }) => engine.market.print(print));
  }

  /** Lets both engines hear something, or only the one without the instrument, and returns what they say. */
  async #receive<T>(symbol: string, receive: (world: World) => T): Promise<readonly T[]> {
    if (this.#listed.has(symbol)) this.#open.add(symbol);
    const worlds = this.#open.has(symbol) ? this.#both : [this.#changing];
    const answer = worlds.map(receive);
    for (const { engine } of worlds) await engine.idle();
    return answer;
  }

  async #place(symbol: string): Promise<void> {
    const order = this.#order(symbol);
    const worlds = this.#listed.has(symbol) ? this.#both : [this.#changing];
    const placed = await Promise.all(
      worlds.map((world) =>
        world.place(order).then(
          ({ orderId }) => orderId,
          ({ code }: { code: number }) => code,
        ),
      ),
    );
    const [first, second] = placed;
    expect(first).toBe(this.#listed.has(symbol) ? second : -1121);
    for (const { engine } of this.#both) await engine.idle();
    if (first === undefined || (await this.#changing.engine.findAny(first)) === undefined) return;
    this.#orders.push(first);
    this.#open.add(symbol);
  }

  #order(symbol: string): Partial<OrderFields> {
    const price = this.#prices.get(symbol) ?? 100;
    const side = this.#random.pick(["BUY", "SELL"] as const);
    const at = (factor: number): string => (price * factor).toFixed(2);
    return {
      ...{ symbol, side, newClientOrderId: `order-${this.#orders.length}` },
      ...this.#random.pick([
        { type: "STOP_MARKET", stopPrice: at(side === "SELL" ? 0.97 : 1.03) },
        { type: "TRAILING_STOP_MARKET", trailingAmount: at(0.04) },
        {
          type: "TRAILING_STOP_MARKET",
          trailingAmount: at(0.04),
          stopPrice: at(side === "SELL" ? 1.02 : 0.98),
        },
        { type: "TWAP", quantity: "6", interval: 20_000, intervalCount: 3 },
        { type: "VWAP", quantity: "6", interval: 60_000, intervalCount: 3 },
        { type: "POV", quantity: "9", participationBips: 5_000 },
      ]),
    } as Partial<OrderFields>;
  }

  async #cancel(): Promise<void> {
    const [orderId] = this.#orders.slice(-3);
    if (orderId === undefined) return;
    for (const { engine } of this.#both) {
      await engine.cancel({ accountId: ACCOUNT, orderId }).catch(() => undefined);
      await engine.idle();
    }
  }

  async #pass(): Promise<void> {
    const ms = this.#random.pick([500, 3_000, 61_000]);
    for (const world of this.#both) await world.pass(ms);
  }

  async #crash(): Promise<void> {
    for (const world of this.#both) await world.crash();
    this.#open.clear();
    for (const orderId of this.#orders) {
      const { ended, intent } = await this.#changing.order(orderId);
      if (ended === undefined) this.#open.add(intent.symbol);
    }
  }

  get #both(): readonly World[] {
    return [this.#changing, this.#steady];
  }

  async #stateOf(world: World): Promise<unknown> {
    const market = world.engine.market as MarketHub;
    const orders: unknown[] = [];
    for (const orderId of this.#orders) {
      const order = await world.order(orderId);
      const reference = market.book(order.intent.symbol)?.reference(orderId);
      orders.push([order.trigger, order.activation, order.ended, reference && formatPrice(reference)]);
    }
    const markets = SYMBOLS.map((symbol) => [
      ...[market.now(symbol), market.lastPrice(symbol), formatQuantity(market.tape.total(symbol))],
      market.tape.minutes({ symbol, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }),
    ]);
    return { sent: sentTo(world.venue), orders, markets };
  }
}

it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  "instruments that come and go leave what an engine has that had them all the time, seed %i",
  async (seed) => {
    const listing = createListing([]);
    const changing = await createWorld({ catalogue: listing.catalogue });
    const history = new History(createRandom(seed), listing, changing, await createWorld());
    for (let step = 0; step < STEPS; step++) await history.step();
    expect((await changing.engine.verify()).equal).toBe(true);
  },
);
