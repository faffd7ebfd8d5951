import type { LimitTable, StoredBan, WrittenOrders } from "../adapters/shared/index.ts";
import type { Entry } from "../ports/index.ts";
import { countIn, escaped, keyOf, numberIn, partsOf, under, unescaped } from "./keys.ts";
import type { Plan, Rows } from "./rows.ts";

const LIMITERS = "limiters";

const banKey = (address: string): string => keyOf("ban", escaped(address));

const banEndKey = ({ untilMs, address }: StoredBan): string => keyOf("banend", untilMs, escaped(address));

/** Returns a stored ban. */
function banIn([key, text]: Entry): StoredBan {
  const [untilMs = 0, lengthMs = 0] = text.split(" ").map(numberIn);
  return { address: unescaped(partsOf(key)[0] ?? ""), untilMs, lengthMs };
}

/** Orders that rate limiters have counted, and bans. */
export const limitTable = (rows: Rows): LimitTable => ({ ...countTable(rows), ...banTable(rows) });

function countTable(rows: Rows): Pick<LimitTable, "join" | "counts" | "putCounts" | "prune"> {
  return {
    async join() {
      let writer = 0;
      await rows.write({
        reads: [LIMITERS],
        change(valueAt) {
          writer = countIn(valueAt(LIMITERS)) + 1;
          return { puts: [[LIMITERS, String(writer)]] };
        },
      });
      return writer;
    },
    async counts({ day, afterAccount, afterWriter, limit }) {
      const prefix = keyOf("orders", day);
      const bounds = under(
        prefix,
        afterAccount > 0 ? keyOf("orders", day, afterAccount, afterWriter) : undefined,
      );
      return (await rows.range({ ...bounds, limit })).map(([key, text]): WrittenOrders => {
        const [, accountId = 0, writer = 0] = partsOf(key).map(numberIn);
        return { accountId, writer, orders: numberIn(text.split(" ")[0]) };
      });
    },
    async putCounts({ day, writer, write, orders }) {
      await rows.commit(
        orders.map(({ accountId, orders: count }): Plan => {
          const key = keyOf("orders", day, accountId, writer);
          return {
            reads: [],
            // One of a later write stands: this one comes too late.
            absent: [key],
            change: (valueAt) =>
              numberIn(valueAt(key)?.split(" ")[1] ?? "0") >= write
                ? {}
                : { puts: [[key, `${count} ${write}`]] },
          };
        }),
      );
    },
    async prune({ beforeDay, endedBeforeMs, limit }) {
      const old = { from: "orders ", before: keyOf("orders", beforeDay), limit };
      const counts = (await rows.range(old)).map(([key]) => key);
      await rows.write({ reads: [], change: () => ({ deletes: counts }) });
      const ended = {
        from: "banend ",
        before: keyOf("banend", Math.max(0, Math.ceil(endedBeforeMs))),
        limit,
      };
      const bans = await bansOf(rows, await rows.range(ended));
      // One that was extended meanwhile stays.
      const gone = await rows.commit(bans.map(dropPlan));
      return counts.length + gone.length;
    },
  };
}

function banTable(rows: Rows): Pick<LimitTable, "bans" | "putBans" | "endOfOldest"> {
  return {
    async bans({ afterMs, afterAddress, limit }) {
      const from = `${keyOf("banend", Math.max(0, afterMs), escaped(afterAddress))} `;
      const ends = await rows.range({ from, before: "banend!", limit });
      return await bansOf(rows, ends);
    },
    async putBans(bans) {
      await rows.commit(bans.map(banPlan));
    },
    async endOfOldest(most) {
      let skipped = 0;
      for await (const page of rows.pages({ ...under("banend"), reverse: true })) {
        const end = page[most - skipped];
        if (end !== undefined) return numberIn(partsOf(end[0])[0]);
        skipped += page.length;
      }
      return undefined;
    },
  };
}

async function bansOf(rows: Rows, ends: readonly Entry[]): Promise<readonly StoredBan[]> {
  const keys = ends.map(([key]) => banKey(unescaped(partsOf(key)[1] ?? "")));
  const texts = await rows.get(keys);
  return keys.flatMap((key, place) => {
    const text = texts[place];
    return text === undefined ? [] : [banIn([key, text])];
  });
}

/** Keeps of an address the ban that ends last. */
function banPlan(ban: StoredBan): Plan {
  const key = banKey(ban.address);
  return {
    reads: [key],
    change(valueAt) {
      const text = valueAt(key);
      const before = text === undefined ? undefined : banIn([key, text]);
      if (before !== undefined && before.untilMs >= ban.untilMs) return {};
      return {
        puts: [
          [key, `${ban.untilMs} ${ban.lengthMs}`],
          [banEndKey(ban), ""],
        ],
        deletes: before === undefined ? [] : [banEndKey(before)],
      };
    },
  };
}

function dropPlan(ban: StoredBan): Plan {
  const key = banKey(ban.address);
  return {
    reads: [key],
    change(valueAt) {
      const text = valueAt(key);
      const isSame = text !== undefined && banIn([key, text]).untilMs === ban.untilMs;
      return { deletes: isSame ? [key, banEndKey(ban)] : [banEndKey(ban)] };
    },
  };
}
