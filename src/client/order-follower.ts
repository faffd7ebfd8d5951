import {
  ACCOUNT_UPDATE,
  type AccountEvent,
  type AccountUpdateEvent,
  LIST_STATUS,
  type ListStatusEvent,
  MARGIN_CALL,
  type MarginCallEvent,
  members,
  ORDER_EVENT,
  type OrderUpdateEvent,
  object,
  type Reader,
  STAMP,
  type SubscribedReply,
  type UnknownEvent,
} from "../replies/index.ts";
import type { ActorParameters, CallOptions } from "./api.ts";
import { RefusedError, TransportError } from "./errors.ts";
import type { AbortLike } from "./http.ts";
import { type OrderState, type OrderStates, stateInEvent, stateInReply } from "./order-states.ts";
import { eachOpenOrder, eachOrderList } from "./pages.ts";
import type { Client } from "./routes.ts";
import { type Members, MessageInbox, readMessage, type SocketLink } from "./socket.ts";
import { SOCKET_ROUTES, type SocketCaller } from "./socket-client.ts";
import type { SharedMethod } from "./writes.ts";

/** An event of an order stream. */
export type StreamEvent =
  /** An order changed. `event` is absent if a query has shown it. */
  | Readonly<{ kind: "order"; order: OrderState; event?: OrderUpdateEvent }>
  /** The service does not know an order any more. `order` is its last known state; the true one cannot be queried. */
  | Readonly<{ kind: "forgotten"; order: OrderState }>
  | Readonly<{ kind: "list"; event: ListStatusEvent }>
  | Readonly<{ kind: "account"; event: AccountUpdateEvent }>
  | Readonly<{ kind: "marginCall"; event: MarginCallEvent }>
  | Readonly<{ kind: "unknown"; event: UnknownEvent }>
  /**
   * The states of all orders are current. `missed` is the number of events that were not received; absent at the
   * beginning, and if the service numbers its events anew.
   */
  | Readonly<{ kind: "synced"; missed?: number }>
  /** The states of orders may be out of date until the next `synced`: the connection is lost. */
  | Readonly<{ kind: "lost"; error: Error }>
  /** The state of the stream is another one. `waiting` has the last failure and the time to the next attempt. */
  | Readonly<{ kind: "state"; state: OrderStreamState; error?: Error; retryInMs?: number }>;

/**
 * What a stream of orders does: it connects, reads the orders after missed events, hands out events as they come, waits
 * for the next attempt to connect, or has ended.
 */
export type OrderStreamState = "connecting" | "reading" | "current" | "waiting" | "ended";

/** What a follower works with. */
type AccountFollowerParts = Readonly<{
  link: SocketLink;
  caller: SocketCaller;
  client: Pick<Client, SharedMethod>;
  states: OrderStates;
  emit: (event: StreamEvent) => void;
  actor: ActorParameters;
  quietMs: number;
  /** How many events may wait to be worked on. */
  maxHeld: number;
  /** How many look-ups may be under way at the same time. */
  atOnce: number;
}>;

type Position = Readonly<{ streamId: string; sequence: number }>;

/** The events after `from` until `upTo`, and whether their number says how many were missed. */
type Gap = Readonly<{ from: Position; upTo: number; isCounted: boolean }>;

/** A fill may arrive after the end of its order. For so long, orders that have ended are queried too. */
const LATE_FILLS_MS = 300_000;

/**
 * Follows an account over connections that come and go. It compares the number of each event with the one before, and
 * queries the orders if one is missing. Source: docs/streams.md, After a lost connection.
 */
export class AccountFollower {
  readonly #parts: AccountFollowerParts;
  /** The last event that was handed out. */
  #position: Position | undefined;
  #subscriptionId: number | undefined;
  /** The last subscription of which the service said that it has ended. That may come before its reply is worked on. */
  #endedId: unknown;
  /** Whether the orders were current, and nobody has been told that the connection is lost since. */
  #isCurrent = false;
  #state: OrderStreamState = "connecting";

  constructor(parts: AccountFollowerParts) {
    this.#parts = parts;
  }

  get state(): OrderStreamState {
    return this.#state;
  }

