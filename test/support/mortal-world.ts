import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { ProbePoint } from "../../src/engine/index.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import type { ChildReport, Clock, OrderStore } from "../../src/ports/index.ts";
import { turns } from "./faulty-world.ts";
import { createScriptedVenue, type ScriptedVenue } from "./scripted-venue.ts";
import { createWorld, SYMBOL, type World, type WorldOptions } from "./world.ts";

/** A world whose first engine dies at one of the probe points that it passes; the venue keeps its orders. */
export type MortalWorld = Readonly<{
  world: World;
  /** Points passed so far by the first engine. */
  points: readonly ProbePoint[];
  /** Feeds a quote; if the engine died of it another takes over. */
  quote(bid: string, ask: string): Promise<void>;
  pass(ms: number): Promise<void>;
  /** Runs an action that may never be answered. */
  attempt(doing: () => Promise<unknown>): Promise<void>;
}>;

/** Creates an engine that dies at the `dieAt`-th point (0: never); `answer` is the venue's answer to a child. */
export async function createMortalWorld(
  options: Readonly<{ dieAt: number; answer: (child: ChildRequest) => ChildReport }> & WorldOptions,
): Promise<MortalWorld> {
  const { dieAt, answer, ...rest } = options;
  const points: ProbePoint[] = [];
  let engines = 0;
  let dead = 0;
  const world = await createWorld({
    ...rest,
    venue: mortalVenue(answer, () => dead === engines),
    store: (disk) => mortalStore(createMemoryStore({ disk }), isDeadAfter(++engines)),
    clock: (clock) => mortalClock(clock, isDeadAfter(engines)),
    probe: (point) => {
      if (engines > 1 || dead > 0) return;
      points.push(point);
      if (points.length === dieAt) dead = 1;
    },
  });
  function isDeadAfter(engine: number): () => boolean {
    return () => engine <= dead;
  }
  const revive = async (): Promise<void> => {
    await turns(400);
    if (dead === engines) await world.crash();
    await world.engine.idle();
  };
  return {
    world,
    points,
    async quote(bid, ask) {
      world.engine.market.quote({ symbol: SYMBOL, bid, ask });
      await revive();
    },
    async pass(ms) {
      await world.clock.advanceBy(ms, revive);
      world.engine.market.heartbeat(SYMBOL);
      await revive();
    },
    async attempt(doing) {
      void doing().catch(() => undefined);
      await revive();
    },
  };
}

const never = new Promise<never>(() => undefined);

function mortalVenue(answer: (child: ChildRequest) => ChildReport, isDead: () => boolean): ScriptedVenue {
  const taken = new Map<string, ChildReport>();
  const venue = createScriptedVenue();
  const submit = venue.submit.bind(venue);
  venue.submit = (child, submitting) => (isDead() ? never : submit(child, submitting));
  venue.onSubmit = (child) => {
    if (taken.has(child.childId)) throw new RangeError(`I21: ${child.childId} is submitted twice`);
    const report = answer(child);
    taken.set(child.childId, report);
    return report;
  };
  venue.onLookup = ({ childId }) => taken.get(childId) ?? "not-found";
  return venue;
}

/** Calls of a dead engine no longer reach the store. */
function mortalStore(store: OrderStore, isDead: () => boolean): OrderStore {
  return { ...store, append: (batch) => (isDead() ? never : store.append(batch)) };
}

/** For a dead engine, time stands still. */
function mortalClock(clock: Clock, isDead: () => boolean): Clock {
  const alive = (run: () => void) => (): void => {
    if (!isDead()) run();
  };
  return {
    nowMs: clock.nowMs,
    monotonicMs: clock.monotonicMs,
    schedule: (atMs, run) => clock.schedule(atMs, alive(run)),
    soon: (run) => clock.soon(alive(run)),
  };
}
