import { same } from "../../../src/conformance/checks.ts";
import type { AppendOutcome, OrderStore } from "../../../src/ports/index.ts";
import { endedOrder, part, sampleRecord } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

type At = Readonly<{ sequence: number; round: number; epoch?: number }>;

/** Appends record `sequence` of shard 3 in a round of epoch 1, or of another. */
function append(store: OrderStore, { sequence, round, epoch = 1 }: At): Promise<readonly AppendOutcome[]> {
  const records = [sampleRecord(3, sequence)];
  return store.append({ shards: [part(3, epoch, { round, records })] });
}

const fence = (store: OrderStore, round: number, epoch = 1): Promise<void> =>
  store.fence({ shard: 3, epoch, round });

/** Rules of the rounds of an epoch: they fence an append that arrives after its shard was read again. */
export const rounds: StoreRules = rulesFor()({
  async "I60: an append of an earlier round is fenced and writes nothing, other shards continue"({ store }) {
    await fence(store, 1);
    const ended = [endedOrder({ orderId: -259 })];
    const late = part(3, 1, { records: [sampleRecord(3, 1)], ended });
    const other = part(4, 1, { records: [sampleRecord(4, 1)] });
    const outcomes = await store.append({ shards: [late, other] });
    same("append of round 0 to shard 3 after fence(1), and to shard 4", outcomes, ["fenced", "durable"]);
    same("findEnded of its row", await store.findEnded({ accountId: 1, orderId: -259 }), undefined);
    same("head(3)", await store.head(3), { shard: 3, epoch: 1, sequence: 0 });
    same("append of round 1", await append(store, { sequence: 1, round: 1 }), ["durable"]);
  },

  async "a part without records needs the round too"({ store }) {
    await fence(store, 1);
    const shards = [part(3, 1), part(3, 1, { round: 1 })];
    const outcomes = await store.append({ shards });
    same("append of empty parts of rounds 0 and 1 in round 1", outcomes, ["fenced", "durable"]);
  },

  async "the same round again, and an earlier one that arrives late, change nothing"({ store }) {
    for (const round of [2, 2, 1]) await fence(store, round);
    same("append of round 1 after fences 2, 2, 1", await append(store, { sequence: 1, round: 1 }), [
      "fenced",
    ]);
    same("append of round 2 after fences 2, 2, 1", await append(store, { sequence: 1, round: 2 }), [
      "durable",
    ]);
  },

  async "an append of a round that has not begun is fenced"({ store }) {
    same("append of round 1 in round 0", await append(store, { sequence: 1, round: 1 }), ["fenced"]);
  },

  async "I60: the round of an epoch that does not own the shard changes nothing"({ store, open }) {
    await fence(store, 7, 2);
    same("append of round 0 after a fence of epoch 2", await append(store, { sequence: 1, round: 0 }), [
      "durable",
    ]);
    const later = await open();
    await later.acquire();
    await fence(store, 7);
    same("append of epoch 1 in epoch 2", await append(later, { sequence: 2, round: 7, epoch: 1 }), [
      "fenced",
    ]);
    same("append of epoch 2", await append(later, { sequence: 2, round: 0, epoch: 2 }), ["durable"]);
  },

  async "an epoch begins with round 0"({ store }) {
    await fence(store, 3);
    await store.acquire();
    const old = await append(store, { sequence: 1, round: 3, epoch: 2 });
    same("append of the old round 3 after acquire", old, ["fenced"]);
    same("append of round 0", await append(store, { sequence: 1, round: 0, epoch: 2 }), ["durable"]);
  },

  async "the result of an append from before the round is certain once the round has begun"({ store }) {
    const appending = append(store, { sequence: 1, round: 0 });
    await fence(store, 1);
    const { sequence } = await store.head(3);
    const outcome = sequence === 1 ? "durable" : "fenced";
    same(`an append under way during fence, after which head(3) shows ${sequence}`, await appending, [
      outcome,
    ]);
    same("head(3) after that append", (await store.head(3)).sequence, sequence);
  },

  async "appends of different shards that are under way at once are kept, each whole"({ store }) {
    const first = store.append({
      shards: [3, 5].map((shard) => part(shard, 1, { records: [sampleRecord(shard, 1)] })),
    });
    const second = store.append({ shards: [part(4, 1, { records: [sampleRecord(4, 1)] })] });
    same("appends of shards 3 and 5, and of shard 4", await Promise.all([first, second]), [
      ["durable", "durable"],
      ["durable"],
    ]);
    for (const shard of [3, 4, 5]) same(`head(${shard})`, (await store.head(shard)).sequence, 1);
  },
});
