/**
 * A request exactly as it was received. `target` (path and query) and header values are byte for byte; `rawHeaders`
 * alternates name and value. Nothing is decoded, joined or reordered, because signatures cover these bytes (contract,
 * Version 3 REST; architecture, Transport-neutral service).
 */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  /** Address of the peer, as text. */
  readonly remoteAddress: string;
}

/** A reply ready to be sent. `body` is UTF-8 text; header names are as they go out. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
