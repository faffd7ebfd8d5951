import { nameOption, optionalOption, optionsOf, wholeOption } from "../common/index.ts";
import {
  DEPTH_UPDATE,
  type DepthEvent,
  exactLevels,
  type Id,
  type LevelReply,
  ORDER_BOOK,
  object,
  type Reader,
  type ReadOf,
  whole,
} from "../replies/index.ts";
import { type Lasting, lasting } from "./again.ts";
import type { Caller } from "./caller.ts";
import { ProtocolError, TransportError } from "./errors.ts";
import { type AbortLike, pause } from "./http.ts";
import { Outlet, type OverrunEvent } from "./outlet.ts";
import { compareDecimals } from "./replies.ts";
import { CLIENT_ROUTES } from "./routes.ts";
import {
  control,
  type Members,
  MessageInbox,
  readMessage,
  type SocketLink,
  SWITCHING,
  streamName,
} from "./socket.ts";
import { type SocketClientOptions, socketChecks, socketWorks } from "./socket-client.ts";

/** Options of {@link openOrderBook}. */
export interface OrderBookOptions extends Omit<SocketClientOptions, "checks" | "apiKey" | "secret"> {
  /** The market, such as BTC/USD. */
  readonly symbol: string;
  /**
   * Maximum number of levels of a side. If there are more, the book starts again with a new snapshot. Default 20,000.
   */
  readonly maxLevels?: number;
  /**
   * Maximum number of changes that wait for an iterator. If there are more, the iterator gets an `overrun` in their
   * place. Default 1,000.
   */
  readonly maxWaiting?: number;
  /** After this time without a change the book checks its connection, in milliseconds; default 30,000. */
  readonly quietMs?: number;
}

/** An event of a local order book. */
export type BookEvent =
  /** A quote changed the book. */
  | Readonly<{ kind: "changed"; bids: readonly LevelReply[]; asks: readonly LevelReply[] }>
  /** The book is current, from a new snapshot. */
  | Readonly<{ kind: "synced" }>
  /** The book is not current until the next `synced`; it is empty meanwhile. */
  | Readonly<{ kind: "lost" }>;

/** A copy of the service's order book of one market, which updates itself. */
export interface LocalOrderBook extends AsyncIterable<BookEvent | OverrunEvent>, Lasting {
  /** Best bids first. A new array after each change. */
  readonly bids: readonly LevelReply[];
  /** Best asks first. */
  readonly asks: readonly LevelReply[];
  /** Number of the last quote in the book; undefined while the book is not current. */
  readonly lastUpdateId: string | undefined;
  /** Calls a function with each event of a kind. The returned function unsubscribes it. */
  on<K extends BookEvent["kind"]>(
    kind: K,
    listener: (event: Extract<BookEvent, { kind: K }>) => void,
  ): () => void;
}

const OPTIONS = /* @__PURE__ */ (() => {
  const { checks: _checks, apiKey: _apiKey, secret: _secret, ...shared } = socketChecks();
  return optionsOf<OrderBookOptions>({
    ...shared,
    symbol: nameOption,
    maxLevels: optionalOption(wholeOption({ from: 1 })),
    maxWaiting: optionalOption(wholeOption({ from: 1 })),
    quietMs: optionalOption(wholeOption({ from: 1 }, " of milliseconds")),
  });
})();

/**
 * Keeps a copy of the order book of a market, from a snapshot and the changes after it. Prices stay strings and are
 * compared exactly. After a missing change or a lost connection, the book begins again with a new snapshot. It connects
 * at once. Throws a TypeError for an option that cannot be used.
 *
 * @example
 * ```ts
 * import { openOrderBook } from "managed-orders/client";
 * export function tellBest(baseUrl: string): () => void {
 *   const book = openOrderBook({ baseUrl, symbol: "BTC/USD" });
 *   book.on("changed", () => console.log(book.bids[0], book.asks[0]));
 *   return () => book.close();
 * }
 * ```
 */
