import { EngineError, type ListUpdate, type OrderUpdate, type ShardsUpdate } from "../../engine/index.ts";
import { CHILD_PREFIX, shardOf } from "../../lifecycle/index.ts";
import { type NativeExecution, SHARD_COUNT } from "../../model/index.ts";
import type { AccountEvent, AccountEvents, ReportedFill } from "../../ports/index.ts";
import type { Dialect } from "../../requests/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import { symbolForClient } from "../rest/compat/names.ts";
import type { ServiceParts } from "../rest/parts.ts";
import {
  accountUpdate,
  changesListStatus,
  type EventStamp,
  type ExecutionType,
  listStatus,
  marginCall,
  nativeTradeUpdate,
  orderEventsOf,
  orderTradeUpdate,
} from "./account-events.ts";
import { executionReport, nativeExecutionReport } from "./execution-report.ts";

/** Receives the text of one event. */
export type EventSink = (event: string) => void;

/** Receives the events of an account, and learns once that its shard has left the engine, or that events are missing. */
type AccountSink = Readonly<{ event: EventSink; moved: () => void }>;

/**
 * A subscription to the events of an account: the number of the last event before it, the id of the numbering, and a
 * function that ends it. Numbers are comparable only under the same id.
 */
type AccountSubscription = Readonly<{ sequence: number; streamId: string; end: () => void }>;

const STREAM_ID_LENGTH = 22;

/** The events of an account in one dialect. */
type AccountStream = { sequence: number; readonly sinks: Set<AccountSink> };

/** The numbering of a shard, from the time at which the engine owned it first, or again. */
type Numbering = {
  /** Made for the first subscription, because nobody has seen a number before. */
  streamId: string | undefined;
  readonly accounts: Readonly<Record<Dialect, Map<number, AccountStream>>>;
};

/** Whose events to receive, and in which form. */
type StreamRequest = Readonly<{ accountId: number; dialect: Dialect }>;

type Parts = Pick<ServiceParts, "engine" | "clock" | "entropy" | "native" | "instruments" | "clientSymbols"> &
  Readonly<{ accountEvents: AccountEvents | undefined }>;

/** Events that a client of the convention does not know. */
const OWN_EVENTS: ReadonlySet<ExecutionType> = new Set(["ALERT", "TRIGGERED", "AMENDED"]);

/**
 * The private streams of the accounts that the engine owns. Events go out in journal order. Each has a number that rises by
 * one within its account and dialect, even while nobody subscribes. A shard that leaves takes its streams and numbers with
 * it: another node has further events, so that numbers begin anew, under a new id, if it comes back. The text of an event
 * is made once for all subscribers of a dialect. Source: complaint 35; I54.
 */
export class AccountStreams {
  readonly #parts: Parts;
  readonly #numberings: Map<number, Numbering> = new Map();
  /** Shards of other nodes. Every node hears what the host says of their accounts. */
  readonly #elsewhere: Set<number> = new Set();
  /** Last known names of markets in the convention's dialect, by symbol. */
  readonly #symbols: Map<string, string> = new Map();

