import { same } from "../../../src/conformance/checks.ts";
import { notional, price, quantity } from "../../../src/decimal/index.ts";
import { ExecutionIds, type JournalRecord, type ParentOrder } from "../../../src/model/index.ts";
import { keepPrints } from "./prints.ts";
import {
  endedList,
  endedOrder,
  keepEnded,
  keepLists,
  openOrder,
  part,
  sampleMark,
  samplePrint,
} from "./samples.ts";
import { wholeOrder, wholeRecords } from "./whole-samples.ts";
import { all, rulesFor, type StoreRules } from "./world.ts";

/** Amounts around the largest safe integer, and at both ends of the range. */
const AMOUNTS = ["0.000001", "1.5", "9007199254.740991", "9007199254.740992", "9007199254.740993"];

/** Rules of exact values. */
export const exactness: StoreRules = rulesFor()({
  async "I16: amounts of parents come back exactly and in their own type, however they are read"({ store }) {
    const orders = AMOUNTS.map((text, n): ParentOrder => {
      const order = endedOrder({ orderId: -256 * (n + 1) });
      return {
        ...order,
        intent: { ...order.intent, quantity: quantity(text) },
        executedQuantity: quantity(text),
        executedNotional: notional(text),
      };
    });
    await keepEnded(store, orders);
    for (const order of orders) {
      const { orderId } = order;
      same("findEnded", await store.findEnded({ accountId: 1, orderId }), order);
    }
    const page = { accountId: 1, afterOrderId: 0, newestFirst: false, limit: 9 };
    same("pageEnded", await store.pageEnded(page), orders);
    same("readEnded", await store.readEnded({ shard: 0, afterOrderId: 0, limit: 9 }), orders);
    const parents = orders.map(({ ended: _ended, ...open }) => open);
    await store.writeSnapshot({ shard: 0, sequence: 0, counter: 1, parents });
    same("readSnapshot", (await store.readSnapshot(0))?.parents, parents);
  },

  async "I16: amounts of records come back exactly and in their own type"({ store }) {
    const records = AMOUNTS.map((text, n): JournalRecord => {
      const fill = { executionId: `e${n}`, quantity: quantity(text), price: price("0.00000001"), timeMs: 5 };
      const facts = [{ kind: "FILLED", childId: "aqc-1", fill }] as const;
      const changes = [{ orderId: -256, previous: n, facts }];
      return { shard: 0, sequence: n + 1, timeMs: 1_767_355_200_123, cause: { kind: "PLACE" }, changes };
    });
    await store.append({ shards: [part(0, 1, { records })] });
    same("readRecords", await store.readRecords({ shard: 0, ...all }), records);
  },

  async "I01 I53: every member of a parent and of a record comes back, also a child in flight, and however it is read"({
    store,
  }) {
    const records = wholeRecords();
    const end = { status: "EXPIRED", reason: "SCHEDULE_ENDED", atMs: 9 } as const;
    const ended = { ...wholeOrder(-256), ended: end };
    await store.append({ shards: [part(0, 1, { records, ended: [ended] })] });
    same("readRecords", await store.readRecords({ shard: 0, ...all }), records);
    same("findEnded", await store.findEnded({ accountId: 1, orderId: -256 }), ended);
    const page = { accountId: 1, afterOrderId: 0, newestFirst: true, limit: 9 };
    same("pageEnded", await store.pageEnded(page), [ended]);
    same("readEnded", await store.readEnded({ shard: 0, afterOrderId: 0, limit: 9 }), [ended]);
    const snapshot = { shard: 0, sequence: 2, counter: 9, parents: [wholeOrder(-512)] };
    await store.writeSnapshot(snapshot);
    same("readSnapshot", await store.readSnapshot(0), snapshot);
  },

  async "ids, counters and times beyond 32 bits come back exactly"({ store }) {
    const timeMs = 1_767_355_200_123;
    const accountId = 2 ** 40 + 1;
    const orderId = -(2 ** 48) - 256;
    const order = endedOrder({ orderId, accountId, endedAtMs: timeMs });
    await keepEnded(store, [order]);
    same("findEnded", await store.findEnded({ accountId, orderId }), order);
    const { count } = await store.countEnded({ accountId, shard: 0 });
    same("countEnded", count, 1);
    const legs = [orderId - 512, orderId - 768];
    const list = endedList({ listId: orderId, accountId, acceptedAtMs: timeMs, endedAtMs: timeMs + 1, legs });
    await keepLists(store, [list]);
    same("findEndedList", await store.findEndedList({ accountId, listId: orderId }), list);
    const mark = sampleMark({ position: 2 ** 44 + 1, timeMs });
    await store.append({ shards: [part(0, 1, { marks: [mark] })] });
    same("readMarks()", await store.readMarks(), [mark]);
    const snapshot = { shard: 0, sequence: 0, counter: 2 ** 44 + 1, parents: [openOrder({ orderId })] };
    await store.writeSnapshot(snapshot);
    same("readSnapshot(0)", await store.readSnapshot(0), snapshot);
    await keepPrints(store, [samplePrint({ timeMs, seenAtMs: timeMs + 1 })]);
    const { bars, prints } = await store.readVolume();
    same("bars", bars, [{ symbol: "BTC/USD", minuteMs: 1_767_355_200_000, quantity: quantity("0.5") }]);
    same("prints", prints, [{ symbol: "BTC/USD", id: "p1", seenAtMs: timeMs + 1 }]);
  },

  async "texts of a host come back as they are: quotes, spaces, letters beyond ASCII"({ store }) {
    const ids = ["p'1", 'say "it"', " a", "a ", "ä", "a\u0308", "%_", "\\n", "日本", "\u{1f600}"];
    await keepPrints(
      store,
      ids.map((id) => samplePrint({ id })),
    );
    const read = (await store.readVolume()).prints.map(({ id }) => id);
    same("ids of prints", read.sort(), [...ids].sort());
    const order = { ...endedOrder({ orderId: -256 }), executions: ExecutionIds.of(ids) };
    await keepEnded(store, [order]);
    same("findEnded", await store.findEnded({ accountId: 1, orderId: -256 }), order);
  },
});
