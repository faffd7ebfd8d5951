import { spawn } from "node:child_process";
import { Server } from "node:net";
import { errorCode } from "../../common/index.ts";
import { addressOption, type ListenAddress } from "./server-api.ts";

/** Makes a server listen. Rejects if the address cannot be used, with an Error that says what to do. */
export async function listen(
  server: Server,
  address: ListenAddress,
  backlog: number,
): Promise<ListenAddress> {
  addressOption(address, "listen");
  const { host, port } = address;
  return await new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(explained(cause, address));
    server.once("error", fail);
    server.listen({ host, port, backlog }, () => {
      server.off("error", fail);
      const bound = server.address();
      resolve({ host, port: typeof bound === "object" && bound !== null ? bound.port : port });
    });
  });
}

/** Returns an error with the code of its cause that says what to do. */
function explained(cause: Error, { host, port }: ListenAddress): Error {
  const code = errorCode(cause);
  const problem = PROBLEMS.get(code)?.(host, port) ?? `cannot listen on ${host}, port ${port} (${code})`;
  return Object.assign(new Error(problem, { cause }), { code });
}

const PROBLEMS: ReadonlyMap<string, (host: string, port: number) => string> = new Map([
  [
    "EADDRINUSE",
    (host, port) =>
      `port ${port} of ${host} is in use (EADDRINUSE): end the program that listens there, or pass another port; 0 selects a free one`,
  ],
  ["EACCES", (_host, port) => `this user may not listen on port ${port} (EACCES): pass a port above 1023`],
  [
    "EADDRNOTAVAIL",
    (host) =>
      `${host} is not an address of this machine (EADDRNOTAVAIL): pass one of its addresses, such as 127.0.0.1 or 0.0.0.0`,
  ],
  [
    "ENOTFOUND",
    (host) => `the host ${host} is unknown (ENOTFOUND): pass an address of this machine, such as 127.0.0.1`,
  ],
]);

/*
 * Every front thread accepts connections from one listening socket. Threads share their descriptors, and each libuv loop
 * closes those that it has. If two threads held the same number, one of them would sooner or later close a descriptor that
 * had been reused meanwhile (nodejs/node issue 30507). So each thread gets its own descriptor for the one socket. Node.js
 * can duplicate a descriptor in only one way: a child process inherits it and sends it back over its channel. That process
 * lives only for a moment. SO_REUSEPORT is not an option: Node.js has it only from 23.1 on, and with it a port that another
 * server uses would not be refused.
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
