import type { RequestParameters } from "../../signing/index.ts";
import { ClientError } from "../errors/client-error.ts";
import { ProtocolError } from "../errors/protocol-error.ts";
import { RefusedError } from "../errors/refused-error.ts";
import type { Call, Caller } from "../methods/caller.ts";
import type { Look, SentTimes } from "./looks.ts";
import { type Intention, type SentIds, UncertainOutcome } from "./outcome.ts";
import { reconciled } from "./reconcile.ts";

/** A call that places or cancels, and how to find out afterwards what became of it. */
export type Write<T> = Call<T> &
  Readonly<{
    intention: Intention;
    ids: SentIds;
    /** Returns the look for a request that was sent at this time. */
    lookAt: (times: SentTimes) => Look;
    /** Returns whether a reply is about the order or list that was sent. */
    isOwn?: (reply: T) => boolean;
  }>;

/** The service says itself that it does not know. */
const UNKNOWN_CODES: readonly (number | undefined)[] = [-1006, -1007];
const REQUEST_NOT_READ = 408;

/**
 * Sends a placement or cancel, once. Rejects with an UncertainOutcome if it was sent and no reply says what became of
 * it; with the ClientError itself if it was refused or never sent.
 */
export async function write<T>(caller: Caller, call: Write<T>): Promise<T> {
  const { intention, ids, lookAt, isOwn = () => true, ...sending } = call;
  // A member and not a variable: the optimizer of older React Native loses a variable that a closure has set.
  const sent: { timestamp?: number } = {};
  const onSend = (timestamp: number): void => {
    sent.timestamp = timestamp;
  };
  try {
    const reply = await caller.call({ ...sending, onSend });
    if (!isOwn(reply)) throw new ProtocolError({ problem: "another order", status: 200 });
    return reply;
  } catch (error) {
    const { timestamp } = sent;
    if (timestamp === undefined || !(error instanceof ClientError) || isCertain(error)) throw error;
    const { recvWindowMs, settleMs } = caller.settings;
    const request = { timestamp, mayTakeMs: recvWindowMs + settleMs };
    const times = { sentAtMs: timestamp, acceptedUntilMs: timestamp + recvWindowMs };
    throw new UncertainOutcome(intention, ids, error, (options) =>
      reconciled(caller, request, lookAt(times), options),
    );
  }
}

/** Returns whether an error says that nothing was placed or canceled: a refusal with a status below 500. */
function isCertain(error: ClientError): boolean {
  if (!(error instanceof RefusedError)) return false;
  const { code, status = 0 } = error;
  return status < 500 && (!UNKNOWN_CODES.includes(code) || status === REQUEST_NOT_READ);
}

/** Returns the parameters of a call that say for which account it is. */
export function actorOf({ account, userId }: RequestParameters): RequestParameters {
  return { account, userId };
}
