import { expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { FollowedJournal } from "../../src/cluster/followed.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { JournalRecord } from "../../src/model/index.ts";
import { ACCOUNT, createWorld } from "../support/world.ts";

it("decision XL: a standby that opens reads only shards with records, and the tail has what is appended meanwhile", async () => {
  const world = await createWorld();
  await world.place({ price: "90", newClientOrderId: "a" });
  const store = createMemoryStore({ disk: world.disk, clock: world.clock });
  const { leases } = store;
  if (leases === undefined) throw new Error("the store has no leases");
  const read: number[] = [];
  const core = coreOf({
    clock: world.clock,
    store: {
      ...store,
      readSnapshot: (shard: number) => {
        read.push(shard);
        return store.readSnapshot(shard);
      },
    },
  } as never);
  const journal = new FollowedJournal(
    core,
    {
      ...leases,
      heads: async () => {
        const heads = await leases.heads();
        await world.place({ price: "90", newClientOrderId: "b" }, 2);
        return heads;
      },
    },
    { observe: () => undefined },
  );
  await journal.load();
  expect(read).toEqual([shardOf(ACCOUNT)]);
  await journal.follow();
  const heads = await leases.heads();
  expect(journal.shards.map(({ durableSequence }) => durableSequence)).toEqual(
    heads.map(({ sequence }) => sequence),
  );
});

it("decision YO: a standby whose read found nothing leaves out the next one, and no other", async () => {
  const world = await createWorld();
  const store = createMemoryStore({ disk: world.disk, clock: world.clock });
  const { leases } = store;
  if (leases === undefined) throw new Error("the store has no leases");
  const core = coreOf({ clock: world.clock, store } as never);
  let reads = 0;
  const counted = {
    ...leases,
    tail: (range: Parameters<typeof leases.tail>[0]) => {
      reads++;
      return leases.tail(range);
    },
  };
  const journal = new FollowedJournal(core, counted, { observe: () => undefined });
  await journal.load();
  const readsOf = async (): Promise<number> => {
    const before = reads;
    await journal.followAtLeisure();
    return reads - before;
  };
  expect([await readsOf(), await readsOf(), await readsOf(), await readsOf()]).toEqual([1, 0, 1, 0]);
  await world.place({ price: "90", newClientOrderId: "a" });
  expect([await readsOf(), await readsOf(), await readsOf()]).toEqual([1, 1, 0]);
  await journal.follow();
  expect(journal.followed).toBe(1);
});

it("decision WV: a standby notes every record that it reads, also those after a gap for which a shard is loaded again", async () => {
  const world = await createWorld();
  const store = createMemoryStore({ disk: world.disk, clock: world.clock });
  const { leases } = store;
  if (leases === undefined) throw new Error("the store has no leases");
  const core = coreOf({ clock: world.clock, store } as never);
  const seen: JournalRecord[] = [];
  const journal = new FollowedJournal(
    core,
    // The first record is gone, as after retention.
    { ...leases, tail: async (range) => (await leases.tail(range)).filter(({ sequence }) => sequence > 1) },
    { observe: (record) => void seen.push(record) },
  );
  await journal.load();
  for (const newClientOrderId of ["a", "b", "c"]) await world.place({ price: "90", newClientOrderId });
  await journal.follow();
  expect(seen.map(({ sequence }) => sequence)).toEqual([2, 3]);
  expect(Math.max(...journal.shards.map(({ durableSequence }) => durableSequence))).toBe(3);
});
