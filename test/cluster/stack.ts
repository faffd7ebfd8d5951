import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LossyProxy } from "../postgres/proxy.ts";
import { Server } from "../postgres/server.ts";
import { freePort } from "../support/free-port.ts";
import { openSandboxProcess, processAt, type SandboxProcess } from "../support/sandbox-process.ts";
import { Front } from "./front.ts";
import { VenueNode } from "./venue.ts";

/** A killed node leaves its connections behind the proxy, which tells the server as little as a lost network. */
const SERVER_SETTINGS = { fsync: "on", max_connections: "1000" };

/** Longest time until some node serves. */
const LONGEST_MS = 60_000;

/** A node of the stack: its name and ports stay, its process is started again. */
export type Slot = {
  readonly name: string;
  readonly port: number;
  readonly controlPort: number;
  process: SandboxProcess | undefined;
};

/** How many nodes, the market of the venue, and settings of all nodes. */
export type StackOptions = Readonly<{
  nodes: number;
  /** Folder of the package with the binaries of Postgres. */
  binaries: string;
  /** Port of the front; 0 for a free one. */
  frontPort?: number;
  market?: "synthetic" | "manual";
  settings?: Readonly<Record<string, string>>;
}>;

/**
 * Postgres, a venue, a proxy before each of them, sandboxes that share both, and a front before the sandboxes, all on this
 * machine.
 */
export class Stack {
  readonly server: Server;
  /** Between the nodes and Postgres. */
  readonly proxy: LossyProxy;
  readonly venue: VenueNode;
  readonly front: Front;
  readonly slots: readonly Slot[];
  readonly #environment: Readonly<Record<string, string>>;
  readonly #folder: string;

  private constructor(
    parts: Pick<Stack, "server" | "proxy" | "venue" | "front" | "slots">,
    folder: string,
    settings: Readonly<Record<string, string>>,
  ) {
    this.server = parts.server;
    this.proxy = parts.proxy;
    this.venue = parts.venue;
    this.front = parts.front;
    this.slots = parts.slots;
    this.#folder = folder;
    this.#environment = {
      STORE: parts.server.url(parts.proxy.port),
      ...parts.venue.settings,
      PEER_PORT: "auto",
      PEER_PLAIN: "true",
      PEER_SECRET: "the secret of a local cluster",
      ...settings,
    };
  }

  /** Starts everything. Resolves when all nodes have started and one of them serves. */
  static async open(options: StackOptions): Promise<Stack> {
    const { nodes, binaries, frontPort = 0, market = "synthetic", settings = {} } = options;
    const folder = mkdtempSync(join(tmpdir(), "managed-orders-cluster-"));
    const server = await Server.create(binaries, SERVER_SETTINGS);
    const proxy = await LossyProxy.create(server.port);
    const venue = await VenueNode.open(folder, market);
    const slots: Slot[] = [];
    for (let number = 1; number <= nodes; number++) {
      const [port, controlPort] = [await freePort(), await freePort()];
      slots.push({ name: `node-${number}`, port, controlPort, process: undefined });
    }
    const front = await Front.open(slots, frontPort);
    const stack = new Stack({ server, proxy, venue, front, slots }, folder, settings);
    try {
      // The first one creates the schema.
      for (const slot of slots) await stack.start(slot);
      await stack.active();
    } catch (error) {
      await stack.close();
      throw error;
    }
    return stack;
  }

  /** Starts the process of a slot that has none. Resolves when it serves or follows. */
  async start(slot: Slot): Promise<void> {
    const { ready } = openSandboxProcess({
      ...this.#environment,
      PORT: String(slot.port),
      CONTROL_PORT: String(slot.controlPort),
    });
    const process = await ready;
    slot.process = process;
    void process.ended.then(() => {
      if (slot.process === process) slot.process = undefined;
    });
  }

  /** Starts the processes that have ended, again and again while Postgres is away. */
  async restart(): Promise<void> {
    const end = performance.now() + LONGEST_MS;
    for (const slot of this.slots) {
      while (slot.process === undefined) {
        try {
          await this.start(slot);
        } catch (error) {
          if (performance.now() > end) throw error;
          await pause();
        }
      }
    }
  }

  /** The node that serves, as soon as there is one, with its requests sent through the front. */
  async active(): Promise<Readonly<{ slot: Slot; process: SandboxProcess; asked: SandboxProcess }>> {
    for (const end = performance.now() + LONGEST_MS; performance.now() < end; await pause()) {
      const { serving } = this.front;
      const slot = this.slots.find(({ name, process }) => process !== undefined && serving.includes(name));
      if (slot?.process === undefined || serving.length > 1) continue;
      return { slot, process: slot.process, asked: this.throughFront(slot.process) };
    }
    throw new Error(`no node served for ${LONGEST_MS} ms`);
  }

  /** A node with its requests sent through the front, and control requests sent to it. */
  throughFront(process: SandboxProcess): SandboxProcess {
    const url = `http://127.0.0.1:${this.front.port}`;
    const addresses = { url, wsUrl: `ws${url.slice("http".length)}`, controlUrl: process.controlUrl };
    return processAt(addresses, process);
  }

  async close(): Promise<void> {
    await Promise.all(this.slots.map(({ process }) => process?.kill()));
    await this.front.close();
    await this.proxy.close();
    await this.venue.close();
    await this.server.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