  /** Tells that there is no connection until the next session, which begins after a time. */
  waits(error: Error, retryInMs: number): void {
    if (this.#isCurrent) this.#parts.emit({ kind: "lost", error });
    this.#isCurrent = false;
    this.#enter("waiting", { error, retryInMs });
  }

  /** Is in its last state. */
  ends(): void {
    this.#state = "ended";
  }

  /** Follows over one connection until it ends. Rejects with the reason. */
  async session(signal: AbortLike): Promise<never> {
    this.#enter("connecting");
    const { link, caller, maxHeld, quietMs } = this.#parts;
    const { timeoutMs } = caller.settings;
    const connection = await link.connected({ timeoutMs, signal });
    const inbox = new MessageInbox(connection, maxHeld, (message) => this.#read(message));
    this.#subscriptionId = undefined;
    this.#endedId = undefined;
    try {
      await this.#subscribe(inbox, signal);
      for (;;) {
        const event = await inbox.next(caller.platform.clock, quietMs);
        if (event === undefined) await this.#subscribeAnew(inbox, signal);
        else await this.#take(event, inbox, signal);
      }
    } catch (error) {
      link.drop(new TransportError("connection", "the stream begins anew"));
      throw error;
    } finally {
      inbox.leave();
    }
  }

  #read({ event, subscriptionId }: Members): AccountEvent | undefined {
    const { e } = (event ?? {}) as Members;
    if (e === "serverShutdown") return undefined;
    if (e === "eventStreamTerminated") {
      this.#endedId = subscriptionId;
      if (subscriptionId === this.#subscriptionId) throw subscriptionEnded();
      return undefined;
    }
    return readMessage(readEvent, event);
  }

  /** After a quiet time, the reply to a new subscription shows whether events were lost, or the connection. */
  async #subscribeAnew(inbox: MessageInbox<AccountEvent>, signal: AbortLike): Promise<void> {
    const subscriptionId = this.#subscriptionId;
    this.#subscriptionId = undefined;
    if (subscriptionId !== undefined) {
      const route = SOCKET_ROUTES.unsubscribe;
      await this.#parts.caller.call({ route, parameters: { subscriptionId }, options: { signal } });
    }
    // What has come meanwhile has numbers of the series so far. The next subscription may have another one.
    for (const event of inbox.drain()) await this.#take(event, inbox, signal);
    await this.#subscribe(inbox, signal);
  }

  async #subscribe(inbox: MessageInbox<AccountEvent>, signal: AbortLike): Promise<void> {
    const { caller, actor } = this.#parts;
    const reply: SubscribedReply = await caller.call({
      route: SOCKET_ROUTES.subscribe,
      parameters: { ...actor },
      options: { signal },
    });
    const { streamId, sequence, subscriptionId } = reply;
    if (subscriptionId === this.#endedId) throw subscriptionEnded();
    this.#subscriptionId = subscriptionId;
    const before = this.#position;
    if (before?.streamId === streamId && before.sequence === sequence) return this.#synced(0);
    const sameSeries = before?.streamId === streamId && sequence > before.sequence;
    // The position of a new series counts only once its orders are known: if the query fails, the next session asks again.
    const from = sameSeries ? before : { streamId, sequence };
    await this.#reconcile(inbox, { from, upTo: sequence, isCounted: sameSeries }, signal);
  }

  async #take(event: AccountEvent, inbox: MessageInbox<AccountEvent>, signal: AbortLike): Promise<void> {
    const from = this.#position ?? { sequence: 0, streamId: "" };
    const { sequence, streamId } = from;
    if (event.sequence <= sequence) return; // It came twice, or too late.
    if (event.sequence === sequence + 1) {
      this.#position = { streamId, sequence: event.sequence };
      return this.#deliver(event);
    }
    inbox.requeue([event]);
    const upTo = inbox.waiting.reduce((highest, other) => Math.max(highest, other.sequence), 0);
    await this.#reconcile(inbox, { from, upTo, isCounted: true }, signal);
  }

