import type { WireRequest } from "../../wire/index.ts";
import { type AtEnd, Mismatch, type Rule, type RuleGroup, same } from "../suite/index.ts";
import { type MountSubject, type MountSupport, type OpenMount, openMountCheck } from "./place.ts";
import { openConnection, type RawAnswer, type RawConnection, type RawRequest, rawBytes } from "./raw-http.ts";
import { Held, StandIn } from "./standin.ts";

/** A rule of a mount. */
export type MountRule = Rule<MountWorld, MountSupport>;
/** Rules of a mount about one subject. */
export type MountRules = RuleGroup<MountWorld, MountSupport>;

const WAIT_MS = 5_000;

const turn = (): Promise<void> => new Promise((next) => setImmediate(next));

/** The surroundings of one rule: a stand-in for the service, and a server on which it is mounted. */
export class MountWorld {
  readonly standIn: StandIn;
  readonly #mount: OpenMount;
  readonly #waitMs: number;
  readonly #connections: RawConnection[] = [];
  readonly #held: Held[] = [];
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
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const expected = `an answer within ${this.#waitMs} ms`;
      timer = setTimeout(() => reject(new Mismatch({ call, expected, answered: "nothing" })), this.#waitMs);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
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

  /** Opens a connection, which is closed at the end of the rule. */
  async connect(): Promise<RawConnection> {
    const connection = await this.within("a connection", openConnection(this.#mount.port));
    this.#connections.push(connection);
    return connection;
  }

  /** Sends a request on a connection of its own, and returns the answer. */
  async request(request: RawRequest): Promise<RawAnswer> {
    const connection = await this.connect();
    connection.write(rawBytes(request));
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

  /** Lets the next answers of the service wait. They are released at the end of the rule at the latest. */
  hold(): Held {
    const held = new Held();
    this.#held.push(held);
    this.standIn.reply = held.wait;
    return held;
  }

  /** Closes the server. It stays closed at the end of the rule. */
  async close(options?: Readonly<{ graceMs?: number }>): Promise<void> {
    this.#isClosed = true;
    await this.#mount.close(options);
  }

  /** Ends everything that the rule has opened. */
  async #remove(): Promise<void> {
    for (const held of this.#held) held.release();
    for (const connection of this.#connections) connection.close();
    if (!this.#isClosed) await this.within("close({ graceMs: 0 })", this.close({ graceMs: 0 }));
  }
}

/** Returns the text of bytes, one character per byte. */
export const latin = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("latin1");
