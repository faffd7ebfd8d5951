import { spawn } from "node:child_process";
import { Server } from "node:net";

/*
 * Every front thread accepts connections from one listening socket. Threads share their descriptors, and each libuv
 * loop closes those that it has. If two threads held the same number, one of them would sooner or later close a
 * descriptor that had been reused meanwhile (nodejs/node issue 30507). So each thread gets its own descriptor for the
 * one socket. Node.js can duplicate a descriptor in only one way: a child process inherits it and sends it back over
 * its channel. That process lives only for a moment. SO_REUSEPORT is not an option: Node.js has it only from 23.1 on,
 * and with it a port that another server uses would not be refused. Source: decision HR.
 */
const PROGRAM = (backlog: number): string =>
  `const s=require("node:net").createServer(c=>c.destroy());` +
  `s.listen({fd:4,backlog:${backlog}},()=>process.send("copy",s,()=>{s.close();process.disconnect()}));`;

/** Returns a server that listens on a copy of the descriptor of a listening socket. Rejects if no copy can be made. */
export function listeningCopy(descriptor: number, backlog: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["-e", PROGRAM(backlog)], {
      stdio: ["ignore", "ignore", "ignore", "ipc", descriptor],
      env: {},
    });
    child.on("error", reject);
    child.on("message", (_text, copy) => {
      if (copy instanceof Server) resolve(copy);
    });
    child.on("exit", (code) =>
      reject(new Error(`frontThreads: copying the listening socket failed with exit code ${code}`)),
    );
  });
}

/** Returns the descriptor of a listening server. Throws an Error where Node.js does not expose it. */
export function descriptorOf(server: Server): number {
  const handle: unknown = Reflect.get(server, "_handle");
  const descriptor: unknown =
    typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  if (typeof descriptor !== "number" || descriptor < 0) {
    throw new Error(
      "frontThreads must be 0 on this system: Node.js does not expose the descriptor of the listening socket",
    );
  }
  return descriptor;
}
