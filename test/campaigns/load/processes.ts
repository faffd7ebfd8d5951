import { type ChildProcess, fork } from "node:child_process";
import type { ServiceLoad } from "./server.ts";
import type { ThreadCpu } from "./thread-cpu.ts";

/** The kind of server that a process runs, and its options. */
export type ServerKind = "bare" | "minimal" | "service";

/** The report of a server's process about itself. */
export type ServerState = Readonly<{
  openParents: number;
  rssBytes: number;
  heapBytes: number;
  /** Processor time of its threads, before and after the garbage collection that precedes the memory figures. */
  cpu: ThreadCpu;
  cpuCollected: ThreadCpu;
}>;

/** A server in a separate process, so that it does not share its core with its clients. */
export type ServerProcess = Readonly<{
  kind: ServerKind;
  port: number;
  state(): Promise<ServerState>;
  close(): Promise<void>;
}>;

/** Starts this program again as a server. */
export async function startServer(kind: ServerKind, options: ServiceLoad): Promise<ServerProcess> {
  const child = fork(process.argv[1] ?? "", ["server", kind, JSON.stringify(options)], {
    execArgv: ["--expose-gc"],
  });
  const port = (await messageOf(child)) as number;
  return {
    kind,
    port,
    state: () => {
      child.send("state");
      return messageOf(child) as Promise<ServerState>;
    },
    close: async () => {
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.send("stop");
      await ended;
    },
  };
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`the server ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message);
    });
  });
}
