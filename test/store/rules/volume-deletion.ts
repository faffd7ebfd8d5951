import { holds, same } from "../../../src/conformance/checks.ts";
import { quantity } from "../../../src/decimal/index.ts";
import { keepPrints, MINUTE_MS } from "./prints.ts";
import { samplePrint } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

/** Rules of deleting executed volume. */
export const volumeDeletion: StoreRules = {
  ...rulesFor()({
    async "bars of minutes that began, and ids first seen, before the time are dropped; totals stay"({
      store,
    }) {
      const at = (minute: number, seenAtMs: number) =>
        samplePrint({ id: `m${minute}`, timeMs: minute * MINUTE_MS + 59_999, seenAtMs });
      await keepPrints(store, [at(1, 299_999), at(4, 300_000), at(5, 300_001), at(0, 900_000)]);
      await store.deleteVolume({ beforeMs: 5 * MINUTE_MS });
      const { totals, bars, prints } = await store.readVolume();
      const symbol = "BTC/USD";
      same("totals", totals, [{ symbol, total: quantity("2") }]);
      same("bars", bars, [{ symbol, minuteMs: 5 * MINUTE_MS, quantity: quantity("0.5") }]);
      same("prints", prints, [
        { symbol, id: "m4", seenAtMs: 300_000 },
        { symbol, id: "m5", seenAtMs: 300_001 },
        { symbol, id: "m0", seenAtMs: 900_000 },
      ]);
    },

    async "however many they are, all are deleted, and appends continue"({ store }) {
      const prints = Array.from({ length: 9_000 }, (_, n) => samplePrint({ id: `p${n}`, timeMs: n }));
      const fresh = samplePrint({ id: "new", seenAtMs: 90_000, timeMs: 90_000 });
      await store.append({ shards: [], prints: [...prints, fresh] });
      const deleting = store.deleteVolume({ beforeMs: 60_000 });
      await keepPrints(store, [samplePrint({ id: "newer", seenAtMs: 90_001, timeMs: 90_001 })]);
      await deleting;
      const { totals, bars, prints: left } = await store.readVolume();
      const ids = left.map(({ id }) => id);
      same("prints after deleteVolume of 9000", ids, ["new", "newer"]);
      same("totals", totals, [{ symbol: "BTC/USD", total: quantity("4501") }]);
      same("bars", bars, [{ symbol: "BTC/USD", minuteMs: MINUTE_MS, quantity: quantity("1") }]);
    },

    async "an id that was dropped counts again"({ store }) {
      await keepPrints(store, [samplePrint()]);
      await store.deleteVolume({ beforeMs: 30_101 });
      await keepPrints(store, [samplePrint()]);
      const { totals, bars } = await store.readVolume();
      same("totals", totals, [{ symbol: "BTC/USD", total: quantity("1") }]);
      same("bars", bars, [{ symbol: "BTC/USD", minuteMs: 0, quantity: quantity("0.5") }]);
    },
  }),
  ...rulesFor({ progress: true })({
    async "many are deleted a few at a time; appends do not wait for all of them"({ store }) {
      const prints = Array.from({ length: 9_000 }, (_, n) => samplePrint({ id: `p${n}`, timeMs: n }));
      await store.append({ shards: [], prints });
      const done: string[] = [];
      let received = 0;
      const deleting = store
        .deleteVolume({ beforeMs: 60_000 }, () => void received++)
        .then(() => done.push("deleted"));
      await keepPrints(store, [samplePrint({ id: "newer", seenAtMs: 90_001, timeMs: 90_001 })]);
      done.push("appended");
      await deleting;
      same("append while 9000 prints are deleted", done, ["appended", "deleted"]);
      holds("deleteVolume of 9000 prints", received > 0, "calls of `deleting`", received);
    },
  }),
};
