import type { OrderStore } from "../../src/ports/index.ts";

/** A fresh place for orders: `open` returns another handle on it, as another process would have. */
export type StorePlace = Readonly<{ open: () => OrderStore; remove: () => void }>;

/** The place of the running test, and a handle on it that owns every shard with epoch 1. */
export type StoreWorld = { place: StorePlace; store: OrderStore };
