import type { WireResponse } from "../../wire/index.ts";
import { holds, same } from "../checks.ts";
import { openConnection, type RawConnection, rawBytes } from "./raw-http.ts";
import { latin, type MountRules, type MountWorld, REPLY } from "./world.ts";

const PING = { method: "GET", target: "/api/ping" };

/** Rules of the answer. */
export const answerRules: MountRules = {
  "the status is the one of the service, also for refusals": {
    remedy: "Send the status unchanged, without error pages of the host.",
    async check(world) {
      for (const status of [200, 400, 401, 404, 413, 418, 429, 500, 503]) {
        world.standIn.reply = () => ({ ...REPLY, status });
        same("the status", (await world.request(PING)).status, status);
      }
    },
  },
  "the headers of the service arrive unchanged": {
    remedy:
      "Send all headers of the answer. Clients wait as `Retry-After` says, and count with the weight headers.",
    async check(world) {
      const { headers: found } = await world.request(PING);
      for (const [name, value] of Object.entries(REPLY.headers))
        same(`the header ${name}`, found.get(name.toLowerCase()), value);
    },
  },
  "the body of the service arrives byte for byte, with its length in bytes": {
    remedy:
      "Write the text as UTF-8, neither parsed nor compressed. Content-Length counts bytes, not characters.",
    async check(world) {
      for (const body of [REPLY.body, "", `"${"é".repeat(40_000)}"`]) {
        world.standIn.reply = () => ({ ...REPLY, body });
        const answer = await world.request(PING);
        same("Content-Length", answer.headers.get("content-length"), String(Buffer.byteLength(body)));
        same("the body", answer.body, latin(body));
      }
    },
  },
  "a HEAD is answered with status and headers, and without a body": {
    remedy: "Hand HEAD over like every other method, and write no body for it.",
    async check(world) {
      const connection = await world.connect(
        rawBytes({ ...PING, method: "HEAD", headers: ["Connection", "close"] }),
      );
      await world.within("HEAD /api/ping", connection.ended);
      const [lines = "", body] = connection.received().split("\r\n\r\n");
      same(
        "the method",
        world.standIn.received.map(({ method }) => method),
        ["HEAD"],
      );
      holds("the headers", /^x-mbx-used-weight-1m: 17$/im.test(lines), "the headers of the service", lines);
      same("the body", body, "");
    },
  },
};

const order = (body: string) => ({ method: "POST", target: "/api/order", body });

/** Sends an order, and returns its connection when the service has the request. */
async function underWay(world: MountWorld): Promise<RawConnection> {
  const connection = await world.connect(rawBytes(order("{}")));
  await world.until("POST /api/order", () => world.standIn.received.length === 1);
  return connection;
}

