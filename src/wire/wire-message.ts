/**
 * A request exactly as it was received. `target` (path and query) and header values are byte for byte; `rawHeaders`
 * alternates name and value. Nothing is decoded, joined or reordered, because signatures cover these bytes (contract,
 * Version 3 REST; architecture, Transport-neutral service).
 */
export type WireRequest = Readonly<{
  method: string;
  target: string;
  rawHeaders: readonly string[];
  body: Uint8Array;
  /** Address of the peer, as text. */
  remoteAddress: string;
}>;

/** A reply ready to be sent. `body` is UTF-8 text; header names are as they go out. */
export type WireResponse = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}>;
