import { ClientError } from "../errors/client-error.ts";
import { RefusedError } from "../errors/refused-error.ts";
import { TransportError } from "../errors/transport-error.ts";
import { pause, throwIfAborted, within } from "../http/deadline.ts";
import type { Caller } from "../methods/caller.ts";
import { CLIENT_ROUTES } from "../methods/routes.ts";
import type { Look, Query } from "./looks.ts";
import type { Outcome, ReconcileOptions } from "./outcome.ts";

/** A request that was sent: its timestamp by the server's clock, and how long it may take effect after that. */
export type SentRequest = Readonly<{ timestamp: number; mayTakeMs: number }>;

const TIMESTAMP_REFUSED = -1021;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;
/** Time for the last look, after the request can no longer take effect. */
const LAST_LOOK_MS = 10_000;

/**
 * Looks until the outcome is known, the time is up or the caller aborts. A copy of the request that is still under way
 * could be accepted until its receive window ends, and stored a while later. So a look that finds nothing decides only
 * if the server's own clock had passed both before the look began. Rejects with a TransportError if the caller aborts.
 */
export async function reconciled(
  caller: Caller,
  sent: SentRequest,
  look: Look,
  { withinMs = sent.mayTakeMs + LAST_LOOK_MS, signal }: ReconcileOptions,
): Promise<Outcome> {
  const { clock } = caller.platform;
  // A member and not a variable, as in write().
  const last: { cause?: ClientError | undefined } = {};
  try {
    return await within(clock, { timeoutMs: withinMs, signal }, async (ended) => {
      const query: Query = (route, parameters) =>
        caller.call({ route, parameters, options: { signal: ended } });
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        try {
          const outcome = await lookOnce(query, sent, look);
          if (outcome !== undefined) return outcome;
          last.cause = undefined;
        } catch (error) {
          // Once the look-ups have ended, their failure is no news.
          throwIfAborted(ended);
          if (!(error instanceof ClientError)) throw error;
          last.cause = error;
          if (isFinal(error)) return { state: "unknown", cause: error };
        }
        await pause(clock, pauseMs, ended);
      }
    });
  } catch (error) {
    if (!(error instanceof TransportError) || error.reason === "aborted") throw error;
    const { cause } = last;
    return { state: "unknown", ...(cause !== undefined && { cause }) };
  }
}

async function lookOnce(
  query: Query,
  { timestamp, mayTakeMs }: SentRequest,
  look: Look,
): Promise<Outcome | undefined> {
  const { serverTime } = await query(CLIENT_ROUTES.time, {});
  return await look(query, serverTime > timestamp + mayTakeMs);
}

/**
 * Returns whether further looks would be refused in the same way, as for a key that may not read. A refused timestamp
 * passes: the clocks of two nodes may differ, or one is being set.
 */
function isFinal(error: ClientError): boolean {
  if (!(error instanceof RefusedError) || error.code === TIMESTAMP_REFUSED) return false;
  const { status = 0 } = error;
  return status < 500 && status !== 408 && status !== 429;
}
