import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Pause between two questions for the health of a node. */
const LOOK_EVERY_MS = 100;
const LONGEST_LOOK_MS = 500;

/** A node behind the front: its name, and the port of its REST and WebSocket interface on loopback. */
export type Behind = Readonly<{ name: string; port: number }>;

/**
 * A TCP front on loopback. It gives each connection to a node that says that it serves, and a client address always to the
 * same one of them, so that the limits by address are those of one node. If that one refuses the connection, the next one
 * gets it. While no node serves, any node answers, which refuses with 503. A connection stays with its node.
 */
export class Front {
  readonly #nodes: readonly Behind[];
  readonly #server: Server;
  readonly #serving: Set<Behind> = new Set();
  readonly #clients: Set<Socket> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(nodes: readonly Behind[]) {
    this.#nodes = nodes;
    this.#server = createServer((client) => this.#join(client));
  }

  /** Opens a front on a port, 0 for a free one. */
  static async open(nodes: readonly Behind[], port = 0): Promise<Front> {
    const front = new Front(nodes);
    front.#server.listen(port, "127.0.0.1");
    await once(front.#server, "listening");
    void front.#look();
    return front;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Names of the nodes that serve. */
  get serving(): readonly string[] {
    return [...this.#serving].map(({ name }) => name);
  }

  /** Ends it. A front that has ended stays so. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const client of this.#clients) client.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #look(): Promise<void> {
    await Promise.all(
      this.#nodes.map(async (node) => {
        if (await serves(node)) this.#serving.add(node);
        else this.#serving.delete(node);
      }),
    );
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(), LOOK_EVERY_MS);
  }

  #join(client: Socket): void {
    this.#clients.add(client);
    client.on("close", () => this.#clients.delete(client)).on("error", () => client.destroy());
    this.#connect(client, this.#nodesFor(client.remoteAddress ?? ""));
  }

  /** Connects a client to the first node that accepts. Nothing was sent to one that refuses. */
  #connect(client: Socket, [node, ...others]: readonly Behind[]): void {
    if (node === undefined || client.destroyed) return void client.destroy();
    let isJoined = false;
    const server = connect(node.port, "127.0.0.1", () => {
      isJoined = true;
      client.pipe(server).pipe(client);
    });
    const end = (): void => void server.destroy();
    client.once("close", end);
    server
      .on("error", () => server.destroy())
      .on("close", () => {
        client.off("close", end);
        if (isJoined) client.destroy();
        else this.#connect(client, others);
      });
  }

  /** The nodes by falling hash of name and address: when one leaves, only its own addresses move. */
  #nodesFor(address: string): readonly Behind[] {
    const among = this.#serving.size > 0 ? [...this.#serving] : this.#nodes;
    const weighed = among.map((node) => ({ node, weight: weightOf(`${node.name} ${address}`) }));
    return weighed.sort((a, b) => (a.weight < b.weight ? 1 : -1)).map(({ node }) => node);
  }
}

const weightOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Asks a node whether it serves; false if it does not answer soon. */
function serves({ port }: Behind): Promise<boolean> {
  return new Promise((resolve) => {
    const requested = request({ host: "127.0.0.1", port, path: "/health", agent: false }, (answer) => {
      // A node that is killed while it answers.
      answer.resume().on("error", () => resolve(false));
      resolve(answer.statusCode === 200);
    });
    requested.setTimeout(LONGEST_LOOK_MS, () => requested.destroy());
    requested.on("error", () => resolve(false)).on("close", () => resolve(false));
    requested.end();
  });
}
