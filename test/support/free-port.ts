import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections: one of those may take it while nobody listens there. */
const PORTS = { from: 15_000, count: 15_000 };

/** Resolves to a port of the loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
