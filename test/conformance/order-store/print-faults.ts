import type { PlacedPrint, ShardLeases } from "../../../src/ports/index.ts";
import { type PlantedStore, planted, type StoreFault } from "./faulty-place.ts";

/** Changes how every handle answers a question for prints. */
const withPrints =
  (prints: (honest: ShardLeases["prints"]) => ShardLeases["prints"]): StoreFault =>
  () =>
  (store) => {
    const { leases } = store;
    return leases === undefined ? {} : { leases: { ...leases, prints: prints(leases.prints) } };
  };

/** Changes every page of prints. */
const withPages = (change: (page: readonly PlacedPrint[]) => readonly PlacedPrint[]): StoreFault =>
  withPrints((honest) => async (range) => change(await honest(range)));

/** Numbers the prints of each owner anew in every batch. */
const numbersAnew: StoreFault = () => {
  let first = 0;
  return (store) => {
    const { leases } = store;
    const positionOf = ({ place, ...one }: PlacedPrint): PlacedPrint => ({
      ...one,
      place: { ...place, position: place.position > first ? place.position - first : place.position },
    });
    return {
      ...(leases && {
        leases: {
          ...leases,
          async claim(set) {
            const all = await leases.prints({ limit: 100 });
            first = all.at(-1)?.place.position ?? 0;
            return await leases.claim(set);
          },
          async prints({ after, limit }) {
            const all = (await leases.prints({ limit: 100 })).map(positionOf);
            const isAfter = ({ place }: PlacedPrint): boolean =>
              after === undefined ||
              place.owner > after.owner ||
              (place.owner === after.owner && place.position > after.position);
            return all.filter(isAfter).slice(0, limit);
          },
        },
      }),
    };
  };
};

/** Memory stores with one fault each in the prints that nodes follow. */
export const printFaults: readonly PlantedStore[] = [
  planted(
    "stored prints have no price",
    ["stored prints are returned whole"],
    withPages((page) => page.map(({ place, print }) => ({ place, print: { ...print, price: 1 as never } }))),
  ),
  planted(
    "stored prints are returned by id",
    ["stored prints are returned whole"],
    withPages((page) => [...page].sort((a, b) => (a.print.id < b.print.id ? -1 : 1))),
  ),
  planted(
    "a page of prints begins with the last one of the page before",
    ["a page of prints is full while there are more"],
    withPrints(
      (honest) => (range) =>
        honest({
          ...range,
          ...(range.after && { after: { ...range.after, position: range.after.position - 1 } }),
        }),
    ),
  ),
  planted(
    "a page of prints ends early",
    ["a page of prints is full while there are more"],
    withPrints((honest) => (range) => honest({ ...range, limit: Math.min(2, range.limit) })),
  ),
  planted(
    "a limit of prints below 1 is one",
    ["a page of prints is full while there are more"],
    withPrints((honest) => (range) => honest({ ...range, limit: Math.max(1, Math.floor(range.limit)) })),
  ),
  planted(
    "every print has the first owner",
    ["prints of a later owner come after those of earlier ones"],
    withPrints(
      (honest) => async (range) =>
        await honest({ ...range, ...(range.after && { after: { ...range.after, owner: 9_999 } }) }),
    ),
  ),
  planted(
    "positions begin anew with each claim",
    ["a claim of the market journal by its owner lets places go on"],
    numbersAnew,
  ),
  planted(
    "the volume does not say up to which print it goes",
    ["the volume names the place of the last print"],
    () => (store) => ({
      async readVolume() {
        const { upTo: _upTo, ...volume } = await store.readVolume();
        return volume;
      },
    }),
  ),
  planted(
    "the volume goes up to a print that it had once",
    ["the volume names the place of the last print"],
    () => {
      let first: Awaited<ReturnType<ShardLeases["prints"]>>[number] | undefined;
      return (store) => ({
        async readVolume() {
          const volume = await store.readVolume();
          first ??= (await store.leases?.prints({ limit: 1 }))?.[0];
          return { ...volume, ...(first && { upTo: first.place }) };
        },
      });
    },
  ),
  planted("a closed store has no prints", ["a closed store answers a question for prints"], () => (store) => {
    const { leases } = store;
    let isClosed = false;
    return {
      ...(leases && {
        leases: {
          ...leases,
          prints: async (range: Parameters<ShardLeases["prints"]>[0]) =>
            isClosed ? [] : await leases.prints(range),
        },
      }),
      async close() {
        isClosed = true;
        await store.close();
      },
    };
  }),
];
