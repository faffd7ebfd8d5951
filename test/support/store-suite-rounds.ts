import { expect, it } from "vitest";
import { SHARD_COUNT } from "../../src/lifecycle/index.ts";
import type { AppendOutcome, OrderStore } from "../../src/ports/index.ts";
import { endedOrder, part, sampleRecord } from "./store-samples.ts";
import type { StoreWorld as World } from "./store-world.ts";

/** Appends record `sequence` of shard 3 in a round of epoch 1, or of another. */
function append(
  store: OrderStore,
  at: Readonly<{
    sequence: number;
    round: number;
    epoch?: number;
    shard?: number;
  }>,
): Promise<readonly AppendOutcome[]> {
  const { sequence, round, epoch = 1, shard = 3 } = at;
  const records = [sampleRecord(shard, sequence)];
  return store.append({
    shards: [part(shard, epoch, { round, records })],
    marks: [],
  });
}

/** Rounds of an epoch: they refuse an append that arrives after its shard was read again. */
export function rounds(world: World): void {
  const fence = (round: number, epoch = 1): Promise<void> => world.store.fence({ shard: 3, epoch, round });

  it("I60, decision FA: an append of an earlier round is fenced and writes nothing, other shards continue", async () => {
    await fence(1);
    const ended = [endedOrder({ orderId: -259 })];
    const late = part(3, 1, { records: [sampleRecord(3, 1)], ended });
    const other = part(4, 1, { records: [sampleRecord(4, 1)] });
    expect(await world.store.append({ shards: [late, other], marks: [] })).toEqual(["fenced", "durable"]);
    expect(await world.store.findEnded({ accountId: 1, orderId: -259 })).toBeUndefined();
    expect(await world.store.head(3)).toEqual({
      shard: 3,
      epoch: 1,
      sequence: 0,
    });
    expect(await append(world.store, { sequence: 1, round: 1 })).toEqual(["durable"]);
  });

  it("decision FA: a part without records needs the round too", async () => {
    await fence(1);
    const shards = [part(3, 1), part(3, 1, { round: 1 })];
    expect(await world.store.append({ shards, marks: [] })).toEqual(["fenced", "durable"]);
  });

  it("decision FA: the same round again, and an earlier one that arrives late, change nothing", async () => {
    for (const round of [2, 2, 1]) await fence(round);
    expect(await append(world.store, { sequence: 1, round: 1 })).toEqual(["fenced"]);
    expect(await append(world.store, { sequence: 1, round: 2 })).toEqual(["durable"]);
  });

  it("decision FA: an append of a round that has not begun is fenced", async () => {
    expect(await append(world.store, { sequence: 1, round: 1 })).toEqual(["fenced"]);
  });

  it("I60: the round of an epoch that does not own the shard changes nothing", async () => {
    await fence(7, 2);
    expect(await append(world.store, { sequence: 1, round: 0 })).toEqual(["durable"]);
    const later = world.place.open();
    await later.acquire();
    await fence(7);
    expect(await append(later, { sequence: 2, round: 7, epoch: 1 })).toEqual(["fenced"]);
    expect(await append(later, { sequence: 2, round: 0, epoch: 2 })).toEqual(["durable"]);
    await later.close();
  });

  it("decision FA: an epoch begins with round 0", async () => {
    await fence(3);
    await world.store.acquire();
    expect(await append(world.store, { sequence: 1, round: 3, epoch: 2 })).toEqual(["fenced"]);
    expect(await append(world.store, { sequence: 1, round: 0, epoch: 2 })).toEqual(["durable"]);
  });

  it("decision FA: the result of an append from before the round is certain once the round has begun", async () => {
    const appending = append(world.store, { sequence: 1, round: 0 });
    await fence(1);
    const { sequence } = await world.store.head(3);
    expect(await appending).toEqual([sequence === 1 ? "durable" : "fenced"]);
    expect((await world.store.head(3)).sequence).toBe(sequence);
  });

  it("a shard that does not exist is refused", async () => {
    await expect(world.store.fence({ shard: SHARD_COUNT, epoch: 1, round: 1 })).rejects.toThrow(RangeError);
  });
}
