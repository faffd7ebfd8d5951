import { refused, same } from "../../../src/conformance/checks.ts";
import type { OrderStore } from "../../../src/ports/index.ts";
import { endedList, endedOrder, keepEnded, keepLists } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

const idsOf = (orders: readonly Readonly<{ orderId: number }>[]): readonly number[] =>
  orders.map(({ orderId }) => orderId);

/** One more than the longest page that a client gets. */
const MANY = 1_001;

type From = Readonly<{ after: number; newestFirst?: boolean; limit?: number }>;

/** Reads a page of account 1 and compares its ids. */
async function page(store: OrderStore, from: From, expected: readonly number[]): Promise<void> {
  const { after: afterOrderId, newestFirst = false, limit = 2 } = from;
  const orders = await store.pageEnded({ accountId: 1, afterOrderId, newestFirst, limit });
  const order = newestFirst ? "newest first" : "oldest first";
  same(`pageEnded after ${afterOrderId}, ${order}, limit ${limit}`, idsOf(orders), expected);
}

/** Keeps parents that ended in another order than they were created, with other accounts among them. */
async function keepSeven(store: OrderStore): Promise<void> {
  const orders = [-768, -256, -1280, -512, -1024].map((orderId) => endedOrder({ orderId }));
  await keepEnded(store, [...orders, endedOrder({ orderId: -1536, accountId: 2 })]);
  await keepEnded(store, [endedOrder({ orderId: -257 }), endedOrder({ orderId: -513 })], 1);
}

/** Rules of pages of ended parents. */
export const pages: StoreRules = rulesFor()({
  async "I70: pages fall from id to id until none is left"({ store }) {
    await keepSeven(store);
    await page(store, { after: 0 }, [-256, -257]);
    await page(store, { after: -257, limit: 3 }, [-512, -513, -768]);
    await page(store, { after: -768, limit: 9 }, [-1024, -1280]);
    await page(store, { after: -1280 }, []);
  },

  async "I70: newest first they rise"({ store }) {
    await keepSeven(store);
    await page(store, { after: 0, newestFirst: true }, [-1280, -1024]);
    await page(store, { after: -1024, newestFirst: true, limit: 3 }, [-768, -513, -512]);
    await page(store, { after: -512, newestFirst: true, limit: 9 }, [-257, -256]);
    await page(store, { after: -256, newestFirst: true }, []);
  },

  async "a cursor whose order is gone continues from its place"({ store }) {
    await keepSeven(store);
    await page(store, { after: -600 }, [-768, -1024]);
    await page(store, { after: -600, newestFirst: true }, [-513, -512]);
  },

  async "I70: rows that are added or deleted between two pages make none repeat and none be skipped"({
    store,
  }) {
    await keepEnded(
      store,
      [-512, -1024, -1536, -2048].map((orderId) => endedOrder({ orderId })),
    );
    await page(store, { after: 0 }, [-512, -1024]);
    await keepEnded(store, [endedOrder({ orderId: -256 }), endedOrder({ orderId: -768 })]);
    await page(store, { after: -1024 }, [-1536, -2048]);
    await store.deleteEnded({ beforeMs: 2_000, limit: 1_000 });
    await keepEnded(store, [endedOrder({ orderId: -2304 })]);
    await page(store, { after: -2048 }, [-2304]);
  },

  async "I70: a page is full while more rows follow: a short one is the end"({ store }) {
    const ids = Array.from({ length: MANY }, (_, n) => -256 * (n + 1));
    await keepEnded(
      store,
      ids.map((orderId) => endedOrder({ orderId })),
    );
    const listIds = ids.map((orderId) => orderId - 2 ** 30);
    await keepLists(
      store,
      listIds.map((listId) => endedList({ listId })),
    );
    await page(store, { after: 0, limit: MANY }, ids);
    await page(store, { after: 0, limit: MANY, newestFirst: true }, ids.toReversed());
    const ofShard = await store.readEnded({ shard: 0, afterOrderId: 0, limit: MANY });
    same(`readEnded of ${MANY} rows`, idsOf(ofShard), ids);
    const lists = await store.pageEndedLists({ accountId: 1, limit: MANY });
    same(
      `pageEndedLists of ${MANY} rows`,
      lists.map(({ listId }) => listId),
      listIds.toReversed(),
    );
  },

  async "a shard's ended parents fall from id to id, of every account"({ store }) {
    await keepSeven(store);
    const read = async (afterOrderId: number, limit: number, shard = 0) =>
      idsOf(await store.readEnded({ shard, afterOrderId, limit }));
    same("readEnded of shard 0, limit 3", await read(0, 3), [-256, -512, -768]);
    same("readEnded after -768", await read(-768, 9), [-1024, -1280, -1536]);
    same("readEnded of shard 1", await read(0, 9, 1), [-257, -513]);
  },

  async "a limit that is not a positive whole number is refused"({ store }) {
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      const page = { accountId: 1, afterOrderId: 0, newestFirst: false, limit };
      await refused(`pageEnded with a limit of ${limit}`, () => store.pageEnded(page));
      await refused(`readRecords with a limit of ${limit}`, () =>
        store.readRecords({ shard: 0, after: 0, limit }),
      );
      await refused(`readEnded with a limit of ${limit}`, () =>
        store.readEnded({ shard: 0, afterOrderId: 0, limit }),
      );
      await refused(`pageEndedLists with a limit of ${limit}`, () =>
        store.pageEndedLists({ accountId: 1, limit }),
      );
      await refused(`deleteEnded with a limit of ${limit}`, () => store.deleteEnded({ beforeMs: 9, limit }));
    }
  },
});
