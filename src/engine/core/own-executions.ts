import {
  abs,
  add,
  FINE_LIMIT,
  max,
  min,
  type Quantity,
  subtract,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import { type Fact, type Fill, type JournalRecord, type ParentOrder, shardOfId } from "../../model/index.ts";
import type { PositionAsOf } from "../../ports/index.ts";
import type { EngineTime } from "./engine-time.ts";

/** At least so many of the newest execution ids are remembered of one market, and at most twice as many. */
const NEWEST_IDS = 2_048;

/** Into how many parts the time is divided in which a print may still come. */
const PARTS = 32;

/** Most times of which it is remembered what had been executed: twice those in which prints may come. */
const MOST_TIMES = 2 * PARTS;

type MarketFills = {
  ids: Set<string>;
  earlierIds: Set<string>;
  /** What was executed since the start, in whole steps: at most, and at least. */
  most: Quantity;
  least: Quantity;
  /** The least that was executed up to some times, by the monotonic clock, oldest first. */
  times: { readonly fromMs: number; atMs: number; least: Quantity }[];
};

/**
 * The durable executions of all accounts, by market: by their ids, or by their quantity, the prints of them are told from
 * those of other participants. Bounded, whatever is executed.
 */
class OwnFills {
  /** How long after an execution its print may still be fresh. */
  readonly printMs: number;
  readonly #markets: Map<string, MarketFills> = new Map();

  constructor(printMs: number) {
    this.printMs = printMs;
  }

  /** Notes an execution that became known at a time, by the monotonic clock. */
  note(symbol: string, { executionId, quantity, fine = 0 }: Fill, atMs: number): void {
    const market = this.#markets.get(symbol) ?? {
      ids: new Set<string>(),
      earlierIds: new Set<string>(),
      most: ZERO_QUANTITY,
      least: ZERO_QUANTITY,
      times: [],
    };
    this.#markets.set(symbol, market);
    const { times } = market;
    market.ids.add(executionId);
    if (market.ids.size === NEWEST_IDS) {
      market.earlierIds = market.ids;
      market.ids = new Set();
    }
    market.most = add(market.most, add(quantity, (fine > 0 ? 1 : 0) as Quantity));
    market.least = add(market.least, quantity);
    // What was executed in one part of the time counts as executed with its newest.
    const last = times.at(-1);
    if (last === undefined || atMs >= last.fromMs + this.printMs / PARTS) {
      times.push({ fromMs: atMs, atMs: Math.max(atMs, last?.atMs ?? atMs), least: market.least });
      if (times.length > MOST_TIMES) times.shift();
      return;
    }
    last.atMs = Math.max(atMs, last.atMs);
    last.least = market.least;
  }

  /** Returns whether an execution has this id. */
  has(symbol: string, executionId: string): boolean {
    const market = this.#markets.get(symbol);
    return market !== undefined && (market.ids.has(executionId) || market.earlierIds.has(executionId));
  }

  /** Returns what was executed at most since the start. */
  executed(symbol: string): Quantity {
    return this.#markets.get(symbol)?.most ?? ZERO_QUANTITY;
  }

  /** Returns what was executed at least up to a time, by the monotonic clock. */
  executedBy(symbol: string, atMs: number): Quantity {
    const times = this.#markets.get(symbol)?.times ?? [];
    return times.findLast((time) => time.atMs <= atMs)?.least ?? ZERO_QUANTITY;
  }

  /** Takes everything that was noted as that much younger. */
  younger(byMs: number): void {
    for (const market of this.#markets.values())
      market.times = market.times.map(({ fromMs, atMs, least }) => ({
        fromMs: fromMs + byMs,
        atMs: atMs + byMs,
        least,
      }));
  }
}

/** A durable execution, or several of the oldest in one: signed, positive for BUY. */
type Own = Readonly<{
  quantity: Quantity;
  /** What it has executed below one step, in units of 10^-18, with the same sign. */
  fine: number;
  childId: string;
  executionId: string;
  /** When the venue executed it, and when it became known here, by the monotonic clock. */
  timeMs: number;
  atMs: number;
  /** Rises with every execution that is noted. */
  number: number;
}>;

type Market = {
  /** In the order of their execution. */
  entries: Own[];
  /**
   * What the account may hold without `entries`, as the last measurement at rest left it: one value if it is known which
   * executions that measurement had shown. Absent before the first one.
   */
  bases?: readonly Quantity[];
  lastMs: number;
  usedMs: number;
};

/** A host's answer about a position, and when it was asked. */
export type Answer = Readonly<{
  position: Quantity | PositionAsOf;
  requestedAtMs: number;
  /** {@link OwnExecutions.noted} when it was asked. */
  noted: number;
  /** Whether no execution can have come that is not noted: no child is unresolved, every execution is durable. */
  isSettled: boolean;
}>;

/** How far a position may lag behind, and how long executions are remembered. */
export type ExposureLag = Readonly<{
  /** A position shows every execution that was durable for this long when it was asked for. */
  lagMs: number;
  /** The time between two measurements that confirm each other. */
  confirmMs: number;
  /** How long a host may take to answer. */
  answerMs: number;
}>;

/** A market is forgotten that was not used for so many times as long as an execution is remembered. */
const IDLE = 10;

/** By how many steps a position and a sum of executions that are not in whole steps differ from what they are at most. */
const MOST_ROUNDED = 2;

/** Most executions that are remembered of one market: the oldest are added up from then on. */
const MOST = 256;

/**
 * The recent executions of all accounts, by market. They tell what a position that the host reports late does not show yet,
 * and whether an account has been at rest.
 *
 * A host that does not say as of when it answers may have included any of the executions younger than its lag, from the
 * oldest on. If it is known what the account held without them, those are shown that explain the answer. Where none do, the
 * account has traded elsewhere; then, as after a restart, each of them may be missing until they are older than the lag.
 * Several possible holdings explain nothing: a late answer from before a trade elsewhere would meet one of them by chance.
 */
export class OwnExecutions {
  readonly lag: ExposureLag;
  /** The same executions by market, whatever their account. */
  readonly fills: OwnFills;
  readonly #monotonicMs: () => number;
  readonly #markets: Map<string, Market> = new Map();
  /** Goes round the markets, for those that are out of use. */
  #next: Iterator<[string, Market], undefined> = this.#markets.entries();
  /** By shard: until when executions may be missing, because a snapshot does not tell them. */
  readonly #missingToMs: Map<number, number> = new Map();
  #noted = 0;

  constructor(lag: ExposureLag, monotonicMs: () => number, printMs = 0) {
    this.lag = lag;
    this.fills = new OwnFills(printMs);
    this.#monotonicMs = monotonicMs;
  }

  /** Number of executions that were noted. */
  get noted(): number {
    return this.#noted;
  }

  /** Notes the executions among facts of a parent that have become durable, by default just now. */
  note(order: ParentOrder, facts: readonly Fact[], atMs: number = this.#monotonicMs()): void {
    for (const fact of facts) if (fact.kind === "FILLED") this.#add(order, fact, atMs);
  }

  /**
   * Returns a receiver for what a shard is read from: `read` takes each record's facts of a parent, and `after` the time of
   * the first record after a snapshot, before which executions may be missing. `time` dates them; while it is provisional, old
   * ones are kept too, because they may be {@link younger}. One that is young counts as executed just now: nothing tells a wall
   * clock that went forward between two processes from the time that passed.
   */
  reading(shard: number, time: Pick<EngineTime, "nowMs" | "writtenAt" | "isProvisional">): ExecutionReader {
    const latestMs = (timeMs: number): number => {
      const isYoung = time.nowMs() - timeMs < this.#retentionMs;
      const writtenMs = time.writtenAt(timeMs);
      return isYoung ? Math.max(writtenMs, this.#monotonicMs()) : writtenMs;
    };
    return {
      read: (order, facts, { timeMs }) => {
        // Most records have none, and an opening reads all of them.
        if (!facts.some(({ kind }) => kind === "FILLED")) return;
        if (!time.isProvisional && time.nowMs() - timeMs >= this.#retentionMs) return;
        const fills = facts.filter((fact) => fact.kind === "FILLED" && !this.#has(order, fact));
        if (fills.length > 0) this.note(order, fills, latestMs(timeMs));
      },
      after: (timeMs) => {
        const toMs = latestMs(timeMs);
        this.#missingToMs.set(shard, Math.max(toMs, this.#missingToMs.get(shard) ?? toMs));
      },
    };
  }

  /** Takes everything that was read as that much younger: the wall clock of the opening was wrong, or is not confirmed. */
  younger(byMs: number): void {
    this.fills.younger(byMs);
    const nowMs = this.#monotonicMs();
    const later = (atMs: number): number => Math.min(atMs + byMs, nowMs);
    for (const [shard, toMs] of this.#missingToMs) this.#missingToMs.set(shard, later(toMs));
    for (const market of this.#markets.values()) {
      market.lastMs = later(market.lastMs);
      market.entries = market.entries.map((own) => ({ ...own, atMs: later(own.atMs) }));
    }
  }

  /** Returns since when the account has executed nothing on the market of an order, by the monotonic clock. */
  quietSinceMs(order: ParentOrder): number {
    const lastMs = this.#markets.get(keyOf(order))?.lastMs ?? Number.NEGATIVE_INFINITY;
    return Math.max(lastMs, this.#missingTo(order));
  }

  /**
   * Returns the signed position on the market of an order, less what reduces it and is not shown yet. Undefined if that
   * cannot be known: executions from before a restart may be missing.
   */
  shown(order: ParentOrder, answer: Answer): Quantity | undefined {
    const { lagMs } = this.lag;
    const { position, requestedAtMs } = answer;
    if (lagMs > 0 && this.#missingTo(order) > requestedAtMs - lagMs) return undefined;
    const market = this.#used(keyOf(order));
    const smallest = order.intent.side === "SELL" ? min : max;
    if (typeof position === "object") {
      const later = this.#laterThan(market, position.asOf, requestedAtMs);
      return smallest(position.quantity, add(position.quantity, stepsOf(sumOf(later), order)));
    }
    const entries = market.entries.filter(({ number }) => number <= answer.noted);
    const isShown = ({ atMs }: Own): boolean => atMs <= requestedAtMs - lagMs;
    const missing = entries.filter((own) => !isShown(own));
    let shown = sumOf(entries.filter(isShown));
    let hidden = sumOf(missing);
    const possible = [stateOf(position, { shown, hidden, order })];
    for (const own of missing) {
      [shown, hidden] = [plus(shown, own, 1), plus(hidden, own, -1)];
      possible.push(stateOf(position, { shown, hidden, order }));
    }
    const isExact = entries.every(({ fine }) => fine === 0);
    const states = explainedBy(market.bases ?? [], possible, isExact ? 0 : MOST_ROUNDED);
    if (answer.isSettled) market.bases = [...new Set(states.map(({ base }) => base))];
    return states.reduce((least, { left }) => smallest(least, left), position);
  }

  get #retentionMs(): number {
    return this.lag.confirmMs + this.lag.answerMs;
  }

  /** Returns the executions that a position of that moment does not include. One that is not known includes none. */
  #laterThan({ entries }: Market, asOf: string | number, requestedAtMs: number): readonly Own[] {
    if (typeof asOf === "number") return entries.filter(({ timeMs }) => timeMs > asOf);
    const index = entries.findIndex(({ executionId }) => executionId === asOf);
    if (index >= 0) return entries.slice(index + 1);
    return entries.filter(({ atMs }) => atMs > requestedAtMs - this.lag.confirmMs);
  }

  #missingTo({ orderId }: ParentOrder): number {
    return this.#missingToMs.get(shardOfId(orderId)) ?? Number.NEGATIVE_INFINITY;
  }

  #has(order: ParentOrder, fact: Fact): boolean {
    if (fact.kind !== "FILLED") return false;
    const { entries = [] } = this.#markets.get(keyOf(order)) ?? {};
    return entries.some((own) => own.childId === fact.childId && own.executionId === fact.fill.executionId);
  }

  #add(order: ParentOrder, { childId, fill }: Extract<Fact, { kind: "FILLED" }>, atMs: number): void {
    const { executionId, timeMs } = fill;
    this.fills.note(order.intent.symbol, fill, atMs);
    const signed = order.intent.side === "BUY" ? fill.quantity : subtract(ZERO_QUANTITY, fill.quantity);
    const market = this.#used(keyOf(order), atMs);
    market.lastMs = Math.max(market.lastMs, atMs);
    const { fine = 0 } = fill;
    const own: Own = {
      quantity: signed,
      fine: order.intent.side === "BUY" ? fine : -fine,
      childId,
      executionId,
      timeMs,
      atMs,
      number: ++this.#noted,
    };
    // A position shows them in the order in which they were executed, which may not be that in which they become known.
    const newest = market.entries.at(-1);
    if (newest === undefined || newest.timeMs <= timeMs) market.entries.push(own);
    else {
      const after = market.entries.findLastIndex((other) => other.timeMs <= timeMs);
      market.entries.splice(after + 1, 0, own);
    }
    if (market.entries.length <= MOST) return;
    const [first, second] = market.entries as [Own, Own];
    market.entries.splice(0, 2, {
      ...second,
      quantity: add(first.quantity, second.quantity),
      fine: first.fine + second.fine,
      atMs: Math.max(first.atMs, second.atMs),
    });
  }

  /**
   * Returns a market, without executions that every position shows which is asked for from `atMs` on: with those that are read,
   * which may be {@link younger}, only what is old beside them goes.
   */
  #used(key: string, atMs?: number): Market {
    const usedMs = this.#monotonicMs();
    const oldMs = (atMs ?? usedMs) - this.#retentionMs;
    const market = this.#markets.get(key) ?? this.#begun(key, usedMs);
    market.usedMs = usedMs;
    while ((market.entries[0]?.atMs ?? Number.POSITIVE_INFINITY) <= oldMs) {
      const { quantity } = market.entries.shift() as Own;
      if (market.bases !== undefined) market.bases = market.bases.map((base) => add(base, quantity));
    }
    return market;
  }

  /** Begins a market, and looks at the next two: it forgets those that were not used for long. */
  #begun(key: string, nowMs: number): Market {
    for (let looks = 0; looks < 2; looks++) {
      const { value } = this.#next.next();
      if (value === undefined) this.#next = this.#markets.entries();
      else if (value[1].usedMs < nowMs - IDLE * this.#retentionMs) this.#markets.delete(value[0]);
    }
    const begun: Market = { entries: [], lastMs: Number.NEGATIVE_INFINITY, usedMs: nowMs };
    this.#markets.set(key, begun);
    return begun;
  }
}

/** Takes what a shard is read from. */
export type ExecutionReader = Readonly<{
  read: (order: ParentOrder, facts: readonly Fact[], record: Pick<JournalRecord, "timeMs">) => void;
  after: (timeMs: number) => void;
}>;

/** What an account may hold: without any of its executions, and with all of them. */
type State = Readonly<{ base: Quantity; left: Quantity }>;

/** Returns what an account holds if a position shows these executions and not those. */
function stateOf(
  position: Quantity,
  { shown, hidden, order }: Readonly<{ shown: Sum; hidden: Sum; order: ParentOrder }>,
): State {
  return { base: subtract(position, stepsOf(shown, order)), left: add(position, stepsOf(hidden, order)) };
}

/** Returns of the possible states those that a known holding explains; if it is not known or explains none, all of them. */
function explainedBy(
  before: readonly Quantity[],
  possible: readonly State[],
  most: number,
): readonly State[] {
  const [first] = before;
  if (first === undefined || before.some((base) => abs(subtract(base, first)) > most)) return possible;
  const explained = possible.filter((one) => before.some((base) => abs(subtract(one.base, base)) <= most));
  return explained.length > 0 ? explained : possible;
}

/** A signed sum of executions: whole steps, and the rest in units of 10^-18. */
type Sum = Pick<Own, "quantity" | "fine">;

const plus = (sum: Sum, own: Sum, sign: 1 | -1): Sum => ({
  quantity: sign === 1 ? add(sum.quantity, own.quantity) : subtract(sum.quantity, own.quantity),
  fine: sum.fine + sign * own.fine,
});

const sumOf = (entries: readonly Own[]): Sum =>
  entries.reduce<Sum>((sum, own) => plus(sum, own, 1), { quantity: ZERO_QUANTITY, fine: 0 });

/** Returns a sum in whole steps, rounded so that less is left for an order that reduces the position. */
function stepsOf({ quantity, fine }: Sum, { intent }: ParentOrder): Quantity {
  const rest = fine % FINE_LIMIT;
  const least = intent.side === "SELL" ? Math.min(Math.sign(rest), 0) : Math.max(Math.sign(rest), 0);
  return add(quantity, ((fine - rest) / FINE_LIMIT + least) as Quantity);
}

const keyOf = ({ accountId, intent }: ParentOrder): string => `${accountId} ${intent.symbol}`;