  /**
   * Queries the orders after missed events. The answers contain every event up to `upTo`, which happened before. Of
   * those, the ones that arrive meanwhile are handed out, in order; the rest is `missed`.
   */
  async #reconcile(
    inbox: MessageInbox<AccountEvent>,
    { from: { streamId, sequence }, upTo, isCounted }: Gap,
    signal: AbortLike,
  ): Promise<void> {
    const { client, states, caller, actor, emit, atOnce } = this.#parts;
    const { clock } = caller.platform;
    this.#enter("reading");
    const known = states.unsettled(clock.monotonicMs() - LATE_FILLS_MS);
    const context = { actor, atOnce, options: { signal } };
    const { states: found, unknown } = await queryOrders(client, known, context);
    const held = new Map(inbox.drain().map((event) => [event.sequence, event]));
    const sorted = [...held.values()].sort((a, b) => a.sequence - b.sequence);
    const late = sorted.filter((event) => event.sequence > sequence && event.sequence <= upTo);
    inbox.requeue(sorted.filter((event) => event.sequence > upTo));
    this.#position = { streamId, sequence: upTo };
    for (const event of late) this.#deliver(event);
    for (const { orderId } of unknown) {
      const order = states.drop(orderId);
      if (order !== undefined) emit({ kind: "forgotten", order });
    }
    for (const state of found) {
      const { order, changed } = states.take(state, clock.monotonicMs());
      if (changed) emit({ kind: "order", order });
    }
    this.#isCurrent = false;
    this.#synced(isCounted ? upTo - sequence - late.length : undefined);
  }

  /** The states are current. After a quiet time they were before, which is not told again. */
  #synced(missed: number | undefined): void {
    if (!this.#isCurrent) this.#parts.emit({ kind: "synced", ...(missed !== undefined && { missed }) });
    this.#isCurrent = true;
    this.#enter("current");
  }

  #enter(state: OrderStreamState, why: Readonly<{ error?: Error; retryInMs?: number }> = {}): void {
    if (this.#state === state || this.#state === "ended") return;
    this.#state = state;
    this.#parts.emit({ kind: "state", state, ...why });
  }

  #deliver(event: AccountEvent): void {
    const { states, emit, caller } = this.#parts;
    switch (event.e) {
      case "ORDER_TRADE_UPDATE": {
        const { order } = states.take(stateInEvent(event.o), caller.platform.clock.monotonicMs());
        return emit({ kind: "order", order, event });
      }
      case "listStatus":
        return emit({ kind: "list", event });
      case "ACCOUNT_UPDATE":
        return emit({ kind: "account", event });
      case "MARGIN_CALL":
        return emit({ kind: "marginCall", event });
      case "unknown":
        return emit({ kind: "unknown", event });
    }
  }
}

const subscriptionEnded = (): TransportError =>
  new TransportError("connection", "the service ended the subscription");

/** The reader of each event by its name. */
const EVENTS: Readonly<Record<Exclude<AccountEvent["e"], "unknown">, Reader<AccountEvent>>> =
  /* @__PURE__ */ (() => ({
    ORDER_TRADE_UPDATE: object(ORDER_EVENT),
    listStatus: object(LIST_STATUS),
    ACCOUNT_UPDATE: object(ACCOUNT_UPDATE),
    MARGIN_CALL: object(MARGIN_CALL),
  }))();

const stamp = /* @__PURE__ */ object(STAMP);

const isKnown = (name: unknown): name is keyof typeof EVENTS =>
  typeof name === "string" && Object.hasOwn(EVENTS, name);

/** Reads an event of an account. Throws WrongType for one with a missing or wrong member. */
export const readEvent: Reader<AccountEvent> = (value, at) => {
  const event = members(value, at);
  if (isKnown(event.e)) return EVENTS[event.e](value, at);
  const { E, sequence } = stamp(value, at);
  return { e: "unknown", E, sequence, members: event };
};

/** Codes that say that the service has no such order: it does not know the order, or its market was removed. */
const GONE: readonly (number | undefined)[] = [-2013, -1121];

/** For which account to ask, and how many look-ups of single orders may be under way at the same time. */
type QueryContext = Readonly<{ actor: ActorParameters; atOnce: number; options: CallOptions }>;

/** The answers to the queries of a client that may have missed events. */
export type Answers = Readonly<{ states: readonly OrderState[]; unknown: readonly OrderState[] }>;

/**
 * Queries the open orders, the legs of the open lists, and each known order that is in neither. Rejects with a
 * ClientError. Source: docs/streams.md, After a lost connection.
 */
async function queryOrders(
  client: Pick<Client, SharedMethod>,
  known: readonly OrderState[],
  { actor, atOnce, options }: QueryContext,
): Promise<Answers> {
  const found = new Map<string, OrderState>();
  const take = (state: OrderState | undefined): void => {
    if (state !== undefined) found.set(state.orderId, state);
  };
  for await (const order of eachOpenOrder(client, actor, options)) take(stateInReply(order));
  for await (const { orderReports } of eachOrderList(client, { ...actor, openOnly: true }, options))
    for (const report of orderReports) take(stateInReply(report));
  const unknown: OrderState[] = [];
  const missing = known.filter(({ orderId }) => !found.has(orderId));
  for (let from = 0; from < missing.length; from += atOnce) {
    const lookUps = missing.slice(from, from + atOnce).map(async (order) => {
      const { symbol, orderId } = order;
      try {
        take(stateInReply(await client.order({ ...actor, symbol, orderId }, options)));
      } catch (error) {
        if (!(error instanceof RefusedError) || !GONE.includes(error.code)) throw error;
        unknown.push(order);
      }
    });
    await Promise.all(lookUps);
  }
  return { states: [...found.values()], unknown };
}
