import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgresCluster, type PostgresCluster } from "../../../src/adapters/postgres/index.ts";
import type { Random } from "../../../src/common/random.ts";
import { SHARD_COUNT } from "../../../src/model/index.ts";
import type { ClusterView, NodeRow } from "../../../src/ports/index.ts";
import { LossyProxy } from "../../postgres/proxy.ts";
import { Server } from "../../postgres/server.ts";
import { freePort } from "../../support/free-port.ts";
import { openSandboxProcess, type SandboxProcess } from "../../support/sandbox-process.ts";
import { Front } from "./front.ts";
import { VenueNode } from "./venue.ts";

/** A killed node leaves its connections behind the proxy, which tells the server as little as a lost network. */
const SERVER_SETTINGS = { fsync: "on", max_connections: "1000" };

/** Longest time until the nodes serve everything, and until a process is ready. */
const LONGEST_MS = 60_000;

/** Longest wait for the health of a node. One that sleeps tells none. */
const LONGEST_HEALTH_MS = 2_000;

const PAUSE_MS = 20;

/** Most ended processes whose last words are kept. */
const MOST_ENDED = 12;

/** A node of the stack: its name and ports stay, its process is started again. */
export type Slot = {
  readonly name: string;
  readonly port: number;
  readonly controlPort: number;
  /** Whether it has a process only while a fault needs one more node. */
  readonly isSpare: boolean;
  process: SandboxProcess | undefined;
  /** The folder of the version that it runs, if that is not this checkout. */
  version?: string | undefined;
};

/** A node with a process. */
export type RunningNode = Readonly<{ slot: Slot; process: SandboxProcess }>;

/** How many nodes, the market of the venue, and settings of all nodes. */
export type StackOptions = Readonly<{
  nodes: number;
  /** The folder of the version with which the nodes start, if that is not this checkout. */
  version?: string;
  /** Nodes that are started only when a fault needs them. */
  spares?: number;
  /** Whether the nodes share the shards. Otherwise one is active and the others are standbys. */
  shares: boolean;
  /** Folder of the package with the binaries of Postgres. */
  binaries: string;
  /** Port of the front; 0 for a free one. */
  frontPort?: number;
  market?: "synthetic" | "manual";
  settings?: Readonly<Record<string, string>>;
  /** More settings of Postgres. */
  serverSettings?: Readonly<Record<string, string>>;
  /** Writes what the database shall contain before the first node starts. */
  fill?: (url: string) => Promise<void>;
}>;

/**
 * Postgres, a venue, a proxy before each of them, sandboxes that use both, and a front before the sandboxes, all on this
 * machine.
 */
export class Stack {
  readonly shares: boolean;
  readonly server: Server;
  /** Between the nodes and Postgres. */
  readonly proxy: LossyProxy;
  readonly venue: VenueNode;
  readonly front: Front;
  readonly slots: readonly Slot[];
  readonly #environment: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #ended: string[] = [];

