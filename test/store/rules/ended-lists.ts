import { refused, same } from "../../../src/conformance/checks.ts";
import type { EndedListPage, OrderStore } from "../../../src/ports/index.ts";
import { endedLegs, endedList, endedOrder, keepLists, part, sampleRecord } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

/** Keeps lists that ended in another order than they were created; a list of another account is among them. */
async function keepFive(store: OrderStore): Promise<void> {
  const accepted = { 2: 2_000, 1: 1_000, 4: 4_000, 3: 3_000, 5: 4_000 };
  const lists = Object.entries(accepted).map(([n, acceptedAtMs]) => {
    const listId = -2_560 * Number.parseInt(n, 10);
    return endedList({ listId, acceptedAtMs, endedAtMs: 9_000 - acceptedAtMs });
  });
  await keepLists(store, [...lists, endedList({ listId: -2_600, accountId: 2 })]);
}

type Wanted = Omit<EndedListPage, "accountId">;

/** Reads a page of account 1 and compares its ids. */
async function page(store: OrderStore, wanted: Wanted, expected: readonly number[]): Promise<void> {
  const lists = await store.pageEndedLists({ accountId: 1, ...wanted });
  const ids = lists.map(({ listId }) => listId);
  same(`pageEndedLists of ${JSON.stringify(wanted)}`, ids, expected);
}

/** Rules of finding and reading ended lists. */
export const endedLists: StoreRules = rulesFor()({
  async "an ended list is found by either id, by its own account only"({ store }) {
    const legs = [-512, -768, -1024];
    const list = endedList({ listId: -256, accountId: 4, listClientOrderId: "pair", legs });
    await keepLists(store, [list]);
    const named = (accountId: number, listClientOrderId: string) =>
      store.findEndedList({ accountId, listClientOrderId });
    same("findEndedList by id", await store.findEndedList({ accountId: 4, listId: -256 }), list);
    same("findEndedList by client id", await named(4, "pair"), list);
    const foreign = await store.findEndedList({ accountId: 5, listId: -256 });
    same("findEndedList by another account", foreign, undefined);
    const leg = await store.findEndedList({ accountId: 4, listId: -512 });
    same("findEndedList by the id of a leg", leg, undefined);
    same("findEndedList by client id, another account", await named(5, "pair"), undefined);
    same('findEndedList of "Pair"', await named(4, "Pair"), undefined);
  },

  async "a row of the same list replaces the earlier one"({ store }) {
    await keepLists(store, [endedList({ listId: -256, listClientOrderId: "before" })]);
    const later = { listClientOrderId: "after", acceptedAtMs: 7, endedAtMs: 9, legs: [-1, -2] };
    const list = endedList({ listId: -256, ...later });
    await keepLists(store, [list]);
    same("findEndedList by id", await store.findEndedList({ accountId: 1, listId: -256 }), list);
    same("pageEndedLists", await store.pageEndedLists({ accountId: 1, limit: 9 }), [list]);
    const before = await store.findEndedList({ accountId: 1, listClientOrderId: "before" });
    same("findEndedList by the earlier client id", before, undefined);
  },

  async "I03: a client id names one list of an account while its row exists; parents have separate ids"({
    store,
  }) {
    const named = (listId: number, rest = {}) => endedList({ listId, listClientOrderId: "a", ...rest });
    const find = () => store.findEndedList({ accountId: 1, listClientOrderId: "a" });
    const first = named(-256, { endedAtMs: 10 });
    await keepLists(store, [first], [endedOrder({ orderId: -1_024, clientOrderId: "a" })]);
    await refused("append of a second list with the client id", () => keepLists(store, [named(-2_560)]));
    same("findEndedList by the client id", await find(), first);
    await keepLists(store, [named(-5_120, { accountId: 2 })]);
    await store.deleteEnded({ beforeMs: 11, limit: 1 });
    await keepLists(store, [named(-2_560)]);
    same("findEndedList after the first was deleted", await find(), named(-2_560));
  },

  async "I03: a batch in which two lists share a client id is refused completely"({ store }) {
    const first = endedList({ listId: -256, listClientOrderId: "a" });
    const endedLists = [first, { ...first, listId: -2_560 }];
    const given = part(0, 1, { records: [sampleRecord(0, 1)], ended: endedLegs(first), endedLists });
    await refused("append of two lists with one client id", () => store.append({ shards: [given] }));
    same("head(0)", (await store.head(0)).sequence, 0);
    same("countEnded", (await store.countEnded({ accountId: 1, shard: 0 })).count, 0);
    same("pageEndedLists", await store.pageEndedLists({ accountId: 1, limit: 9 }), []);
  },

  async "I60: the lists of a fenced shard are not written, those of the other shards are"({ store }) {
    const [fenced, stored] = [endedList({ listId: -256 }), endedList({ listId: -257 })];
    const shards = [part(0, 9, { endedLists: [fenced] }), part(1, 1, { endedLists: [stored] })];
    same("append of two shards", await store.append({ shards }), ["fenced", "durable"]);
    same("pageEndedLists", await store.pageEndedLists({ accountId: 1, limit: 9 }), [stored]);
  },

  async "I01: an ended list exists for the next handle, and reads are independent of the written objects"({
    store,
    open,
  }) {
    const legs = [-512, -768];
    await keepLists(store, [endedList({ listId: -256, legs })]);
    legs.pop();
    const next = await open();
    const read = await next.findEndedList({ accountId: 1, listId: -256 });
    same("findEndedList of another handle", read, endedList({ listId: -256, legs: [-512, -768] }));
  },

  async "lists are read newest first, at most `limit`, of one account"({ store }) {
    await keepFive(store);
    await page(store, { limit: 9 }, [-12_800, -10_240, -7_680, -5_120, -2_560]);
    await page(store, { limit: 2 }, [-12_800, -10_240]);
    same("pageEndedLists of account 3", await store.pageEndedLists({ accountId: 3, limit: 9 }), []);
  },

  async "both ends of the time are included, and the newest of the range are read"({ store }) {
    await keepFive(store);
    const middle = { startTimeMs: 2_000, endTimeMs: 4_000, limit: 9 };
    await page(store, middle, [-12_800, -10_240, -7_680, -5_120]);
    await page(store, { startTimeMs: 2_001, endTimeMs: 3_999, limit: 9 }, [-7_680]);
    await page(store, { startTimeMs: 3_000, limit: 9 }, [-12_800, -10_240, -7_680]);
    await page(store, { endTimeMs: 3_000, limit: 2 }, [-7_680, -5_120]);
    await page(store, { startTimeMs: 4_001, limit: 9 }, []);
  },
});
