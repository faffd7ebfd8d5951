import { holds, same } from "../checks.ts";
import { executesNothing, expectReport, lineOf, OTHER_SYMBOL, type Part, type VenueRules } from "./world.ts";

const sorted = <T extends Readonly<{ executionId: string }>>(fills: readonly T[]): readonly T[] =>
  fills.toSorted((a, b) => (a.executionId < b.executionId ? -1 : 1));

/** Rules of what a child executes. */
export const executions: VenueRules = {
  "a child that is completely executed is closed, with every execution at its own price": {
    remedy:
      "Map the exchange's word for a filled order to `closed`, and list all its trades in `fills`. An average price, or one trade of two, is wrong.",
    async check(world) {
      const parts: readonly Part[] = [
        ["0.4", "100"],
        ["0.6", "101"],
      ];
      await world.offer(parts);
      const child = world.child();
      expectReport(
        `submit of ${lineOf(child)} against 0.4 at 100 and 0.6 at 101`,
        await world.submit(child),
        "closed",
        parts,
      );
      await world.bought("a child of 1 that was completely executed", "1");
    },
  },
  "quantities and prices are exact whole numbers of steps, never text, never floating-point numbers": {
    remedy:
      "Read the exchange's decimal text with `Quantity.parse` and `Price.parse`. Do not convert it to a number on the way.",
    async check(world) {
      const parts: readonly Part[] = [
        ["1.005", "8.2"],
        ["0.29", "1.00000001"],
        ["0.000001", "90071992.54740993"],
      ];
      for (const part of parts) {
        await world.offer([part]);
        const child = world.child({ quantity: part[0] });
        expectReport(
          `submit of ${lineOf(child)} against ${part.join(" at ")}`,
          await world.submit(child),
          "closed",
          [part],
        );
      }
    },
  },
  "an IOC child closes with what it found; the rest of it does not stay at the exchange": {
    remedy:
      "Map the exchange's words for a canceled or expired rest to `closed`, and keep the executions before it. Send the child as immediate-or-cancel.",
    async check(world) {
      await world.offer([["0.4", "100"]]);
      const child = world.child();
      expectReport(`submit of ${lineOf(child)} against 0.4 at 100`, await world.submit(child), "closed", [
        ["0.4", "100"],
      ]);
      await world.offer([["9", "100"]]);
      await world.place.idle();
      const later = await world.found(child);
      expectReport("lookup after the market had more", later, "closed", [["0.4", "100"]]);
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
      await world.offer([["0.4", "100"]]);
      const missing = world.child({ timeInForce: "FOK" });
      executesNothing(`submit of ${lineOf(missing)} against 0.4 at 100`, await world.submit(missing));
      await world.offer([["1", "100"]]);
      const there = world.child({ timeInForce: "FOK" });
      expectReport(`submit of ${lineOf(there)} against 1 at 100`, await world.submit(there), "closed", [
        ["1", "100"],
      ]);
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
        const parts: readonly Part[] = [
          ["0.4", "100"],
          ["0.6", beyond],
        ];
        await world.offer(parts, { side });
        const child = world.child({ side, limitPrice });
        const call = `submit of ${lineOf(child)} against 0.4 at 100 and 0.6 at ${beyond}`;
        expectReport(call, await world.submit(child), "closed", [["0.4", "100"]]);
      }
    },
  },
  "a child executes on its own side of the market": {
    remedy: "Map BUY and SELL to the exchange's words, and test both.",
    async check(world) {
      await world.offer([["1", "101"]], { side: "BUY" });
      await world.offer([["1", "100"]], { side: "SELL" });
      for (const [side, at] of [["BUY", "101"] as const, ["SELL", "100"] as const]) {
        const child = world.child({ side });
        expectReport(`submit of ${lineOf(child)} at 100 to 101`, await world.submit(child), "closed", [
          ["1", at],
        ]);
        await world.bought(`a ${side} of 1`, side === "BUY" ? "1" : "0");
      }
    },
  },
  "a child executes in its own market": {
    remedy: "Translate the symbol of the child into the exchange's name of that market.",
    async check(world) {
      await world.offer([["1", "100"]]);
      await world.offer([["1", "7"]], { symbol: OTHER_SYMBOL });
      const child = world.child({ symbol: OTHER_SYMBOL });
      expectReport(`submit of ${lineOf(child)} against 1 at 7`, await world.submit(child), "closed", [
        ["1", "7"],
      ]);
    },
  },
  "I15: every execution of a child has an id of its own": {
    remedy: "Use the exchange's id of the trade. Never make an id from a count or a time.",
    async check(world) {
      await world.offer([
        ["0.4", "100"],
        ["0.6", "101"],
      ]);
      const { fills } = await world.submit(world.child());
      const seen = fills.map(({ executionId }) => executionId);
      same("the executionIds of a child", [...new Set(seen)], seen);
    },
  },
  "I15: an execution has the same id, quantity, price and time in every report": {
    remedy:
      "Take all members of an execution from the exchange's record of the trade, and make none of them.",
    async check(world) {
      await world.offer([
        ["0.4", "100"],
        ["0.6", "101"],
      ]);
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
      await world.offer([["1", "100"]]);
      const { fills } = await world.submit(world.child());
      const toMs = world.place.nowMs();
      const isWithin = fills.length > 0 && fills.every(({ timeMs }) => timeMs >= fromMs && timeMs <= toMs);
      const times = fills.map(({ timeMs }) => timeMs);
      holds("timeMs of the executions", isWithin, `times from ${fromMs} to ${toMs}`, times);
    },
  },
};
