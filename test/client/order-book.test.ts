import { describe, expect, it } from "vitest";
import { type LocalOrderBook, openOrderBook } from "../../src/client/index.ts";
import { BookSides } from "../../src/client/order-book.ts";
import { compareDecimals } from "../../src/client/replies.ts";
import { DEPTH_UPDATE } from "../../src/replies/index.ts";
import { PUBLIC_EVENTS } from "../../src/service/descriptions/event-schemas.ts";
import { openSocketWorld, type SocketWorld, settle } from "./socket-wire.ts";

type Levels = readonly (readonly [string, string])[];

const quote = async (world: SocketWorld, bids: Levels, asks: Levels): Promise<void> => {
  const [[bid = "0"] = []] = bids;
  const [[ask = "0"] = []] = asks;
  world.engine.market.quote({ symbol: "BTC/USD", bid, ask, bids, asks });
  await settle(world);
};

/** A world with a quote, and a book of its market. */
async function openBookWorld(options: Readonly<{ quietMs?: number; maxLevels?: number }> = {}) {
  const world = await openSocketWorld();
  await quote(
    world,
    [
      ["100", "1"],
      ["99.5", "2"],
    ],
    [["101", "1"]],
  );
  const { apiKey: _key, secret: _secret, ...rest } = world.options;
  const book = openOrderBook({ ...rest, symbol: "BTC/USD", ...options });
  const reported: string[] = [];
  for (const kind of ["synced", "changed", "lost"] as const) book.on(kind, () => reported.push(kind));
  await until(world, () => book.lastUpdateId !== undefined);
  return { ...world, book, reported };
}

async function until(world: SocketWorld, holds: () => boolean): Promise<void> {
  for (let step = 0; !holds(); step++) {
    if (step > 400) throw new Error("never came");
    await world.clock.advanceBy(250);
  }
}

/** The book as the service has it. */
async function served(world: SocketWorld): Promise<readonly unknown[]> {
  const { bids, asks, lastUpdateId } = await world.client.depth({ symbol: "BTC/USD", limit: 5000 });
  return [bids, asks, lastUpdateId];
}

const copied = ({ bids, asks, lastUpdateId }: LocalOrderBook): readonly unknown[] => [
  bids,
  asks,
  lastUpdateId,
];

