import {
  flagOption,
  functionOption,
  nameOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wholeOption,
  withDeadline,
} from "../../common/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import type { Service, SocketPeer, SocketSession } from "../../service/index.ts";
import type { WireRequest, WireResponse } from "../../wire/index.ts";
import { Mismatch, same } from "../checks.ts";
import type { AtEnd, Rules } from "../suite.ts";
import { openConnection, type RawAnswer, type RawConnection, type RawRequest, rawBytes } from "./raw-http.ts";

/** A server that listens, with the service mounted. */
export interface OpenMount {
  /** The port on which it listens at 127.0.0.1. */
  readonly port: number;
  /**
   * Ends the server. With `drains`, it answers the requests under way first, and cuts them off after `graceMs`
   * milliseconds if that is given. Resolves when the server has ended.
   */
  close(options?: Readonly<{ graceMs?: number }>): Awaitable<void>;
}

/** The optional parts of a mount, each declared as present or absent. */
export interface MountSupport {
  /** Whether it takes WebSockets. */
  readonly sockets: boolean;
  /** Whether the server has routes of its own besides those of the service. */
  readonly ownRoutes: boolean;
  /** Whether closing waits for the answers to requests under way. */
  readonly drains: boolean;
}

/** A mount of the service as its author describes it to the suite. */
export interface MountSubject {
  /** The name of the mount in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: MountSupport;
  /** The longest wait for an answer in milliseconds; default 5000. */
  readonly waitMs?: number;
  /** Starts a server with this service mounted. The suite calls it once per test, and closes the server at the end. */
  open(service: Service): Awaitable<OpenMount>;
}

/** Checks a mount that is handed to the suite. */
export const mountSubject: OptionCheck = /* @__PURE__ */ optionsOf<MountSubject>({
  name: nameOption,
  supports: optionsOf<MountSupport>({ sockets: flagOption, ownRoutes: flagOption, drains: flagOption }),
  waitMs: optionalOption(numberOption({ from: 1 }, "ms")),
  open: functionOption("starts a server with the service mounted"),
});

/** Checks a server that `open` returned. */
const openMountCheck: OptionCheck = /* @__PURE__ */ optionsOf<OpenMount>(
  { port: wholeOption({ from: 1, to: 65_535 }), close: functionOption("ends the server") },
  { open: true },
);

/** A WebSocket connection as the stand-in received it, with everything that its session was told. */
export type ConnectedPeer = Readonly<{
  peer: SocketPeer;
  received: (readonly [kind: string, text?: string])[];
}>;

/** The default reply. Its body has a 64-bit id, blanks and characters beyond ASCII, so that every change is seen. */
export const REPLY: WireResponse = {
  status: 200,
  headers: {
    "Content-Type": "application/json; charset=utf-8",
    "X-Request-Id": "mount-1",
    "X-MBX-USED-WEIGHT-1M": "17",
    "Retry-After": "7",
  },
  body: '{"orderId": 9007199254740993, "price":"1.0", "msg":"é€"}\n',
};

/** A service that records what a mount hands over, and gives the answers that a rule sets. */
class StandIn {
  /** Requests in the order in which they were handed over. */
  readonly received: WireRequest[] = [];
  /** Upgrade requests. */
  readonly upgrades: WireRequest[] = [];
  readonly peers: ConnectedPeer[] = [];
  /** How often the WebSocket part was told that the service stops. */
  shutdowns = 0;
  /** Returns the answer to a request. */
  reply: (request: WireRequest) => WireResponse | Promise<WireResponse> = () => REPLY;
  /** The refusal of upgrade requests; without it they are admitted. */
  refusal: WireResponse | undefined;

  readonly service: Service = {
    handle: async (request) => {
      this.received.push(request);
      return await this.reply(request);
    },
    sockets: {
      admit: async (request) => {
        this.upgrades.push(request);
        return this.refusal;
      },
      connect: (peer) => this.#connect(peer),
      shutdown: () => {
        this.shutdowns += 1;
        for (const { peer } of this.peers) peer.close(1001, "the service stops");
      },
    },
  };

  #connect(peer: SocketPeer): SocketSession {
    const received: (readonly [string, string?])[] = [];
    this.peers.push({ peer, received });
    return {
      receive: (text) => void received.push(["text", text]),
      receiveBinary: () => void received.push(["binary"]),
      pinged: () => void received.push(["ping"]),
      ponged: () => void received.push(["pong"]),
      closed: () => void received.push(["closed"]),
    };
  }
}

