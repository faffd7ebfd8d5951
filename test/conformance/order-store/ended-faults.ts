import type { Quantity } from "../../../src/decimal/index.ts";
import type { EndedList, ParentOrder } from "../../../src/model/index.ts";
import type { EndedName, OrderStore } from "../../../src/ports/index.ts";
import { keepsFirstRow, type PlantedStore, planted, type StoreFault, withParts } from "./faulty-place.ts";

/** Resolves an append that the store refuses as if it were durable. */
const refusesNothing: StoreFault = () => (store) => ({
  append: (batch) => store.append(batch).catch(() => batch.shards.map(() => "durable" as const)),
});

const parentFaults = [
  planted(
    "client ids are compared in lower case",
    ["an ended parent is found by either id"],
    () => (store) => ({
      findEnded: (key) =>
        store.findEnded("orderId" in key ? key : { ...key, clientOrderId: key.clientOrderId.toLowerCase() }),
    }),
  ),
  planted("a look-up ignores the account", ["an ended parent is found by either id"], () => (store) => ({
    findEnded: async (key) =>
      (await store.findEnded(key)) ?? (await store.findEnded({ ...key, accountId: key.accountId - 1 })),
  })),
  planted("a row that exists stays", ["a row of the same order replaces"], keepsFirstRow),
  planted(
    "an append that breaks a unique key resolves",
    [
      "a client id names one parent of an account",
      "a client id names one list of an account",
      "a batch that breaks a rule is refused completely",
    ],
    refusesNothing,
  ),
  planted("counts are of the shard", ["counts are of one account"], () => (store) => ({
    async countEnded({ accountId, shard }) {
      const rows = await store.readEnded({ shard, afterOrderId: 0, limit: 1_000 });
      return { ...(await store.countEnded({ accountId, shard })), count: rows.length };
    },
  })),
  planted("a count has no sequence", ["a count comes with the last record"], () => (store) => ({
    countEnded: async (whose) => ({ ...(await store.countEnded(whose)), sequence: 0 }),
  })),
  planted(
    "amounts of parents are read as doubles",
    ["amounts of parents come back exactly"],
    () => (store) => ({
      async findEnded(key) {
        const order = await store.findEnded(key);
        return order && { ...order, executedQuantity: Number(order.executedQuantity) as unknown as Quantity };
      },
    }),
  ),
];

const allNames = (store: OrderStore): Promise<readonly EndedName[]> =>
  store.pageEndedNames?.({ limit: 1_000 }) ?? Promise.resolve([]);
const isSame = (one: EndedName, other: EndedName | undefined): boolean =>
  one.accountId === other?.accountId && one.clientOrderId === other.clientOrderId;

const nameFaults = [
  planted("names are ordered as in a dictionary", ["pages of names contain all of them"], () => (store) => ({
    async pageEndedNames({ after, limit }) {
      const names = [...(await allNames(store))].sort(
        (a, b) => a.accountId - b.accountId || a.clientOrderId.localeCompare(b.clientOrderId, "en"),
      );
      const place = names.findIndex((name) => isSame(name, after));
      return names.slice(place + 1, place + 1 + limit);
    },
  })),
  planted("a page of names looks its cursor up", ["a name that is gone is a cursor too"], () => (store) => ({
    async pageEndedNames({ after, limit }) {
      const names = await allNames(store);
      const place = names.findIndex((name) => isSame(name, after));
      return after !== undefined && place < 0 ? [] : names.slice(place + 1, place + 1 + limit);
    },
  })),
  planted(
    "the method is there and declared as absent",
    ["a store without pages of names"],
    () => () => ({}),
    { pageEndedNames: false },
  ),
  planted("the method is missing and declared as present", ["a store with pages of names"], () => () => ({
    pageEndedNames: undefined as never,
  })),
  planted("a page of no names is empty", ["a store with pages of names"], () => (store) => ({
    pageEndedNames: async (page) => (page.limit > 0 ? ((await store.pageEndedNames?.(page)) ?? []) : []),
  })),
];

