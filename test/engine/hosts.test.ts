import { describe, expect, it } from "vitest";
import type { OrderError } from "../../src/errors/index.ts";
import type { VenueCapabilities } from "../../src/ports/index.ts";
import { createScriptedVenue, filled, sentTo } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";

const EXIT = { side: "SELL", type: "STOP_MARKET", stopPrice: "100", reduceOnly: true } as const;

const codeOf = (requested: Promise<unknown>): Promise<unknown> =>
  requested.then(
    () => "taken",
    (error: OrderError) => error.code,
  );

describe("decision CC: the host's answers when an order is placed", () => {
  it.each<readonly [what: string, answer: unknown]>([
    ["null", null],
    [
      "a consent in text",
      { accountId: 1, userId: 1, enableDataSharing: "yes", delegates: [], restricted: false },
    ],
    [
      "another account",
      { accountId: 2, userId: 1, enableDataSharing: true, delegates: [], restricted: false },
    ],
    [
      "a restriction in text",
      { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: "BTC/USD" },
    ],
  ])("%s as an account is a failure of the service, and nothing is stored", async (_what, answer) => {
    const world = await createWorld();
    world.accounts.account = () => answer as never;
    expect(await codeOf(world.place({ price: "100" }))).toBe(-1001);
    expect(world.engine.metrics().openParents).toBe(0);
  });

  it.each<readonly [what: string, answer: unknown]>([
    ["text", "1"],
    ["a float", 0.5],
    ["nothing", undefined],
    ["10^30", 10n ** 36n],
  ])("%s as a position is a failure of the service, never a missing position", async (_what, answer) => {
    const world = await createWorld();
    world.exposure.position = () => answer as never;
    expect(await codeOf(world.place(EXIT))).toBe(-1001);
  });

  it("an account port that never answers fails the order after the deadline, and its late answer is ignored", async () => {
    const world = await createWorld({ settings: { hostTimeoutMs: 700 } });
    let answer: () => void = () => undefined;
    world.accounts.account = () =>
      new Promise((resolve) => {
        answer = () =>
          resolve({ accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false });
      });
    const placed = codeOf(world.place({ price: "100" }));
    await world.pass(700);
    expect(await placed).toBe(-1001);
    answer();
    await world.engine.idle();
    expect(world.engine.metrics().openParents).toBe(0);
  });
});

describe("decision CC: the host's answers while an order works", () => {
  it("a position that cannot be read sends nothing and is requested again", async () => {
    const world = await createWorld();
    world.exposure.position = () => 1_000_000 as never;
    await world.place(EXIT);
    world.exposure.position = () => "1" as never;
    await world.quote("99", "100");
    expect(world.venue.submitted).toEqual([]);
    Object.assign(world.exposure, { position: () => Promise.resolve(500_000) });
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["SELL 0.5"]);
  });

  it.each<readonly [what: string, quote: unknown]>([
    ["null", null],
    ["text", "60000"],
    ["numbers as prices", { symbol: SYMBOL, bid: 99, ask: 100 }],
    ["invalid levels", { symbol: SYMBOL, bid: "99", ask: "100", bids: 7 }],
    [
      "a part that throws",
      {
        symbol: SYMBOL,
        get bid(): string {
          throw new Error("no");
        },
      },
    ],
  ])("%s as a quote is dropped and never thrown back to its source", async (_what, quote) => {
    const world = await createWorld();
    expect(world.engine.market.quote(quote as never)).toBe("malformed");
    expect(() => world.engine.market.print(quote as never)).not.toThrow();
    expect(() => world.engine.market.heartbeat(quote as never)).not.toThrow();
    expect(world.engine.metrics().quotesDropped.malformed).toBe(1);
    expect(world.engine.metrics().printsDropped).toBe(1);
  });
});

describe("decision CD: a venue whose capabilities cannot be read", () => {
  async function sending(capabilities: VenueCapabilities | Error): Promise<World> {
    const venue = createScriptedVenue();
    Object.defineProperty(venue, "capabilities", {
      get: () => {
        if (capabilities instanceof Error) throw capabilities;
        return capabilities;
      },
    });
    const world = await createWorld({ venue });
    for (const price of ["100", "100", "100"]) await world.place({ price });
    await world.quote("99", "100");
    return world;
  }

  it.each<readonly [what: string, capabilities: VenueCapabilities | Error]>([
    ["a rate of 0", { honoursDeadline: true, canVoid: false, ratePerSecond: 0 }],
    ["a rate below 0", { honoursDeadline: true, canVoid: false, ratePerSecond: -5 }],
    ["a rate that is not a number", { honoursDeadline: true, canVoid: false, ratePerSecond: Number.NaN }],
    ["an infinite rate", { honoursDeadline: true, canVoid: false, ratePerSecond: Number.POSITIVE_INFINITY }],
    ["text in place of capabilities", "fast" as never],
    ["a throw", new Error("no")],
  ])("%s: one child per second goes out, and none is lost", async (_what, capabilities) => {
    const world = await sending(capabilities);
    expect(world.venue.submitted).toHaveLength(1);
    for (let n = 0; n < 2; n++) {
      await world.quote("99", "100");
      await world.pass(1_000);
    }
    expect(world.venue.submitted).toHaveLength(3);
    expect(world.reported).toContain("venue.capabilities");
  });

  it("I22: not-found settles none of its children", async () => {
    const venue = createScriptedVenue({ honoursDeadline: "yes" as never });
    const world = await createWorld({ venue });
    const order = await world.place({ price: "100" });
    venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    await world.pass(60_000);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
  });
});

describe("decision CD: callbacks of a host", () => {
  it("telemetry, probe and listeners that throw or reject disturb neither the engine nor each other", async () => {
    const received: string[] = [];
    const world = await createWorld({
      report: () => {
        throw new Error("no ear");
      },
      probe: () => {
        throw new Error("no probe");
      },
    });
    world.engine.events.on("order", () => {
      throw new Error("no listener");
    });
    world.engine.events.on("order", (async () => {
      throw new Error("no listener");
    }) as never);
    world.engine.events.on("order", ({ order }) => received.push(String(order.executedQuantity)));
    world.venue.onSubmit = (child) => filled(child);
    const order = await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(received.at(-1)).toBe("1000000");
    expect((await world.engine.verify()).equal).toBe(true);
  });
});
