import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** What a proxy does with the connections through it. */
export type Behaviour = {
  /** Milliseconds by which each direction is delayed. */
  delayMs: number;
  /** Holds what clients send from now on, until `deliver`. */
  holds: boolean;
  /** Cuts the client off instead of giving it the next answer of a statement. The server notices nothing. */
  losesAnswer: boolean;
  /** Cuts new connections off at once, as a server that is away. */
  refuses: boolean;
};

/** A proxy on loopback between stores and the server. */
export class LossyProxy {
  readonly behaviour: Behaviour = { delayMs: 0, holds: false, losesAnswer: false, refuses: false };
  readonly #target: number;
  readonly #server: Server;
  readonly #clients: Set<Socket> = new Set();
  #held: (() => void)[] = [];

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#join(client));
  }

  static async create(target: number): Promise<LossyProxy> {
    const proxy = new LossyProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Whether something is held. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Cuts all clients off. Their connections to the server stay open. */
  cut(): void {
    for (const client of this.#clients) client.destroy();
  }

  /** Gives the server what was held, and holds nothing more. */
  deliver(): void {
    this.behaviour.holds = false;
    for (const send of this.#held.splice(0)) send();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket): void {
    if (this.behaviour.refuses) return void client.destroy();
    const server = connect(this.#target, "127.0.0.1");
    this.#clients.add(client);
    client.on("close", () => this.#clients.delete(client));
    for (const socket of [client, server]) socket.setNoDelay(true).on("error", () => socket.destroy());
    server.on("close", () => client.destroy());
    // A client that is gone leaves its connection to the server open, as a lost network does.
    client.on("data", (data) => {
      const send = (): void => void server.write(data);
      if (this.behaviour.holds) this.#held.push(send);
      else this.#later(send);
    });
    server.on("data", (data) => {
      if (this.behaviour.losesAnswer && data.includes("SELECT ")) {
        this.behaviour.losesAnswer = false;
        client.destroy();
      } else this.#later(() => void client.write(data));
    });
  }

  #later(run: () => void): void {
    if (this.behaviour.delayMs === 0) run();
    else setTimeout(run, this.behaviour.delayMs);
  }
}