export function openOrderBook(given: OrderBookOptions): LocalOrderBook {
  OPTIONS(given, "openOrderBook");
  const { symbol, maxLevels = 20_000, maxWaiting = 1_000, quietMs = 30_000, ...options } = given;
  const works = socketWorks(options, { name: "openOrderBook", path: "/ws/liquidity" });
  const { link, caller, platform } = works;
  const outlet = new Outlet<BookEvent>(maxWaiting);
  let current: BookSides | undefined;
  const show = (sides: BookSides | undefined, changes?: Diff): void => {
    const wasCurrent = current !== undefined;
    current = sides;
    if (sides === undefined) return wasCurrent ? outlet.emit({ kind: "lost" }) : undefined;
    outlet.emit(
      changes === undefined ? { kind: "synced" } : { kind: "changed", bids: changes.b, asks: changes.a },
    );
  };
  const parts = { link, caller, symbol, quietMs, maxLevels, maxHeld: 10_000, show };
  const { ended, close } = lasting(
    { platform, link },
    (signal) => maintainBook(parts, signal),
    (why) => outlet.end(why),
  );
  return Object.freeze<LocalOrderBook>({
    get bids() {
      return current?.bids ?? [];
    },
    get asks() {
      return current?.asks ?? [];
    },
    get lastUpdateId() {
      return current?.lastUpdateId;
    },
    ended,
    on: (kind, listener) => outlet.on(kind, listener),
    close,
    [Symbol.asyncIterator]: () => outlet.iterate(),
  });
}

/** What a keeper works with. */
type BookKeeperParts = Readonly<{
  link: SocketLink;
  caller: Caller;
  symbol: string;
  quietMs: number;
  maxLevels: number;
  maxHeld: number;
  /** Learns the book after each change; undefined while it is not current. */
  show: (sides: BookSides | undefined, changes?: Diff) => void;
}>;

const SNAPSHOT_LEVELS = 5000;
const SNAPSHOT_PAUSE_MS = 250;
/** A snapshot may be older than the first diff, or that of another node. Then another one is read, at most so often. */
const SNAPSHOT_ATTEMPTS = 8;

/**
 * Keeps a book over one connection until that ends or a diff is missing. Rejects with the reason. The numbers of the
 * quotes may begin anew on the next connection, so a book never outlives its own.
 */
async function maintainBook(parts: BookKeeperParts, signal: AbortLike): Promise<never> {
  const { link, caller, symbol, show, maxHeld } = parts;
  const connection = await link.connected({ timeoutMs: caller.settings.timeoutMs, signal });
  const inbox = new MessageInbox(connection, maxHeld, diffIn);
  try {
    const bounds = { timeoutMs: caller.settings.timeoutMs, signal };
    await control(link, { method: "SUBSCRIBE", streams: [streamName(symbol, "depth")] }, bounds);
    const sides = await bookOf(parts, inbox, signal);
    requireBounded(parts, sides);
    show(sides);
    for (;;) await follow(parts, { sides, inbox, signal });
  } catch (error) {
    show(undefined);
    link.drop(new TransportError("connection", "the book begins anew"));
    throw error;
  } finally {
    inbox.leave();
  }
}

type Running = Readonly<{ sides: BookSides; inbox: MessageInbox<Diff>; signal: AbortLike }>;

async function follow(parts: BookKeeperParts, { sides, inbox, signal }: Running): Promise<void> {
  const { link, caller } = parts;
  const diff = await inbox.next(caller.platform.clock, parts.quietMs);
  // A quiet market and a dead connection look the same: a request tells them apart.
  if (diff === undefined) {
    const bounds = { timeoutMs: caller.settings.timeoutMs, signal };
    return await control(link, { method: "LIST_SUBSCRIPTIONS", streams: [] }, bounds);
  }
  const place = sides.apply(diff);
  if (place === "gap") throw new TransportError("connection", "a diff of the book is missing");
  requireBounded(parts, sides);
  if (place === "next") parts.show(sides, diff);
}

function requireBounded({ maxLevels }: BookKeeperParts, { bids, asks }: BookSides): void {
  if (Math.max(bids.length, asks.length) > maxLevels)
    throw new ProtocolError({ problem: "too large", status: SWITCHING });
}

