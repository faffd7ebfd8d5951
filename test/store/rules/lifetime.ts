import { refused, same } from "../../../src/conformance/checks.ts";
import {
  endedList,
  endedOrder,
  keepEnded,
  keepLists,
  openOrder,
  part,
  sampleMark,
  sampleRecords,
} from "./samples.ts";
import { all, rulesFor, type StoreRules } from "./world.ts";

/** Rules of the end of a handle. */
export const lifetime: StoreRules = rulesFor()({
  async "I01: everything durable exists for the next handle"({ store, open, close }) {
    const order = endedOrder({ orderId: -256 });
    const records = sampleRecords(0, 1, 3);
    await store.append({ shards: [part(0, 1, { records, ended: [order], marks: [sampleMark()] })] });
    const snapshot = { shard: 0, sequence: 2, counter: 1, parents: [openOrder({ orderId: -512 })] };
    await store.writeSnapshot(snapshot);
    await close(store);
    const next = await open();
    same("head(0) of the next handle", await next.head(0), { shard: 0, epoch: 1, sequence: 3 });
    same("readRecords of the next handle", await next.readRecords({ shard: 0, ...all }), records);
    same("readSnapshot of the next handle", await next.readSnapshot(0), snapshot);
    same("readMarks of the next handle", await next.readMarks(), [sampleMark()]);
    same("findEnded of the next handle", await next.findEnded({ accountId: 1, orderId: -256 }), order);
    const [head] = await next.acquire();
    same("acquire of the next handle", head, { shard: 0, epoch: 2, sequence: 3 });
  },

  async "I03: ended parents and lists are found by either id after a restart, and their client ids are still taken"({
    store,
    open,
    close,
  }) {
    const order = endedOrder({ orderId: -256, clientOrderId: "mine" });
    const list = endedList({ listId: -2_560, listClientOrderId: "ours" });
    await keepLists(store, [list], [order]);
    await close(store);
    const next = await open();
    await next.acquire();
    same("findEnded by client id", await next.findEnded({ accountId: 1, clientOrderId: "mine" }), order);
    same("findEndedList by id", await next.findEndedList({ accountId: 1, listId: -2_560 }), list);
    const named = { accountId: 1, listClientOrderId: "ours" };
    same("findEndedList by client id", await next.findEndedList(named), list);
    same("countEnded", (await next.countEnded({ accountId: 1, shard: 0 })).count, 1);
    const again = endedOrder({ orderId: -512, clientOrderId: "mine" });
    await refused("append of a second parent with the client id", () => keepEnded(next, [again]));
    const second = endedList({ listId: -5_120, listClientOrderId: "ours" });
    await refused("append of a second list with the client id", () => keepLists(next, [second]));
  },

  async "I71: a closed store answers with an error and never with an empty result"({ store, close }) {
    await close(store);
    const calls = {
      acquire: () => store.acquire(),
      head: () => store.head(0),
      append: () => store.append({ shards: [] }),
      fence: () => store.fence({ shard: 0, epoch: 1, round: 1 }),
      readRecords: () => store.readRecords({ shard: 0, ...all }),
      readSnapshot: () => store.readSnapshot(0),
      writeSnapshot: () => store.writeSnapshot({ shard: 0, sequence: 0, counter: 0, parents: [] }),
      readMarks: () => store.readMarks(),
      deleteMarks: () => store.deleteMarks([]),
      readQuotes: () => store.readQuotes(),
      findEnded: () => store.findEnded({ accountId: 1, orderId: -256 }),
      pageEnded: () => store.pageEnded({ accountId: 1, afterOrderId: 0, newestFirst: false, limit: 1 }),
      countEnded: () => store.countEnded({ accountId: 1, shard: 0 }),
      readEnded: () => store.readEnded({ shard: 0, afterOrderId: 0, limit: 1 }),
      findEndedList: () => store.findEndedList({ accountId: 1, listId: -256 }),
      pageEndedLists: () => store.pageEndedLists({ accountId: 1, limit: 1 }),
      deleteEnded: () => store.deleteEnded({ beforeMs: 1, limit: 1 }),
      readVolume: () => store.readVolume(),
      deleteVolume: () => store.deleteVolume({ beforeMs: 1 }),
    };
    for (const [name, call] of Object.entries(calls)) await refused(`${name} after close`, call);
    if (store.pageEndedNames !== undefined)
      await refused("pageEndedNames after close", () => store.pageEndedNames?.({ limit: 1 }));
    if (store.pruneEnded !== undefined)
      await refused("pruneEnded after close", () => store.pruneEnded?.({ beforeMs: 1 }, () => true));
  },
});
