import { refused, same } from "../../../src/conformance/checks.ts";
import type { OrderStore } from "../../../src/ports/index.ts";
import { every, joined, leaseRules, leasesOf } from "./lease-rules.ts";
import { endedOrder, part, QUOTE, sampleMark, sampleRecord } from "./samples.ts";
import type { StoreRules } from "./world.ts";

/** The market journal among the shards. */
const MARKET = every(0).shards.length - 1;

const epochOf = async (store: OrderStore, shard: number): Promise<number | undefined> =>
  (await leasesOf(store).nodes()).shards.find((one) => one.shard === shard)?.epoch;

const ownerOf = async (store: OrderStore, shard: number): Promise<number | undefined> =>
  (await leasesOf(store).nodes()).shards.find((one) => one.shard === shard)?.incarnation;

/** Rules of the leases of an order store: sets of shards. */
export const leaseSets: StoreRules = leaseRules({
  async "a set of shards that is empty, names one twice or one that does not exist is refused, and nothing changes"(
    leases,
    { store },
  ) {
    const incarnation = await joined(leases);
    await leases.claim({ incarnation, shards: [4] });
    for (const shards of [[], [4, 4], [-1], [MARKET + 1], [4, 0.5], [4, Number.NaN]]) {
      await refused(`claim of [${shards}]`, () => leases.claim({ incarnation, shards }));
      await refused(`release of [${shards}]`, () => leases.release({ incarnation, shards }));
      await refused(`assign of [${shards}]`, () => leases.assign({ shards, to: incarnation }));
    }
    same("owner and epoch of shard 4", [await ownerOf(store, 4), await epochOf(store, 4)], [incarnation, 2]);
  },

  async "I60: a claim takes the shards of its set and no others: two nodes own what each has claimed"(
    leases,
    { store, open },
  ) {
    const other = await open();
    const [a, b] = [await joined(leases), await joined(leasesOf(other), "b")];
    const heads = await leases.claim({ incarnation: a, shards: [200, 3, MARKET] });
    const head = { epoch: 2, sequence: 0 };
    same("claim()", heads, [
      { shard: 3, ...head },
      { shard: 200, ...head },
      { shard: MARKET, ...head },
    ]);
    same("claim() of the other", await leasesOf(other).claim({ incarnation: b, shards: [4] }), [
      { shard: 4, ...head },
    ]);
    const { shards } = await leases.nodes();
    const owned = shards.filter(({ incarnation }) => incarnation !== undefined);
    same("the owners in nodes()", owned, [
      { shard: 3, epoch: 2, incarnation: a },
      { shard: 4, epoch: 2, incarnation: b },
      { shard: 200, epoch: 2, incarnation: a },
      { shard: MARKET, epoch: 2, incarnation: a },
    ]);
    same("epoch of a shard of nobody", await epochOf(store, 5), 1);
    const appends = [store, other].map((handle, place) => {
      const shard = 3 + place;
      return handle.append({ shards: [part(shard, 2, { records: [sampleRecord(shard, 1)] })] });
    });
    same("appends of both", await Promise.all(appends), [["durable"], ["durable"]]);
  },

  async "I60: a claim takes the whole set or nothing: one shard of another live node keeps it from all of them"(
    leases,
    { store, open },
  ) {
    const other = leasesOf(await open());
    const [a, b] = [await joined(leases), await joined(other, "b")];
    for (const shard of [9, MARKET]) {
      await leases.claim({ incarnation: a, shards: [shard] });
      const set = { incarnation: b, shards: [7, shard] };
      same(`claim with shard ${shard} of a live node`, await other.claim(set), undefined);
      same("owner and epoch of shard 7", [await ownerOf(store, 7), await epochOf(store, 7)], [undefined, 1]);
    }
    await leases.release({ incarnation: a, shards: [9] });
    const heads = await other.claim({ incarnation: b, shards: [7, 9] });
    same(
      "epochs after the release",
      heads?.map(({ epoch }) => epoch),
      [2, 3],
    );
  },

  async "I60: claims of different sets at the same time do not hinder each other, and a shared shard goes to one of them"(
    leases,
    { store, open },
  ) {
    const other = leasesOf(await open());
    const [a, b] = [await joined(leases), await joined(other, "b")];
    const apart = await Promise.all([
      leases.claim({ incarnation: a, shards: [1, 3, 5] }),
      other.claim({ incarnation: b, shards: [0, 2, 4] }),
    ]);
    same(
      "heads of both",
      apart.map((heads) => heads?.length),
      [3, 3],
    );
    const shared = await Promise.all([
      leases.claim({ incarnation: a, shards: [12, 11, 10] }),
      other.claim({ incarnation: b, shards: [10, 11, 12] }),
    ]);
    same("claims that took the shared shards", shared.filter((heads) => heads !== undefined).length, 1);
    const owner = shared[0] === undefined ? b : a;
    const owners = [await ownerOf(store, 10), await ownerOf(store, 11), await ownerOf(store, 12)];
    same("their owners", owners, [owner, owner, owner]);
  },

  async "I60: the market journal has an owner of its own: who claims other shards writes no quotes, who claims 256 does"(
    leases,
    { store, open },
  ) {
    const market = await open();
    const [a, b] = [await joined(leases), await joined(leasesOf(market), "b")];
    await leasesOf(market).claim({ incarnation: b, shards: [MARKET] });
    await leases.claim({ incarnation: a, shards: [0] });
    await refused("quotes of a handle with shard 0", () => store.append({ shards: [], quotes: [QUOTE] }));
    const shards = [part(0, 2, { records: [sampleRecord(0, 1)] })];
    same("its append of a record with a quote", await store.append({ shards, quotes: [QUOTE] }), ["durable"]);
    same("readQuotes() after that", await store.readQuotes(), []);
    await market.append({ shards: [], quotes: [QUOTE] });
    same("readQuotes() after a quote of the owner", await store.readQuotes(), [QUOTE]);
    await refused("deleteVolume of a handle with shard 0", () => store.deleteVolume({ beforeMs: 0 }));
  },

  async "a node that releases some of its shards keeps the others, and frees none of another node"(
    leases,
    { store, open },
  ) {
    const other = leasesOf(await open());
    const [a, b] = [await joined(leases), await joined(other, "b")];
    await leases.claim({ incarnation: a, shards: [1, 2, 3] });
    await other.claim({ incarnation: b, shards: [4] });
    await leases.release({ incarnation: a, shards: [1, 4, 9] });
    const owners = await Promise.all([1, 2, 3, 4].map((shard) => ownerOf(store, shard)));
    same("the owners of shards 1 to 4", owners, [undefined, a, a, b]);
    same("claim of the free shard", (await other.claim({ incarnation: b, shards: [1] }))?.[0]?.epoch, 3);
    const late = await store.append({ shards: [part(1, 2, { records: [sampleRecord(1, 1)] })] });
    same("a late append of the node before", late, ["fenced"]);
    const own = await store.append({ shards: [part(2, 2, { records: [sampleRecord(2, 1)] })] });
    same("an append to a shard that it kept", own, ["durable"]);
  },

  async "a release that names epochs frees no shard that has another one: it came late"(leases, { store }) {
    const incarnation = await joined(leases);
    await leases.claim({ incarnation, shards: [1, 2, MARKET] });
    await leases.release({ incarnation, shards: [2, 1, MARKET], epochs: [2, 2, 2] });
    const owners = (): Promise<unknown> => Promise.all([1, 2, MARKET].map((shard) => ownerOf(store, shard)));
    same("the owners after a release of their epochs", await owners(), [undefined, undefined, undefined]);
    await leases.claim({ incarnation, shards: [1, 2, MARKET] });
    await leases.release({ incarnation, shards: [2, 1, MARKET], epochs: [2, 2, 2] });
    same("the owners after a late one", await owners(), [incarnation, incarnation, incarnation]);
    await leases.release({ incarnation, shards: [MARKET, 2, 1], epochs: [2, 3, 2] });
    same("the owners after one of shard 2", await owners(), [incarnation, undefined, incarnation]);
    const short = { incarnation, shards: [1, MARKET], epochs: [3] };
    await refused("release of two shards with one epoch", () => leases.release(short));
    same("the owners after it", await owners(), [incarnation, undefined, incarnation]);
  },

  async "I60: marks and ended orders of a shard are deleted by its owner alone"(leases, { store, open }) {
    const other = await open();
    const [a, b] = [await joined(leases), await joined(leasesOf(other), "b")];
    await leases.claim({ incarnation: a, shards: [3] });
    await leasesOf(other).claim({ incarnation: b, shards: [4] });
    const marks = [3, 4].map((shard) => sampleMark({ shard, position: 1 }));
    for (const [place, handle] of [store, other].entries()) {
      const shard = 3 + place;
      const ended = [endedOrder({ orderId: -(shard + 256), endedAtMs: 1 })];
      await handle.append({
        shards: [
          part(shard, 2, { records: [sampleRecord(shard, 1)], ended, marks: marks.slice(place, place + 1) }),
        ],
      });
    }
    await store.deleteMarks(marks);
    same(
      "shards of the marks that are left",
      (await store.readMarks()).map(({ shard }) => shard),
      [4],
    );
    same("number that deleteEnded deletes", await store.deleteEnded({ beforeMs: 2, limit: 9 }), 1);
    const left = await store.readEnded({ shard: 4, afterOrderId: 0, limit: 9 });
    same(
      "ended orders of the other",
      left.map(({ orderId }) => orderId),
      [-260],
    );
  },
});
