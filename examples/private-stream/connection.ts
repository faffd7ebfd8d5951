import { type RequestParameters, readJson, signSocketParameters, writeJson } from "managed-orders/signing";
import { WebSocket } from "ws";

/** Address and key of a client, and the service's time: a timestamp must be close to it. */
export type Caller = Readonly<{ url: string; apiKey: string; secret: string; nowMs: () => number }>;

/** The result of a reply, or an event: members by name. */
export type Members = Readonly<Record<string, unknown>>;

type Answer = Readonly<{
  id?: string;
  result?: Members;
  error?: Readonly<{ code: number; msg: string }>;
  event?: Members;
}>;

type Waiting = Readonly<{ resolve: (result: Members) => void; reject: (error: Error) => void }>;

/** Takes an event. Returns false if the connection is no longer usable. */
export type TakeEvent = (event: Members) => boolean;

/** A connection to /ws/listenKey. Each reply resolves its request, by id; events go to `take`, in order. */
export class Connection {
  readonly #caller: Caller;
  readonly #socket: WebSocket;
  readonly #waiting: Map<string, Waiting> = new Map();
  #requests = 0;

  private constructor(caller: Caller, take: TakeEvent) {
    this.#caller = caller;
    this.#socket = new WebSocket(`${caller.url}/ws/listenKey`);
    this.#socket.on("message", (data) => {
      // JSON.parse would round the 64-bit ids of native orders, and JSON.stringify cannot write them.
      const { id, result, error, event } = readJson(String(data)) as Answer;
      if (event !== undefined) {
        if (!take(event)) this.#socket.terminate();
        return;
      }
      const waiting = this.#waiting.get(id ?? "");
      this.#waiting.delete(id ?? "");
      if (result !== undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(`${error?.code} ${error?.msg}`));
    });
    this.#socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the connection was lost"));
    });
  }

  static async open(caller: Caller, take: TakeEvent): Promise<Connection> {
    const connection = new Connection(caller, take);
    await new Promise((resolve, reject) => connection.#socket.once("open", resolve).once("error", reject));
    return connection;
  }

  /** Signs and sends a request. Rejects with the service's refusal, or if the connection is lost. */
  request(method: string, parameters: RequestParameters = {}): Promise<Members> {
    const { apiKey, secret, nowMs } = this.#caller;
    const params = signSocketParameters({
      secret,
      parameters: { ...parameters, apiKey, timestamp: nowMs() },
    });
    const id = String(++this.#requests);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(writeJson({ id, method, params }), (error) => error && reject(error));
    });
  }

  /** Breaks the connection, as a network failure does. */
  break(): Promise<unknown> {
    this.#socket.terminate();
    return new Promise((resolve) => this.#socket.once("close", resolve));
  }
}