/** Rules of connections. */
export const connectionRules: MountRules = {
  "hostile 50: a client that asks before it sends its body is told to continue": {
    remedy: "Answer `Expect: 100-continue` with 100, as node:http does by itself.",
    async check(world) {
      const connection = await world.connect();
      const bytes = Buffer.from(rawBytes({ ...order('{"a":1}'), headers: ["Expect", "100-continue"] }));
      const end = bytes.indexOf("\r\n\r\n") + 4;
      connection.write(bytes.subarray(0, end));
      await world.until("Expect: 100-continue", () => connection.received().startsWith("HTTP/1.1 100 "));
      connection.write(bytes.subarray(end));
      same("the status", (await world.within("the body", connection.answer())).status, 200);
      same(
        "the body",
        world.standIn.received.map(({ body }) => latin(body)),
        ['{"a":1}'],
      );
    },
  },
  "a body that arrives in pieces is handed over whole": {
    remedy: "Wait for the end of the body, not for its first chunk.",
    async check(world) {
      const connection = await world.connect();
      const body = `{"a":"${"x".repeat(20_000)}"}`;
      const bytes = rawBytes(order(body));
      for (let at = 0; at < bytes.length; at += 7_000) {
        connection.write(bytes.subarray(at, at + 7_000));
        await world.request(PING);
      }
      await world.within("a body in pieces", connection.answer());
      const found = world.standIn.received
        .filter(({ method }) => method === "POST")
        .map((one) => latin(one.body));
      same("the bodies", found, [body]);
    },
  },
  "hostile 53: requests of one connection are answered in their order, each with its own answer": {
    remedy: "Bind an answer to its request, and leave the order to the HTTP server.",
    async check(world) {
      const targets = ["/api/a", "/api/b", "/api/c"];
      world.standIn.reply = ({ target }) => ({ ...REPLY, body: target });
      const connection = await world.connect(
        Buffer.concat(targets.map((target) => rawBytes({ method: "GET", target }))),
      );
      const found: string[] = [];
      for (const target of targets) found.push((await world.within(target, connection.answer())).body);
      same("the answers", found, targets);
    },
  },
  "a request that waits for the service does not delay those of other connections": {
    remedy: "Do not queue requests in front of the service.",
    async check(world) {
      const release = world.hold();
      const connection = await underWay(world);
      world.standIn.reply = () => REPLY;
      await world.request(PING);
      same("the answer of the first request", connection.received(), "");
      release();
      same("its status", (await world.within("POST /api/order", connection.answer())).status, 200);
    },
  },
  "a client that leaves during its body sends no request": {
    remedy: "Hand over a body only after its end. Half an order could be a valid one.",
    async check(world) {
      const connection = await world.connect(rawBytes(order(`{"a":"${"x".repeat(100)}"}`)).subarray(0, -10));
      await world.request(PING);
      connection.close();
      await world.within("the end of the connection", connection.ended);
      for (let again = 0; again < 3; again += 1) await world.request(PING);
      const found = world.standIn.received.filter(({ method }) => method === "POST");
      same("the requests with half a body", found.length, 0);
    },
  },
  "a client that leaves while it waits does no harm": {
    remedy: "Ignore the errors of writing to a connection that has ended.",
    async check(world) {
      const release = world.hold();
      const connection = await underWay(world);
      connection.close();
      await world.within("the end of the connection", connection.ended);
      world.standIn.reply = (): WireResponse => REPLY;
      await world.request(PING);
      release();
      for (let again = 0; again < 3; again += 1) same("the status", (await world.request(PING)).status, 200);
    },
  },
};

/** Rules of the end of the server. */
export const closingRules: MountRules = {
  "a server that has closed accepts no connection": {
    remedy: "Close the listening socket, and resolve when that is done.",
    async check(world) {
      await world.request(PING);
      await world.within("close()", world.close());
      const answer = await world.within(
        "a connection",
        openConnection(world.port).catch(() => undefined),
      );
      answer?.close();
      same("a connection after the close", answer === undefined ? "refused" : "accepted", "refused");
    },
  },
  "closing answers the requests under way, and then ends": {
    remedy: "Stop accepting, wait for the answers, and only then end the connections.",
    where: { drains: true },
    async check(world) {
      const release = world.hold();
      const connection = await underWay(world);
      let isOver = false;
      const closing = world.close().then(() => {
        isOver = true;
      });
      await world.pause();
      same("whether close() has resolved before the answer", isOver, false);
      release();
      same("the status", (await world.within("POST /api/order", connection.answer())).status, 200);
      await world.within("close()", closing);
      await world.within("the end of the connection", connection.ended);
    },
  },
  "closing waits for at most `graceMs`": {
    remedy: "End the connections that remain after that time, without an answer.",
    where: { drains: true },
    async check(world) {
      world.hold();
      const connection = await underWay(world);
      await world.within("close({ graceMs: 1 })", world.close({ graceMs: 1 }));
      await world.within("the end of the connection", connection.ended);
      same("the answer", connection.received(), "");
    },
  },
  "a mount that does not drain closes at once": {
    remedy: "Declare `drains: true`, or end all connections.",
    where: { drains: false },
    async check(world) {
      world.hold();
      const connection = await underWay(world);
      await world.within("close()", world.close());
      await world.within("the end of the connection", connection.ended);
    },
  },
};
