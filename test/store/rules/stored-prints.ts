import { holds, refused, same } from "../../../src/conformance/checks.ts";
import { MARKET_SHARD, type PricedPrint } from "../../../src/model/index.ts";
import type { PlacedPrint, PrintPlace, ShardLeases } from "../../../src/ports/index.ts";
import { joined, leaseRules, leasesOf } from "./lease-rules.ts";
import { batchesOf, countedOf, keepPrints } from "./prints.ts";
import { samplePrint } from "./samples.ts";
import type { StoreRules } from "./world.ts";

/** Reads all prints after a place, page by page. */
async function pagesAfter(
  leases: ShardLeases,
  limit: number,
  after?: PrintPlace,
): Promise<readonly PlacedPrint[]> {
  const read: PlacedPrint[] = [];
  for (let [last, isFull] = [after, true]; isFull; ) {
    const page = await leases.prints({ limit, ...(last !== undefined && { after: last }) });
    holds(`prints, limit ${limit}`, page.length <= limit, `at most ${limit}`, page.length);
    for (const one of page) {
      const isAfter = last === undefined || isBefore(last, one.place);
      holds("the place of a print", isAfter, "above the place before", one.place);
      last = one.place;
      read.push(one);
    }
    isFull = page.length === limit;
  }
  return read;
}

const isBefore = (a: PrintPlace, b: PrintPlace): boolean =>
  a.owner < b.owner || (a.owner === b.owner && a.position < b.position);

const printsOf = (placed: readonly PlacedPrint[]): readonly PricedPrint[] => placed.map(({ print }) => print);

const idsOf = (placed: readonly PlacedPrint[]): readonly string[] => printsOf(placed).map(({ id }) => id);

const idsAfter = async (leases: ShardLeases, after?: PrintPlace): Promise<readonly string[]> =>
  idsOf(await pagesAfter(leases, 100, after));

/** Rules of the prints that nodes follow. */
export const storedPrints: StoreRules = leaseRules({
  async "stored prints are returned whole, in the order in which they were stored, each once as it was stored first"(
    leases,
    { store },
  ) {
    same("prints() of an empty store", await leases.prints({ limit: 9 }), []);
    for (let series = 0, due: (readonly PricedPrint[])[] = []; series < 4; series++) {
      const batches = batchesOf(series);
      due = [...due, ...batches];
      for (const prints of batches) await keepPrints(store, prints);
      same(`prints of ${series + 1} series`, printsOf(await pagesAfter(leases, 999)), countedOf(due));
    }
  },

  async "a page of prints is full while there are more, and the next one begins after its last place"(
    leases,
    { store },
  ) {
    const ids = ["a", "b", "c", "d", "e", "f"];
    await keepPrints(
      store,
      ids.map((id) => samplePrint({ id })),
    );
    for (const limit of [1, 2, 3, 6, 7])
      same(`prints by pages of ${limit}`, idsOf(await pagesAfter(leases, limit)), ids);
    for (const limit of [0, -1, 1.5])
      await refused(`prints with a limit of ${limit}`, () => leases.prints({ limit }));
  },

  async "prints of a later owner come after those of earlier ones, which add none afterwards"(
    leases,
    { store, open },
  ) {
    const market = [MARKET_SHARD];
    const first = await joined(leases);
    await leases.claim({ incarnation: first, shards: market });
    await keepPrints(store, [samplePrint({ id: "a" }), samplePrint({ id: "b" })]);
    const other = await open();
    const later = leasesOf(other);
    const reader = leasesOf(await open());
    const [, last] = await pagesAfter(reader, 100);
    await leases.release({ incarnation: first, shards: market });
    await later.claim({ incarnation: await joined(later, "b"), shards: market });
    await keepPrints(other, [samplePrint({ id: "c" })]);
    await refused("prints of the earlier owner", () => keepPrints(store, [samplePrint({ id: "d" })]));
    same("prints after those of the earlier owner", await idsAfter(reader, last?.place), ["c"]);
    same("prints as the earlier owner reads them", await idsAfter(leases), ["a", "b", "c"]);
  },

  async "a claim of the market journal by its owner lets places go on"(leases, { store }) {
    const set = { incarnation: await joined(leases), shards: [MARKET_SHARD] };
    await leases.claim(set);
    await keepPrints(store, [samplePrint({ id: "a" }), samplePrint({ id: "b" })]);
    const last = (await pagesAfter(leases, 100)).at(-1)?.place;
    await leases.claim(set);
    await keepPrints(store, [samplePrint({ id: "c" })]);
    same("prints after the claim", await idsAfter(leases, last), ["c"]);
  },

  async "the volume names the place of the last print that it contains, also after a deletion"(
    leases,
    { store },
  ) {
    same("upTo of an empty store", (await store.readVolume()).upTo, undefined);
    const old = [samplePrint({ id: "a" }), samplePrint({ id: "b" })];
    await keepPrints(store, old);
    const volume = await store.readVolume();
    const last = (await pagesAfter(leases, 100)).at(-1)?.place;
    same("upTo", volume.upTo, last);
    await keepPrints(store, [samplePrint({ id: "c", seenAtMs: 90_000 })]);
    same("prints after the volume", await idsAfter(leases, volume.upTo), ["c"]);
    await store.deleteVolume({ beforeMs: 1e9 });
    const { upTo: place, prints } = await store.readVolume();
    same("ids after a deletion of all", prints, []);
    await keepPrints(store, [samplePrint({ id: "d", seenAtMs: 2e9 })]);
    same("prints after the place that is left", await idsAfter(leases, place), ["d"]);
  },

  async "I71: a closed store answers a question for prints with an error"(leases, { store, close }) {
    await close(store);
    await refused("prints after close", () => leases.prints({ limit: 1 }));
  },
});
