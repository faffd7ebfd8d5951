import { describe, expect, it } from "vitest";
import { formatQuantity } from "../../src/decimal/index.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import type { MarketSink } from "../../src/ports/index.ts";
import { createCluster, settle, TTL_MS } from "../support/cluster.ts";
import { createListing } from "../support/listing.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { accountOn, move, orderOn, pairOf, placeOn, shardIn, verified } from "../support/sharing.ts";
import { ACCOUNT, createWorld, INSTRUMENTS, SYMBOL, type World } from "../support/world.ts";

const STOP = { type: "STOP_MARKET", side: "SELL", stopPrice: "90" } as const;
const TRAIL = { type: "TRAILING_STOP_MARKET", side: "SELL", trailingAmount: "5" } as const;
const OTHERS = INSTRUMENTS.filter(({ symbol }) => symbol !== SYMBOL);

const reasonsOf = ({ engine }: Pick<World, "engine">): readonly string[] =>
  engine.status().reasons.map(({ kind }) => kind);

describe("an instrument that comes after the engine was opened", () => {
  it("takes quotes, prints and orders from then on", async () => {
    const { catalogue, list } = createListing(OTHERS);
    const world = await createWorld({ catalogue });
    expect(await world.quote("99", "100")).toBe("unknown-symbol");
    await world.print("7");
    await expect(world.place(STOP)).rejects.toMatchObject({ code: -1121 });
    list(INSTRUMENTS);
    expect(await world.quote("99", "100")).toBe("counted");
    const trail = await world.place(TRAIL);
    await world.place({ ...STOP, quantity: "2" });
    await world.place({ type: "POV", quantity: "5", participationBips: 5_000 });
    await world.quote("100", "101");
    await world.print("2");
    expect(sentTo(world.venue)).toEqual(["BUY 1"]);
    await world.quote("95", "96");
    await world.quote("90", "91");
    expect(sentTo(world.venue)).toEqual(["BUY 1", "SELL 1", "SELL 2"]);
    expect((await world.order(trail)).trigger).toBeDefined();
    expect(world.engine.metrics()).toMatchObject({ printsCounted: 1, printsDropped: 1 });
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("takes an order before its first quote, which may be placed before any other", async () => {
    const { catalogue, list } = createListing([]);
    const world = await createWorld({ catalogue });
    list(INSTRUMENTS);
    await world.place(STOP);
    await world.quote("89", "90");
    expect(sentTo(world.venue)).toEqual(["SELL 1"]);
  });

  it("is not there for quotes while the host cannot tell, which its operator is told once a second", async () => {
    const { catalogue, fail } = createListing(INSTRUMENTS);
    const world = await createWorld({ catalogue });
    fail(true);
    for (let n = 0; n < 100; n++) expect(await world.quote("99", "100")).toBe("unknown-symbol");
    await world.print("1");
    expect(world.reported).toEqual(["host.failed"]);
    fail(false);
    await world.pass(1_000);
    expect(await world.quote("99", "100")).toBe("counted");
    // An open market asks no more.
    fail(true);
    expect(await world.quote("99", "100")).toBe("counted");
  });

  it("is not opened by an order that is only checked or that is refused", async () => {
    const { catalogue, list } = createListing(INSTRUMENTS);
    const world = await createWorld({ catalogue });
    const order = { ...STOP, symbol: SYMBOL, quantity: "1" };
    await world.engine.check({ accountId: ACCOUNT, order });
    await expect(world.place({ ...STOP, quantity: "0.000001" })).rejects.toMatchObject({ code: -1013 });
    await expect(world.place(STOP, 3)).rejects.toMatchObject({ reason: "UNKNOWN_ACCOUNT" });
    list(OTHERS);
    expect(await world.quote("99", "100")).toBe("unknown-symbol");
  });

  it("is watched on a node of a cluster that was opened before, and its first quote there must be confirmed", async () => {
    const { catalogue, list } = createListing(OTHERS);
    const { cluster, a, b } = await pairOf(createCluster(undefined, { catalogue }));
    list(INSTRUMENTS);
    const stop = await placeOn(a, accountOn(a), STOP);
    const trail = await placeOn(b, accountOn(b), { ...TRAIL, quantity: "2", stopPrice: "95" });
    await move(cluster, shardIn(stop), b);
    await move(cluster, shardIn(trail), a);
    await cluster.quote("89", "90");
    expect(sentTo(cluster.venue)).toEqual([]);
    await cluster.quote("89", "90");
    expect(sentTo(cluster.venue)).toEqual(["SELL 1"]);
    await cluster.quote("96", "97");
    await cluster.quote("91", "92");
    expect(sentTo(cluster.venue)).toEqual(["SELL 1", "SELL 2"]);
    expect((await orderOn(b, stop)).trigger).toBeDefined();
    await cluster.pass(TTL_MS);
    await verified([a, b]);
  });

  it("is watched after a takeover by a standby that was opened before", async () => {
    const { catalogue, list } = createListing(OTHERS);
    const cluster = createCluster(undefined, { catalogue });
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    list(INSTRUMENTS);
    for (let n = 0; n < 2; n++) await cluster.quote("99", "100");
    await cluster.place(a, STOP);
    await cluster.place(a, { ...TRAIL, quantity: "2" });
    await cluster.quote("99", "100");
    await cluster.quote("100", "101");
    await cluster.pass(6_000);
    a.process.kill();
    await cluster.pass(2 * TTL_MS);
    const engine = cluster.active(b);
    await cluster.quote("95", "96");
    await cluster.quote("90", "91");
    expect(sentTo(cluster.venue)).toEqual(["SELL 2", "SELL 1"]);
    expect((await engine.verify()).equal).toBe(true);
  });
});

describe("a market whose first quotes come while an engine takes over", () => {
  it("has these quotes from then on", async () => {
    const quote = { symbol: "ETH/USD", bid: "50", ask: "51" };
    const verdicts: string[] = [];
    const passing = (name: string, point: string, sink: MarketSink) => {
      if (name === "b" && point === "after-load")
        for (let n = 0; n < 2; n++) verdicts.push(sink.quote(quote));
    };
    const cluster = createCluster(undefined, { passing });
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    await cluster.pass(6_000);
    a.process.kill();
    await cluster.pass(2 * TTL_MS);
    expect(verdicts.at(-1)).toBe("counted");
    expect(cluster.active(b).quote("ETH/USD")?.quote.sequence).toBe(
      verdicts.filter((one) => one === "counted").length,
    );
  });

  it("must have them confirmed on a node, whose orders may come later", async () => {
    const quote = { symbol: "ETH/USD", bid: "50", ask: "51" };
    const verdicts: string[] = [];
    const passing = (_name: string, point: string, sink: MarketSink) => {
      if (point === "after-load") verdicts.push(sink.quote(quote));
    };
    const cluster = createCluster(undefined, { passing });
    const { engine } = await cluster.join("a");
    verdicts.push(engine.market.quote({ ...quote, bid: "0.5", ask: "0.6" }));
    verdicts.push(engine.market.quote({ ...quote, bid: "0.5", ask: "0.6" }));
    expect(verdicts).toEqual(["unconfirmed", "unconfirmed", "counted"]);
  });
});

describe("an instrument that the host has withdrawn", () => {
  it("is watched on while it has open orders, also after the engine was opened again", async () => {
    const { catalogue, list } = createListing(INSTRUMENTS);
    const world = await createWorld({ catalogue });
    await world.quote("99", "100");
    await world.place(STOP);
    list(OTHERS);
    await expect(world.place(STOP)).rejects.toMatchObject({ code: -1121 });
    expect(await world.quote("99", "100")).toBe("counted");
    await world.crash();
    expect(await world.quote("95", "96")).toBe("counted");
    await world.quote("90", "91");
    expect(sentTo(world.venue)).toEqual(["SELL 1"]);
  });

  it("has stopped only for the open orders on it, or if the host cannot tell", async () => {
    const { catalogue, list, fail } = createListing(INSTRUMENTS);
    const world = await createWorld({ catalogue });
    await world.quote("99", "100");
    const stop = await world.place(STOP);
    await world.pass(DEFAULT_SETTINGS.quoteMaxAgeMs + 1, { heartbeat: false });
    list(OTHERS);
    expect(reasonsOf(world)).toEqual(["QUOTES_STOPPED"]);
    await world.cancel(stop);
    expect(reasonsOf(world)).toEqual([]);
    fail(true);
    expect(reasonsOf(world)).toEqual(["QUOTES_STOPPED"]);
    fail(false);
    list(INSTRUMENTS);
    expect(reasonsOf(world)).toEqual(["QUOTES_STOPPED"]);
  });

  it("is asked for by the status once a second while the host cannot tell, and its operator is told as often", async () => {
    const { catalogue, fail } = createListing(INSTRUMENTS);
    const world = await createWorld({ catalogue });
    await world.quote("99", "100");
    await world.pass(DEFAULT_SETTINGS.quoteMaxAgeMs + 1, { heartbeat: false });
    fail(true);
    for (let n = 0; n < 100; n++) expect(reasonsOf(world)).toEqual(["QUOTES_STOPPED"]);
    expect(world.reported).toEqual(["host.failed"]);
    await world.pass(1_000, { heartbeat: false });
    expect(reasonsOf(world)).toEqual(["QUOTES_STOPPED"]);
    expect(world.reported).toEqual(["host.failed", "host.failed"]);
  });

  it("has stopped on a node of a cluster only for the open orders that run there", async () => {
    const { catalogue, list } = createListing(INSTRUMENTS);
    const { cluster, a, b } = await pairOf(createCluster(undefined, { catalogue }));
    await cluster.quote("99", "100");
    await cluster.quote("99", "100");
    await placeOn(a, accountOn(a), STOP);
    list(OTHERS);
    await cluster.clock.advanceBy(DEFAULT_SETTINGS.quoteMaxAgeMs + 1, settle);
    expect([a, b].map(reasonsOf)).toEqual([["QUOTES_STOPPED"], []]);
  });

  it("has its executed volume when it comes back, as if it had stayed", async () => {
    const { catalogue, list } = createListing(INSTRUMENTS);
    const world = await createWorld({ catalogue });
    await world.print("7");
    list(OTHERS);
    await world.crash();
    expect(await world.quote("99", "100")).toBe("unknown-symbol");
    list(INSTRUMENTS);
    await world.print("2", { id: "print-1" });
    await world.print("2");
    const bars = world.engine.priceBars({ symbol: SYMBOL, lengthMs: 60_000, fromMs: 0, toMs: 2e12 });
    expect(bars?.map(({ figures }) => formatQuantity(figures.quantity))).toEqual(["9"]);
  });
});