/** Counts rows from the first page on, as `OFFSET` does. */
const byOffset: StoreFault = () => {
  const places = new Map<number, number>([[0, 0]]);
  return (store) => ({
    async pageEnded({ afterOrderId, limit, ...page }) {
      const rows = await store.pageEnded({ ...page, afterOrderId: 0, limit: 1_000 });
      const from = places.get(afterOrderId) ?? 0;
      const read = rows.slice(from, from + limit);
      places.set(read.at(-1)?.orderId ?? afterOrderId, from + read.length);
      return read;
    },
  });
};

const pageFaults = [
  planted("a page has 1000 rows at most", ["a page is full while more rows follow"], () => (store) => ({
    pageEnded: (page) => store.pageEnded({ ...page, limit: Math.min(page.limit, 1_000) }),
  })),
  planted("a page begins with the row at the cursor", ["pages fall from id to id"], () => (store) => ({
    pageEnded: (page) =>
      store.pageEnded({ ...page, afterOrderId: page.afterOrderId === 0 ? 0 : page.afterOrderId + 1 }),
  })),
  planted("ids are ordered as texts", ["pages fall from id to id"], () => (store) => ({
    async pageEnded({ limit, ...page }) {
      const rows = [...(await store.pageEnded({ ...page, limit: 1_000 }))];
      return rows.sort((a, b) => (`${a.orderId}` < `${b.orderId}` ? -1 : 1)).slice(0, limit);
    },
  })),
  planted("newestFirst is ignored", ["newest first they rise"], () => (store) => ({
    pageEnded: (page) => store.pageEnded({ ...page, newestFirst: false }),
  })),
  planted("a page looks its cursor up", ["a cursor whose order is gone"], () => (store) => ({
    async pageEnded(page) {
      const orderId = page.afterOrderId;
      const isThere = orderId === 0 || (await store.findEnded({ accountId: page.accountId, orderId }));
      return isThere ? await store.pageEnded(page) : [];
    },
  })),
  planted("pages count rows", ["rows that are added or deleted between two pages"], byOffset),
  planted("a shard is read for one account", ["a shard's ended parents fall"], () => (store) => ({
    readEnded: async (range) => (await store.readEnded(range)).filter(({ accountId }) => accountId === 1),
  })),
  planted("a page of no rows is empty", ["whole number is refused"], () => (store) => ({
    pageEnded: async (page) => (page.limit > 0 ? await store.pageEnded(page) : []),
  })),
];

const listFaults = [
  planted("a list is found by the id of a leg", ["an ended list is found by either id"], () => (store) => ({
    async findEndedList(key) {
      const found = await store.findEndedList(key);
      if (found !== undefined || !("listId" in key)) return found;
      const lists = await store.pageEndedLists({ accountId: key.accountId, limit: 1_000 });
      return lists.find(({ legs }) => legs.includes(key.listId));
    },
  })),
  planted("the client id of a replaced row still finds it", ["a row of the same list replaces"], () => {
    const ids = new Map<string, number>();
    return (store) => ({
      append(batch) {
        for (const { endedLists = [] } of batch.shards)
          for (const list of endedLists) ids.set(list.listClientOrderId, list.listId);
        return store.append(batch);
      },
      async findEndedList(key) {
        const found = await store.findEndedList(key);
        if (found !== undefined || !("listClientOrderId" in key)) return found;
        return await store.findEndedList({ ...key, listId: ids.get(key.listClientOrderId) ?? 0 });
      },
    });
  }),
  planted(
    "lists are written in a transaction of their own",
    ["a batch in which two lists share"],
    () => (store) => ({
      async append(batch) {
        const outcomes = await store.append(withParts(batch, ({ endedLists: _lists, ...part }) => part));
        await store.append(withParts(batch, (part) => ({ ...part, records: [], ended: [] })));
        return outcomes;
      },
    }),
  ),
  planted("the store keeps the lists that it was given", ["an ended list exists for the next handle"], () => {
    const stored = new Map<number, EndedList>();
    return (store) => ({
      append(batch) {
        for (const { endedLists = [] } of batch.shards)
          for (const list of endedLists) stored.set(list.listId, list);
        return store.append(batch);
      },
      findEndedList: async (key) =>
        "listId" in key ? stored.get(key.listId) : await store.findEndedList(key),
    });
  }),
  planted("lists are read oldest first", ["lists are read newest first"], () => (store) => ({
    pageEndedLists: async (page) => [...(await store.pageEndedLists(page))].reverse(),
  })),
  planted("the end of a period is excluded", ["both ends of the time are included"], () => (store) => ({
    pageEndedLists: ({ endTimeMs, ...page }) =>
      store.pageEndedLists({ ...page, ...(endTimeMs && { endTimeMs: endTimeMs - 1 }) }),
  })),
];

