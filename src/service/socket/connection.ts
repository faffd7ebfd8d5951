import { networkOf } from "../../common/index.ts";
import type { Clock } from "../../ports/index.ts";
import type { AnyRoute } from "../../requests/index.ts";
import type { Front } from "../access/authentication.ts";
import type { EntryParts, ServiceParts } from "../rest/parts.ts";
import type { HeldKind, Holdings, LimitScope } from "../traffic/api.ts";
import type { AccountStreams } from "./account-streams.ts";
import type { MessageAnswers } from "./answers.ts";
import type { SocketOptions, SocketPeer, SocketSession, SocketSettings } from "./api.ts";
import type { MarketStreams } from "./market-streams.ts";

/** Returns a function that counts an occurrence. It returns false if that exceeds the limit of its window of fixed length. */
function rateWindow(most: number, windowMs: number): (nowMs: number) => boolean {
  let startMs = 0;
  let count = 0;
  return (nowMs) => {
    if (nowMs - startMs >= windowMs) {
      startMs = nowMs;
      count = 0;
    }
    count++;
    return count <= most;
  };
}

/** Clocks and callbacks of a keepalive. */
type KeepaliveHost = Readonly<{
  clock: Clock;
  realClock: Clock;
  ping: () => void;
  close: (reason: string) => void;
}>;

/** Real time that a peer always gets to answer a ping, however fast the service's clock is moved. */
const REAL_GRACE_MS = 1_000;

type Ping = Readonly<{ atMs: number; realMs: number }>;

/**
 * Pings a peer. Closes the connection if no pong arrives or the connection reaches its maximum age.
 * Source: convention 1.2 gg and 4.2.
 */
class Keepalive {
  readonly #times: Required<SocketSettings>;
  readonly #host: KeepaliveHost;
  readonly #endsAtMs: number;
  /** The oldest ping without a pong. */
  #unanswered: Ping | undefined;
  #cancelTick: () => void;
  #cancelGrace: () => void = () => undefined;

  constructor(times: Required<SocketSettings>, host: KeepaliveHost) {
    this.#times = times;
    this.#host = host;
    this.#endsAtMs = host.clock.monotonicMs() + times.lifeMs;
    this.#cancelTick = this.#plan();
  }

  ponged(): void {
    this.#unanswered = undefined;
  }

  stop(): void {
    this.#cancelTick();
    this.#cancelGrace();
  }

  #plan(): () => void {
    const { clock } = this.#host;
    const nextMs = Math.min(clock.monotonicMs() + this.#times.pingEveryMs, this.#endsAtMs);
    return clock.schedule(nextMs, () => this.#tick());
  }

  #tick(): void {
    const { clock, realClock, ping, close } = this.#host;
    const nowMs = clock.monotonicMs();
    if (nowMs >= this.#endsAtMs) return close("the connection has reached its age");
    if (this.#unanswered !== undefined && nowMs - this.#unanswered.atMs >= this.#times.pongWithinMs) {
      return this.#abandon(this.#unanswered);
    }
    this.#unanswered ??= { atMs: nowMs, realMs: realClock.monotonicMs() };
    ping();
    this.#cancelTick = this.#plan();
  }

  /** Closes the connection, unless the peer has had too little real time to answer. */
  #abandon({ realMs }: Ping): void {
    const { realClock, close } = this.#host;
    if (realClock.monotonicMs() - realMs >= REAL_GRACE_MS) return close("no pong");
    this.#cancelGrace = realClock.schedule(realMs + REAL_GRACE_MS, () => {
      if (this.#unanswered === undefined) this.#tick();
      else close("no pong");
    });
  }
}

/** Close codes of RFC 6455 that the service uses. */
export const CLOSE = { goingAway: 1001, binary: 1003, policy: 1008, tooBig: 1009, tryAgain: 1013 } as const;

/** Parts that all connections for requests share. */
export type SessionParts = Readonly<{
  service: EntryParts;
  settings: Required<SocketSettings>;
  realClock: Clock;
  /** Whether session tokens can subscribe. */
  hasTokens: boolean;
  /** Returns whether the allow lists contain a route. */
  serves: (route: AnyRoute) => boolean;
  answers: MessageAnswers;
}>;

