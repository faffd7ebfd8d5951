import type { Server } from "node:net";
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
