import { spawn } from "node:child_process";
import { Server } from "node:net";

/*
 * Every front thread accepts connections from one listening socket. Threads share their descriptors, and each libuv loop
 * closes those that it has: two that held the same number would sooner or later close what is somebody else's by then
 * (nodejs/node issue 30507). So each thread gets a descriptor of its own for the one socket. Node.js duplicates a
 * descriptor in one way only: it inherits it to a process, and takes it back over the channel to that process. That
 * process lives for a moment. SO_REUSEPORT is no way: Node.js has it from 23.1 on, and with it a port that is in use by
 * another server would not be refused. Source: decision HR.
 */
const PROGRAM = (backlog: number): string =>
  `const s=require("node:net").createServer(c=>c.destroy());` +
  `s.listen({fd:4,backlog:${backlog}},()=>process.send("copy",s,()=>{s.close();process.disconnect()}));`;

/** A server that listens on a copy of the descriptor of a listening socket. Rejects when there is none to be had. */
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
      reject(new Error(`the copy of the listening socket failed, exit code ${code}`)),
    );
  });
}

/** The descriptor of a server that listens. Throws an Error where Node.js does not tell it. */
export function descriptorOf(server: Server): number {
  const handle: unknown = Reflect.get(server, "_handle");
  const descriptor: unknown =
    typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  if (typeof descriptor !== "number" || descriptor < 0) {
    throw new Error(
      "front threads need the descriptor of a listening socket, which this system does not tell",
    );
  }
  return descriptor;
}
