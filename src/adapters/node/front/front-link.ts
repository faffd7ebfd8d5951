import { errorName } from "../../../common/index.ts";
import type { Telemetry } from "../../../ports/index.ts";
import type { Holdings, SocketPeer, SocketSession } from "../../../service/index.ts";
import { FrontCall, FrontKeys, type FrontParts, FrontRequests, type SharedParts } from "./front-requests.ts";
import { Batch, type MessageOf, splitHead, type ToFront, type ToMain, type Verdict } from "./messages.ts";

/** Counts what a front thread's connections hold, together with those of all other threads. */
class FrontGate {
  readonly #parts: FrontParts;
  readonly #entered: Map<number, () => void> = new Map();
  readonly #guests: Map<number, Holdings> = new Map();

  constructor(parts: FrontParts) {
    this.#parts = parts;
  }

  open([, id, network]: MessageOf<"open">): void {
    const { traffic, connections, batch } = this.#parts;
    if (connections.open >= connections.most) return batch.add(["verdict", id, "full"]);
    const leave = network === undefined ? () => undefined : traffic.enter(network);
    if (leave === undefined) return batch.add(["verdict", id, "out"]);
    connections.open++;
    this.#in(id, () => {
      connections.open--;
      leave();
    });
  }

  enter([, id, network]: MessageOf<"enter">): void {
    const leave = this.#parts.traffic.enter(network);
    if (leave === undefined) this.#parts.batch.add(["verdict", id, "out"]);
    else this.#in(id, leave);
  }

  leave([, id]: MessageOf<"leave">): void {
    this.#entered.get(id)?.();
    this.#entered.delete(id);
  }

  hold([, id, unread, unsent, network]: MessageOf<"hold">): void {
    const guest = this.#guests.get(id) ?? (network === undefined ? undefined : this.#guest(id, network));
    guest?.hold("unread", unread);
    guest?.hold("unsent", unsent);
  }

  end([, id]: MessageOf<"end">): void {
    this.#guests.get(id)?.end();
    this.#guests.delete(id);
  }

  /** Ends everything that belongs to the thread, because the thread has ended. */
  gone(): void {
    for (const holdings of this.#guests.values()) holdings.end();
    for (const leave of this.#entered.values()) leave();
    this.#guests.clear();
    this.#entered.clear();
  }

  #in(id: number, leave: () => void): void {
    this.#entered.set(id, leave);
    this.#parts.batch.add(["verdict", id, "in" satisfies Verdict]);
  }

  /**
   * Starts counting a guest. `unsentBytes` gives no bound here: the thread itself reports which unsent bytes have left.
   */
  #guest(id: number, network: string): Holdings {
    const holdings = this.#parts.traffic.guest(network, {
      unsentBytes: () => Number.POSITIVE_INFINITY,
      evict: (_kind, scope) => {
        this.#guests.delete(id);
        this.#parts.batch.add(["put out", id, scope]);
      },
    });
    this.#guests.set(id, holdings);
    return holdings;
  }
}

/** One WebSocket of a front thread, and how much of the text sent to it has left the process. */
type Line = { readonly session: SocketSession; left: number };

/** Kinds of messages that a front thread sends about its WebSockets. */
type LineWord = "connect" | "text" | "binary" | "ping" | "pong" | "arriving" | "left" | "gone";

/** The WebSockets of a front thread. Each is a connection of the service. */
class FrontLines {
  readonly #parts: FrontParts;
  readonly #lines: Map<number, Line> = new Map();

  constructor(parts: FrontParts) {
    this.#parts = parts;
  }