/** Parts that all connections of one service share. */
export type SocketParts = SessionParts &
  Readonly<{
    service: ServiceParts;
    requestToken: SocketOptions["requestToken"];
    streams: AccountStreams;
    markets: MarketStreams;
  }>;

/** Dependencies of a connection. */
type ServiceConnectionParts = Readonly<{
  peer: SocketPeer;
  /** Address of the client. */
  address: string;
  settings: Required<SocketSettings>;
  service: Pick<ServiceParts, "clock" | "bans" | "traffic">;
  realClock: SocketParts["realClock"];
}>;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Maximum number of UTF-8 bytes per UTF-16 code unit of text. */
const WIDEST = 3;

const utf8 = new TextEncoder();

/**
 * The limit of waiting text of each kind: answers to requests, and events. Each kind has its own limit, so that one long
 * answer does not make a reader of events look slow. Sizes count characters; the texts are ASCII except for names that a
 * client has chosen.
 */
const MOST_WAITING = { reply: "maxWaitingReplyBytes", event: "maxWaitingEventBytes" } as const;

/** Close reasons for each kind of bytes that a connection held too much of. */
const HELD: Readonly<Record<HeldKind, string>> = {
  unread: "too many bytes wait for their turn",
  unanswered: "too many bytes wait for an answer",
  unsent: "slow reader",
};

/**
 * Behaviour that all connections share: limits on incoming bytes and on bytes that wait to go out, pings, and the end.
 * After its end a connection takes and sends nothing. Source: hostile input 94.
 */
export class ServiceConnection {
  readonly #peer: SocketPeer;
  readonly #settings: Required<SocketSettings>;
  readonly #realClock: SocketParts["realClock"];
  readonly #frames: (nowMs: number) => boolean;
  readonly #malformed: (nowMs: number) => boolean;
  readonly #pings: (nowMs: number) => boolean;
  readonly #keepalive: Keepalive;
  readonly #onEnd: () => void;
  readonly #unsubscribeBans: () => void;
  readonly #holdings: Holdings;
  /** Upper bound of the waiting size of each kind. Sent text is deducted when the bound is next checked. */
  readonly #waiting: Record<keyof typeof MOST_WAITING, number> = { reply: 0, event: 0 };
  #open = true;
  /** Bytes received of an incomplete message. */
  #arriving = 0;
  /** Pings that the peer has not answered yet. */
  #pongsDue = 0;

