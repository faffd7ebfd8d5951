import { expect, it } from "vitest";
import { createRandom, type Random } from "../../src/common/random.ts";
import { formatPrice, formatQuantity } from "../../src/decimal/index.ts";
import type { MarketHub } from "../../src/engine/market/market-hub.ts";
import type { PrintInput } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createListing, type Listing } from "../support/listing.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { ACCOUNT, createWorld, INSTRUMENTS, type World } from "../support/world.ts";

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
  "decision BN: instruments that come and go leave what an engine has that had them all the time, seed %i",
  async (seed) => {
    const listing = createListing([]);
    const changing = await createWorld({ catalogue: listing.catalogue });
    const history = new History(createRandom(seed), listing, changing, await createWorld());
    for (let step = 0; step < STEPS; step++) await history.step();
    expect((await changing.engine.verify()).equal).toBe(true);
  },
);
