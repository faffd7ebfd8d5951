import * as z from "zod";
import { errorMessage } from "../common/index.ts";
import { type JsonInput, type JsonValue, readJson, writeJson } from "../wire/index.ts";
import { InputError } from "./input-error.ts";
import { ConflictError } from "./settlement.ts";
import { MissingError } from "./venue-controls.ts";

/** The control interface of the venue cannot be asked. Answered with 502. */
export class VenueAwayError extends Error {
  override readonly name = "VenueAwayError";
}

/** A call of the venue's control interface. `path` has the parts after `/control`. */
export type VenueCall = Readonly<{
  method: string;
  path: readonly string[];
  query?: ReadonlyMap<string, string>;
  body?: JsonInput | undefined;
}>;

/** Calls the venue's control interface. Resolves to its answer; its refusals become errors of the same status. */
export type VenueControl = (call: VenueCall) => Promise<JsonValue>;

/** Longest wait for an answer: the venue answers when its own work is done. */
const LONGEST_MS = 10_000;

const refusal = z.object({ error: z.string() });

/**
 * Creates the calls of the control interface of a venue in another process. Without an address, every call rejects with
 * an error that says where to send it.
 */
export function createVenueControl(controlUrl: string | undefined): VenueControl {
  if (controlUrl === undefined) {
    return async ({ method, path }) => {
      throw new VenueAwayError(
        `${method} /control/${path.join("/")} belongs to the venue, which runs in another process: send it to the control interface of that process, or set VENUE_CONTROL`,
      );
    };
  }
  return async (call) => {
    const { status, body } = await send(controlUrl, call);
    if (status === 200) return body;
    const answer = refusal.safeParse(body);
    throw refusalOf(status, answer.success ? answer.data.error : `the venue answered ${status}`);
  };
}

type Answer = Readonly<{ status: number; body: JsonValue }>;

async function send(controlUrl: string, { method, path, query, body }: VenueCall): Promise<Answer> {
  const parameters = query === undefined || query.size === 0 ? "" : `?${new URLSearchParams([...query])}`;
  try {
    const answer = await fetch(`${controlUrl}/control/${path.join("/")}${parameters}`, {
      method,
      redirect: "error",
      signal: AbortSignal.timeout(LONGEST_MS),
      ...(method === "POST" && { headers: { "content-type": "application/json" } }),
      ...(body !== undefined && { body: writeJson(body) }),
    });
    return { status: answer.status, body: readJson(await answer.text()) };
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new VenueAwayError(
      `the control interface of the venue at ${controlUrl} did not answer (${errorMessage(cause)}): start the venue, or correct VENUE_CONTROL`,
      { cause: error },
    );
  }
}

function refusalOf(status: number, message: string): Error {
  if (status === 400) return new InputError(message);
  if (status === 404) return new MissingError(message);
  if (status === 409) return new ConflictError(message);
  return new VenueAwayError(message);
}
