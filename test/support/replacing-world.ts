import { expect } from "vitest";
import type { CancelName, ReplaceMode, Replacement } from "../../src/engine/core/calls.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld, turns } from "./faulty-world.ts";
import type { World } from "./world.ts";

export const STOP = { symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "2" } as const;
export const at = (stopPrice: string, more: Partial<OrderFields> = {}): OrderFields =>
  ({ ...STOP, stopPrice, ...more }) as OrderFields;

export const MODES: readonly ReplaceMode[] = ["STOP_ON_FAILURE", "ALLOW_FAILURE"];

export type Asked = Readonly<{ order?: OrderFields; cancel?: CancelName; mode?: ReplaceMode; id?: string }>;

export const replace = (world: World, old: ParentOrder, asked: Asked = {}): Promise<Replacement> => {
  const { order = at("95"), cancel = { orderId: old.orderId }, mode = "STOP_ON_FAILURE", id = "new" } = asked;
  const named = { ...order, newClientOrderId: id } as OrderFields;
  return world.engine.replace({ accountId: old.accountId, order: named, cancel, mode });
};

export const openIds = async (world: World, { accountId }: ParentOrder): Promise<readonly string[]> => {
  const page = { includeHistory: false, newestFirst: false, limit: 100, afterOrderId: 0 };
  const { orders } = await world.engine.page({ accountId, ...page });
  return orders.map(({ intent }) => intent.clientOrderId).sort();
};

export const see = (world: World, bid: string): unknown =>
  world.engine.market.quote({ symbol: "BTC/USD", bid, ask: "200" });

/** How the append of a replacement ends: durable, lost, or durable though the store says that it failed. */
export type End = "kept" | "lost" | "unknown";

export type Faulty = Awaited<ReturnType<typeof createFaultyWorld>>;

type Append = Readonly<{ finish: (end: End) => void; begun: () => boolean }>;

/** Lets the next append wait for `finish`. */
export function holdAppend(store: Faulty["store"]): Append {
  let finish: (end: End) => void = () => undefined;
  const ends = new Promise<End>((resolve) => (finish = resolve));
  const disk = store();
  const append = disk.append.bind(disk);
  let isHeld = true;
  Object.assign(disk, {
    append: async (batch: Parameters<typeof append>[0]) => {
      if (!isHeld) return await append(batch);
      isHeld = false;
      const end = await ends;
      if (end === "lost") throw new Error("the store did not keep the append");
      const outcomes = await append(batch);
      if (end === "unknown") throw new Error("the store does not say");
      return outcomes;
    },
  });
  return { finish: (end) => finish(end), begun: () => !isHeld };
}

export const failed = (error: unknown): unknown => error;

/** A replacement whose append waits. `end` ends that, and resolves when all work is done. */
type Replacing = Readonly<{ replacing: Promise<unknown>; end: (end: End) => Promise<void> }>;
type Placed = Readonly<{ world: World; old: ParentOrder }>;

/** Replaces an order. The append of that waits. */
export async function heldReplacing(
  { world, store }: Pick<Faulty, "world" | "store">,
  old: ParentOrder,
  asked: Asked,
): Promise<Replacing> {
  const { finish, begun } = holdAppend(store);
  const replacing: Promise<unknown> = replace(world, old, asked).catch(failed);
  await turns();
  expect(begun()).toBe(true);
  return {
    replacing,
    async end(end: End) {
      finish(end);
      await replacing;
      await world.engine.idle();
    },
  };
}

/** An order that sells below 90, at a market of 110. */
export async function faulty(order: OrderFields = at("90")): Promise<Placed & Pick<Faulty, "store">> {
  const { world, store } = await createFaultyWorld();
  await world.quote("110", "200");
  const old = await world.place({ ...order, newClientOrderId: "old" });
  await world.engine.idle();
  return { world, store, old };
}

/** A replacement of a stop at 90, at a market of 110, whose append waits. */
export async function held(order: OrderFields): Promise<Placed & Replacing> {
  const { world, store, old } = await faulty();
  return { world, old, ...(await heldReplacing({ world, store }, old, { order })) };
}

export const newOf = async (world: World, { accountId }: ParentOrder): Promise<ParentOrder | undefined> =>
  await world.engine.find({ accountId, clientOrderId: "new" });
