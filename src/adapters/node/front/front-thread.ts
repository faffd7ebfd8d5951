import { Worker } from "node:worker_threads";
import { FrontLink, type LinkParts } from "./front-link.ts";
import type { FrontData, ToMain } from "./messages.ts";

/** One front thread. */
export type FrontThread = Readonly<{
  /** The descriptor of its listening socket. */
  descriptor: number;
  /** Resolves when the thread has ended, for whatever reason. */
  ended: Promise<void>;
  /** Lets the thread answer open requests. Resolves when it has ended. */
  close: (graceMs: number) => Promise<void>;
}>;

/** Starts a front thread. Resolves when it listens; rejects if it cannot. */
export function startThread(program: URL, data: FrontData, parts: LinkParts): Promise<FrontThread> {
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