  constructor(parts: Parts) {
    this.#parts = parts;
    for (let shard = 0; shard < SHARD_COUNT; shard++)
      if (!parts.engine.owns(shard)) this.#elsewhere.add(shard);
    parts.engine.events.on("shards", (update) => this.#moved(update));
    parts.engine.events.on("order", (update) => this.#order(update));
    parts.engine.events.on("list", (update) => this.#list(update));
    parts.native?.subscribe(
      (execution) => this.#native(execution),
      () => this.#missed(),
    );
    parts.accountEvents?.subscribe((event) => {
      if (this.#isHere(event.accountId)) this.#account(event);
    });
  }

  /**
   * Passes every later event of an account to `sink`, immediately and in order. Throws an EngineError SHARD_ELSEWHERE for
   * an account that the engine does not own.
   */
  subscribe(request: StreamRequest, sink: AccountSink): AccountSubscription {
    const shard = shardOf(request.accountId);
    if (!this.#parts.engine.owns(shard)) throw new EngineError("SHARD_ELSEWHERE", { shard });
    // The engine may own a shard a moment before it says so.
    this.#elsewhere.delete(shard);
    const numbering = this.#numbering(shard);
    numbering.streamId ??= this.#parts.entropy.token(STREAM_ID_LENGTH);
    const stream = streamIn(numbering, request);
    stream.sinks.add(sink);
    const { streamId } = numbering;
    return { sequence: stream.sequence, streamId, end: () => void stream.sinks.delete(sink) };
  }

  #moved({ gained, lost }: ShardsUpdate): void {
    for (const shard of gained) this.#elsewhere.delete(shard);
    for (const shard of lost) {
      this.#elsewhere.add(shard);
      this.#end(shard);
    }
  }

  /** Executions of any account may be missing. Under the same id, nobody would query the orders after the end of a stream. */
  #missed(): void {
    for (const shard of [...this.#numberings.keys()]) this.#end(shard);
  }

  /** Ends the streams of a shard, whose next ones have another id. */
  #end(shard: number): void {
    const accounts = this.#numberings.get(shard)?.accounts;
    this.#numberings.delete(shard);
    const streams = accounts && [...accounts.own.values(), ...accounts.convention.values()];
    for (const sink of streams?.flatMap(({ sinks }) => [...sinks]) ?? []) sink.moved();
  }

  #order(update: OrderUpdate): void {
    for (const event of orderEventsOf(update)) {
      const { order, fill } = event;
      const { accountId, intent } = order;
      this.#publish({ accountId, dialect: "own" }, (stamp) => orderTradeUpdate(event, stamp));
      // A client of the convention knows no such event.
      if (!OWN_EVENTS.has(event.execution))
        this.#publish({ accountId, dialect: "convention" }, (stamp) =>
          executionReport(event, { ...stamp, symbol: this.#symbol(intent.symbol) }),
        );
      if (fill !== undefined) this.#afterFill({ accountId, symbol: intent.symbol, side: intent.side, fill });
    }
  }

  /** Skips the executions of children: they are reported as executions of the parent. Skips accounts elsewhere. */
  #native(execution: NativeExecution): void {
    const { order, executionId, lastQuantity: quantity, lastPrice: price, timeMs } = execution;
    const { accountId, symbol, side, clientOrderId } = order;
    if (clientOrderId.startsWith(CHILD_PREFIX) || !this.#isHere(accountId)) return;
    this.#publish({ accountId, dialect: "own" }, (stamp) => nativeTradeUpdate(execution, stamp));
    this.#publish({ accountId, dialect: "convention" }, (stamp) =>
      nativeExecutionReport(execution, { ...stamp, symbol: this.#symbol(symbol) }),
    );
    if (quantity === undefined || price === undefined) return;
    this.#afterFill({ accountId, symbol, side, fill: { executionId, quantity, price, timeMs } });
  }

  #afterFill(fill: ReportedFill): void {
    const update = this.#parts.accountEvents?.afterFill(fill);
    if (update !== undefined) this.#account({ accountId: fill.accountId, update });
  }

  #list(update: ListUpdate): void {
    if (!changesListStatus(update)) return;
    const { accountId, symbol } = update.list;
    this.#publish({ accountId, dialect: "own" }, (stamp) => listStatus(update, { ...stamp, symbol }));
    this.#publish({ accountId, dialect: "convention" }, (stamp) =>
      listStatus(update, { ...stamp, symbol: this.#symbol(symbol) }),
    );
  }

  /** The convention's dialect has no such events: its balances are free and locked ones, which nobody reports here. */
  #account(event: AccountEvent): void {
    const { accountId } = event;
    this.#publish({ accountId, dialect: "own" }, (stamp) => {
      const whose = { ...stamp, accountId };
      return "update" in event ? accountUpdate(event.update, whose) : marginCall(event.call, whose);
    });
  }

  #publish(request: StreamRequest, payload: (stamp: EventStamp) => JsonInput): void {
    const stream = streamIn(this.#numbering(shardOf(request.accountId)), request);
    stream.sequence++;
    if (stream.sinks.size === 0) return;
    const event = writeJson(payload({ sequence: stream.sequence, nowMs: this.#parts.clock.nowMs() }));
    for (const sink of [...stream.sinks]) sink.event(event);
  }

  #isHere(accountId: number): boolean {
    return !this.#elsewhere.has(shardOf(accountId));
  }

  #numbering(shard: number): Numbering {
    const known = this.#numberings.get(shard);
    if (known !== undefined) return known;
    const accounts = { own: new Map(), convention: new Map() };
    const numbering: Numbering = { streamId: undefined, accounts };
    this.#numberings.set(shard, numbering);
    return numbering;
  }

  /**
   * Returns the name that a market has now in the convention's dialect, as the compat prefix names it. An event must not be
   * lost because the host's catalogue fails: it then has the last known name, or one made of the symbol itself.
   */
  #symbol(symbol: string): string {
    try {
      const named = symbolForClient(this.#parts, symbol);
      this.#symbols.set(symbol, named);
      return named;
    } catch {
      return this.#symbols.get(symbol) ?? symbol.replace("/", "");
    }
  }
}

function streamIn({ accounts }: Numbering, { accountId, dialect }: StreamRequest): AccountStream {
  const known = accounts[dialect].get(accountId);
  if (known !== undefined) return known;
  const stream: AccountStream = { sequence: 0, sinks: new Set() };
  accounts[dialect].set(accountId, stream);
  return stream;
}
