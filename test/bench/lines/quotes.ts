import { createMemoryStore } from "../../../src/adapters/memory/index.ts";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import type { Engine } from "../../../src/engine/index.ts";
import { accountIn, openBenchEngine, turn } from "../bench-engine.ts";
import { benchFolder } from "../bench-folder.ts";
import { keepResting } from "../burst-stores.ts";
import type { Line } from "../line.ts";
import { beginQuotes, feed, quotesOf, stopBelow, trailing } from "../market.ts";
import { metered } from "../metered.ts";

const QUOTES = 300_000;

/** Opens an engine over a memory store with resting stops that no quote of {@link quotesOf} triggers. */
async function dormant(parents: number): Promise<Engine> {
  const store = createMemoryStore();
  await keepResting(store, { parents, accountOf: accountIn, intentOf: stopBelow });
  return (await openBenchEngine(store)).engine;
}

/** Measures quotes that trigger nothing: the usual cost of a market. */
export const dormantQuotes: Line = {
  work: "dormant quote through the engine, 1,000,000 stops, from four strings",
  unit: "quotes",
  peer: "the same with 1,000 stops",
  timedBy: "processor",
  target: ">= 1.5 M/s, <= 1.5x of 1,000 stops",
  reached: (perSecond, ratio) => perSecond >= 1.5e6 && ratio >= 1 / 1.5,
  async open({ of }) {
    const [many, few] = [await dormant(of(1_000_000)), await dormant(of(1_000))];
    const quotes = quotesOf(of(QUOTES), false);
    for (const engine of [many, few]) beginQuotes(engine);
    feed(many, quotes.slice(0, 20_000));
    feed(few, quotes.slice(0, 20_000));
    return {
      take: async () => ({
        ours: await metered(quotes.length, () => feed(many, quotes)),
        peer: await metered(quotes.length, () => feed(few, quotes)),
      }),
      close: async () => {
        await many.close();
        await few.close();
      },
    };
  },
};

/** Measures heartbeats, which offer the quote that stands to the orders that can act on it: none here. */
export const dormantHeartbeats: Line = {
  work: "heartbeat of a market, 1,000,000 stops",
  unit: "heartbeats",
  peer: "the engine, as many dormant quotes",
  timedBy: "processor",
  target: "costs what a quote costs at most",
  reached: (_perSecond, ratio) => ratio >= 1,
  async open({ of }) {
    const engine = await dormant(of(1_000_000));
    const quotes = quotesOf(of(QUOTES), false);
    beginQuotes(engine);
    feed(engine, quotes.slice(0, 20_000));
    const beat = (): void => {
      for (const { symbol } of quotes) engine.market.heartbeat(symbol);
    };
    return {
      take: async () => ({
        ours: await metered(quotes.length, beat),
        peer: await metered(quotes.length, () => feed(engine, quotes)),
      }),
      close: async () => {
        await engine.close();
      },
    };
  },
};

const NEW_HIGHS = 200_000;

/** Measures new highs for trailing stops, a fixed number per turn, until the last mark is durable. */
function newHighs(perTurn: number, perSecond: number): Line {
  return {
    work: `new highs, 1,000,000 trailing stops, SQLite, ${perTurn} a turn`,
    unit: "quotes",
    timedBy: "processor",
    target: `>= ${perSecond / 1e6} M/s`,
    reached: (rate) => rate >= perSecond,
    async open({ of }) {
      const folder = benchFolder();
      const store = openSqliteStore({ path: folder.path("orders.db") });
      await keepResting(store, { parents: of(1_000_000), accountOf: accountIn, intentOf: trailing });
      const { engine } = await openBenchEngine(store);
      beginQuotes(engine);
      const count = of(NEW_HIGHS);
      return {
        async take(round) {
          const quotes = quotesOf(count, true, 700_000_000_000 + round * count * 1_000);
          const ours = await metered(count, async () => {
            for (let from = 0; from < count; from += perTurn) {
              feed(engine, quotes.slice(from, from + perTurn));
              await turn();
            }
            await engine.idle();
          });
          return { ours };
        },
        async close() {
          await engine.close();
          folder.remove();
        },
      };
    },
  };
}

export const newHighsOneATurn: Line = newHighs(1, 0.2e6);
export const newHighsManyATurn: Line = newHighs(64, 0.5e6);
