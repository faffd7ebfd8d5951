import { createServer, type Server } from "node:http";
import { errorName } from "../../../common/index.ts";
import type { Telemetry } from "../../../ports/index.ts";
import type { Service, SocketService } from "../../../service/index.ts";
import type { Traffic } from "../../../service/internal.ts";
import { listen } from "../listen.ts";
import type { ListenAddress, NodeServerLimits } from "../server-api.ts";
import { loadSocketDriver } from "../socket-driver.ts";
import type { ListeningTransport } from "../transport.ts";
import type { LinkParts } from "./front-link.ts";
import { type FrontThread, startThread } from "./front-thread.ts";
import { descriptorOf } from "./listening-copy.ts";
import { frontProgram } from "./program.ts";

/** Dependencies and settings of a server with front threads. */
export type FrontsParts = Readonly<{
  service: Pick<Service, "handle">;
  sockets?: SocketService;
  traffic: Traffic;
  limits: Required<NodeServerLimits>;
  telemetry?: Telemetry;
  frontProgram?: URL;
}>;

/** Most front threads of a server. */
export const MOST_THREADS = 64;

/** Frame limit for a WebSocket interface that does not state one: the default of the service. */
const DEFAULT_FRAMES = 1_000;
/** Delay in milliseconds before retrying to start a thread. */
const AGAIN_MS = 1_000;

/** Creates a server whose connections are served by threads. Throws an Error where front threads are not supported. */
export function createFronts(parts: FrontsParts, threads: number): ListeningTransport {
  if (process.platform === "win32")
    throw new Error("createNodeServer.frontThreads must be 0 on Windows: threads cannot share a port there");
  if (parts.sockets !== undefined) loadSocketDriver();
  const fronts = new Fronts(parts, threads);
  return {
    server: fronts.server,
    connections: () => fronts.connections.open,
    listen: (address) => fronts.listen(address),
    close: (graceMs) => fronts.close(graceMs),
  };
}

/** The front threads of one server. A thread that ends by itself is replaced. */
class Fronts {
  /** Binds the address until the threads have copies of its listening socket. */
  readonly server: Server = createServer().on("connection", (socket) => socket.destroy());
  readonly connections: { open: number; readonly most: number };
  readonly #parts: FrontsParts;
  readonly #link: LinkParts;
  readonly #count: number;
  readonly #program: URL;
  readonly #threads: Set<FrontThread> = new Set();
  /** Replacements of threads that have not started or failed yet. */
  readonly #replacements: Set<Promise<void>> = new Set();
  #bound: ListenAddress | undefined;
  #closing = false;

  constructor(parts: FrontsParts, count: number) {
    this.#parts = parts;
    this.#count = count;
    this.#program = parts.frontProgram ?? frontProgram();
    this.connections = { open: 0, most: parts.limits.maxConnections };
    this.#link = { ...parts, connections: this.connections };
  }

  async listen(address: ListenAddress): Promise<ListenAddress> {
    const bound = await listen(this.server, address, this.#parts.limits.backlog);
    this.#bound = bound;
    try {
      const descriptor = descriptorOf(this.server);
      await Promise.all(Array.from({ length: this.#count }, () => this.#start(descriptor)));
    } catch (error) {
      await this.close(0);
      throw error;
    } finally {
      await this.#stopListening();
    }
    return bound;
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    this.#parts.sockets?.shutdown();
    await Promise.all([...this.#threads].map((thread) => thread.close(graceMs)));
    // A replacement that is starting has the port. It ends as soon as it has started.
    await Promise.all(this.#replacements);
  }

  async #start(descriptor: number): Promise<void> {
    const { limits, sockets, traffic } = this.#parts;
    const { connectionsPerAddress, trustedProxies } = traffic;
    const data = {
      descriptor,
      limits,
      hasSockets: sockets !== undefined,
      maxFrames: sockets?.maxFramesPerSecond ?? DEFAULT_FRAMES,
      connectionsPerAddress,
      trustedProxies,
    };
    const thread = await startThread(this.#program, data, this.#link);
    this.#threads.add(thread);
    void thread.ended.then(() => {
      this.#threads.delete(thread);
      this.#beginReplacement();
    });
    if (this.#closing) await thread.close(0);
  }

  #beginReplacement(): void {
    if (this.#closing) return;
    const replacement = this.#replace().finally(() => this.#replacements.delete(replacement));
    this.#replacements.add(replacement);
  }

  /**
   * Starts another thread in place of one that has ended. Reports it, because the connections of the ended thread were
   * cut off.
   */
  async #replace(): Promise<void> {
    this.#parts.telemetry?.event("error", "front.ended", { left: this.#threads.size });
    try {
      const [other] = this.#threads;
      if (other !== undefined) await this.#start(other.descriptor);
      else await this.#listenAgain();
    } catch (error) {
      this.#parts.telemetry?.event("error", "front.failed", { error: errorName(error) });
      setTimeout(() => this.#beginReplacement(), AGAIN_MS).unref();
    }
  }

  async #listenAgain(): Promise<void> {
    if (this.#bound === undefined) return;
    await listen(this.server, this.#bound, this.#parts.limits.backlog);
    try {
      await this.#start(descriptorOf(this.server));
    } finally {
      await this.#stopListening();
    }
  }

  /** Stops listening here. The threads' copies of the socket stay open. */
  #stopListening(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
