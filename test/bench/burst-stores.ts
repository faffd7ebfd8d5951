import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { managedIdOf, SHARD_COUNT } from "../../src/lifecycle/index.ts";
import type { JournalRecord, ParentOrder } from "../../src/model/index.ts";
import { endedOrder, openOrder, part } from "../support/store-samples.ts";

const BATCH = 2_000;

/** Where, how many, and an account of every shard. */
type Shards = Readonly<{ path: string; parents: number; accountOf: (shard: number) => number }>;

/** As long as the service makes them (decision 3). */
const clientIdOf = (orderId: number): string => `c${-orderId}`.padEnd(22, "x");

const parentOf = (orderId: number, accountId: number, record: number): ParentOrder => {
  const order = openOrder({ orderId, accountId, clientOrderId: clientIdOf(orderId) });
  return { ...order, lastSequence: record, acceptedAtMs: 500, updatedAtMs: 500 };
};

function acceptance(shard: number, sequence: number, orderId: number, accountId: number): JournalRecord {
  const { intent } = openOrder({ orderId, accountId, clientOrderId: clientIdOf(orderId) });
  const facts = [{ kind: "ACCEPTED", accountId, intent, acceptance: sequence }] as const;
  const changes = [{ orderId, previous: 0, facts }];
  return { shard, sequence, timeMs: 1_000, cause: { kind: "PLACE" }, changes };
}

/** Open parents over all shards, half of them in snapshots, half in the journal after those. */
export async function storeOfShards({ path, parents, accountOf }: Shards): Promise<void> {
  const store = openSqliteStore({ path });
  await store.acquire();
  const each = Math.ceil(parents / SHARD_COUNT / 2);
  for (let shard = 0; shard < SHARD_COUNT; shard++) {
    const accountId = accountOf(shard);
    const idOf = (count: number): number => managedIdOf({ count, shard });
    const records = Array.from({ length: each + 1 }, (_, n) =>
      acceptance(shard, n + 1, idOf(each + n + 1), accountId),
    );
    await store.append({ shards: [part(shard, 1, { records })], marks: [] });
    const open = Array.from({ length: each }, (_, n) => parentOf(idOf(n + 1), accountId, 1));
    const first = parentOf(idOf(each + 1), accountId, 1);
    await store.writeSnapshot({ shard, sequence: 1, counter: each + 1, parents: [...open, first] });
  }
  await store.close();
}

/** Open parents in one shard, all in its snapshot. */
export async function storeOfOneShard(
  path: string,
  whose: Readonly<{ parents: number; shard: number; accountId: number }>,
): Promise<void> {
  const { parents, shard, accountId } = whose;
  const store = openSqliteStore({ path });
  await store.acquire();
  const idOf = (count: number): number => managedIdOf({ count, shard });
  const records = [acceptance(shard, 1, idOf(1), accountId)];
  await store.append({ shards: [part(shard, 1, { records })], marks: [] });
  const open = Array.from({ length: parents }, (_, n) => parentOf(idOf(n + 1), accountId, 1));
  await store.writeSnapshot({ shard, sequence: 1, counter: parents, parents: open });
  await store.close();
}

/** Parents that ended long ago. */
export async function storeOfEnded(path: string, rows: number): Promise<void> {
  const store = openSqliteStore({ path });
  await store.acquire();
  for (let from = 0; from < rows; from += BATCH) {
    const ended = Array.from({ length: Math.min(BATCH, rows - from) }, (_, n) =>
      endedOrder({
        orderId: managedIdOf({ count: from + n + 1, shard: 0 }),
        accountId: 1 + ((from + n) % 64),
      }),
    );
    await store.append({ shards: [part(0, 1, { ended })], marks: [] });
  }
  await store.close();
}
