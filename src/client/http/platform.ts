declare global {
  // As in `src/ports/execution-venue.ts`, which has its comment.
  interface AbortSignal {}
}

/** An `AbortSignal`, or an object with these members, that can abort a call. */
export interface AbortLike {
  readonly aborted: boolean;
  /** Calls a listener when the call is to be aborted. */
  addEventListener(type: "abort", listener: () => void): void;
  /** Removes a listener. */
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Time and timers of a client. `monotonicMs` never falls; only differences of it are meaningful. */
export interface ClientClock {
  /** Returns the wall clock in epoch milliseconds. */
  nowMs(): number;
  /** Returns milliseconds that never fall. */
  monotonicMs(): number;
  /** Runs a function once `monotonicMs` has reached `atMs`. The returned function cancels it. */
  schedule(atMs: number, run: () => void): () => void;
}

/** A request as a client hands it to `fetch`. */
export interface FetchRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Always `manual`: a signed request never goes to another address. */
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** A reader of the bytes of a reply. */
export interface ByteReader {
  /** Resolves to the next bytes, or to `done`. Rejects if the connection breaks. */
  read(): Promise<Readonly<{ done: boolean; value?: Uint8Array | undefined }>>;
  /** Ends reading; the rest of the reply is discarded. */
  cancel(): Promise<unknown>;
}

/** The headers of a reply. */
export interface ReplyHeaders {
  /** Returns the value of a header, whose name is in lower case, or null. */
  get(name: string): string | null;
}

/** The body of a reply. */
export interface ReplyBody {
  /** Returns a reader of its bytes. */
  getReader(): ByteReader;
}

/** The part of the response of `fetch` that a client uses. A platform may leave `body` out, as React Native does. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body?: ReplyBody | null;
  /** Resolves to the whole body as text. */
  text(): Promise<string>;
}

/** The function that sends requests: `globalThis.fetch`, or one like it. */
export type FetchLike = (url: string, request: FetchRequest) => Promise<FetchResponse>;

/** What a client needs of its platform. */
export interface Platform {
  readonly fetch: FetchLike;
  readonly clock: ClientClock;
  /** Returns a random number from 0 to below 1, for ids and pauses. It need not be unpredictable. */
  readonly random: () => number;
}
