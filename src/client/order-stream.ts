import { optionalOption, optionsOf, wholeOption } from "../common/index.ts";
import { type Lasting, lasting } from "./again.ts";
import type { ActorParameters } from "./api.ts";
import { TransportError } from "./errors.ts";
import type { ClientClock } from "./http.ts";
import { AccountFollower, type OrderStreamState, type StreamEvent } from "./order-follower.ts";
import { type OrderState, OrderStates } from "./order-states.ts";
import { Outlet, type OverrunEvent } from "./outlet.ts";
import {
  PRIVATE_PATH,
  SOCKET_ROUTES,
  type SocketClientOptions,
  socketChecks,
  socketWorks,
} from "./socket-client.ts";
import { sharedMethods } from "./writes.ts";

/** Options of {@link followOrders}. */
export interface OrderStreamOptions extends Omit<SocketClientOptions, "checks"> {
  /** The account to follow; default that of the key. */
  readonly account?: number;
  /**
   * Maximum number of events that wait for an iterator. If there are more, the iterator gets an `overrun` in their
   * place. Default 10,000.
   */
  readonly maxWaiting?: number;
  /** How many orders that have ended are kept; default 1,000. */
  readonly keepEnded?: number;
  /** After this time without an event the stream checks that it has missed none, in milliseconds; default 30,000. */
  readonly quietMs?: number;
  /**
   * The longest wait that the server may ask for before a query is sent again, in milliseconds. After a longer one the
   * stream begins all its queries anew. Default 60,000, the longest wait for a limit of requests in a minute.
   */
  readonly longestWaitMs?: number;
  /** After this time `ready` rejects if the states are not current yet, in milliseconds; default 30,000. */
  readonly readyMs?: number;
}

/**
 * The orders of an account and their changes. The stream reconnects automatically, detects missed events, and then
 * queries the orders. No final state is missed, and no order returns to an earlier state.
 */
export interface OrderStream extends AsyncIterable<StreamEvent | OverrunEvent>, Lasting {
  /** The orders that are open, and those that ended last, by id. */
  readonly orders: ReadonlyMap<string, OrderState>;
  /** What the stream does now. Each change is an event `state`. */
  readonly state: OrderStreamState;
  /**
   * Resolves once the states are current for the first time. Rejects if the stream ends before, and with a
   * TransportError "timeout", which has the last failure in its text, after `readyMs`. The stream goes on then.
   */
  readonly ready: Promise<void>;
  /** Calls a function with each event of a kind. The returned function unsubscribes it. */
  on<K extends StreamEvent["kind"]>(
    kind: K,
    listener: (event: Extract<StreamEvent, { kind: K }>) => void,
  ): () => void;
}

const OPTIONS = /* @__PURE__ */ (() => {
  const { checks: _checks, ...shared } = socketChecks();
  return optionsOf<OrderStreamOptions>({
    ...shared,
    account: optionalOption(wholeOption({ from: 1 })),
    maxWaiting: optionalOption(wholeOption({ from: 1 })),
    keepEnded: optionalOption(wholeOption({ from: 1 })),
    quietMs: optionalOption(wholeOption({ from: 1 }, " of milliseconds")),
    readyMs: optionalOption(wholeOption({ from: 1 }, " of milliseconds")),
  });
})();

/** Events that wait to be worked on before the stream begins anew. */
const MAX_HELD = 10_000;
/** How many look-ups of single orders are under way at the same time. Ten that are refused in a minute lead to a ban. */
const LOOKUPS_AT_ONCE = 5;
/** A minute, for which the service counts requests: queries that are begun anew would use it up again and never end. */
const LONGEST_WAIT_MS = 60_000;
const READY_MS = 30_000;

/**
 * Follows the orders of an account, over a connection of its own, which it opens at once. Throws a TypeError for an
 * option that cannot be used. The stream ends with an error if the key may not read or if the platform has no
 * WebSocket.
 *
 * @example
 * ```ts
 * import { followOrders } from "managed-orders/client";
 * export async function tellFills(baseUrl: string, apiKey: string, secret: string): Promise<void> {
 *   const stream = followOrders({ baseUrl, apiKey, secret });
 *   stream.on("synced", ({ missed = 0 }) => console.log("events missed:", missed));
 *   for await (const event of stream)
 *     if (event.kind === "order") console.log(event.order.clientOrderId, event.order.status);
 * }
 * ```
 */
export function followOrders(given: OrderStreamOptions): OrderStream {
  OPTIONS(given, "followOrders");
  const { account, maxWaiting = 10_000, keepEnded = 1_000, quietMs = 30_000, ...more } = given;
  const { readyMs = READY_MS, ...own } = more;
  const options = { ...own, longestWaitMs: own.longestWaitMs ?? LONGEST_WAIT_MS };
  const { link, caller, platform } = socketWorks(options, { name: "followOrders", path: PRIVATE_PATH });
  const client = sharedMethods({ caller, checks: undefined }, SOCKET_ROUTES);
  const outlet = new Outlet<StreamEvent>(maxWaiting);
  const states = new OrderStates(keepEnded);
  const actor: ActorParameters = account === undefined ? {} : { account };
  const emit = (event: StreamEvent): void => outlet.emit(event);
  const atOnce = Math.min(LOOKUPS_AT_ONCE, options.maxInFlight ?? LOOKUPS_AT_ONCE);
  const follower = new AccountFollower({
    ...{ link, caller, client, states, emit, actor, quietMs },
    ...{ maxHeld: MAX_HELD, atOnce },
  });
  const { ended, close } = lasting(
    { platform, link },
    (signal) => follower.session(signal),
    (why) => {
      follower.ends();
      outlet.end(why);
    },
    (error, retryInMs) => follower.waits(error, retryInMs),
  );
  return Object.freeze<OrderStream>({
    orders: states.orders,
    get state() {
      return follower.state;
    },
    ready: readyOf({ outlet, ended, clock: platform.clock }, readyMs),
    ended,
    on: (kind, listener) => outlet.on(kind, listener),
    close,
    [Symbol.asyncIterator]: () => outlet.iterate(),
  });
}

type Readying = Pick<Lasting, "ended"> & Readonly<{ outlet: Outlet<StreamEvent>; clock: ClientClock }>;

/** Nobody may wait for it, so its rejection must not count as unhandled. */
function readyOf({ outlet, ended, clock }: Readying, readyMs: number): Promise<void> {
  const ready = new Promise<void>((resolve, reject) => {
    let failure = "";
    const leaves = [
      outlet.on("synced", () => settle(resolve)),
      outlet.on("state", ({ error }) => {
        if (error !== undefined) failure = ` (${error.message})`;
      }),
      clock.schedule(clock.monotonicMs() + readyMs, () => {
        const late = `the orders are not current after ${readyMs} ms${failure}; the stream goes on.`;
        settle(() => reject(new TransportError("timeout", late)));
      }),
    ];
    const settle = (how: () => void): void => {
      for (const leave of leaves) leave();
      how();
    };
    void ended.then((error) => settle(() => reject(error ?? new TransportError("aborted"))));
  });
  ready.catch(() => undefined);
  return ready;
}
