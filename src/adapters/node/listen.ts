import type { Server } from "node:http";

import type { ListenAddress } from "./server-api.ts";

/** Makes a server listen. Rejects if the address is in use. */
export function listen(
  server: Server,
  { host, port }: ListenAddress,
  backlog: number,
): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, backlog }, () => {
      server.off("error", reject);
      const bound = server.address();
      resolve({ host, port: typeof bound === "object" && bound !== null ? bound.port : port });
    });
  });
}
