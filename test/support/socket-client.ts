import { WebSocket } from "ws";
import { type RequestParameters, signSocketParameters } from "../../src/signing/index.ts";
import { type JsonObject, readJson } from "../../src/wire/index.ts";

/** A WebSocket client of a test over a real connection. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly messages: JsonObject[] = [];
  /** The same as they arrived. */
  readonly texts: string[] = [];
  /** Resolves with code and reason when the connection has ended. */
  readonly closed: Promise<readonly [code: number, reason: string]>;
  readonly #waiting: Set<() => void> = new Set();
  #ended = false;
  #ids = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      this.texts.push(String(data));
      this.messages.push(readJson(String(data)) as JsonObject);
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        this.#ended = true;
        this.#wake();
        resolve([code, String(reason)]);
      });
    });
    socket.on("error", () => undefined);
  }

  /** Connects; rejects with the status of the refusal, such as "404". */
  static connect(
    url: string,
    options: ConstructorParameters<typeof WebSocket>[2] = {},
  ): Promise<SocketClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, options);
      const client = new SocketClient(socket);
      socket.on("open", () => resolve(client));
      socket.on("unexpected-response", (_request, response) => {
        response.resume();
        reject(new Error(String(response.statusCode)));
      });
      socket.on("error", reject);
    });
  }

  /** Events of the private stream, oldest first. */
  get events(): readonly JsonObject[] {
    return this.messages.flatMap(({ event }) => (event === undefined ? [] : [event as JsonObject]));
  }

  /** Sends a request and resolves to its reply. */
  async ask(method: string, params: RequestParameters = {}): Promise<JsonObject> {
    const id = `t-${++this.#ids}`;
    this.socket.send(JSON.stringify({ id, method, params }));
    let reply: JsonObject | undefined;
    await this.until(() => {
      reply = this.messages.find((message) => message.id === id);
      return reply !== undefined;
    });
    return reply ?? {};
  }

  /** The same, signed with a key. */
  signed(
    key: Readonly<{ apiKey: string; secret: string }>,
    method: string,
    params: RequestParameters = {},
  ): Promise<JsonObject> {
    const parameters = { apiKey: key.apiKey, timestamp: Date.now(), ...params };
    return this.ask(method, signSocketParameters({ secret: key.secret, parameters }));
  }

  /** Resolves once this holds, checked after every message; rejects if the connection ends before. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.#ended) throw new Error(`the connection ended after ${this.messages.length} messages`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  close(): void {
    this.socket.terminate();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
