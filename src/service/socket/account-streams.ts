import type { Engine, ListUpdate, OrderUpdate } from "../../engine/index.ts";
import { CHILD_PREFIX } from "../../lifecycle/index.ts";
import type { NativeExecution } from "../../model/index.ts";
import type {
  AccountEvent,
  AccountEvents,
  Clock,
  Entropy,
  NativeOrders,
  ToldFill,
} from "../../ports/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import { accountUpdate, marginCall } from "./account-update.ts";
import { listStatus, tellsListStatus } from "./list-status.ts";
import { nativeTradeUpdate } from "./native-trade-update.ts";
import { orderEventsOf } from "./order-events.ts";
import { type EventStamp, orderTradeUpdate } from "./order-trade-update.ts";

/** Receives the text of one event. */
export type EventSink = (event: string) => void;

/** A subscription to the events of an account: the number of the last event before it, and a function that ends it. */
export type AccountSubscription = Readonly<{ sequence: number; end: () => void }>;

const STREAM_ID_LENGTH = 22;

type AccountStream = { sequence: number; readonly sinks: Set<EventSink> };

/** Dependencies of the account streams. */
export type AccountStreamParts = Readonly<{
  engine: Engine;
  clock: Clock;
  entropy: Entropy;
  accountEvents: AccountEvents | undefined;
  native: NativeOrders | undefined;
}>;

/**
 * The private streams of all accounts. Events go out in journal order. Each has a number that rises by one within its
 * account, even while nobody subscribes. The text of an event is made once for all subscribers. Source: decision 45;
 * complaint 35; I54.
 */
export class AccountStreams {
  /** Id of the numbering: numbers are comparable only under the same id, because they start again with the process. */
  readonly streamId: string;
  readonly #parts: AccountStreamParts;
  readonly #streams: Map<number, AccountStream> = new Map();

  constructor(parts: AccountStreamParts) {
    this.#parts = parts;
    this.streamId = parts.entropy.token(STREAM_ID_LENGTH);
    parts.engine.events.on("order", (update) => this.#order(update));
    parts.engine.events.on("list", (update) => this.#list(update));
    parts.native?.subscribe((execution) => this.#native(execution));
    parts.accountEvents?.subscribe((event) => this.#account(event));
  }

  /** Passes every later event of an account to `sink`, immediately and in order. */
  subscribe(accountId: number, sink: EventSink): AccountSubscription {
    const stream = this.#stream(accountId);
    stream.sinks.add(sink);
    return { sequence: stream.sequence, end: () => void stream.sinks.delete(sink) };
  }

  #order(update: OrderUpdate): void {
    for (const event of orderEventsOf(update)) {
      const { order, fill } = event;
      const { accountId, intent } = order;
      this.#tell(accountId, (stamp) => orderTradeUpdate(event, stamp));
      if (fill !== undefined) this.#afterFill({ accountId, symbol: intent.symbol, side: intent.side, fill });
    }
  }

  /** Skips the executions of children: they are reported as executions of the parent. */
  #native(execution: NativeExecution): void {
    const { order, executionId, lastQuantity: quantity, lastPrice: price, timeMs } = execution;
    const { accountId, symbol, side, clientOrderId } = order;
    if (clientOrderId.startsWith(CHILD_PREFIX)) return;
    this.#tell(accountId, (stamp) => nativeTradeUpdate(execution, stamp));
    if (quantity === undefined || price === undefined) return;
    this.#afterFill({ accountId, symbol, side, fill: { executionId, quantity, price, timeMs } });
  }

  #afterFill(fill: ToldFill): void {
    const update = this.#parts.accountEvents?.afterFill(fill);
    if (update !== undefined) this.#account({ accountId: fill.accountId, update });
  }

  #list(update: ListUpdate): void {
    if (tellsListStatus(update)) this.#tell(update.list.accountId, (stamp) => listStatus(update, stamp));
  }

  #account(event: AccountEvent): void {
    const { accountId } = event;
    this.#tell(accountId, (stamp) => {
      const whose = { ...stamp, accountId };
      return "update" in event ? accountUpdate(event.update, whose) : marginCall(event.call, whose);
    });
  }

  #tell(accountId: number, payload: (stamp: EventStamp) => JsonInput): void {
    const stream = this.#stream(accountId);
    stream.sequence++;
    if (stream.sinks.size === 0) return;
    const event = writeJson(payload({ sequence: stream.sequence, nowMs: this.#parts.clock.nowMs() }));
    for (const sink of [...stream.sinks]) sink(event);
  }

  #stream(accountId: number): AccountStream {
    const known = this.#streams.get(accountId);
    if (known !== undefined) return known;
    const stream: AccountStream = { sequence: 0, sinks: new Set() };
    this.#streams.set(accountId, stream);
    return stream;
  }
}
