import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Bytes of one connection after which it is cut, in each direction; none means that it is not cut. */
export type Cut = Readonly<{ toServer?: number; toClient?: number }>;

/** A TCP proxy that cuts connections. */
export type Cutter = Readonly<{
  url: string;
  /** Number of connections that were cut, by the plan or at once. */
  cuts: () => number;
  /** Chooses where each further connection is cut. */
  plan: (next: () => Cut) => void;
  /** Cuts every connection now. */
  cutAll: () => void;
  /** Ends every connection, and each further one at once; or lets them pass again. */
  setOutage: (isOut: boolean) => void;
  /** Sends further connections to another port. */
  setPort: (port: number) => void;
  close: () => Promise<void>;
}>;

/** Starts a proxy on loopback in front of a port. */
export async function createCutter(targetPort: number): Promise<Cutter> {
  let port = targetPort;
  let next = (): Cut => ({});
  let isOut = false;
  let count = 0;
  const open = new Set<() => void>();
  const server = createServer((client) => {
    if (isOut) return void client.destroy();
    const upstream = connect(port, "127.0.0.1");
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      open.delete(end);
    };
    open.add(end);
    const { toServer, toClient } = next();
    const cut = (): void => {
      count++;
      end();
    };
    pass(client, upstream, toServer, cut);
    pass(upstream, client, toClient, cut);
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cutAll = (): void => {
    count += open.size;
    for (const end of [...open]) end();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => count,
    plan: (chosen) => {
      next = chosen;
    },
    cutAll,
    setOutage(out) {
      isOut = out;
      if (out) cutAll();
    },
    setPort: (other) => {
      port = other;
    },
    async close() {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Passes bytes on until there were `most` of them. The last ones before the cut arrive. */
function pass(from: Socket, to: Socket, most: number | undefined, cut: () => void): void {
  let left = most ?? Number.POSITIVE_INFINITY;
  from.on("data", (bytes: Buffer) => {
    const part = bytes.subarray(0, Math.min(left, bytes.length));
    left -= part.length;
    if (!to.destroyed) to.write(part, () => (left <= 0 ? cut() : undefined));
  });
}
