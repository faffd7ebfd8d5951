import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { createFaultyStore, type FaultyStore } from "./faulty-store.ts";
import { createWorld, type World, type WorldOptions } from "./world.ts";

/** A world whose store fails on request; `store` is that of the newest engine. */
export type FaultyWorld = Readonly<{ world: World; store: () => FaultyStore }>;

export async function createFaultyWorld(options: WorldOptions = {}): Promise<FaultyWorld> {
  const stores: FaultyStore[] = [];
  const world = await createWorld({
    ...options,
    store: (disk) => {
      const store = createFaultyStore(createMemoryStore({ disk }));
      stores.push(store);
      return store;
    },
  });
  const store = (): FaultyStore => {
    const newest = stores.at(-1);
    if (newest === undefined) throw new Error("no engine was opened");
    return newest;
  };
  return { world, store };
}

/** Completes all work that depends on nothing outside, for an engine that does not come to rest. */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}
