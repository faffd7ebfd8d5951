import type { SocketPeer, SocketSession } from "../../src/service/index.ts";
import { type RequestParameters, signSocketParameters } from "../../src/signing/index.ts";
import { type JsonObject, readJson, writeJson } from "../../src/wire/index.ts";
import { type Credentials, KEYS, openWorld, type ServiceWorld, type WorldOptions } from "./service-world.ts";

/** A parsed message: a reply has an id and a status, an event has neither. */
export type Message = JsonObject;

/** Options of a test's connection. */
export type ConnectOptions = Readonly<{ target?: string; address?: string; headers?: readonly string[] }>;

/** A request to build; with key null it is not signed. `timestamp` is the world's clock. */
export type SocketRequestOptions = Readonly<{
  key?: Credentials | null;
  id?: string | number | null;
  /** Changes the params after they were signed. */
  forge?: (params: RequestParameters) => Readonly<Record<string, unknown>>;
}>;

/** A connection of a test, and the messages over it. */
export class TestClient {
  readonly session: SocketSession;
  readonly messages: Message[] = [];
  /** The same as they arrived. */
  readonly texts: string[] = [];
  closed: Readonly<{ code: number; reason: string }> | undefined;
  pings = 0;
  /** The bytes that the reader has not read yet. */
  buffered: number | "everything" = 0;
  readonly #world: ServiceWorld;
  #ids = 0;
  #stamps = 0;

  constructor(world: ServiceWorld, connection: ConnectOptions = {}) {
    const { target = "/ws/listenKey", address = "127.0.0.1", headers = [] } = connection;
    this.#world = world;
    const peer: SocketPeer = {
      target,
      rawHeaders: headers,
      remoteAddress: address,
      send: (text) => {
        this.texts.push(text);
        this.messages.push(readJson(text) as Message);
      },
      ping: () => void this.pings++,
      close: (code, reason) => {
        this.closed = { code, reason };
      },
      bufferedBytes: () =>
        this.buffered === "everything"
          ? this.texts.reduce((sum, text) => sum + text.length, 0)
          : this.buffered,
    };
    this.session = world.service.sockets.connect(peer);
  }

  /** Events of the private stream, oldest first. */
  get events(): readonly Message[] {
    return this.messages.flatMap(({ event }) => (event === undefined ? [] : [event as Message]));
  }

  /** Replies, oldest first. */
  get replies(): readonly Message[] {
    return this.messages.filter((message) => "id" in message);
  }

  /** Sends a request and resolves to its reply; rejects if the connection is closed instead. */
  async ask(
    method: string,
    params: RequestParameters = {},
    { key = KEYS.owner, id = `r-${++this.#ids}`, forge }: SocketRequestOptions = {},
  ): Promise<Message> {
    const sent = this.params(params, key);
    return await this.sendsRaw(
      writeJson({ id, method, params: (forge ?? ((same) => same))(sent) as JsonObject }),
    );
  }

  /** The params of a request, signed; each has its own timestamp, so that no two signatures are equal. */
  params(fields: RequestParameters, key: Credentials | null): RequestParameters {
    if (key === null) return fields;
    const recvWindow = 5_000 - (this.#stamps++ % 4_000);
    const parameters = { apiKey: key.apiKey, timestamp: this.#world.clock.nowMs(), recvWindow, ...fields };
    return signSocketParameters({ secret: key.secret, parameters });
  }

  /** Sends a text unchanged and resolves to the next reply. */
  async sendsRaw(text: string): Promise<Message> {
    const before = this.replies.length;
    this.session.receive(text);
    await this.until(() => this.replies.length > before || this.closed !== undefined);
    const reply = this.replies[before];
    if (reply === undefined) throw new Error(`closed with ${JSON.stringify(this.closed)}`);
    return reply;
  }

  /** Resolves once this holds; checked after everything that is sent and whenever the engine rests. */
  async until(holds: () => boolean): Promise<void> {
    for (let turn = 0; !holds(); turn++) {
      if (turn > 300) throw new Error(`never came; the last message: ${this.texts.at(-1)}`);
      await this.#world.engine.idle();
    }
  }
}

/** A world and a connection to it. */
export type SocketWorld = Readonly<{ world: ServiceWorld; client: TestClient }>;

/** Opens a world with one connection to the private interface. */
export async function openSocketWorld(
  options: WorldOptions = {},
  connection: ConnectOptions = {},
): Promise<SocketWorld> {
  const world = await openWorld(options);
  return { world, client: new TestClient(world, connection) };
}

/** Code and status of a refusal. */
export const refusalOf = ({ status, error }: Message): readonly unknown[] => [
  status,
  (error as JsonObject | undefined)?.code,
];
