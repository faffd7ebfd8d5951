import { createRequire } from "node:module";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** The part of the package @electric-sql/pglite, Postgres compiled to WebAssembly, that the tests use. */
type PGlite = Readonly<{
  waitReady: Promise<void>;
  execProtocolRaw(message: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}>;

const SSL_REQUEST = 80_877_103;
const PROTOCOL_3 = 196_608;
/** The messages Sync and Query end what a client sends for one statement; Terminate ends the connection. */
const [SYNC, QUERY, TERMINATE] = ["S", "Q", "X"];

/** A server in this process. Its statements are run one after the other. */
export type PGliteServer = Readonly<{ url: string; close: () => Promise<void> }>;

/**
 * Starts a Postgres in this process that listens on loopback. All connections share one session of it, so a statement
 * may span no two exchanges: whatever a client sends up to a Sync is run at once.
 */
export async function startPGlite(): Promise<PGliteServer> {
  const { PGlite } = createRequire(import.meta.url)("@electric-sql/pglite") as {
    PGlite: (new (
      options: Readonly<{ startParams: readonly string[] }>,
    ) => PGlite) &
      Readonly<{ defaultStartParams: readonly string[] }>;
  };
  // Without -F: the store refuses a server that does not wait for its disk.
  const startParams = PGlite.defaultStartParams.filter((word) => word !== "-F");
  const database = new PGlite({ startParams });
  await database.waitReady;
  let queue: Promise<unknown> = Promise.resolve();
  const run: Run = (messages) => {
    const answers = queue.then(async () => {
      const made: Uint8Array[] = [];
      for (const message of messages) made.push(await database.execProtocolRaw(new Uint8Array(message)));
      return Buffer.concat(made);
    });
    queue = answers.catch(() => undefined);
    return answers;
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
    serve(socket, run);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await queue;
      await database.close();
    },
  };
}

/** Runs the messages of one exchange, with no others in between. */
type Run = (messages: readonly Buffer[]) => Promise<Uint8Array>;

/** Reads messages from a socket, and answers them exchange by exchange. */
function serve(socket: Socket, run: Run): void {
  let received = Buffer.alloc(0);
  let isStarted = false;
  let exchange: Buffer[] = [];
  const answer = (): void => {
    const messages = exchange;
    exchange = [];
    void run(messages).then(
      (bytes) => socket.writable && socket.write(bytes),
      () => socket.destroy(),
    );
  };
  const take = (message: Buffer): void => {
    if (!isStarted && message.readInt32BE(4) === SSL_REQUEST) return void socket.write("N");
    const kind = isStarted ? String.fromCharCode(message[0] ?? 0) : "";
    if (kind === TERMINATE) return void socket.end();
    exchange.push(message);
    if (!isStarted || kind === SYNC || kind === QUERY) answer();
    isStarted ||= message.readInt32BE(4) === PROTOCOL_3;
  };
  socket.on("data", (data) => {
    received = Buffer.concat([received, data]);
    while (received.length >= (isStarted ? 5 : 8)) {
      const first = isStarted ? 1 : 0;
      const end = first + received.readInt32BE(first);
      if (received.length < end) return;
      const message = received.subarray(0, end);
      received = received.subarray(end);
      take(message);
    }
  });
}