describe("a local order book", () => {
  it("equals the service's book after each quote", async () => {
    const world = await openBookWorld();
    expect(copied(world.book)).toEqual(await served(world));
    await quote(
      world,
      [
        ["100.00000001", "1"],
        ["99.5", "0.5"],
        ["9", "3"],
      ],
      [
        ["101", "2"],
        ["1000", "1"],
      ],
    );
    expect(copied(world.book)).toEqual(await served(world));
    expect(world.book.bids).toEqual([
      ["100.00000001", "1"],
      ["99.5", "0.5"],
      ["9", "3"],
    ]);
    await quote(world, [["99.5", "0.5"]], [["100", "2"]]);
    expect(copied(world.book)).toEqual(await served(world));
    expect(world.reported).toEqual(["synced", "changed", "changed"]);
    world.book.close();
    expect(await world.book.ended).toBeUndefined();
  });

  it("complaint 35: a missing diff empties the book until a new snapshot is there", async () => {
    const world = await openBookWorld();
    const lost: unknown[] = [];
    world.book.on("lost", () => lost.push(world.book.bids, world.book.lastUpdateId));
    world.sockets.change = (text) => (text.includes("depthUpdate") ? [] : [text]);
    await quote(world, [["90", "1"]], [["101", "1"]]);
    world.sockets.change = (text) => [text];
    await quote(
      world,
      [
        ["90", "1"],
        ["80", "1"],
      ],
      [["101", "1"]],
    );
    expect(lost).toEqual([[], undefined]);
    await until(world, () => world.book.lastUpdateId !== undefined);
    expect(copied(world.book)).toEqual(await served(world));
    expect(world.reported).toEqual(["synced", "lost", "synced"]);
    world.book.close();
  });

  it("diffs that come twice or late change nothing", async () => {
    const world = await openBookWorld();
    const texts: string[] = [];
    world.sockets.change = (text) => {
      texts.push(text);
      return [text, text];
    };
    await quote(world, [["90", "1"]], [["101", "1"]]);
    const [old = ""] = texts;
    await quote(world, [["91", "1"]], [["101", "1"]]);
    world.sockets.say(old);
    await settle(world);
    expect(copied(world.book)).toEqual(await served(world));
    expect(world.reported).toEqual(["synced", "changed", "changed"]);
    world.book.close();
  });

  it("complaint 35: after a lost connection it begins with a new snapshot", async () => {
    const world = await openBookWorld();
    world.sockets.lose();
    await settle(world);
    expect(world.book.bids).toEqual([]);
    await quote(world, [["90", "1"]], [["101", "1"]]);
    await until(world, () => world.book.lastUpdateId !== undefined);
    expect(copied(world.book)).toEqual(await served(world));
    world.book.close();
  });

  describe("behind a load balancer", () => {
    /** A book whose changes come from one node, and whose snapshots come from another one until `turn` is called. */
    async function openBetweenNodes() {
      const [world, other] = await Promise.all([openSocketWorld(), openSocketWorld()]);
      // The counter that stands for randomness goes on, so that the ids of the nodes differ.
      await other.client.time();
      for (const price of ["90", "91", "92"]) await quote(other, [[price, "1"]], [["101", "1"]]);
      await quote(world, [["90", "1"]], [["101", "1"]]);
      const { apiKey: _key, secret: _secret, ...rest } = world.options;
      let requested = other;
      const fetch: typeof rest.fetch = (...call) => requested.wire.fetch(...call);
      const book = openOrderBook({ ...rest, fetch, symbol: "BTC/USD" });
      const reported: string[] = [];
      for (const kind of ["synced", "changed", "lost"] as const) book.on(kind, () => reported.push(kind));
      const turn = (): void => {
        requested = world;
      };
      return { world, other, book, reported, turn };
    }

    it.each([
      ["older", 1],
      ["newer", 4],
    ])("a book from another node is lost at the first diff, which looks %s", async (_age, quotes) => {
      const { world, book, reported, turn } = await openBetweenNodes();
      const lost: unknown[] = [];
      book.on("lost", () => {
        lost.push(book.bids);
        turn();
      });
      for (let count = 2; count < quotes; count++)
        await quote(world, [["95", String(count)]], [["101", "1"]]);
      await until(world, () => reported.includes("synced"));
      await quote(world, [["93", "1"]], [["101", "1"]]);
      expect([lost[0], reported.slice(0, 2)]).toEqual([[], ["synced", "lost"]]);
      await until(world, () => book.lastUpdateId !== undefined);
      expect(copied(book)).toEqual(await served(world));
      book.close();
    });

    it("a snapshot from another node than the waiting diffs is read again", async () => {
      const { world, other, book, reported, turn } = await openBetweenNodes();
      other.wire.strike("/api/depth", async (_call, pass) => {
        await quote(world, [["93", "1"]], [["101", "1"]]);
        const reply = await pass();
        turn();
        return reply;
      });
      await until(world, () => book.lastUpdateId !== undefined);
      expect(copied(book)).toEqual(await served(world));
      expect(reported).toEqual(["synced"]);
      expect(world.sockets.opened).toBe(1);
      book.close();
    });
  });

  it("silence ends the connection, and the book with it", async () => {
    const world = await openBookWorld({ quietMs: 10_000 });
    world.sockets.deaf = true;
    await until(world, () => world.reported.includes("lost"));
    world.sockets.deaf = false;
    await until(world, () => world.book.lastUpdateId !== undefined);
    expect(world.sockets.opened).toBeGreaterThan(1);
    world.book.close();
  });

  it("a book with too many levels begins anew", async () => {
    const world = await openBookWorld({ maxLevels: 2 });
    await quote(
      world,
      [
        ["100", "1"],
        ["99", "1"],
        ["98", "1"],
      ],
      [["101", "1"]],
    );
    expect(world.reported.slice(0, 2)).toEqual(["synced", "lost"]);
    world.book.close();
  });

  it("a snapshot with too many levels is never shown", async () => {
    const world = await openBookWorld({ maxLevels: 2 });
    const levels: Levels = [
      ["100", "1"],
      ["99", "1"],
      ["98", "1"],
    ];
    await quote(world, levels, [["101", "1"]]);
    await world.clock.advanceBy(10_000);
    await quote(world, levels, [["101", "2"]]);
    expect(world.reported).toEqual(["synced", "lost"]);
    await quote(world, [["100", "1"]], [["101", "1"]]);
    await until(world, () => world.book.lastUpdateId !== undefined);
    expect(copied(world.book)).toEqual(await served(world));
    world.book.close();
  });

  it("a market that does not exist ends the book with the refusal", async () => {
    const world = await openSocketWorld();
    const { apiKey: _key, secret: _secret, ...rest } = world.options;
    const book = openOrderBook({ ...rest, symbol: "NO/USD" });
    expect(await book.ended).toMatchObject({ kind: "refused" });
  });

  it("complaint 40: prices are compared as numbers, exactly", () => {
    const sorted = [
      "-2",
      "-1.5",
      "0",
      "0.00000001",
      "9",
      "10",
      "10.5",
      "90071992547409930.1",
      "90071992547409930.2",
    ];
    for (const [index, low] of sorted.entries())
      for (const high of sorted.slice(index + 1)) {
        expect(compareDecimals(low, high)).toBeLessThan(0);
        expect(compareDecimals(high, low)).toBeGreaterThan(0);
      }
    expect([
      compareDecimals("1.50", "1.5"),
      compareDecimals("-0", "0.0"),
      compareDecimals("01", "1"),
    ]).toEqual([0, 0, 0]);
    const sides = new BookSides({
      symbol: "A/USD",
      lastUpdateId: "9007199254740993",
      bids: [["1.50", "1"]],
      asks: [],
    });
    const diff = { s: "A/USD", U: "9007199254740994", u: "9007199254740994", a: [] };
    expect(sides.apply({ ...diff, b: [["1.5", "0.000"]] })).toBe("next");
    expect([sides.bids, sides.lastUpdateId]).toEqual([[], "9007199254740994"]);
    expect(sides.apply({ ...diff, b: [] })).toBe("old");
    expect(sides.apply({ ...diff, U: "9007199254740996", u: "9007199254740996", b: [] })).toBe("gap");
  });

  it("reads members that the service describes", () => {
    const { properties } = PUBLIC_EVENTS.DepthUpdate as unknown as Readonly<{ properties: object }>;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(DEPTH_UPDATE)));
  });
});
