import { Slicer } from "../../common/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { Questions } from "../../host-answers/index.ts";
import type {
  Awaitable,
  Balances,
  Clock,
  Entropy,
  Instruments,
  NativeOrders,
  OrderCounts,
  RateLimiter,
  Rejections,
  Telemetry,
} from "../../ports/index.ts";
import type { AnyRoute } from "../../requests/index.ts";
import { type JsonInput, type Parameters, readJson } from "../../wire/index.ts";
import type { ClientAddress } from "../access/addresses.ts";
import type { AccessParts, Proof } from "../access/authentication.ts";
import type { CrossOrigin } from "../access/cross-origin.ts";
import type { Bans } from "../access/rate-limits.ts";
import type { Traffic } from "../traffic/traffic.ts";
import type { TrafficTurns } from "../traffic/turns.ts";
import type { ClientSymbols } from "./compat/names.ts";
import type { CountedPlacements } from "./counted-placements.ts";
import { type Documents, readable, type ServiceSettings } from "./routing.ts";

/** Most rows of an answer that one turn of the event loop makes. */
const ROWS_PER_TURN = 512;

/** Time after which the rest of an answer waits for a further turn. */
const TURN_MS = 4;

/** Rows that are made before the time is looked at. An answer of no more rows is short. */
const ROWS_AT_ONCE = 16;

/**
 * Makes long answers in shares. Of all those that are under way, one turn of the event loop makes one further share, so
 * that they delay other requests little, however many of them clients ask for. Short answers do not wait.
 */
export class LongAnswers {
  readonly #clock: Pick<Clock, "soon" | "monotonicMs">;
  readonly #turns: Slicer;

  constructor(clock: Pick<Clock, "soon" | "monotonicMs">) {
    this.#clock = clock;
    this.#turns = new Slicer(clock);
  }

  /** Maps the rows of an answer, and begins at most `rowsPerTurn` of them in one turn, fewer if they take long. */
  async map<T, U>(
    rows: readonly T[],
    map: (row: T) => Awaitable<U>,
    rowsPerTurn: number = ROWS_PER_TURN,
  ): Promise<readonly U[]> {
    const begun: Promise<U[]>[] = [];
    const isLong = rows.length > Math.min(rowsPerTurn, ROWS_AT_ONCE);
    for (let from = 0; from < rows.length; ) {
      if (from > 0 || (isLong && this.#turns.isBusy)) await this.#turns.turn();
      const untilMs = this.#clock.monotonicMs() + TURN_MS;
      const end = Math.min(rows.length, from + rowsPerTurn);
      do {
        const to = Math.min(end, from + ROWS_AT_ONCE);
        const share = Promise.all(rows.slice(from, to).map(map));
        // A share that fails before the others have begun is handled at the end.
        share.catch(() => undefined);
        begun.push(share);
        from = to;
      } while (from < end && this.#clock.monotonicMs() < untilMs);
    }
    return (await Promise.all(begun)).flat() as U[];
  }
}

const SERIES_ID_LENGTH = 11;

/**
 * The series of the numbers of quotes. Each engine numbers the quotes of a market from 1, so that the numbers of two nodes,
 * or of one node before and after a restart, are comparable only under the same id.
 */
export function quoteSeriesOf(entropy: Entropy): Readonly<{
  /** The id, made when it is first read. Undefined while the host's entropy fails: a book does not depend on randomness. */
  id: string | undefined;
}> {
  let id: string | undefined;
  return {
    get id() {
      try {
        id ??= entropy.token(SERIES_ID_LENGTH);
      } catch {
        // The host is told by what checks its answers.
      }
      return id;
    },
  };
}

/** The parts of a service that receive, weigh and refuse requests. */
export type EntryParts = Readonly<{
  clock: Clock;
  entropy: Entropy;
  /** Never throws. */
  telemetry: Telemetry;
  rateLimiter: Pick<RateLimiter, "limits" | "weigh" | "connect">;
  settings: ServiceSettings;
  clientAddress: ClientAddress;
  crossOrigin: CrossOrigin;
  bans: Bans;
  traffic: Traffic;
  turns: TrafficTurns;
  documents: Documents;
}>;

/** Parts that all handlers of a service share. */
export type ServiceParts = EntryParts &
  AccessParts &
  Readonly<{
    engine: Engine;
    instruments: Instruments;
    /** Undefined if the host has no native orders. */
    native: NativeOrders | undefined;
    /** Undefined if the host reports no balances. */
    balances: Balances | undefined;
    rejections: Rejections;
    questions: Questions;
    placements: CountedPlacements;
    longAnswers: LongAnswers;
    quoteSeries: ReturnType<typeof quoteSeriesOf>;
    clientSymbols: ClientSymbols;
  }>;

/**
 * A request whose signature, freshness, address and permission are verified. Its parameters are not interpreted yet.
 */
export type SignedCall = Proof & Readonly<{ route: AnyRoute; parameters: Parameters }>;

/** A handler's answer: a JSON body with status 200 and, for a placement, the counts of the order-count limit. */
export type Answer = Readonly<{ body: JsonInput; counts?: OrderCounts }>;

/** Handler that answers signed calls of a route. */
export type SignedHandler = (parts: ServiceParts, call: SignedCall) => Promise<Answer>;

/** Returns the texts in a JSON array; undefined for anything else. */
export function textsIn(json: string): readonly string[] | undefined {
  const value = readable(() => readJson(json));
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}
