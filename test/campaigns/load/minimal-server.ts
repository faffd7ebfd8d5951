import { createHmac } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Database from "better-sqlite3";
import { keyOf } from "./orders.ts";
import type { LoadServer } from "./server.ts";
import { threadCpuSince, threadsNow } from "./thread-cpu.ts";

const SECRETS = new Map(
  Array.from({ length: 64 }, (_, index) => keyOf(index + 1)).map(({ apiKey, secret }) => [apiKey, secret]),
);

/**
 * What a signed durable placement costs at least in Node.js: a server as one would write it by hand, which checks the
 * signature over query and body, parses the body, inserts the orders of a turn in one transaction, and replies. It checks no
 * order, knows no client id, and limits nobody.
 */
export async function openMinimalServer(path: string): Promise<LoadServer> {
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, client_id TEXT, text TEXT)");
  const insert = database.prepare("INSERT INTO orders (client_id, text) VALUES (?, ?)");
  let waiting: { clientId: string; text: string; response: ServerResponse }[] = [];
  let placed = 0;
  const insertAll = database.transaction((orders: typeof waiting) => {
    for (const { clientId, text } of orders) insert.run(clientId, text);
  });
  const flush = (): void => {
    const orders = waiting;
    waiting = [];
    insertAll(orders);
    for (const { clientId, response } of orders) {
      placed++;
      const reply = JSON.stringify({ orderId: placed, clientOrderId: clientId, status: "NEW" });
      response.writeHead(200, {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(reply),
      });
      response.end(reply);
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const [, query = ""] = (request.url ?? "").split("?");
      const secret = SECRETS.get(`${request.headers["x-mbx-apikey"]}`) ?? "";
      const signature = createHmac("sha256", secret).update(query).update(text).digest("hex");
      if (signature !== request.headers["signature"]) return void response.writeHead(401).end();
      const { newClientOrderId } = JSON.parse(text) as { newClientOrderId: string };
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ clientId: newClientOrderId, text, response });
    });
  });
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    openParents: () => placed,
    cpu: threadCpuSince(threadsNow(), 0),
    close: async () => {
      await new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
      database.close();
    },
  };
}