/** Resolves to the book of a snapshot that the first diff continues. */
async function bookOf(
  { caller, symbol }: BookKeeperParts,
  inbox: MessageInbox<Diff>,
  signal: AbortLike,
): Promise<BookSides> {
  const route = { ...CLIENT_ROUTES.depth, read: readSnapshot };
  for (let attempt = 1; ; attempt++) {
    const parameters = { symbol, limit: SNAPSHOT_LEVELS };
    const sides = new BookSides(await caller.call({ route, parameters, options: { signal } }));
    const [first] = inbox.waiting;
    if (first === undefined || sides.place(first) !== "gap") return sides;
    if (attempt === SNAPSHOT_ATTEMPTS)
      throw new TransportError(
        "connection",
        "every snapshot of the book is older than its diffs or from another node",
      );
    await pause(caller.platform.clock, SNAPSHOT_PAUSE_MS, signal);
  }
}

function diffIn(message: Members): Diff | undefined {
  return message.e === "depthUpdate" ? readMessage(readDepth, message) : undefined;
}

/** A snapshot of a book whose numbers continue with those of diffs. */
const SNAPSHOT: Omit<typeof ORDER_BOOK, "lastUpdateId"> & { readonly lastUpdateId: Id } = {
  ...ORDER_BOOK,
  lastUpdateId: whole,
  bids: exactLevels,
  asks: exactLevels,
};

/** A snapshot of a book whose levels are numbers. */
export type Snapshot = ReadOf<typeof SNAPSHOT>;

/** What a book needs of a diff. */
type Diff = Omit<DepthEvent, "e" | "E">;

/** Reads a diff. */
const readDepth: Reader<DepthEvent> = /* @__PURE__ */ object(DEPTH_UPDATE);

/** Reads a snapshot whose levels are numbers. */
export const readSnapshot: Reader<Snapshot> = /* @__PURE__ */ object(SNAPSHOT);

/** One side of a book, best level first. `direction` is 1 if the lowest price is the best. */
class BookSide {
  readonly #direction: 1 | -1;
  levels: readonly LevelReply[] = [];

  constructor(direction: 1 | -1) {
    this.#direction = direction;
  }

  /** Changes levels. Prices are compared as numbers, exactly. */
  change(changes: readonly LevelReply[]): void {
    const levels = [...this.levels];
    for (const change of changes) {
      const [price, quantity] = change;
      const { index, isThere } = this.#find(levels, price);
      const isGone = compareDecimals(quantity, "0") === 0;
      if (isThere) levels.splice(index, 1);
      if (!isGone) levels.splice(index, 0, change);
    }
    this.levels = levels;
  }

  #find(levels: readonly LevelReply[], price: string): Readonly<{ index: number; isThere: boolean }> {
    let [low, high] = [0, levels.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const [other = "0"] = levels[middle] ?? [];
      const compared = compareDecimals(price, other) * this.#direction;
      if (compared === 0) return { index: middle, isThere: true };
      if (compared < 0) high = middle;
      else low = middle + 1;
    }
    return { index: low, isThere: false };
  }
}

/** A book from a snapshot and the diffs after it. Source: docs/streams.md, Public streams. */
export class BookSides {
  readonly #bids: BookSide = new BookSide(-1);
  readonly #asks: BookSide = new BookSide(1);
  /** Number of the last quote in the book. */
  #last: bigint;
  readonly #seriesId: string | undefined;

  constructor({ lastUpdateId, seriesId, bids, asks }: Snapshot) {
    this.#last = BigInt(lastUpdateId);
    this.#seriesId = seriesId;
    this.#bids.change(bids);
    this.#asks.change(asks);
  }

  get bids(): readonly LevelReply[] {
    return this.#bids.levels;
  }

  get asks(): readonly LevelReply[] {
    return this.#asks.levels;
  }

  get lastUpdateId(): string {
    return String(this.#last);
  }

  /**
   * Returns `next` if a diff continues the book, `old` if the book has it, and `gap` if one before it is missing or its
   * numbers are those of another node.
   */
  place({ U, u, seriesId }: Diff): "next" | "old" | "gap" {
    if (seriesId !== this.#seriesId || BigInt(U) > this.#last + 1n) return "gap";
    return BigInt(u) <= this.#last ? "old" : "next";
  }

  /** Applies a diff if it is the next one. Returns its place. */
  apply(diff: Diff): "next" | "old" | "gap" {
    const place = this.place(diff);
    if (place !== "next") return place;
    const { u, b, a } = diff;
    this.#bids.change(b);
    this.#asks.change(a);
    this.#last = BigInt(u);
    return place;
  }
}
