import { flagOption, isAwaited, type OptionCheck } from "../common/index.ts";
import { formatQuantity } from "../decimal/index.ts";
import { checkedVolumes } from "../host-answers/index.ts";
import type { Awaitable, VolumeHistory } from "../ports/index.ts";
import { volumeHistoryOption } from "../ports/internal.ts";
import { holds, questionsOf, readable, refused, same } from "./checks.ts";
import {
  type AtEnd,
  createdPlace,
  declareSuite,
  type Rules,
  subjectOption,
  type TestFramework,
} from "./suite.ts";

/** An executed trade, with its quantity as decimal text. `id` is unique in its market. */
export interface ExecutedTrade {
  readonly symbol: string;
  readonly quantity: string;
  readonly id: string;
  /** When it was executed, in epoch milliseconds. */
  readonly timeMs: number;
}

/** A record of trades behind the history, and what the suite needs of it. Nobody else trades. */
export interface VolumeHistoryPlace {
  readonly volumeHistory: VolumeHistory;
  /** Returns the time of the record in epoch milliseconds. Trades of the suite are up to 20 hours older. */
  nowMs(): number;
  /** Records trades, in any order. One whose market and id were recorded is the same trade again. */
  record(trades: readonly ExecutedTrade[]): Awaitable<void>;
  /** Resolves when every answer that is due has come. */
  idle(): Promise<void>;
  /** Removes the place. */
  remove(): Awaitable<void>;
  /** With `remote`: makes the record unreachable, or reachable again. */
  setOutage?(isOut: boolean): Awaitable<void>;
}

/** The optional parts of a history, each declared as present or absent. */
export interface VolumeHistorySupport {
  /** Whether it asks another system, which may be unreachable. If not, it answers synchronously. */
  readonly remote: boolean;
}

/** An adapter of the volume history port as its author describes it to the suite. */
export interface VolumeHistorySubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: VolumeHistorySupport;
  /** Creates a history without trades. The suite creates one per test, and removes it at the end. */
  createPlace(): Awaitable<VolumeHistoryPlace>;
}

/** Checks an adapter that is handed to the suite. */
const volumeHistorySubject: OptionCheck = /* @__PURE__ */ subjectOption<VolumeHistorySupport>(
  { remote: flagOption },
  "creates a history",
);

const MINUTE_MS = 60_000;
/** The minutes that a VWAP asks for. */
const WINDOW_MINUTES = 512;

type VolumeRules = Rules<VolumeWorld, VolumeHistorySupport>;

/** A trade in a minute of the suite: `minute` after its first one, and `atMs` after the minute began. */
type Executed = Readonly<{ minute: number; quantity: string; atMs?: number; symbol?: string; id?: string }>;

/** The surroundings of one rule: a record of trades, and the history of it. */
class VolumeWorld {
  readonly place: VolumeHistoryPlace;
  /** The first minute of the suite: 600 whole minutes ago. */
  readonly startMs: number;
  #trades = 0;

  constructor(place: VolumeHistoryPlace) {
    this.place = place;
    const nowMs = place.nowMs();
    this.startMs = nowMs - (nowMs % MINUTE_MS) - 600 * MINUTE_MS;
  }

  static async create(subject: VolumeHistorySubject, atEnd: AtEnd): Promise<VolumeWorld> {
    const place = await createdPlace(subject, atEnd, "VolumeHistoryPlace", {
      ...{ volumeHistory: volumeHistoryOption, nowMs: true, record: true, idle: true, remove: true },
      setOutage: subject.supports.remote,
    });
    return new VolumeWorld(place);
  }

  async record(executed: readonly Executed[]): Promise<void> {
    const trades = executed.map(({ minute, quantity, atMs = 0, symbol = "BTC/USD", id }): ExecutedTrade => {
      const timeMs = this.startMs + minute * MINUTE_MS + atMs;
      return { symbol, quantity, id: id ?? `trade-${++this.#trades}`, timeMs };
    });
    await this.place.record(trades);
  }

  /** Returns the bars of minutes from `from` to `to`, as `3: 0.5`. */
  async bars(from: number, to: number, symbol = "BTC/USD"): Promise<readonly string[]> {
    const [fromMs, toMs] = [from, to].map((minute) => this.startMs + minute * MINUTE_MS) as [number, number];
    const checked = checkedVolumes(
      this.place.volumeHistory,
      questionsOf(() => undefined),
    );
    const call = `minutes of ${symbol} from minute ${from} to ${to}`;
    const bars = await readable(
      call,
      () => checked.minutes({ symbol, fromMs, toMs }),
      () => this.place.idle(),
    );
    return bars.map(
      ({ minuteMs, quantity }) => `${(minuteMs - this.startMs) / MINUTE_MS}: ${formatQuantity(quantity)}`,
    );
  }
}

const REMEDY =
  "Group trades by their whole minute, `timeMs - (timeMs % 60_000)`, and sum with `Quantity.add`, or in the database with exact decimals.";