  take(message: MessageOf<LineWord>): void {
    if (message[0] === "connect") return this.#connect(message);
    const line = this.#lines.get(message[1]);
    if (line === undefined) return;
    const { session } = line;
    switch (message[0]) {
      case "text":
        return session.receive(message[2], new FrontCall(this.#parts.keys, message[3]));
      case "binary":
        return session.receiveBinary();
      case "ping":
        return session.pinged();
      case "pong":
        return session.ponged();
      case "arriving":
        return session.arriving?.(message[2]);
      case "left":
        line.left = message[2];
        return;
      case "gone":
        this.#lines.delete(message[1]);
        return session.closed();
    }
  }

  /** Closes all connections of the thread, because the thread has ended. */
  gone(): void {
    const lines = [...this.#lines.values()];
    this.#lines.clear();
    for (const { session } of lines) session.closed();
  }

  #connect(message: MessageOf<"connect">): void {
    const { sockets, telemetry, batch } = this.#parts;
    const id = message[1];
    try {
      if (sockets === undefined) throw new RangeError("the server has no WebSocket service");
      // The service may send before `connect` returns.
      const line = { session: NOBODY, left: 0 };
      this.#lines.set(id, line);
      line.session = sockets.connect(this.#peerOf(message, line));
    } catch (error) {
      this.#lines.delete(id);
      telemetry?.event("error", "service.threw", { error: errorName(error) });
      batch.add(["drop", id]);
    }
  }

  #peerOf([, id, target, head, remoteAddress]: MessageOf<"connect">, line: Line): SocketPeer {
    const { batch } = this.#parts;
    let sent = 0;
    return {
      ...{ target, rawHeaders: splitHead(head), remoteAddress },
      send(text) {
        sent += text.length;
        batch.add(["send", id, text]);
      },
      ping: () => batch.add(["ping", id]),
      bufferedBytes: () => sent - line.left,
      drop: () => batch.add(["drop", id]),
      close: (code, reason) => batch.add(["close", id, code, reason]),
    };
  }
}

const NOBODY: SocketSession = {
  receive: () => undefined,
  receiveBinary: () => undefined,
  pinged: () => undefined,
  ponged: () => undefined,
  closed: () => undefined,
};

/**
 * Number of messages that are acknowledged even if there is nothing else to send: waking a thread costs more than a
 * message. It must be less than the number that the thread allows in transit, or both threads would wait.
 */
const ACKNOWLEDGED_ALONE = 64;

/**
 * The main thread's side of one front thread. It handles everything that must exist once, in the order of the thread's
 * messages: the service with its order of defences, the traffic, and the number of connections.
 */
export class FrontLink {
  readonly #telemetry: Telemetry | undefined;
  readonly #batch: Batch<ToFront>;
  readonly #requests: FrontRequests;
  readonly #gate: FrontGate;
  readonly #lines: FrontLines;
  #live = true;
  /** Number of messages received and not yet acknowledged. */
  #unacknowledged = 0;

  constructor(shared: SharedParts, post: (messages: readonly ToFront[]) => void) {
    this.#telemetry = shared.telemetry;
    const deliver = (messages: readonly ToFront[]): void => {
      if (this.#live) post(messages);
    };
    const batch = new Batch<ToFront>(deliver, { before: (isAlone) => this.#acknowledge(isAlone) });
    const keys = new FrontKeys((...message) => batch.add(["secret", ...message]));
    const parts = { ...shared, batch, keys };
    this.#batch = batch;
    this.#requests = new FrontRequests(parts);
    this.#gate = new FrontGate(parts);
    this.#lines = new FrontLines(parts);
  }

  /** Takes a list of messages from the thread. */
  take(messages: readonly ToMain[]): void {
    for (const message of messages) this.#take(message);
    this.#unacknowledged += messages.length;
    if (this.#unacknowledged >= ACKNOWLEDGED_ALONE) this.#batch.plan();
  }

  /** Adds an acknowledgement at the end of a turn, if other messages are sent or many are unacknowledged. */
  #acknowledge(isAlone: boolean): void {
    if (this.#unacknowledged === 0 || (isAlone && this.#unacknowledged < ACKNOWLEDGED_ALONE)) return;
    this.#batch.add(["heard", this.#unacknowledged]);
    this.#unacknowledged = 0;
  }

  /** Asks the thread to answer open requests and to end. */
  end(graceMs: number): void {
    this.#batch.add(["end", graceMs]);
  }

  /** Drops the connections of a thread that has ended. Requests in progress continue, but their replies are dropped. */
  gone(): void {
    this.#live = false;
    this.#lines.gone();
    this.#gate.gone();
  }

  #take(message: ToMain): void {
    switch (message[0]) {
      case "request":
        return void this.#requests.serve(message);
      case "admit":
        return void this.#requests.admit(message);
      case "open":
        return this.#gate.open(message);
      case "enter":
        return this.#gate.enter(message);
      case "leave":
        return this.#gate.leave(message);
      case "hold":
        return this.#gate.hold(message);
      case "end":
        return this.#gate.end(message);
      case "event":
        return this.#telemetry?.event(message[1], message[2], message[3]);
      case "listens":
      case "cannot":
      case "closed":
        return;
      default:
        return this.#lines.take(message);
    }
  }
}
