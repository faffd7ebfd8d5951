import { ProtocolError } from "../errors/protocol-error.ts";
import { TransportError } from "../errors/transport-error.ts";
import { pause } from "../http/deadline.ts";
import type { AbortLike } from "../http/platform.ts";
import type { Caller } from "../methods/caller.ts";
import { CLIENT_ROUTES } from "../methods/routes.ts";
import type { Members } from "../socket/connection.ts";
import { control, streamName } from "../socket/control.ts";
import { MessageInbox } from "../socket/inbox.ts";
import type { SocketLink } from "../socket/link.ts";
import { readMessage, SWITCHING } from "../socket/read-message.ts";
import { BookSides, type Diff, readDepth, readSnapshot } from "./book-sides.ts";

/** What a keeper works with. */
export type BookKeeperParts = Readonly<{
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
export async function maintainBook(parts: BookKeeperParts, signal: AbortLike): Promise<never> {
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
