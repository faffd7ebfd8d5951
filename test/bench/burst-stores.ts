import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { evolve, managedIdOf } from "../../src/lifecycle/index.ts";
import {
  type Fact,
  type JournalRecord,
  type ParentIntent,
  type ParentOrder,
  SHARD_COUNT,
} from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { endedOrder, keepEnded, part } from "../store/rules/samples.ts";
import { stopIntent } from "./bench-engine.ts";

const BATCH = 2_000;

/**
 * Open parents: how many, over which shards if not all, an account of each of these, and the n-th parent where it is not a
 * plain stop.
 */
export type Resting = Readonly<{
  parents: number;
  shards?: readonly number[];
  accountOf: (shard: number) => number;
  intentOf?: (n: number) => ParentIntent;
}>;

/** As long as those of the service. */
const clientIdOf = (orderId: number): string => `c${-orderId}`.padEnd(22, "x");

type Sample = Readonly<{ orderId: number; accountId: number; record: number; intent?: ParentIntent }>;

const BEFORE_MS = 500;
const RECORD_MS = 1_000;

/** Returns the parent as a placement writes it. */
function acceptanceOf({ orderId, accountId, record, intent = stopIntent() }: Sample): Fact {
  const named = { ...intent, clientOrderId: clientIdOf(orderId) };
  return { kind: "ACCEPTED", accountId, intent: named, acceptance: record };
}

const parentOf = (sample: Sample): ParentOrder => {
  const { orderId, record } = sample;
  return evolve(undefined, acceptanceOf(sample), { orderId, sequence: record, timeMs: BEFORE_MS });
};

function acceptance(shard: number, sample: Sample): JournalRecord {
  const { orderId, record } = sample;
  const changes = [{ orderId, previous: 0, facts: [acceptanceOf(sample)] }];
  return { shard, sequence: record, timeMs: RECORD_MS, cause: { kind: "PLACE" }, changes };
}

const ALL_SHARDS: readonly number[] = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

/** Writes open parents to shards: half of them in snapshots, half in the journal after the snapshots. */
export async function keepResting(
  store: OrderStore,
  { parents, shards = ALL_SHARDS, accountOf, intentOf }: Resting,
): Promise<void> {
  await store.acquire();
  const each = Math.ceil(parents / shards.length / 2);
  for (const shard of shards) {
    const accountId = accountOf(shard);
    const sampleOf = (count: number, record: number): Sample => {
      const orderId = managedIdOf({ count, shard });
      const order = { orderId, accountId, record };
      if (intentOf === undefined) return order;
      return { ...order, intent: intentOf((count - 1) * SHARD_COUNT + shard) };
    };
    const records = Array.from({ length: each + 1 }, (_, n) =>
      acceptance(shard, sampleOf(each + n + 1, n + 1)),
    );
    await store.append({ shards: [part(shard, 1, { records })] });
    const open = Array.from({ length: each + 1 }, (_, n) => parentOf(sampleOf(n + 1, 1)));
    await store.writeSnapshot({ shard, sequence: 1, counter: each + 1, parents: open });
  }
}

/** Creates a SQLite store with open parents over all shards. */
export async function storeOfShards({
  path,
  ...resting
}: Resting & Readonly<{ path: string }>): Promise<void> {
  const store = openSqliteStore({ exclusive: false, path });
  await keepResting(store, resting);
  await store.close();
}

/** Writes open parents to one shard, all in its snapshot. */
export async function storeOfOneShard(
  path: string,
  whose: Readonly<{ parents: number; shard: number; accountId: number }>,
): Promise<void> {
  const { parents, shard, accountId } = whose;
  const store = openSqliteStore({ exclusive: false, path });
  await store.acquire();
  const idOf = (count: number): number => managedIdOf({ count, shard });
  const records = [acceptance(shard, { orderId: idOf(1), accountId, record: 1 })];
  await store.append({ shards: [part(shard, 1, { records })] });
  const open = Array.from({ length: parents }, (_, n) =>
    parentOf({ orderId: idOf(n + 1), accountId, record: 1 }),
  );
  await store.writeSnapshot({ shard, sequence: 1, counter: parents, parents: open });
  await store.close();
}

/**
 * Ended parents of shard 0: how many, the account of the n-th, and how many ids of the shard are skipped before the
 * first.
 */
type Ended = Readonly<{ path: string; rows: number; accountOf?: (n: number) => number; after?: number }>;

/** Adds parents that ended long ago. */
export async function storeOfEnded({ path, rows, accountOf, after = 0 }: Ended): Promise<void> {
  const store = openSqliteStore({ exclusive: false, path });
  await store.acquire();
  for (let from = 0; from < rows; from += BATCH) {
    const ended = Array.from({ length: Math.min(BATCH, rows - from) }, (_, n) =>
      endedOrder({
        orderId: managedIdOf({ count: after + from + n + 1, shard: 0 }),
        accountId: accountOf?.(from + n) ?? 1 + ((from + n) % 64),
      }),
    );
    await keepEnded(store, ended);
  }
  await store.close();
}
