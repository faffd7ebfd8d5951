import { recognisedAs } from "../../common/index.ts";
import type { NativeOrderReply, OrderListReply } from "../../replies/index.ts";
import { ClientError } from "../errors/client-error.ts";
import type { AbortLike } from "../http/platform.ts";
import type { OrderReply } from "../replies/orders.ts";

/**
 * The outcome of a placement or cancel whose reply is missing.
 *
 * - `placed`: an order or list has the client id.
 * - `not placed`: no order or list has the client id, and the request can no longer be accepted.
 * - `canceled`: the order, or a leg of the list, is canceled, or will be once the outcome of its child is known; after
 *   a cancel-all, none of the orders that it concerned is open.
 * - `not canceled`: the order or list ended in another way, or it is open and the request can no longer be accepted.
 * - `unknown`: the outcome could not be determined in time. Call `reconcile()` again.
 */
export type OutcomeState = "placed" | "not placed" | "canceled" | "not canceled" | "unknown";

/** The result of {@link UncertainOutcome.reconcile}. */
export interface Outcome {
  readonly state: OutcomeState;
  /** The order as it is now. */
  readonly order?: OrderReply;
  /** The list as it is now. */
  readonly list?: OrderListReply;
  /** With `not placed`: the rejection that the service retained for the client id, if there is one. */
  readonly rejection?: NativeOrderReply;
  /** With `unknown`: the error of the last look-up, if it failed. */
  readonly cause?: ClientError;
}

/** Options of {@link UncertainOutcome.reconcile}. */
export interface ReconcileOptions {
  /** Time limit of the look-ups, in milliseconds; by default long enough to determine `not placed`. */
  readonly withinMs?: number;
  readonly signal?: AbortLike;
}

/** What a request was meant to do. */
export type Intention = "place" | "cancel";

/** The ids that a request contained. */
export interface SentIds {
  readonly clientOrderId?: string;
  readonly listClientOrderId?: string;
}

/**
 * A placement or cancel was sent, and its outcome is not known: the reply did not arrive, cannot be read, or says that
 * the service does not know the outcome. The client does not send the request again. `reconcile()` looks the outcome
 * up. Source: contract, Errors.
 *
 * @example
 * ```ts
 * import { type Client, type NewManagedOrder, UncertainOutcome } from "managed-orders/client";
 * export async function placeOnce(client: Client, order: NewManagedOrder): Promise<string> {
 *   try {
 *     return (await client.placeOrder(order)).status;
 *   } catch (error) {
 *     if (!(error instanceof UncertainOutcome)) throw error;
 *     return (await error.reconcile()).state; // placed, not placed or unknown
 *   }
 * }
 * ```
 */
export class UncertainOutcome extends ClientError {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("UncertainOutcome");
  override readonly name = "UncertainOutcome";
  readonly kind = "uncertain";
  readonly intention: Intention;
  /** The client id of the order, if the request had one. */
  declare readonly clientOrderId?: string;
  /** The client id of the list, if the request had one. */
  declare readonly listClientOrderId?: string;
  declare readonly cause: ClientError;
  readonly #reconcile: (options: ReconcileOptions) => Promise<Outcome>;

  /** `cause` is why the outcome is not known; `reconcile` looks it up. */
  constructor(
    intention: Intention,
    ids: SentIds,
    cause: ClientError,
    reconcile: (options: ReconcileOptions) => Promise<Outcome>,
  ) {
    super(
      `The outcome of the ${intention === "place" ? "placement" : "cancel"} is unknown. ${cause.message}`,
      {
        cause,
      },
    );
    this.intention = intention;
    Object.assign(this, ids);
    this.#reconcile = reconcile;
  }

  /**
   * Looks up the outcome of the request, with requests that only read. If the order exists, the first look-up finds it.
   * That no order exists is certain only after two times have passed on the server's own clock: the receive window of
   * the request, and the time that the service may need to store it (`settleMs` of the client). Rejects with a
   * TransportError if the signal aborts.
   */
  reconcile(options: ReconcileOptions = {}): Promise<Outcome> {
    return this.#reconcile(options);
  }
}
