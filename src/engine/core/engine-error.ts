import { recognisedAs } from "../../common/index.ts";
import { type ErrorDetails, OrderError } from "../../errors/index.ts";

/** Why an engine did not carry out a call, for a reason that lies in the engine or its host and not in the order. */
export type EngineFault =
  | "ENGINE_CLOSED"
  | "SHARD_FENCED"
  | "SHARD_ELSEWHERE"
  | "DISCONNECTED"
  | "ADVANCED_ORDERS_OFF"
  | "UNKNOWN_ACCOUNT"
  | "SHUTTING_DOWN"
  | "SERVER_BUSY";

const MESSAGES: Readonly<Record<EngineFault, (details: ErrorDetails) => string>> = {
  ENGINE_CLOSED: () =>
    "the engine was closed before it could answer: open an engine on the same store with openEngine, then call again",
  SHARD_FENCED: ({ shard }) =>
    `another engine has taken over shard ${shard} of the store: close this engine and use the other one, because a store has one engine at a time`,
  SHARD_ELSEWHERE: ({ shard }) =>
    `this node does not run shard ${shard}: nothing was stored, so call the node that node.ownerOf(${shard}) names, or again later while the shard is on its way`,
  DISCONNECTED: ({ lease, acceptance, notAfterMs, confirmMs }) => {
    if (lease === "lapsed")
      return "this node could not renew its lease in time, so another one may own the accounts now: nothing was stored, so call again later, or another node";
    if (acceptance === "unknown")
      return "it is not known yet whether the store has kept an order or list: call again later, because it may be there";
    if (confirmMs !== undefined)
      return `the wall clock is far ahead of engine time, and the slots of a schedule could be jumped over: nothing was stored, so call again in ${confirmMs} ms, when it has said so for long enough, or when the clock of the venue has confirmed it`;
    if (notAfterMs !== undefined)
      return "notAfterMs of the placement passed before it could be decided: nothing was stored, so call again with a later time";
    return "the store failed and the engine is reading the accounts of this shard again: nothing was stored, so call again later; the alert STORE_FAILING says more";
  },
  ADVANCED_ORDERS_OFF: ({ setting }) =>
    `openEngine.settings.${setting} is false, so the engine takes no orders: pass settings: { ${setting}: true }`,
  UNKNOWN_ACCOUNT: ({ accountId }) =>
    `the host's accounts.account(${accountId}) returned undefined: pass the id of an account that it knows, or add this one`,
  SHUTTING_DOWN: ({ clock }) =>
    clock === "apart"
      ? "the clock of this machine differs from that of the store, so the engine takes no new orders: correct the clock; cancels and reads still work"
      : "drain or close was called, so the engine takes no new orders: open another engine for them; cancels and reads still work",
  SERVER_BUSY: ({ setting }) =>
    `the limit openEngine.settings.${setting} is reached: nothing was stored, so call again later, or raise the limit`,
};

/**
 * A call that an engine did not carry out for a reason that lies in the engine or its host. `message` is for the
 * program's author: the cause and what to do. `msg` and `toBody` contain only what a client may know.
 *
 * @example
 * ```ts
 * import { type Engine, EngineError } from "managed-orders/engine";
 * const isClosed = async (engine: Engine): Promise<boolean> => {
 *   try {
 *     await engine.find({ accountId: 1, clientOrderId: "stop-1" });
 *     return false;
 *   } catch (error) {
 *     return error instanceof EngineError && error.reason === "ENGINE_CLOSED";
 *   }
 * };
 * ```
 */
export class EngineError extends OrderError {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("EngineError");
  override readonly name = "EngineError";

  /** Creates the error of a fault; its message is made of the reason and its details. */
  constructor(reason: EngineFault, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(reason, details, { ...options, message: MESSAGES[reason](details) });
  }
}

/** Why an engine did not hand over. */
export type HandOverProblem =
  /** The engine was not opened by `openNode`. */
  | "NO_LEASE"
  /** No other node was ready in time. */
  | "NO_STANDBY"
  /** The engine is being closed. */
  | "CLOSING";

/**
 * Error of a hand-over that did not take place. The engine goes on as before.
 *
 * @example
 * ```ts
 * import { type Engine, HandOverError } from "managed-orders/engine";
 * const restart = async (engine: Engine): Promise<string> => {
 *   try {
 *     await engine.handOver();
 *     return "another node is active";
 *   } catch (error) {
 *     if (error instanceof HandOverError && error.problem === "NO_STANDBY") return "no node is ready";
 *     throw error;
 *   }
 * };
 * ```
 */
export class HandOverError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("HandOverError");
  override readonly name = "HandOverError";
  readonly problem: HandOverProblem;

  /** Creates the error of a hand-over that did not take place. */
  constructor(problem: HandOverProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
