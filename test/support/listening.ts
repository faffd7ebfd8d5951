import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts a server on a free port of the loopback; resolves to the port. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
