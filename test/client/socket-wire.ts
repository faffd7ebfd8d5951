import type { SocketClass, SocketEvent, SocketLike } from "../../src/client/index.ts";
import type { Service, SocketSession } from "../../src/service/index.ts";
import { openNativeWorld } from "../support/native-world.ts";
import { KEYS, type WorldOptions } from "../support/service-world.ts";
import { type ClientWorld, clientOn, TestWire } from "./client-world.ts";

/** What becomes of a message of the service on its way: the texts that arrive in its place. */
export type Change = (text: string) => readonly string[];

const unchanged: Change = (text) => [text];

/** Hands the connections of a client to a service in process, and lets faults happen to them. */
export class SocketWire {
  readonly sent: string[] = [];
  readonly open: Set<TestSocket> = new Set();
  opened = 0;
  /** What becomes of messages of the service. */
  change: Change = unchanged;
  /** Whether messages of the client reach the service. */
  deaf = false;
  /** Whether new connections fail. */
  down = false;
  readonly service: Service;

  constructor(service: Service) {
    this.service = service;
  }

  get WebSocket(): SocketClass {
    const wire = this;
    return class extends TestSocket {
      constructor(url: string) {
        super(wire, url);
      }
    };
  }

  /** Every connection is lost, as if the network failed. */
  lose(): void {
    for (const socket of this.open) socket.lose();
  }

  /** Sends a text to every client. */
  say(text: string): void {
    for (const socket of this.open) socket.emit("message", { data: text });
  }
}

class TestSocket implements SocketLike {
  readonly #wire: SocketWire;
  readonly #listeners: Map<string, ((event: SocketEvent) => void)[]> = new Map();
  #session: SocketSession | undefined;

  constructor(wire: SocketWire, url: string) {
    this.#wire = wire;
    wire.opened++;
    queueMicrotask(() => (wire.down ? this.lose() : this.#connect(new URL(url))));
  }

  addEventListener(type: string, listener: (event: SocketEvent) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  emit(type: string, event: Omit<SocketEvent, "type"> = {}): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ type, ...event });
  }

  send(text: string): void {
    this.#wire.sent.push(text);
    if (!this.#wire.deaf) this.#session?.receive(text);
  }

  close(): void {
    this.lose();
  }

  lose(): void {
    this.#wire.open.delete(this);
    this.#session?.closed();
    this.#session = undefined;
    queueMicrotask(() => this.emit("close"));
  }

  #connect({ pathname, search }: URL): void {
    this.#wire.open.add(this);
    const session = this.#wire.service.sockets.connect({
      target: `${pathname}${search}`,
      rawHeaders: [],
      remoteAddress: "127.0.0.1",
      send: (text) => this.#deliver(text),
      ping: () => queueMicrotask(() => session.ponged()),
      close: () => this.lose(),
      bufferedBytes: () => 0,
    });
    this.#session = session;
    this.emit("open");
  }

  #deliver(text: string): void {
    for (const arriving of this.#wire.change(text)) this.emit("message", { data: arriving });
  }
}

/** A service, its REST client, and what connects to it. */
export type SocketWorld = ClientWorld &
  Readonly<{
    sockets: SocketWire;
    /** Options of a client of its sockets. */
    options: Readonly<{
      baseUrl: string;
      apiKey: string;
      secret: string;
      fetch: TestWire["fetch"];
      clock: ClientWorld["clock"];
      random: () => number;
      WebSocket: SocketClass;
    }>;
  }>;

/** Opens one. */
export async function openSocketWorld(options: WorldOptions = {}): Promise<SocketWorld> {
  const world = await openNativeWorld(options);
  const wire = new TestWire(world.service);
  const sockets = new SocketWire(world.service);
  const own = { baseUrl: "http://service.test", ...KEYS.owner, fetch: wire.fetch, clock: world.clock };
  return {
    ...world,
    wire,
    client: clientOn(world, wire),
    sockets,
    options: { ...own, random: () => 0.5, WebSocket: sockets.WebSocket },
  };
}

/** Lets what is under way happen, without time passing. */
export async function settle(world: SocketWorld, turns = 6): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await world.engine.idle();
}
