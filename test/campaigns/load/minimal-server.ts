import { createHmac } from "node:crypto";
import Database from "better-sqlite3";
import { ACCOUNTS, keyOf } from "./orders.ts";
import { type LoadServer, openPlainServer } from "./server.ts";

const SECRETS = new Map(
  Array.from({ length: ACCOUNTS }, (_, index) => keyOf(index + 1)).map(({ apiKey, secret }) => [
    apiKey,
    secret,
  ]),
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
  let waiting: { clientId: string; text: string; reply: (json: string) => void }[] = [];
  let placed = 0;
  const insertAll = database.transaction((orders: typeof waiting) => {
    for (const { clientId, text } of orders) insert.run(clientId, text);
  });
  const flush = (): void => {
    const orders = waiting;
    waiting = [];
    insertAll(orders);
    for (const { clientId, reply } of orders)
      reply(JSON.stringify({ orderId: ++placed, clientOrderId: clientId, status: "NEW" }));
  };
  const server = await openPlainServer(
    ({ url = "", headers }, text, reply) => {
      const [, query = ""] = url.split("?");
      const secret = SECRETS.get(`${headers["x-mbx-apikey"]}`) ?? "";
      const signature = createHmac("sha256", secret).update(query).update(text).digest("hex");
      if (signature !== headers["signature"]) throw new Error("the load has signed a request wrongly");
      const { newClientOrderId } = JSON.parse(text) as { newClientOrderId: string };
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ clientId: newClientOrderId, text, reply });
    },
    () => placed,
  );
  return {
    ...server,
    close: async () => {
      await server.close();
      database.close();
    },
  };
}
