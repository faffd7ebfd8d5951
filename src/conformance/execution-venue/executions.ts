import { holds, same } from "../checks.ts";
import { executesNothing, expectClosed, lineOf, OTHER_SYMBOL, type Part, type VenueRules } from "./world.ts";

const sorted = <T extends Readonly<{ executionId: string }>>(fills: readonly T[]): readonly T[] =>
  fills.toSorted((a, b) => (a.executionId < b.executionId ? -1 : 1));

/** Rules of what a child executes. */
export const executions: VenueRules = {
  "a child that is completely executed is closed, with every execution at its own price": {
    remedy:
      "Map the exchange's word for a filled order to `closed`, and list all its trades in `fills`. An average price, or one trade of two, is wrong.",
    async check(world) {
      await world.executes(["0.4 at 100", "0.6 at 101"]);
      await world.bought("a child of 1 that was completely executed", "1");
    },
  },
  "quantities and prices are exact whole numbers of steps, never text, never floating-point numbers": {
    remedy:
      "Read the exchange's decimal text with `Quantity.parse` and `Price.parse`. Do not convert it to a number on the way.",
    async check(world) {
      const parts: readonly Part[] = ["1.005 at 8.2", "0.29 at 1.00000001", "0.000001 at 90071992.54740993"];
      for (const part of parts) await world.executes([part], { quantity: part.replace(/ .*/, "") });
    },
  },
  "an IOC child closes with what it found; the rest of it does not stay at the exchange": {
    remedy:
      "Map the exchange's words for a canceled or expired rest to `closed`, and keep the executions before it. Send the child as immediate-or-cancel.",
    async check(world) {
      const child = await world.executes(["0.4 at 100"]);
      await world.offer(["9 at 100"]);
      await world.place.idle();
      const later = await world.found(child);
      expectClosed("lookup after the market had more", later, ["0.4 at 100"]);
      await world.bought("an IOC child that found 0.4", "0.4");
    },
  },
  "a child that finds nothing is over, without executions": {
    remedy: "Report an order that expired without a trade as `closed` with an empty list.",
    async check(world) {
      await world.offer([]);
      const child = world.child();
      executesNothing(`submit of ${lineOf(child)} against nothing`, await world.submit(child));
    },
  },
  "a FOK child executes completely or not at all": {
    remedy: "Pass `timeInForce` on. If the exchange has no such orders, refuse the child.",
    async check(world) {
      await world.offer(["0.4 at 100"]);
      const missing = world.child({ timeInForce: "FOK" });
      executesNothing(`submit of ${lineOf(missing)} against 0.4 at 100`, await world.submit(missing));
      await world.executes(["1 at 100"], { timeInForce: "FOK" });
    },
  },
  "complaint 10: a child with a limit price never executes beyond it": {
    remedy: "Pass `limitPrice` on, as exact text. A child with one is a limit order.",
    async check(world) {
      // Each limit lies between two prices, so that a limit which was rounded is found on one of the two sides.
      for (const [side, limitPrice, beyond] of [
        ["BUY", "100.00000001", "100.00000002"],
        ["SELL", "99.99999999", "99.99999998"],
      ] as const) {
        const parts: readonly Part[] = ["0.4 at 100", `0.6 at ${beyond}`];
        await world.executes(parts, { side, limitPrice }, ["0.4 at 100"]);
      }
    },
  },
  "a child executes on its own side of the market": {
    remedy: "Map BUY and SELL to the exchange's words, and test both.",
    async check(world) {
      await world.offer(["1 at 101"], { side: "BUY" });
      await world.offer(["1 at 100"], { side: "SELL" });
      for (const [side, at] of [["BUY", "101"] as const, ["SELL", "100"] as const]) {
        const child = world.child({ side });
        expectClosed(`submit of ${lineOf(child)} at 100 to 101`, await world.submit(child), [`1 at ${at}`]);
        await world.bought(`a ${side} of 1`, side === "BUY" ? "1" : "0");
      }
    },
  },
  "a child executes in its own market": {
    remedy: "Translate the symbol of the child into the exchange's name of that market.",
    async check(world) {
      await world.offer(["1 at 100"]);
      await world.executes(["1 at 7"], { symbol: OTHER_SYMBOL });
    },
  },
  "I15: every execution of a child has an id of its own": {
    remedy: "Use the exchange's id of the trade. Never make an id from a count or a time.",
    async check(world) {
      await world.offer(["0.4 at 100", "0.6 at 101"]);
      const { fills } = await world.submit(world.child());
      const seen = fills.map(({ executionId }) => executionId);
      same("the executionIds of a child", [...new Set(seen)], seen);
    },
  },
  "I15: an execution has the same id, quantity, price and time in every report": {
    remedy:
      "Take all members of an execution from the exchange's record of the trade, and make none of them.",
    async check(world) {
      await world.offer(["0.4 at 100", "0.6 at 101"]);
      const child = world.child();
      const { fills } = await world.submit(child);
      for (const call of ["the first lookup", "the second lookup"])
        same(`fills of ${call} after the submit`, sorted((await world.found(child)).fills), sorted(fills));
    },
  },
  "the time of an execution is the exchange's, in milliseconds since the epoch": {
    remedy:
      "Convert seconds, microseconds and nanoseconds to milliseconds, and round down. Do not use the time of arrival.",
    async check(world) {
      const fromMs = world.place.nowMs();
      await world.offer(["1 at 100"]);
      const { fills } = await world.submit(world.child());
      const toMs = world.place.nowMs();
      const isWithin = fills.length > 0 && fills.every(({ timeMs }) => timeMs >= fromMs && timeMs <= toMs);
      const times = fills.map(({ timeMs }) => timeMs);
      holds("timeMs of the executions", isWithin, `times from ${fromMs} to ${toMs}`, times);
    },
  },
};
