import { nameOption, optionalOption, optionsOf, wholeOption } from "../common/index.ts";
import type { LevelReply } from "../replies/index.ts";
import type { BookSides, Diff } from "./book/book-sides.ts";
import { maintainBook } from "./book/keeper.ts";
import { type Lasting, lasting } from "./socket/again.ts";
import { type SocketClientOptions, socketChecks, socketWorks } from "./socket-client.ts";
import { Outlet, type OverrunEvent } from "./stream/outlet.ts";

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
