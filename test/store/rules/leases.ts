import { holds, refused, same } from "../../../src/conformance/checks.ts";
import { SHARD_COUNT } from "../../../src/model/index.ts";
import type { ClusterView, ShardLeases } from "../../../src/ports/index.ts";
import { ENTRY, epochsIn, every, joined, leaseRules, leasesOf, ownersIn } from "./lease-rules.ts";
import { part, QUOTE, sampleRecord, sampleRecords } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

/** Most rows of dead nodes beside those that own shards. */
const DEAD_RETAINED = 16;

async function rowOf(
  leases: ShardLeases,
  incarnation: number,
): Promise<ClusterView["nodes"][number] | undefined> {
  return (await leases.nodes()).nodes.find((row) => row.incarnation === incarnation);
}

/** Rules of the leases of an order store: nodes and owners. */
export const leases: StoreRules = {
  ...leaseRules({
    async "a store with leases has all their methods, and refuses an entry or a limit that is not as described"(
      leases,
    ) {
      await refused("join without a name", () => leases.join({ ...ENTRY, name: "" }));
      await refused("join with a name of 201 characters", () =>
        leases.join({ ...ENTRY, name: "a".repeat(201) }),
      );
      await refused("join with a version of 201 characters", () =>
        leases.join({ ...ENTRY, version: "1".repeat(201) }),
      );
      for (const ttlMs of [0, -1, 1.5, Number.NaN])
        await refused(`join with a ttl of ${ttlMs}`, () => leases.join({ ...ENTRY, ttlMs }));
      const after = Array.from({ length: SHARD_COUNT }, () => 0);
      for (const limit of [0, -1, 1.5])
        await refused(`tail with a limit of ${limit}`, () => leases.tail({ after, limit }));
    },

    async "a node that joins has a row of its own, with an incarnation above all earlier ones"(
      leases,
      { open },
    ) {
      const first = await joined(leases);
      const second = await joined(leasesOf(await open()), "b");
      holds("incarnation of the second node", second > first, `above ${first}`, second);
      const row = { ...ENTRY, state: "following", beat: 0, dead: false };
      same("the rows", (await leases.nodes()).nodes, [
        { ...row, incarnation: first },
        { ...row, name: "b", incarnation: second },
      ]);
      await leases.leave(second);
      const third = await joined(leases);
      holds("incarnation after the newest node left", third > second, `above ${second}`, third);
    },

    async "the row of a node has the ttl with which it joined"(leases) {
      for (const ttlMs of [100, 86_400_000]) {
        const { incarnation } = await leases.join({ ...ENTRY, ttlMs });
        same("ttlMs of the row", (await rowOf(leases, incarnation))?.ttlMs, ttlMs);
      }
    },

    async "a renewal raises the beat by one, sets the state, and answers with the store's clock"(leases) {
      const { incarnation, clockMs } = await leases.join(ENTRY);
      const other = await joined(leases);
      for (const [beat, state] of (["ready", "active", "handing-over"] as const).entries()) {
        const renewal = await leases.renew({ incarnation, state });
        same("alive", renewal.alive, true);
        holds("clockMs", renewal.clockMs >= clockMs, `at least ${clockMs}, that of join`, renewal.clockMs);
        const row = await rowOf(leases, incarnation);
        same("beat and state", { beat: row?.beat, state: row?.state }, { beat: beat + 1, state });
      }
      same("beat of the other node", (await rowOf(leases, other))?.beat, 0);
    },

    async "what is wanted of a live node is in its row and in the answer to its renewals until it is withdrawn"(
      leases,
    ) {
      const [node, other] = [await joined(leases), await joined(leases, "b")];
      const seen = async (): Promise<readonly unknown[]> => {
        const renewals = [
          await leases.renew({ incarnation: node, state: "active" }),
          await leases.renew({ incarnation: other, state: "ready" }),
        ];
        const rows = (await leases.nodes()).nodes;
        return [...renewals, ...rows].map(({ wanted }) => wanted);
      };
      same("before", await seen(), [undefined, undefined, undefined, undefined]);
      same("want of a live node", await leases.want({ incarnation: node, wanted: "hand-over" }), true);
      const wanted = ["hand-over", undefined, "hand-over", undefined];
      same("renewals and rows", await seen(), wanted);
      same("want again", await leases.want({ incarnation: node, wanted: "hand-over" }), true);
      same("renewals and rows after that", await seen(), wanted);
      same("withdrawn", await leases.want({ incarnation: node }), true);
      same("renewals and rows then", await seen(), [undefined, undefined, undefined, undefined]);
      await leases.retire({ incarnation: other, beat: 4 });
      const wish = { wanted: "hand-over" } as const;
      same("want of a dead node", await leases.want({ incarnation: other, ...wish }), false);
      same("want of a node that never was", await leases.want({ incarnation: other + 1, ...wish }), false);
    },

    async "a renewal says how far the node has read, and one that does not say leaves what was said"(leases) {
      const incarnation = await joined(leases);
      const renewed = async (followed?: number): Promise<unknown> => {
        await leases.renew({ incarnation, state: "ready", ...(followed !== undefined && { followed }) });
        return (await rowOf(leases, incarnation))?.followed;
      };
      const answer = [
        await renewed(),
        await renewed(0),
        await renewed(9_007_199_254_740_991),
        await renewed(),
      ];
      same("followed of the row", answer, [undefined, 0, 9_007_199_254_740_991, 9_007_199_254_740_991]);
    },

    async "a node is declared dead only if its beat is the one that was watched, and stays dead"(leases) {
      const incarnation = await joined(leases);
      await leases.renew({ incarnation, state: "following" });
      same("bury with an earlier beat", await leases.retire({ incarnation, beat: 0 }), false);
      same("alive after that", (await leases.renew({ incarnation, state: "following" })).alive, true);
      same("bury with the beat of the row", await leases.retire({ incarnation, beat: 2 }), true);
      same("bury of a dead node", await leases.retire({ incarnation, beat: 9 }), true);
      same(
        "bury of a node that never was",
        await leases.retire({ incarnation: incarnation + 1, beat: 0 }),
        true,
      );
      same("a renewal of the dead node", (await leases.renew({ incarnation, state: "active" })).alive, false);
      const { beat, dead, state } = (await rowOf(leases, incarnation)) ?? {};
      same("its row", { beat, dead, state }, { beat: 2, dead: true, state: "following" });
      const unknown = await leases.renew({ incarnation: incarnation + 1, state: "active" });
      same("a renewal of a node that never was", unknown.alive, false);
    },

    async "I60: a claim takes every shard of nobody: each epoch rises by one, and round 0 begins"(
      leases,
      { store },
    ) {
      await store.append({ shards: [part(7, 1, { records: sampleRecords(7, 1, 2) })] });
      await store.fence({ shard: 3, epoch: 1, round: 4 });
      const incarnation = await joined(leases);
      const heads = await leases.claim(every(incarnation));
      const shards = every(incarnation).shards.map((shard) => ({
        ...{ shard, epoch: 2, sequence: shard === 7 ? 2 : 0 },
      }));
      same("claim()", heads, shards);
      const view = await leases.nodes();
      same("the owners in nodes()", ownersIn(view), [incarnation]);
      same("the epochs in nodes()", epochsIn(view), [2]);
      const records = [sampleRecord(3, 1)];
      const old = await store.append({ shards: [part(3, 1, { records })] });
      same("append with the epoch before", old, ["fenced"]);
      const outcomes = await store.append({ shards: [part(3, 2, { records })] });
      same("append with the new epoch in round 0", outcomes, ["durable"]);
    },

    async "I60: a claim takes nothing from a live node, and everything from one that is dead or gone"(
      leases,
      { open },
    ) {
      const owner = await joined(leases);
      await leases.claim(every(owner));
      const later = leasesOf(await open());
      const next = await joined(later, "b");
      same("claim while the owner lives", await later.claim(every(next)), undefined);
      same("the epochs after that", epochsIn(await later.nodes()), [2]);
      await later.retire({ incarnation: owner, beat: 0 });
      same("the owner of the shards of a dead node", ownersIn(await later.nodes()), [owner]);
      same("claim of the dead node itself", await leases.claim(every(owner)), undefined);
      same("claim of a node that never was", await leases.claim(every(next + 1)), undefined);
      same("claim after the owner died", (await later.claim(every(next)))?.[0]?.epoch, 3);
      same("the owners after that", ownersIn(await later.nodes()), [next]);
    },

    async "I60: a claim that comes again, because an answer was lost, leaves an owner its epochs and rounds"(
      leases,
      { store },
    ) {
      const owner = await joined(leases);
      await leases.claim(every(owner));
      await store.fence({ shard: 9, epoch: 2, round: 4 });
      same("the second claim", (await leases.claim(every(owner)))?.[9]?.epoch, 2);
      const view = await leases.nodes();
      same("the owners after it", ownersIn(view), [owner]);
      same("the epochs after it", epochsIn(view), [2]);
      const append = (round: number): ReturnType<typeof store.append> =>
        store.append({ shards: [part(9, 2, { records: [sampleRecord(9, 1)], round })] });
      same("an append of a round before", await append(3), ["fenced"]);
      same("an append of the present round", await append(4), ["durable"]);
    },

    async "I60: of claims at the same time one takes every shard"(leases, { open }) {
      const handles = [leases, leasesOf(await open()), leasesOf(await open())];
      const nodes = await Promise.all(handles.map((handle) => joined(handle)));
      const taken = await Promise.all(handles.map((handle, place) => handle.claim(every(nodes[place] ?? 0))));
      same("number of claims that took the shards", taken.filter((heads) => heads !== undefined).length, 1);
      const [owner] = nodes.filter((_, place) => taken[place] !== undefined);
      const view = await leases.nodes();
      same("owners and epochs", [ownersIn(view), epochsIn(view)], [[owner], [2]]);
    },

    async "I60: the handle that claims owns the market journal, and an earlier one does not"(
      _leases,
      { store, open },
    ) {
      const later = await open();
      const leases = leasesOf(later);
      await leases.claim(every(await joined(leases)));
      await refused("quotes of the earlier handle", () => store.append({ shards: [], quotes: [QUOTE] }));
      await later.append({ shards: [], quotes: [QUOTE] });
      same("readQuotes()", await store.readQuotes(), [QUOTE]);
    },

    async "a node that releases its shards makes them nobody's, and their epochs stay until they are claimed"(
      leases,
      { store },
    ) {
      const owner = await joined(leases);
      const next = await joined(leases, "b");
      await leases.claim(every(owner));
      await leases.release(every(next));
      same("owners after a release of another node", ownersIn(await leases.nodes()), [owner]);
      await leases.release(every(owner));
      await leases.release(every(owner));
      const view = await leases.nodes();
      same("owners and epochs after the release", [ownersIn(view), epochsIn(view)], [[undefined], [2]]);
      const records = [sampleRecord(0, 1)];
      const outcomes = await store.append({ shards: [part(0, 2, { records })] });
      same("a late append of the node", outcomes, ["durable"]);
      const [head] = (await leases.claim(every(next))) ?? [];
      same("claim of another node", head, { shard: 0, epoch: 3, sequence: 1 });
    },

    async "a node that leaves has no row; one that leaves with its shards is dead"(leases) {
      const [owner, other] = [await joined(leases), await joined(leases, "b")];
      await leases.claim(every(owner));
      await leases.leave(other);
      await leases.leave(other);
      same("the row of a node that left", await rowOf(leases, other), undefined);
      await leases.leave(owner);
      same("the row of an owner that left", (await rowOf(leases, owner))?.dead, true);
      const next = await joined(leases, "c");
      same("claim of the next node", (await leases.claim(every(next)))?.[0]?.epoch, 3);
    },

    async "rows of dead nodes are bounded: of those without shards, joining keeps the newest 16"(leases) {
      const owner = await joined(leases);
      await leases.claim(every(owner));
      await leases.retire({ incarnation: owner, beat: 0 });
      const dead: number[] = [];
      for (let count = 0; count < DEAD_RETAINED + 4; count++) {
        const incarnation = await joined(leases);
        await leases.retire({ incarnation, beat: 0 });
        dead.push(incarnation);
      }
      const last = await joined(leases);
      const rows = (await leases.nodes()).nodes.map(({ incarnation }) => incarnation);
      same("incarnations in nodes()", rows, [owner, ...dead.slice(-DEAD_RETAINED), last]);
    },

    async "acquire takes the shards from every node: they are nobody's"(leases, { store }) {
      await leases.claim(every(await joined(leases)));
      await store.acquire();
      const view = await leases.nodes();
      same("owners and epochs", [ownersIn(view), epochsIn(view)], [[undefined], [3]]);
    },
  }),
  ...rulesFor({ leases: false })({
    async "a store without leases has none"({ store }) {
      same("leases", store.leases, undefined);
    },
  }),
};
