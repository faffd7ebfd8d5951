import {
  flagOption,
  functionOption,
  nameOption,
  type OptionCheck,
  optionsOf,
} from "../../../src/common/index.ts";
import type { AtEnd, Rules } from "../../../src/conformance/suite.ts";
import type { Awaitable, OrderStore } from "../../../src/ports/index.ts";
import { storeOption } from "../../../src/ports/internal.ts";

/** An empty place for orders, such as a new file or schema. */
export interface OrderStorePlace {
  /** Opens another handle on the place, as another process would. */
  open(): Awaitable<OrderStore>;
  /** Removes the place. All its handles are closed. */
  remove(): Awaitable<void>;
}

/** The optional parts of an order store, each declared as present or absent. */
export interface OrderStoreSupport {
  /** Whether it has `leases`. If not, one engine at a time uses the store. */
  readonly leases: boolean;
  /** Whether it has `pageEndedNames`. If not, the engine looks every new client id up. */
  readonly pageEndedNames: boolean;
  /** Whether `readVolume` returns `priceBars`. If not, a service on it has no klines. */
  readonly priceBars: boolean;
  /**
   * Whether it divides long snapshots, reads and deletions into parts, lets other calls run between them, and reports
   * each part with `reading`, `writing` and `deleting`.
   */
  readonly progress: boolean;
  /** Whether it has `pruneEnded`. If not, its journal keeps the records of orders that retention deletes. */
  readonly pruneEnded: boolean;
}

/** An adapter of the order store port as its author describes it to the suite. */
export interface OrderStoreSubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: OrderStoreSupport;
  /** Creates an empty place. The suite calls it several times per test, and removes each place at the end. */
  createPlace(): Awaitable<OrderStorePlace>;
}

/** Checks an adapter that is handed to the suite. */
export const orderStoreSubject: OptionCheck = /* @__PURE__ */ optionsOf<OrderStoreSubject>({
  name: nameOption,
  supports: optionsOf<OrderStoreSupport>({
    ...{ pageEndedNames: flagOption, priceBars: flagOption },
    ...{ leases: flagOption, progress: flagOption, pruneEnded: flagOption },
  }),
  createPlace: functionOption("creates an empty place"),
});

/** The surroundings of one rule: places with handles on them, all of which are closed at its end. */
export type StoreWorld = Readonly<{
  /** A handle that owns every shard with epoch 1. */
  store: OrderStore;
  /** Opens another handle on the place. */
  open: () => Promise<OrderStore>;
  /** Opens a handle on another, empty place. Nobody owns that place yet. */
  elsewhere: () => Promise<OrderStore>;
  /** Closes a handle, as its process does at its end. */
  close: (handle: OrderStore) => Promise<void>;
}>;

/** Creates a place and a handle that owns it. Throws a TypeError if the handle is no order store. */
export async function createStoreWorld(subject: OrderStoreSubject, atEnd: AtEnd): Promise<StoreWorld> {
  const handles = new Set<OrderStore>();
  const close = async (handle: OrderStore): Promise<void> => {
    if (handles.delete(handle)) await handle.close();
  };
  const opened = async (place: OrderStorePlace): Promise<OrderStore> => {
    const handle = await place.open();
    handles.add(handle);
    atEnd(() => close(handle));
    storeOption(handle, `the handle that createPlace of ${subject.name} opened`);
    return handle;
  };
  const created = async (): Promise<OrderStorePlace> => {
    const place = await subject.createPlace();
    atEnd(() => place.remove());
    return place;
  };
  const first = await created();
  const store = await opened(first);
  await store.acquire();
  return { store, open: () => opened(first), elsewhere: async () => await opened(await created()), close };
}

/** Rules of the order store port about one subject, by name. */
export type StoreRules = Rules<StoreWorld, OrderStoreSupport>;

/** Returns rules for stores that declare these optional parts as present or absent. */
export const rulesFor =
  (where: Partial<OrderStoreSupport> = {}) =>
  (checks: Readonly<Record<string, (world: StoreWorld) => Promise<void>>>): StoreRules =>
    Object.fromEntries(
      Object.entries(checks).map(([name, check]) => [name, { remedy: "See its check.", where, check }]),
    );

/** All records, as far as a test creates them. */
export const all: Readonly<{ after: number; limit: number }> = { after: 0, limit: 1_000 };