  private constructor(
    parts: Pick<Stack, "shares" | "server" | "proxy" | "venue" | "front" | "slots">,
    folder: string,
    settings: Readonly<Record<string, string>>,
  ) {
    this.shares = parts.shares;
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
      SHARES: String(parts.shares),
      ...settings,
    };
  }

  /** Starts everything. Resolves when all nodes have started and everything is served. */
  static async open(options: StackOptions): Promise<Stack> {
    const { nodes, spares = 0, shares, binaries, frontPort = 0, version } = options;
    const { market = "synthetic", settings = {}, serverSettings = {}, fill } = options;
    const folder = mkdtempSync(join(tmpdir(), "managed-orders-cluster-"));
    const server = await Server.create(binaries, { ...SERVER_SETTINGS, ...serverSettings });
    await fill?.(server.url());
    const proxy = await LossyProxy.create(server.port);
    const venue = await VenueNode.open(folder, market);
    const slots: Slot[] = [];
    for (let number = 1; number <= nodes + spares; number++) {
      const [port, controlPort] = [await freePort(), await freePort()];
      const isSpare = number > nodes;
      slots.push({ name: `node-${number}`, port, controlPort, isSpare, process: undefined, version });
    }
    const front = await Front.open(slots, frontPort);
    const stack = new Stack({ shares, server, proxy, venue, front, slots }, folder, settings);
    try {
      // The first one creates the schema.
      for (const slot of slots) if (!slot.isSpare) await stack.start(slot);
      await stack.served();
    } catch (cause) {
      await stack.close();
      throw new Error(["the cluster does not start", ...stack.lastWords].join("\n"), { cause });
    }
    return stack;
  }

  /** Starts the process of a slot that has none. Resolves when it serves or follows. */
  async start(slot: Slot): Promise<void> {
    const opening = openSandboxProcess(
      {
        ...this.#environment,
        PORT: String(slot.port),
        CONTROL_PORT: String(slot.controlPort),
      },
      slot.version,
    );
    void opening.ended.then((how) => {
      this.#ended.push(`${slot.name} ended with ${how}: ${opening.answer()}`);
      this.#ended.splice(0, this.#ended.length - MOST_ENDED);
    });
    const process = await within(LONGEST_MS, `${slot.name} to start`, opening.ready).catch(
      async (error: unknown) => {
        await opening.kill();
        throw error;
      },
    );
    slot.process = process;
    void process.ended.then(() => {
      if (slot.process === process) slot.process = undefined;
    });
  }

  /** Starts the processes that have ended, again and again while Postgres is away. */
  async restart(): Promise<void> {
    const end = performance.now() + LONGEST_MS;
    for (const slot of this.slots) {
      while (slot.process === undefined && !slot.isSpare) {
        try {
          await this.start(slot);
        } catch (error) {
          if (performance.now() > end) throw error;
          await sleep(PAUSE_MS);
        }
      }
    }
  }

  /** The nodes with a process. */
  get running(): readonly RunningNode[] {
    return this.slots.flatMap((slot) =>
      slot.process === undefined ? [] : [{ slot, process: slot.process }],
    );
  }

  /** Base address of REST through the front. */
  get frontUrl(): string {
    return `http://127.0.0.1:${this.front.port}`;
  }

  /** The last words of processes that have ended. */
  get lastWords(): readonly string[] {
    return this.#ended;
  }

  /** Resolves to the number of shards of each node that answers, by its name. An active node that does not share has all. */
  async shards(): Promise<ReadonlyMap<string, number>> {
    const counts = await Promise.all(
      this.running.map(async ({ slot: { name }, process }) => {
        const requested = process.control("GET", "health");
        const health = await within(LONGEST_HEALTH_MS, "health", requested).catch(() => undefined);
        const own = health?.["state"] === "active" ? SHARD_COUNT : 0;
        return health === undefined ? [] : [[name, Number(health["shards"] ?? own)] as const];
      }),
    );
    return new Map(counts.flat());
  }

  /** Resolves when every shard has an owner and every node that can serve does so. */
  async served(): Promise<void> {
    await this.#until("every shard is served", async () => {
      const shards = await this.shards();
      const isServing = ({ slot: { name } }: RunningNode): boolean => this.front.serving.includes(name);
      return sum(shards) === SHARD_COUNT && this.running.filter(isServing).length === this.#expected(shards);
    });
  }

  /** Resolves when other nodes have all shards of one that may not answer. */
  async taken({ name }: Slot): Promise<void> {
    await this.#until(`others have taken over from ${name}`, async () => {
      const shards = new Map(await this.shards());
      shards.delete(name);
      return sum(shards) === SHARD_COUNT;
    });
  }

  /** Resolves when the nodes have about the same number of shards. Rejects if they do not in time. */
  async even(longestMs: number = LONGEST_MS): Promise<void> {
    const areEven = async (): Promise<boolean> => {
      const shards = [...(await this.shards()).values()];
      return shards.length === this.running.length && Math.max(...shards) - Math.min(...shards) <= 1;
    };
    await this.#until("the shards are even", areEven, longestMs);
  }

  /** Resolves to a node that serves: the active one, or any that shares. On a busy machine none may for a moment. */
  async node(random: Random): Promise<RunningNode> {
    const serving = (): readonly RunningNode[] =>
      this.running.filter(({ slot }) => this.front.serving.includes(slot.name));
    await this.#until("a node serves", async () => serving().length > 0);
    return random.pick(serving());
  }

  /** How many nodes serve if all do what they can: of those that do not share, the active one. */
  #expected(shards: ReadonlyMap<string, number>): number {
    return this.running.filter(({ slot }) => this.shares || (shards.get(slot.name) ?? 0) > 0).length;
  }

  async #until(what: string, holds: () => Promise<boolean>, longestMs: number = LONGEST_MS): Promise<void> {
    const end = performance.now() + longestMs;
    while (!(await holds())) {
      if (performance.now() > end) {
        const shards = JSON.stringify([...(await this.shards())]);
        throw new Error(`it took longer than ${longestMs} ms until ${what}; shards: ${shards}`);
      }
      await sleep(PAUSE_MS);
    }
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

/** Returns the row of the node of a process that lives: the name of a sandbox ends with the number of its process. */
export function rowOfProcess(
  { nodes }: ClusterView,
  process: SandboxProcess | undefined,
): NodeRow | undefined {
  return nodes.find(({ dead, name }) => !dead && name.endsWith(`:${process?.process.pid}`));
}

/** Calls a function with the nodes and shards in the database, and closes the connection. */
export async function inDatabase<T>(
  { server }: Pick<Stack, "server">,
  run: (cluster: PostgresCluster) => Promise<T>,
): Promise<T> {
  const cluster = await openPostgresCluster({ url: server.url() });
  try {
    return await run(cluster);
  } finally {
    await cluster.close();
  }
}

/** Rejects if an answer takes longer. */
export async function within<T>(ms: number, what: string, answer: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { signal: over.signal }).then(
    () => {
      throw new Error(`no answer in time: ${what}`);
    },
    () => new Promise<never>(() => undefined),
  );
  return await Promise.race([answer, late]).finally(() => over.abort());
}

const sum = (shards: ReadonlyMap<string, number>): number => [...shards.values()].reduce((a, b) => a + b, 0);
