import { Agent, request } from "node:http";
import { WebSocket } from "ws";
import { signBody, signSocketParameters } from "../../../src/signing/index.ts";
import { HONEST } from "./keys.ts";

/** The experience of an honest client: the time of each answer, and its failures. */
export type Borne = Readonly<{ latenciesMs: readonly number[]; failures: readonly string[] }>;

const PAUSE_MS = 20;

/** Longest wait for one answer. */
const PATIENCE_MS = 5_000;

/** A client from 127.0.0.1 that alternates between a new connection, a persistent one, WebSocket, and the venue. */
export class HonestClient {
  readonly #port: number;
  readonly #stored: Agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #latenciesMs: number[] = [];
  readonly #failures: string[] = [];
  #socket: WebSocket | undefined;
  #requested = 0;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(port: number) {
    this.#port = port;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<Borne> {
    this.#stopped = true;
    await this.#running;
    this.#stored.destroy();
    this.#socket?.terminate();
    return { latenciesMs: this.#latenciesMs, failures: this.#failures };
  }

  async #run(): Promise<void> {
    const ways = [() => this.#time(), () => this.#place(), () => this.#status(), () => this.#trade()];
    while (!this.#stopped) {
      const from = performance.now();
      try {
        await ways[this.#requested++ % ways.length]?.();
      } catch (error) {
        this.#failures.push(error instanceof Error ? error.message : String(error));
      }
      this.#latenciesMs.push(performance.now() - from);
      await new Promise((next) => setTimeout(next, PAUSE_MS));
    }
  }

  #time(): Promise<void> {
    return this.#http({ method: "GET", path: "/api/time", agent: false }, "");
  }

  #place(): Promise<void> {
    return this.#order({ type: "SYNTHETIC_LIMIT", quantity: "0.125", price: "4000.25" });
  }

  /** An order that the venue answers before the service does. */
  #trade(): Promise<void> {
    return this.#order({ type: "MARKET", quantity: "0.001" });
  }

  #order(terms: Readonly<Record<string, string>>): Promise<void> {
    const query = `nonce=${this.#requested}`;
    const parameters = {
      ...{ symbol: "BTC/USD", side: "BUY", ...terms },
      newClientOrderId: `honest-${this.#requested}`,
    };
    const { body, signature } = signBody({ secret: HONEST.secret, query, parameters });
    const headers = { "X-MBX-APIKEY": HONEST.apiKey, signature, "Content-Type": "application/json" };
    return this.#http({ method: "POST", path: `/api/order?${query}`, agent: this.#stored, headers }, body);
  }

  #http(options: Readonly<Record<string, unknown>>, body: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port: this.#port, timeout: PATIENCE_MS, ...options });
      sent.on("response", (response) => {
        response.resume();
        response.on("end", () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`HTTP ${response.statusCode}`)),
        );
      });
      sent.on("timeout", () => sent.destroy(new Error("no answer")));
      sent.on("error", reject);
      sent.end(body);
    });
  }

  async #status(): Promise<void> {
    const socket = await this.#connected();
    const parameters = { apiKey: HONEST.apiKey, timestamp: Date.now(), apiManaged: true, limit: 1 };
    const params = signSocketParameters({ secret: HONEST.secret, parameters });
    socket.send(JSON.stringify({ id: "1", method: "openOrders.status", params }));
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => socket.terminate(), PATIENCE_MS);
      const end = (act: () => void): void => {
        clearTimeout(timer);
        socket.removeAllListeners("message").removeAllListeners("close");
        act();
      };
      socket.on("message", (data) => {
        const { status } = JSON.parse(String(data)) as { status: number };
        end(() => (status === 200 ? resolve() : reject(new Error(`WebSocket ${status}`))));
      });
      socket.on("close", (code) => end(() => reject(new Error(`closed with ${code}`))));
    });
  }

  async #connected(): Promise<WebSocket> {
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket;
    const socket = new WebSocket(`ws://127.0.0.1:${this.#port}/ws/listenKey`, {
      handshakeTimeout: PATIENCE_MS,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    socket.on("error", () => undefined);
    this.#socket = socket;
    return socket;
  }
}
