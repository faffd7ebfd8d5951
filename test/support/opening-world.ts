import {
  createManualClock,
  createMemoryAccounts,
  createMemoryDisk,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryStore,
  type ManualClock,
  type MemoryDisk,
} from "../../src/adapters/memory/index.ts";
import { type Engine, type EngineOptions, openEngine } from "../../src/engine/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { ChildReport, ExecutionVenue, OrderStore } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { turns } from "./faulty-world.ts";
import { createGate, type Gate } from "./gate.ts";
import { createScriptedVenue, type ScriptedVenue } from "./scripted-venue.ts";
import { INSTRUMENTS, START_MS, SYMBOL } from "./world.ts";

/** One disk, one venue and one clock, on which a test opens engines. */
export type OpeningWorld = Readonly<{
  disk: MemoryDisk;
  clock: ManualClock;
  venue: ScriptedVenue;
  /** Messages of the newest engine to its operator. */
  reported: string[];
  /** Opens an engine, with other parts if given; the previous one is left as after a crash. */
  open(parts?: Partial<EngineOptions>): Promise<Engine>;
  /** Opens an engine whose store reads no shard before the gate is opened. */
  openSlowly(parts?: Partial<EngineOptions>): Promise<SlowOpening>;
}>;

/** An engine that is opening, and the gate before the reads of its store. */
export type SlowOpening = Readonly<{ opening: Promise<Engine>; reads: Gate }>;

export function createOpeningWorld(): OpeningWorld {
  const disk = createMemoryDisk();
  const clock = createManualClock({ startMs: START_MS });
  const venue = createScriptedVenue();
  const reported: string[] = [];
  let tokens = 0;
  let engines = 0;
  const account = (accountId: number): Parameters<typeof createMemoryAccounts>[0] => [
    {
      account: { accountId, userId: accountId, enableDataSharing: true, delegates: [], restricted: false },
      keys: [],
    },
  ];
  const open = (parts: Partial<EngineOptions> = {}): Promise<Engine> => {
    const number = ++engines;
    reported.length = 0;
    return openEngine({
      store: createMemoryStore({ disk }),
      instruments: createMemoryInstruments(INSTRUMENTS),
      accounts: createMemoryAccounts([...(account(1) ?? []), ...(account(2) ?? [])]),
      exposure: createMemoryExposure(),
      venue,
      clock,
      entropy: { token: (length) => String(++tokens).padStart(length, "t") },
      telemetry: { event: (_level, name) => void (number === engines && reported.push(name)) },
      settings: { advancedOrders: true },
      ...parts,
    });
  };
  return {
    disk,
    clock,
    venue,
    reported,
    open,
    async openSlowly(parts = {}) {
      const reads = createGate();
      reads.shut();
      const store: OrderStore = parts.store ?? createMemoryStore({ disk });
      const slow: OrderStore = {
        ...store,
        async head(shard) {
          await reads.pass();
          return await store.head(shard);
        },
      };
      const opening = open({ ...parts, store: slow });
      for (let tries = 0; tries < 20 && reads.held === 0; tries++) await turns();
      return { opening, reads };
    },
  };
}

/** Places an order on {@link SYMBOL}. */
export async function placeOn(
  engine: Engine,
  fields: Partial<OrderFields>,
  accountId = 1,
): Promise<ParentOrder> {
  const usual = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1" };
  const order = { ...usual, ...fields } as OrderFields;
  return (await engine.place({ accountId, order })).order;
}

/** Feeds a quote and waits until all work is done. */
export async function quoteTo(engine: Engine, bid: string, ask: string): Promise<void> {
  engine.market.quote({ symbol: SYMBOL, bid, ask });
  await engine.idle();
}

/** A venue that holds its reports until the first listener subscribes, and sends them before `subscribe` returns. */
export function withOutbox(venue: ScriptedVenue, outbox: readonly ChildReport[]): ExecutionVenue {
  return {
    ...boundTo(venue),
    subscribe(listener) {
      const unsubscribe = venue.subscribe(listener);
      for (const report of outbox) listener({ report });
      return unsubscribe;
    },
  };
}

/** The venue as a plain object, so that parts of it can be replaced. */
export function boundTo(venue: ScriptedVenue): ExecutionVenue {
  return {
    capabilities: venue.capabilities,
    submit: (child, options) => venue.submit(child, options),
    lookup: (child) => venue.lookup(child),
    subscribe: (listener) => venue.subscribe(listener),
  };
}
