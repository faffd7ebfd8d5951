import type { OrderFields } from "../../src/requests/index.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";
import { figure, medianOf, printTable } from "./measure.ts";

const PARENTS = 10_000;
const RUNS = 5;
const DELAY_MS = 1_000;

/** A TWAP whose first slot opens after the delay; nothing is due before. */
const slice: Partial<OrderFields> = {
  type: "TWAP",
  quantity: "2",
  interval: 60_000,
  intervalCount: 2,
  intervalDelay: DELAY_MS,
};

/** The peer: the same number of plain limits that the same quote triggers. */
const limit: Partial<OrderFields> = { type: "SYNTHETIC_LIMIT", quantity: "1", price: "100" };

const secondsUntil = async (run: () => Promise<unknown>): Promise<number> => {
  const start = process.hrtime.bigint();
  await run();
  return Number(process.hrtime.bigint() - start) / 1e9;
};

async function worldOf(order: Partial<OrderFields>): Promise<World> {
  const world = await createWorld();
  await world.quote("99", "101");
  for (let n = 0; n < PARENTS; n += 500) {
    const placing = Array.from({ length: 500 }, () => world.place(order));
    await Promise.all(placing);
  }
  return world;
}

type Times = Readonly<{ tickMs: number; quoteMs: number }>;

/** Advances the clock once to open every first slot, then sends one quote that all slots may use. */
async function timesOf(order: Partial<OrderFields>): Promise<Times> {
  const world = await worldOf(order);
  const tick = await secondsUntil(() => world.pass(DELAY_MS));
  const quote = await secondsUntil(() => world.quote("98", "100"));
  const { length } = world.venue.submitted;
  if (length !== PARENTS) throw new Error(`${length} children of ${PARENTS} on ${SYMBOL}`);
  return { tickMs: tick * 1e3, quoteMs: quote * 1e3 };
}

/**
 * Compares 10,000 schedule slots that are due at the same time with the same number of limits that trigger on one
 * quote; memory store.
 */
export async function benchSlots(): Promise<void> {
  const slots: Times[] = [];
  const limits: Times[] = [];
  for (let run = 0; run < RUNS; run++) {
    slots.push(await timesOf(slice));
    limits.push(await timesOf(limit));
  }
  const median = (times: readonly Times[], of: keyof Times): number => medianOf(times.map((t) => t[of]));
  const ratio = median(slots, "quoteMs") / median(limits, "quoteMs");
  printTable(`${figure(PARENTS)} TWAP slots due on one tick; as many limits on one quote (memory store)`, [
    ["tick, ms", "all children out and filled, ms", "limits: the same, ms", "slots / limits"],
    [
      figure(median(slots, "tickMs")),
      figure(median(slots, "quoteMs")),
      figure(median(limits, "quoteMs")),
      `${figure(ratio)}x`,
    ],
  ]);
}
