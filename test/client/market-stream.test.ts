import { describe, expect, it } from "vitest";
import { followMarkets, type MarketStreamEvent } from "../../src/client/index.ts";
import { MARKET_KINDS, readMarketEvent } from "../../src/client/market-stream.ts";
import { BOOK_TICKER, PARTIAL_DEPTH, PUBLIC_TRADE } from "../../src/replies/index.ts";
import { PUBLIC_EVENTS } from "../../src/service/descriptions/event-schemas.ts";
import { openSocketWorld, type SocketWorld, settle } from "./socket-wire.ts";

const TABLES = { bookTicker: BOOK_TICKER, depth20: PARTIAL_DEPTH, trade: PUBLIC_TRADE } as const;
const SCHEMAS = { bookTicker: "BookTicker", depth20: "PartialDepth", trade: "PublicTrade" } as const;

async function until(world: SocketWorld, holds: () => boolean): Promise<void> {
  for (let step = 0; !holds(); step++) {
    if (step > 400) throw new Error("never came");
    await world.clock.advanceBy(250);
  }
}

async function open(options: Readonly<{ kinds?: readonly (typeof MARKET_KINDS)[number][] }> = {}) {
  const world = await openSocketWorld();
  const { apiKey: _key, secret: _secret, ...rest } = world.options;
  const stream = followMarkets({ ...rest, symbols: ["BTC/USD"], ...options });
  const seen: MarketStreamEvent[] = [];
  for (const kind of ["synced", "lost", ...MARKET_KINDS] as const) {
    stream.on(kind, (event) => seen.push(event));
  }
  await until(world, () => seen.length > 0);
  return { ...world, stream, seen };
}

describe("followMarkets", () => {
  it.each([...MARKET_KINDS])("the members of %s are those of the service's description", (kind) => {
    const { properties = {} } = PUBLIC_EVENTS[SCHEMAS[kind]] ?? {};
    for (const member of Object.keys(TABLES[kind]))
      expect(Object.keys(properties as object)).toContain(member);
  });

  it("hands out best prices, levels and trades with exact texts", async () => {
    const world = await open();
    world.engine.market.quote({ symbol: "BTC/USD", bid: "100.00000001", ask: "101" });
    world.engine.market.print({
      symbol: "BTC/USD",
      id: "9007199254740993",
      price: "101",
      quantity: "0.5",
      timeMs: world.clock.nowMs(),
    });
    await settle(world);
    await until(world, () => world.seen.length >= 4);
    expect(world.seen.map(({ kind }) => kind)).toEqual(["synced", "bookTicker", "depth20", "trade"]);
    expect(world.seen[1]).toMatchObject({ event: { s: "BTC/USD", b: "100.00000001", a: "101" } });
    expect(world.seen[3]).toMatchObject({ event: { t: "9007199254740993", p: "101", q: "0.5" } });
    world.stream.close();
    expect(await world.stream.ended).toBeUndefined();
  });

  it("subscribes only to the kinds that are asked for", async () => {
    const world = await open({ kinds: ["trade"] });
    world.engine.market.quote({ symbol: "BTC/USD", bid: "100", ask: "101" });
    world.engine.market.print({
      symbol: "BTC/USD",
      id: "1",
      price: "101",
      quantity: "0.5",
      timeMs: world.clock.nowMs(),
    });
    await settle(world);
    await until(world, () => world.seen.length >= 2);
    expect(world.seen.map(({ kind }) => kind)).toEqual(["synced", "trade"]);
    world.stream.close();
  });

  it("ends for a market that does not exist", async () => {
    const world = await openSocketWorld();
    const { apiKey: _key, secret: _secret, ...rest } = world.options;
    const stream = followMarkets({ ...rest, symbols: ["NOPE/USD"] });
    let why: Error | undefined;
    void stream.ended.then((error) => {
      why = error;
    });
    await until(world, () => why !== undefined);
    expect(why).toMatchObject({ kind: "refused" });
  });

  it("a message with a member of another type is an error, and one of another kind is left out", () => {
    expect(readMarketEvent({ e: "depthUpdate" })).toBeUndefined();
    expect(() => readMarketEvent({ e: "trade", E: 1, s: "BTC/USD", p: 101 })).toThrow(/trade|t/);
  });

  it.each([
    [{ symbols: "BTC/USD" }, "followMarkets.symbols"],
    [{ symbols: ["BTC/USD"], kinds: ["depth"] }, "followMarkets.kinds"],
  ])("a wrong option is named: %j", (wrong, name) => {
    const options = { baseUrl: "http://127.0.0.1:1", ...wrong };
    expect(() => followMarkets(options as never)).toThrow(name);
  });
});