/** Keeps copies of the legs that it is given, and shows them until `hides` says otherwise. */
const keepsLegs: StoreFault = () => {
  const legs = new Map<number, ParentOrder>();
  return (store) => ({
    append(batch) {
      for (const { ended } of batch.shards)
        for (const order of ended) if (order.list !== undefined) legs.set(order.orderId, order);
      return store.append(batch);
    },
    findEnded: async (key) =>
      (await store.findEnded(key)) ?? ("orderId" in key ? legs.get(key.orderId) : undefined),
  });
};

/** Takes a replaced leg for one outside its list, which therefore stays. */
const losesReplaced: StoreFault = () => {
  const seen = new Set<number>();
  let left = 0;
  let replaced = 0;
  return (store) => ({
    append(batch) {
      for (const { ended } of batch.shards)
        for (const { orderId } of ended) {
          if (seen.has(orderId)) replaced += 1;
          seen.add(orderId);
        }
      return store.append(batch);
    },
    async deleteEnded(range) {
      const gone = await store.deleteEnded(range);
      left += replaced;
      return gone - replaced;
    },
    async countEnded(whose) {
      const counted = await store.countEnded(whose);
      return { ...counted, count: counted.count + left };
    },
  });
};

const retentionFaults = [
  planted(
    "the time of a deletion is included",
    ["deletes parents that ended before the time"],
    () => (store) => ({
      deleteEnded: ({ beforeMs, limit }) => store.deleteEnded({ beforeMs: beforeMs + 1, limit }),
    }),
  ),
  planted("a leg is deleted before its list", ["a leg that ended long ago stays"], () => {
    let beforeMs = 0;
    return (store) => ({
      deleteEnded(range) {
        beforeMs = range.beforeMs;
        return store.deleteEnded(range);
      },
      async findEnded(key) {
        const found = await store.findEnded(key);
        const isOld = (found?.ended?.atMs ?? Number.POSITIVE_INFINITY) < beforeMs;
        return isOld ? undefined : found;
      },
    });
  }),
  planted("legs stay after their list", ["a list is deleted with all its legs"], keepsLegs),
  planted("the row of a list is not counted", ["a list without any leg"], () => (store) => ({
    async deleteEnded(range) {
      const lists = async () => (await store.pageEndedLists({ accountId: 1, limit: 1_000 })).length;
      const before = await lists();
      const gone = await store.deleteEnded(range);
      return gone - (before - (await lists()));
    },
  })),
  planted("a replaced leg loses its list", ["a leg that a late fill changed"], losesReplaced),
  planted(
    "the limit of a deletion is ignored",
    ["with any limit every call makes progress"],
    () => (store) => ({
      deleteEnded: ({ beforeMs }) => store.deleteEnded({ beforeMs, limit: 1_000 }),
    }),
  ),
];

/** Faults of ended parents, their names and pages, ended lists and retention. */
export const endedFaults: readonly PlantedStore[] = [
  ...parentFaults,
  ...nameFaults,
  ...pageFaults,
  ...listFaults,
  ...retentionFaults,
];
