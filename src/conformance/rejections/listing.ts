import { same } from "../suite/index.ts";
import { rejectionOf } from "./samples.ts";
import type { RejectionsRule, RejectionsRules } from "./world.ts";

const newest: RejectionsRule = {
  name: "lists the newest `limit`, oldest first, in the order in which they were retained",
  remedy:
    "Order by a counter of your own: several rejections have one time. Take the last `limit` of that order.",
  async check({ rejections, written, list }) {
    const all = Array.from({ length: 12 }, (_, n) => rejectionOf({ clientOrderId: `mine-${n}` }));
    for (const rejection of all) rejections.retain(rejection);
    same("list, limit 2", await list({ limit: 2 }), all.slice(-2));
    same("list of 12 with one time", await list(), all);
    await written();
    same("list, limit 2, after written()", await list({ limit: 2 }), all.slice(-2));
    same("list of 12 with one time, after written()", await list(), all);
  },
};

const ownOnly: RejectionsRule = {
  name: "never lists a rejection of another account",
  remedy: "Select by account in every query, whatever else is asked for.",
  async check({ rejections, written, list }) {
    const mine = rejectionOf();
    const foreign = rejectionOf({ accountId: 2 });
    for (const rejection of [mine, foreign]) rejections.retain(rejection);
    for (const when of ["right after retain", "after written()"]) {
      same(`list of account 1 ${when}`, await list(), [mine]);
      same(`list of account 2 ${when}`, await list({ accountId: 2 }), [foreign]);
      same(`list of account 3 ${when}`, await list({ accountId: 3 }), []);
      const named = { clientOrderId: "mine", symbol: "BTC/USD" };
      same(`list of account 2 by symbol and client id ${when}`, await list({ accountId: 2, ...named }), [
        foreign,
      ]);
      await written();
    }
  },
};

const narrowed: RejectionsRule = {
  name: "is narrowed by symbol and client id",
  remedy: "Compare both byte by byte: `Mine` is not `mine`. A filter that is not given selects everything.",
  async check({ rejections, written, list }) {
    const mine = rejectionOf();
    const ether = rejectionOf({ symbol: "ETH/USD", clientOrderId: "Mine" });
    for (const rejection of [mine, ether]) rejections.retain(rejection);
    for (const when of ["right after retain", "after written()"]) {
      same(`list ${when}`, await list(), [mine, ether]);
      same(`list of ETH/USD ${when}`, await list({ symbol: "ETH/USD" }), [ether]);
      same(`list of "mine" ${when}`, await list({ clientOrderId: "mine" }), [mine]);
      same(`list of "Mine" ${when}`, await list({ clientOrderId: "Mine" }), [ether]);
      const both = { clientOrderId: "Mine", symbol: "BTC/USD" };
      same(`list of "Mine" in BTC/USD ${when}`, await list(both), []);
      await written();
    }
  },
};

const inPeriod: RejectionsRule = {
  name: "is narrowed by time, both ends included, before the limit is applied",
  remedy: "Compare `timeMs` with `>=` and `<=`, then take the newest `limit`.",
  async check({ rejections, written, list }) {
    const all = [1_000, 1_001, 1_002].map((timeMs) => rejectionOf({ timeMs, clientOrderId: `at-${timeMs}` }));
    const [first, second] = all;
    for (const rejection of all) rejections.retain(rejection);
    for (const when of ["right after retain", "after written()"]) {
      same(`list of 1000 to 1000 ${when}`, await list({ startTimeMs: 1_000, endTimeMs: 1_000 }), [first]);
      same(`list from 1001 ${when}`, await list({ startTimeMs: 1_001 }), all.slice(1));
      same(`list to 1001 ${when}`, await list({ endTimeMs: 1_001 }), all.slice(0, 2));
      same(`list to 1001, limit 1 ${when}`, await list({ endTimeMs: 1_001, limit: 1 }), [second]);
      same(`list from 1003 ${when}`, await list({ startTimeMs: 1_003 }), []);
      await written();
    }
  },
};

/** Rules of listing rejections. */
export const listing: RejectionsRules = { name: "listing", rules: [newest, ownOnly, narrowed, inPeriod] };