/** Rules of a mount about one subject. */
export type MountRules = Rules<MountWorld, MountSupport>;

const WAIT_MS = 5_000;

const turn = (): Promise<void> => new Promise((next) => setImmediate(next));

/** The surroundings of one rule: a stand-in for the service, and a server on which it is mounted. */
export class MountWorld {
  readonly standIn: StandIn;
  readonly #mount: OpenMount;
  readonly #waitMs: number;
  readonly #connections: RawConnection[] = [];
  readonly #releases: (() => void)[] = [];
  #isClosed = false;

  private constructor(standIn: StandIn, mount: OpenMount, waitMs: number) {
    this.standIn = standIn;
    this.#mount = mount;
    this.#waitMs = waitMs;
  }

  /** Starts the server. Throws a TypeError for one that lacks a member. */
  static async create(subject: MountSubject, atEnd: AtEnd): Promise<MountWorld> {
    const standIn = new StandIn();
    const mount = await subject.open(standIn.service);
    const world = new MountWorld(standIn, mount, subject.waitMs ?? WAIT_MS);
    atEnd(() => world.#remove());
    openMountCheck(mount, `what open of ${subject.name} returned`);
    return world;
  }

  /** The port of the server. */
  get port(): number {
    return this.#mount.port;
  }

  /** Lets the server do what it has begun: 50 turns of the event loop. */
  async pause(): Promise<void> {
    for (let turns = 0; turns < 50; turns += 1) await turn();
  }

  /** Returns what a promise resolves to. Throws a Mismatch if it has not settled in time. */
  async within<T>(call: string, promise: PromiseLike<T>): Promise<T> {
    const start = (over: () => void): (() => void) => {
      const timer = setTimeout(over, this.#waitMs);
      return () => clearTimeout(timer);
    };
    const expected = `an answer within ${this.#waitMs} ms`;
    return await withDeadline(promise, start, () => new Mismatch({ call, expected, answered: "nothing" }));
  }

  /** Waits for a condition. Throws a Mismatch if it does not come true in time. */
  async until(call: string, condition: () => boolean): Promise<void> {
    let isOver = false;
    const met = async (): Promise<void> => {
      while (!condition() && !isOver) await turn();
    };
    try {
      await this.within(call, met());
    } finally {
      isOver = true;
    }
  }

  /** Opens a connection, which is closed at the end of the rule, and writes bytes on it. */
  async connect(bytes?: Uint8Array): Promise<RawConnection> {
    const connection = await this.within("a connection", openConnection(this.#mount.port));
    this.#connections.push(connection);
    if (bytes !== undefined) connection.write(bytes);
    return connection;
  }

  /** Sends a request on a connection of its own, and returns the answer. */
  async request(request: RawRequest): Promise<RawAnswer> {
    const connection = await this.connect(rawBytes(request));
    const answer = await this.within(`${request.method} ${request.target}`, connection.answer());
    connection.close();
    return answer;
  }

  /** Sends a request, and returns it as the service received it. Throws a Mismatch unless it received exactly one. */
  async delivered(request: RawRequest): Promise<WireRequest> {
    const before = this.standIn.received.length;
    await this.request(request);
    const [first, ...more] = this.standIn.received.slice(before);
    const call = `requests that the service received for ${request.method} ${request.target}`;
    if (first === undefined || more.length > 0) same(call, this.standIn.received.length - before, 1);
    return first as WireRequest;
  }

  /** Lets the next answers of the service wait, at the latest until the end of the rule. Returns what releases them. */
  hold(): () => void {
    let release = (): void => undefined;
    const reply = new Promise<WireResponse>((resolve) => {
      release = () => resolve(REPLY);
    });
    this.#releases.push(release);
    this.standIn.reply = () => reply;
    return release;
  }

  /** Closes the server. It stays closed at the end of the rule. */
  async close(options?: Readonly<{ graceMs?: number }>): Promise<void> {
    this.#isClosed = true;
    await this.#mount.close(options);
  }

  /** Ends everything that the rule has opened. */
  async #remove(): Promise<void> {
    for (const release of this.#releases) release();
    for (const connection of this.#connections) connection.close();
    if (!this.#isClosed) await this.within("close({ graceMs: 0 })", this.close({ graceMs: 0 }));
  }
}

/** Returns the text of bytes, one character per byte. */
export const latin = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("latin1");