const bars: VolumeRules = {
  "I16: a bar is the exact sum of the trades of its minute, also beyond the safe integers": {
    remedy: `${REMEDY} A sum of floating-point numbers is wrong.`,
    async check(world) {
      await world.record([
        ...["0.1", "0.2", "1.005"].map((quantity) => ({ minute: 0, quantity })),
        ...["9007199254.740993", "0.000001"].map((quantity) => ({ minute: 1, quantity })),
      ]);
      same("the bars", await world.bars(0, 2), ["0: 1.305", "1: 9007199254.740994"]);
    },
  },
  "a minute begins with its first millisecond and ends before the next, and a minute without volume has no bar":
    {
      remedy: `${REMEDY} Name the minute by its begin, in milliseconds since the epoch, and leave empty ones out.`,
      async check(world) {
        await world.record([
          { minute: 0, quantity: "1", atMs: MINUTE_MS - 1 },
          { minute: 1, quantity: "2" },
          { minute: 4, quantity: "4", atMs: 30_000 },
        ]);
        same("the bars of five minutes, two of them without volume", await world.bars(0, 5), [
          "0: 1",
          "1: 2",
          "4: 4",
        ]);
      },
    },
  "the bars are those of minutes that begin at or after `fromMs` and before `toMs`, oldest first": {
    remedy: "The begin is included and the end is not. Sort by the minute, whatever the order of the trades.",
    async check(world) {
      await world.record([3, 1, 2, 0].map((minute) => ({ minute, quantity: String(minute + 1) })));
      same("the bars from minute 1 to 3", await world.bars(1, 3), ["1: 2", "2: 3"]);
      same("the bars from minute 0 to 4", await world.bars(0, 4), ["0: 1", "1: 2", "2: 3", "3: 4"]);
      same("the bars from minute 2 to 2", await world.bars(2, 2), []);
    },
  },
  "the bars are those of the requested market": {
    remedy: "Filter by the market, and return the canonical symbol in each bar.",
    async check(world) {
      await world.record([
        { minute: 0, quantity: "1" },
        { minute: 0, quantity: "5", symbol: "ETH/USD" },
      ]);
      same("the bars of BTC/USD", await world.bars(0, 1), ["0: 1"]);
      same("the bars of ETH/USD", await world.bars(0, 1, "ETH/USD"), ["0: 5"]);
    },
  },
  "without trades there are no bars": {
    remedy: "Return an empty list. Undefined, null and a rejection are failures.",
    async check(world) {
      same("the bars of a market without trades", await world.bars(0, 10), []);
    },
  },
  "a trade that is recorded twice counts once": {
    remedy: "Put a unique key on the market and the id of the trade.",
    async check(world) {
      const trade = { minute: 0, quantity: "1", id: "same" };
      await world.record([trade, trade]);
      await world.record([trade, { ...trade, symbol: "ETH/USD" }]);
      same("the bars after one trade came three times", await world.bars(0, 1), ["0: 1"]);
      same("the bars of another market with the same id", await world.bars(0, 1, "ETH/USD"), ["0: 1"]);
    },
  },
  "the 512 minutes of a VWAP come complete, one bar each": {
    remedy: "Answer with one call, without a smaller limit or a first page.",
    async check(world) {
      await world.record(
        Array.from({ length: WINDOW_MINUTES + 8 }, (_, minute) => ({ minute, quantity: "1" })),
      );
      const due = Array.from({ length: WINDOW_MINUTES }, (_, minute) => `${minute + 4}: 1`);
      same("the bars of 512 minutes", await world.bars(4, WINDOW_MINUTES + 4), due);
    },
  },
  "no bar is of a minute that has not begun, or of a trade that has not happened": {
    remedy: "Do not fill minutes up, and do not predict.",
    async check(world) {
      await world.record([{ minute: 599, quantity: "1" }]);
      same("the bars up to 20 minutes ahead", await world.bars(599, 620), ["599: 1"]);
    },
  },
  "a trade counts from the next answer on, also one that is recorded late": {
    remedy: "Do not keep answers, or drop them when a trade of their minutes is recorded.",
    async check(world) {
      await world.record([{ minute: 0, quantity: "1" }]);
      same("the bars before", await world.bars(0, 2), ["0: 1"]);
      await world.record([{ minute: 0, quantity: "2" }]);
      same("the bars after one more trade of the same minute", await world.bars(0, 2), ["0: 3"]);
    },
  },
};

const failures: VolumeRules = {
  "while the record cannot be reached, the answer is a rejection": {
    remedy: "Let the error reject. The engine refuses the VWAP then. Without bars, it would plan on nothing.",
    where: { remote: true },
    async check(world) {
      await world.record([{ minute: 0, quantity: "1" }]);
      await world.place.setOutage?.(true);
      const range = { symbol: "BTC/USD", fromMs: world.startMs, toMs: world.startMs + MINUTE_MS };
      await refused("minutes during an outage", () => world.place.volumeHistory.minutes(range));
      await world.place.setOutage?.(false);
      same("the bars after the outage", await world.bars(0, 1), ["0: 1"]);
    },
  },
  "a history that is declared not to be remote answers synchronously": {
    remedy: "Declare `remote: true` and a `setOutage` of the place, so that the suite can test an outage.",
    where: { remote: false },
    async check(world) {
      const range = { symbol: "BTC/USD", fromMs: world.startMs, toMs: world.startMs + MINUTE_MS };
      const answer = world.place.volumeHistory.minutes(range);
      holds("minutes", !isAwaited(answer), "a list, not a promise", answer);
    },
  },
};

/** All rules of the volume history port. */
export const volumeHistoryRules: Readonly<Record<string, VolumeRules>> = { bars, failures };

/**
 * Declares one test for each rule of the volume history port. Every test has a record of its own, which it creates and
 * removes. Throws a TypeError that names a part of the description that is missing, unknown or of the wrong type; a test
 * that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { testVolumeHistory, type VolumeHistoryPlace } from "managed-orders/conformance";
 *
 * export const declareTests = (createPlace: () => VolumeHistoryPlace): void =>
 *   testVolumeHistory({ describe, it }, { name: "my trades", supports: { remote: true }, createPlace });
 * ```
 */
export function testVolumeHistory(framework: TestFramework, subject: VolumeHistorySubject): void {
  volumeHistorySubject(subject, "testVolumeHistory");
  declareSuite(framework, {
    port: "volume history",
    subject,
    groups: volumeHistoryRules,
    open: (atEnd) => VolumeWorld.create(subject, atEnd),
  });
}
