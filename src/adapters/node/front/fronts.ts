import { createServer, type Server } from "node:http";
import { Worker } from "node:worker_threads";
import { errorName } from "../../../common/index.ts";
import { programUrl, type ThreadProgram } from "../../threads/index.ts";
import { descriptorOf, listen } from "../listen.ts";
import type { ListenAddress, NodeServerLimits } from "../server-api.ts";
import { loadSocketDriver } from "../socket-server.ts";
import type { ListeningTransport } from "../transport.ts";
import { FrontLink } from "./front-link.ts";
import type { SharedParts } from "./front-requests.ts";
import type { FrontData, ToMain } from "./messages.ts";

/** The program of a front thread. */
const PROGRAM: ThreadProgram = {
  places: ["./", "./adapters/node/front/", "./front/"],
  names: ["thread.js", "thread.cjs", "front-thread.mjs"],
};

/** Returns the URL of the program. Throws an Error that explains what to do if there is none. */
function frontProgram(): URL {
  const program = programUrl(PROGRAM);
  if (program !== undefined) return program;
  throw new Error("the program of the front threads was not found: set the option frontProgram to its URL");
}

/** One front thread. */
type FrontThread = Readonly<{
  /** The descriptor of its listening socket. */
  descriptor: number;
  /** Resolves when the thread has ended, for whatever reason. */
  ended: Promise<void>;
  /** Lets the thread answer open requests. Resolves when it has ended. */
  close: (graceMs: number) => Promise<void>;
}>;

/** Starts a front thread. Resolves when it listens; rejects if it cannot. */
function startThread(program: URL, data: FrontData, parts: SharedParts): Promise<FrontThread> {
  const worker = new Worker(program, { workerData: data });
  const link = new FrontLink(parts, (messages) => worker.postMessage(messages));
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve())).then(() => link.gone());
  return new Promise((resolve, reject) => {
    const close = async (graceMs: number): Promise<void> => {
      link.end(graceMs);
      await ended;
    };
    worker.on("error", (error) => {
      parts.telemetry?.event("error", "front.failed", { error: error.name });
      reject(error);
    });
    void ended.then(() => reject(new Error("the front thread has ended")));
    worker.on("message", (messages: readonly ToMain[]) => {
      link.take(messages);
      for (const message of messages) {
        if (message[0] === "listens") resolve({ descriptor: message[1], ended, close });
        else if (message[0] === "cannot") reject(Object.assign(new Error(message[1]), { code: message[2] }));
        else if (message[0] !== "closed") continue;
        if (message[0] !== "listens") void worker.terminate();
      }
    });
  });
}

/** Dependencies and settings of a server with front threads. */
export type FrontsParts = Omit<SharedParts, "connections"> &
  Readonly<{ limits: Required<NodeServerLimits>; frontProgram?: URL }>;

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
  readonly #parts: FrontsParts & SharedParts;
  readonly #count: number;
  readonly #program: URL;
  readonly #threads: Set<FrontThread> = new Set();
  /** Replacements of threads that have not started or failed yet. */
  readonly #replacements: Set<Promise<void>> = new Set();
  #bound: ListenAddress | undefined;
  #closing = false;

  constructor(parts: FrontsParts, count: number) {
    this.#count = count;
    this.#program = parts.frontProgram ?? frontProgram();
    this.connections = { open: 0, most: parts.limits.maxConnections };
    this.#parts = { ...parts, connections: this.connections };
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
    const thread = await startThread(this.#program, data, this.#parts);
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