  constructor({ peer, address, settings, service, realClock }: ServiceConnectionParts, onEnd: () => void) {
    const { clock, bans, traffic } = service;
    this.#peer = peer;
    this.#settings = settings;
    this.#realClock = realClock;
    this.#onEnd = onEnd;
    this.#frames = rateWindow(settings.maxFramesPerSecond, SECOND_MS);
    this.#malformed = rateWindow(settings.maxMalformedPerMinute, MINUTE_MS);
    this.#pings = rateWindow(settings.maxPingsPerMinute, MINUTE_MS);
    this.#keepalive = new Keepalive(settings, {
      clock,
      realClock,
      ping: () => {
        this.#pongsDue++;
        peer.ping();
      },
      close: (reason) => this.close(reason === "no pong" ? CLOSE.policy : CLOSE.goingAway, reason),
    });
    this.#unsubscribeBans = bans.watch(address, () => this.close(CLOSE.policy, "banned"));
    this.#holdings = traffic.guest(networkOf(address), {
      unsentBytes: () => peer.bufferedBytes(),
      evict: (kind, scope) => this.#evict(kind, scope),
    });
  }

  get open(): boolean {
    return this.#open;
  }

  /**
   * Returns whether a text message may be processed. Closes the connection if the message is too long or exceeds the
   * frame rate.
   */
  takesText(text: string): boolean {
    if (!this.takesFrame()) return false;
    const { maxMessageBytes } = this.#settings;
    if (text.length * WIDEST <= maxMessageBytes || utf8.encode(text).length <= maxMessageBytes) return true;
    this.close(CLOSE.tooBig, `a message has at most ${maxMessageBytes} bytes`);
    return false;
  }

  /**
   * Counts bytes that are held for the peer. Returns false if the connection has ended, because of these bytes or
   * before.
   */
  hold(kind: HeldKind, bytes: number): boolean {
    return this.#open && this.#holdings.hold(kind, bytes);
  }

  /** Records the bytes received of an incomplete message. */
  arriving(bytes: number): void {
    const more = bytes - this.#arriving;
    this.#arriving = bytes;
    this.hold("unread", more);
  }

  /** Counts a frame of any kind. */
  takesFrame(): boolean {
    if (!this.#open) return false;
    this.arriving(0);
    if (this.#frames(this.#realClock.monotonicMs())) return true;
    this.close(CLOSE.policy, `more than ${this.#settings.maxFramesPerSecond} frames a second`);
    return false;
  }

  /** Counts a malformed message. Closes the connection of a peer that sends too many. */
  malformed(): void {
    if (this.#malformed(this.#realClock.monotonicMs())) return;
    this.close(CLOSE.policy, "too many messages that are no requests");
  }

  /** Refuses a binary message: only text is supported. */
  refuseBinary(): void {
    if (this.takesFrame()) this.close(CLOSE.binary, "messages are JSON text");
  }

  pinged(): void {
    if (this.takesFrame()) this.#takesPing();
  }

  ponged(): void {
    if (!this.takesFrame()) return;
    this.#keepalive.ponged();
    if (this.#pongsDue > 0) this.#pongsDue--;
    else this.#takesPing();
  }

  /** Counts a ping, or a pong that answers none. Nothing else of a connection is answered without weight. */
  #takesPing(): void {
    if (this.#pings(this.#realClock.monotonicMs())) return;
    this.close(CLOSE.policy, `more than ${this.#settings.maxPingsPerMinute} pings a minute`);
  }

  /** Sends a text. A reader that already lets more wait than the limit of its kind is closed. */
  send(kind: keyof typeof MOST_WAITING, text: string): void {
    if (!this.#open) return;
    const waiting = Math.min(this.#waiting[kind], this.#peer.bufferedBytes());
    if (waiting > this.#settings[MOST_WAITING[kind]]) return this.close(CLOSE.policy, "slow reader");
    this.#waiting[kind] = waiting + text.length;
    this.#peer.send(text);
    this.hold("unsent", text.length);
  }

  /** Closes the connection with a reason. */
  close(code: number, reason: string): void {
    if (!this.#open) return;
    this.ended();
    this.#peer.close(code, reason);
  }

  /** Records that the connection has ended, whichever side ended it. */
  ended(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#keepalive.stop();
    this.#unsubscribeBans();
    this.#holdings.end();
    this.#onEnd();
  }

  /**
   * Closes the connection because of the bytes it holds. Unsent bytes are dropped with it; otherwise they would still
   * be held.
   */
  #evict(kind: HeldKind, scope: LimitScope): void {
    this.close(scope === "all" ? CLOSE.tryAgain : CLOSE.policy, HELD[kind]);
    if (kind === "unsent") this.#peer.drop?.();
  }
}

/** A connection and the service's handlers for its messages and for the end of the service. */
export type LiveSession = Readonly<{
  connection: ServiceConnection;
  /** Called once the connection counts as open. It may end it. */
  begin?(): void;
  /** Receives a whole text message. */
  receive(text: string, front?: Front): void;
  /** Announces that the service stops. Closes the connection once every request is answered. */
  shutdown(): void;
}>;

/** Returns the callbacks for the transport. The session handles messages; the connection handles everything else. */
export function transportSide(session: LiveSession): SocketSession {
  const { connection } = session;
  return {
    receive: (text, front) => session.receive(text, front),
    receiveBinary: () => connection.refuseBinary(),
    arriving: (bytes) => connection.arriving(bytes),
    pinged: () => connection.pinged(),
    ponged: () => connection.ponged(),
    closed: () => connection.ended(),
  };
}
