import type { Price, Quantity } from "../decimal/index.ts";

/** Direction of an order. */
export type Side = "BUY" | "SELL";

/** Keys that the versions of one collection share. Each version sees the first `size` of them. */
type Log = { readonly keys: string[]; places: Places | undefined };

/** The place of each key, and for each id the first place at which a child has it. */
type Places = Readonly<{ keys: Map<string, number>; ids: Map<string, number> }>;

/** Size up to which keys are searched linearly. Larger collections get an index. */
const FEW = 16;

/**
 * An immutable collection of executions, oldest first. An execution is identified by its child and its execution id: a venue
 * may number executions per order, per day or per market, so that ids repeat from child to child (invariant I15). Adding
 * one creates another collection and leaves this one unchanged. Both share their common part, so adding takes the same time
 * at any size, and so does a look-up.
 *
 * @example
 * ```ts
 * import { ExecutionIds } from "managed-orders/rules";
 * const one = ExecutionIds.NONE.with("aqc-74-mggs-1", "x1");
 * const two = one.with("aqc-74-mggs-2", "x1");
 * console.log(one.has("aqc-74-mggs-2", "x1"), two.has("aqc-74-mggs-2", "x1"), [...two].join()); // false true 1 x1,2 x1
 * ```
 */
export class ExecutionIds implements Iterable<string> {
  /** No executions. */
  static readonly NONE: ExecutionIds = new ExecutionIds({ keys: [], places: undefined }, 0);
  /** Number of executions. */
  readonly size: number;
  readonly #log: Log;

  private constructor(log: Log, size: number) {
    this.#log = log;
    this.size = size;
  }

  /** Creates a collection from an array of unique texts that {@link ExecutionIds.toJSON} has returned. */
  static of(keys: readonly string[]): ExecutionIds {
    return keys.length === 0
      ? ExecutionIds.NONE
      : new ExecutionIds({ keys: [...keys], places: undefined }, keys.length);
  }

  /** Returns whether an execution of a child of this parent was counted. */
  has(childId: string, executionId: string): boolean {
    const key = keyOf(childId, executionId);
    const { keys } = this.#log;
    if (this.size > FEW) return (this.#places().keys.get(key) ?? this.size) < this.size;
    for (let place = 0; place < this.size; place++) if (keys[place] === key) return true;
    return false;
  }

  /** Returns whether an execution of any child with this id was counted. */
  names(executionId: string): boolean {
    return this.size > 0 && (this.#places().ids.get(executionId) ?? this.size) < this.size;
  }

  /** Returns these executions and one more, which must be new. */
  with(childId: string, executionId: string): ExecutionIds {
    const isNewest = this.size > 0 && this.#log.keys.length === this.size;
    const log: Log = isNewest ? this.#log : { keys: [...this], places: undefined };
    const key = keyOf(childId, executionId);
    log.keys.push(key);
    if (log.places !== undefined) addPlace(log.places, key, this.size);
    return new ExecutionIds(log, this.size + 1);
  }

  /** The newest execution id; undefined when there is none. */
  get last(): string | undefined {
    const key = this.#log.keys[this.size - 1];
    return this.size === 0 || key === undefined ? undefined : idIn(key);
  }

  /** Yields the executions in the order in which they were added: the attempt of the child, a space, and the id. */
  *[Symbol.iterator](): IterableIterator<string> {
    for (let place = 0; place < this.size; place++) yield this.#log.keys[place] ?? "";
  }

  /** Returns the executions in the format of journals and snapshots. */
  toJSON(): readonly string[] {
    const { keys } = this.#log;
    return keys.length === this.size ? keys : keys.slice(0, this.size);
  }

  #places(): Places {
    const { keys, places } = this.#log;
    if (places !== undefined) return places;
    const built: Places = { keys: new Map(), ids: new Map() };
    for (const [place, key] of keys.entries()) addPlace(built, key, place);
    this.#log.places = built;
    return built;
  }
}

/** The children of a parent differ in the last part of their ids, the attempt. */
const keyOf = (childId: string, executionId: string): string =>
  `${childId.slice(childId.lastIndexOf("-") + 1)} ${executionId}`;

const idIn = (key: string): string => key.slice(key.indexOf(" ") + 1);

function addPlace({ keys, ids }: Places, key: string, place: number): void {
  keys.set(key, place);
  const id = idIn(key);
  if (!ids.has(id)) ids.set(id, place);
}

/** Lifetime of a child at the venue. */
export type ChildTimeInForce = "IOC" | "FOK";

/**
 * State of an unresolved child: handed over (SENT), confirmed in flight (OPEN), or with an unknown outcome (UNKNOWN).
 */
export type ChildState = "SENT" | "OPEN" | "UNKNOWN";

/** The order that the venue receives. Without `limitPrice` it is at market. */
export interface ChildRequest {
  readonly childId: string;
  readonly parentOrderId: number;
  readonly accountId: number;
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly limitPrice?: Price;
  readonly timeInForce: ChildTimeInForce;
  readonly reduceOnly: boolean;
}

/** An unresolved child of a parent. */
export interface ChildOrder {
  readonly childId: string;
  readonly attempt: number;
  readonly quantity: Quantity;
  readonly limitPrice?: Price | undefined;
  readonly executedQuantity: Quantity;
  /** What was executed below one step of a quantity, in units of 10^-18; absent if there is nothing. */
  readonly executedFine?: number | undefined;
  readonly state: ChildState;
  readonly intendedAtMs: number;
  /**
   * In the venue's time. After this the child is not handed over, and a venue that honours deadlines does not execute
   * it.
   */
  readonly notAfterMs: number;
  /** The slot of the schedule in which it was sent. */
  readonly slot?: number | undefined;
  /**
   * What is wrong with what the venue has said of it: the first problem of an unreadable report, or that its outcome was lost
   * after a report. "Not found" settles nothing then. Removed when a readable report comes.
   */
  readonly problem?: string | undefined;
}

/** One execution at the venue. `executionId` is unique among the executions of its child. */
export interface Fill {
  readonly executionId: string;
  readonly quantity: Quantity;
  /**
   * The part of the quantity below 10^-6, in units of 10^-18: 1 to 10^12 - 1. Absent if there is none. `Quantity.parseFact`
   * returns both members.
   */
  readonly fine?: number;
  readonly price: Price;
  readonly timeMs: number;
}

/**
 * How a child was resolved: DONE at the venue, REJECTED (final means that no later attempt can succeed), VOIDED after
 * proof that it never arrived, WITHDRAWN before it was handed over.
 */
export type ChildOutcome = "DONE" | "REJECTED" | "REJECTED_FINAL" | "VOIDED" | "WITHDRAWN";

/** Why a venue refused a child, if the engine acts on the reason. */
export type RefusalMark = "INSUFFICIENT_FUNDS";

/**
 * All that the venue knows of one child. `open`: accepted, may still fill. `closed`: will execute nothing more.
 * `rejected`: not accepted, so nothing of it was executed; `final` when no later attempt can succeed, `mark` when the
 * engine acts on the reason. Each report contains all fills, not increments.
 */
export interface ChildReport {
  readonly childId: string;
  readonly state: "open" | "closed" | "rejected";
  readonly fills: readonly Fill[];
  readonly final?: boolean;
  /** With `rejected`: the account has too little of the asset that the child needs. */
  readonly mark?: RefusalMark;
  readonly detail?: string;
}
