import { RefusedError } from "../errors/refused-error.ts";
import type { Bounds } from "../http/deadline.ts";
import type { SocketLink } from "./link.ts";
import { SWITCHING } from "./read-message.ts";

/** A control frame of the public streams. */
export type ControlFrame = Readonly<{
  method: "SUBSCRIBE" | "LIST_SUBSCRIPTIONS";
  streams: readonly string[];
}>;

/** Returns the name of a public stream, such as btcusd@depth. */
export const streamName = (symbol: string, kind: string): string =>
  `${symbol.replace("/", "").toLowerCase()}@${kind}`;

/** Sends a control frame. Rejects with a RefusedError if the service refuses it. */
export async function control(
  link: SocketLink,
  { method, streams }: ControlFrame,
  bounds: Bounds,
): Promise<void> {
  const { code, msg } = await link.request({ method, params: () => streams }, bounds);
  if (code === undefined) return;
  const text = typeof msg === "string" ? msg : "";
  const negative = typeof code === "number" && code < 0 ? code : undefined;
  throw new RefusedError({ msg: text, code: negative, status: SWITCHING }, { sent: true });
}
