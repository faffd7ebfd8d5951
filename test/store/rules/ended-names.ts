import { holds, refused, same } from "../../../src/conformance/checks.ts";
import type { EndedName, OrderStore } from "../../../src/ports/index.ts";
import { endedOrder, keepEnded } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

const NAMES = [
  [2, "b"],
  [1, "_"],
  [10, "a"],
  [1, "Z"],
  [1, "a-1"],
  [1, "a"],
  [2, "a"],
  [1, "9"],
  [2 ** 40, "Ab.c"],
] as const;

const SORTED: readonly EndedName[] = [
  ...["9", "Z", "_", "a", "a-1"].map((clientOrderId) => ({ accountId: 1, clientOrderId })),
  { accountId: 2, clientOrderId: "a" },
  { accountId: 2, clientOrderId: "b" },
  { accountId: 10, clientOrderId: "a" },
  { accountId: 2 ** 40, clientOrderId: "Ab.c" },
];

const page = async (store: OrderStore, limit: number, after?: EndedName): Promise<readonly EndedName[]> =>
  (await store.pageEndedNames?.({ limit, ...(after && { after }) })) ?? [];

/** Keeps an ended order of each name, in two shards. */
async function keepNames(store: OrderStore): Promise<void> {
  const orders = NAMES.map(([accountId, clientOrderId], index) =>
    endedOrder({ orderId: -256 * (index + 1), accountId, clientOrderId }),
  );
  await keepEnded(store, orders.slice(0, 5));
  await keepEnded(store, orders.slice(5), 1);
  await keepEnded(store, orders.slice(0, 1));
}

/** Rules of the names of ended parents. */
export const endedNames: StoreRules = {
  ...rulesFor({ pageEndedNames: true })({
    async "a store with pages of names has the method, and refuses a limit that is not a positive whole number"({
      store,
    }) {
      holds(
        "typeof pageEndedNames",
        typeof store.pageEndedNames === "function",
        "function",
        store.pageEndedNames,
      );
      for (const limit of [0, -1, 1.5, Number.NaN])
        await refused(`pageEndedNames with a limit of ${limit}`, () => store.pageEndedNames?.({ limit }));
    },

    async "pages of names contain all of them, by account, then by the bytes of the client id"({ store }) {
      same("pageEndedNames of an empty store", await page(store, 9), []);
      await keepNames(store);
      same("pageEndedNames, limit 99", await page(store, 99), SORTED);
      for (const limit of [1, 2, 3, 5, 9]) {
        const read: EndedName[] = [];
        while (read.length <= SORTED.length) {
          const next = await page(store, limit, read.at(-1));
          holds(
            `pageEndedNames, limit ${limit}`,
            next.length <= limit,
            `at most ${limit} names`,
            next.length,
          );
          if (next.length === 0) break;
          for (const name of next) read.push(name);
        }
        same(`all pages of names, limit ${limit}`, read, SORTED);
      }
    },

    async "a name that is gone is a cursor too"({ store }) {
      await keepNames(store);
      const gone = { accountId: 1, clientOrderId: "gone" };
      same("pageEndedNames after a name that is gone", await page(store, 9, gone), SORTED.slice(5));
      const nobody = { accountId: 5, clientOrderId: "" };
      same("pageEndedNames after an account that is gone", await page(store, 9, nobody), SORTED.slice(7));
      same("pageEndedNames after the last name", await page(store, 9, SORTED.at(-1)), []);
    },
  }),
  ...rulesFor({ pageEndedNames: false })({
    async "a store without pages of names has no such method"({ store }) {
      same("the method pageEndedNames", store.pageEndedNames, undefined);
    },
  }),
};
