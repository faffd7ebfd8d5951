import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageOf, paramsOf } from "../support/hostile-socket.ts";
import {
  BASE_ORDER,
  expectNothingReported,
  type HostileWorld,
  openHostileWorld,
  refusal,
} from "../support/hostile-world.ts";
import { openConnection, type RawConnection } from "../support/raw-http.ts";
import { SocketClient } from "../support/socket-client.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const PATH = "/ws/listenKey";
const NO_JSON = refusal(-1135);
const LISTING = messageOf({ method: "session.subscriptions" }, '"listing"');

const connect = (options?: Parameters<typeof SocketClient.connect>[1], path = PATH): Promise<SocketClient> =>
  SocketClient.connect(`ws://127.0.0.1:${world.port}${path}`, options);

/** Opens a connection over which only bytes are sent. */
async function rawSocket(): Promise<RawConnection> {
  const connection = await openConnection(world.port);
  const lines = ["Host: a", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  connection.write(`GET ${PATH} HTTP/1.1\r\n${lines.join("\r\n")}\r\nSec-WebSocket-Key: ${KEY}\r\n\r\n`);
  expect((await connection.answer()).status).toBe(101);
  return connection;
}

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

/**
 * Runs an action that must close a connection with a code and change nothing; then checks that another connection is
 * served.
 */
async function ends(code: number, act: (client: SocketClient) => void): Promise<void> {
  const before = await world.state();
  const client = await connect();
  act(client);
  expect((await client.closed)[0]).toBe(code);
  expectNothingReported(client.texts.join("\n"));
  expect(await world.state()).toEqual(before);
  await world.acceptsMessage(LISTING);
}

describe("the target of an upgrade request", () => {
  it.each([
    ["42: a fragment", "/ws/listenKey#x"],
    ["43: the absolute form", "http://127.0.0.1/ws/listenKey"],
    ["44: a doubled slash", "//ws/listenKey"],
    ["44: dot segments", "/ws/../ws/listenKey"],
    ["44: an encoded slash", "/ws%2FlistenKey"],
    ["44: a slash at the end", "/ws/listenKey/"],
    ["44: capitals", "/WS/LISTENKEY"],
    ["44: a path parameter", "/ws/listenKey;x=1"],
    ["45: a path of REST", "/api/order"],
    ["45: a key in the path", "/ws/abcdefghijklmnopqrstuvwxyz"],
  ])("hostile %s does not open a connection", async (_what, target) => {
    const connection = await openConnection(world.port);
    const lines = ["Host: a", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
    connection.write(`GET ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\nSec-WebSocket-Key: ${KEY}\r\n\r\n`);
    const answer = await connection.answer();
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([404, -1099]);
    expectNothingReported(answer.body);
    await connection.ended;
    await world.acceptsMessage(LISTING);
  });

  it.each([
    ["34: a parameter twice", "returnRateLimits=true&returnRateLimits=true", -1101],
    ["37: brackets", "returnRateLimits[]=true", -1100],
    ["38: a broken percent", "returnRateLimits=%zz", -1100],
    ["41: a raw brace", "returnRateLimits={", -1100],
    ["67: an unknown name", "listenKey=x", -1106],
  ])("hostile %s is refused in the target of a connection", async (_what, query, code) => {
    const connection = await openConnection(world.port);
    const lines = ["Host: a", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
    connection.write(
      `GET ${PATH}?${query} HTTP/1.1\r\n${lines.join("\r\n")}\r\nSec-WebSocket-Key: ${KEY}\r\n\r\n`,
    );
    const answer = await connection.answer();
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, code]);
    await connection.ended;
    await world.acceptsMessage(LISTING);
  });
});

describe("messages", () => {
  const params = paramsOf({ method: "order.place", json: BASE_ORDER });

  it.each(["[]", '["a"]', '"text"', "5", "null", "true", "", " "])(
    "hostile 58: refuses the message %j",
    (text) => world.refusesMessage(text, NO_JSON),
  );

  it.each(["[]", '"text"', "5", "null", "true"])("hostile 58: refuses the params %s", (value) =>
    world.refusesMessage(`{"id":1,"method":"order.place","params":${value}}`, NO_JSON),
  );

  it.each([
    ["two documents", `{"id":1,"method":"order.place","params":${params}}{}`],
    ["a trailing comma", `{"id":1,"method":"order.place","params":${params},}`],
    ["a comment", `{/*x*/"id":1,"method":"order.place","params":${params}}`],
    ["NaN", '{"id":1,"method":"order.place","params":{"limit":NaN}}'],
    ["single quotes", "{'id':1}"],
  ])("hostile 59: refuses %s", (_what, text) => world.refusesMessage(text, NO_JSON));

  it("hostile 60: refuses a byte order mark", () => world.refusesMessage(`\ufeff${LISTING}`, NO_JSON));

  it("hostile 61: a text frame of invalid UTF-8 ends with 1007", () =>
    ends(1007, (client) => client.socket.send(Buffer.from([0x7b, 0xff, 0x7d]), { binary: false })));

  it("hostile 54: refuses 10,000 parameters", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `"${index}":1`).join(",");
    expect(many.length).toBeGreaterThan(65_536);
    const text = `{"id":1,"method":"order.place","params":{${many.slice(0, 60_000).replace(/,[^,]*$/, "")}}}`;
    return world.refusesMessage(text, refusal(-1101));
  });

  it("hostile 36: refuses a member of the envelope twice, and a name both in params and beside them", async () => {
    await world.refusesMessage('{"id":1,"id":2,"method":"session.subscriptions"}', NO_JSON);
    await world.refusesMessage('{"id":1,"method":"a","method":"session.subscriptions"}', NO_JSON);
    await world.refusesMessage('{"id":1,"method":"order.status","params":{},"params":{}}', NO_JSON);
  });

  it("hostile 94: an id that is missing, too long, or of an unknown form is answered with null", async () => {
    const ids = [
      "",
      '"id":true,',
      '"id":{},',
      '"id":1.5,',
      '"id":"",',
      `"id":"${"x".repeat(37)}",`,
      '"id":"é",',
    ];
    for (const id of [...ids, `"id":"${"x".repeat(60_000)}",`, '"id":9223372036854775808,']) {
      const client = await connect();
      client.socket.send(`{${id}"method":"session.subscriptions"}`);
      await client.until(() => client.messages.length === 1);
      expect(client.messages[0]).toMatchObject({ id: null, status: 400, error: { code: -1135 } });
      client.close();
    }
  });

  it("hostile 94: an id of 1 MB exceeds the limit of a message: 1009", () =>
    ends(1009, (client) => client.socket.send(`{"id":"${"x".repeat(1_048_576)}"}`)));

  it("hostile 94: a number, a long number, text and null are ids, and are returned in the same form (accept)", async () => {
    const client = await connect();
    for (const id of ["7", "-1", "9223372036854775807", '"a b"', "null", '"__proto__"']) {
      const before = client.texts.length;
      client.socket.send(messageOf({ method: "session.subscriptions" }, id));
      await client.until(() => client.texts.length > before);
      expect(client.texts.at(-1)).toContain(`{"id":${id},"status":200,`);
    }
    client.close();
  });

  it("hostile 94: a repeated id: each request has its reply, and each reply the id (accept)", async () => {
    const client = await connect();
    for (let count = 0; count < 50; count++) client.socket.send(LISTING);
    await client.until(() => client.messages.length === 50);
    expect(client.messages.every(({ id, status }) => id === "listing" && status === 200)).toBe(true);
    client.close();
  });

  it("hostile 53: each of 200 messages at once is answered by its id; the refused ones change nothing", async () => {
    const before = await world.state();
    const client = await connect();
    for (let count = 0; count < 200; count++) {
      const json = `{"symbol":"BTC/USD","orderId":${world.orderId - (count % 2) * 256_000}}`;
      client.socket.send(messageOf({ method: "order.status", json }, String(count)));
    }
    await client.until(() => client.messages.length === 200);
    const answered = new Map(client.messages.map(({ id, status }) => [Number(id), status]));
    expect(answered.size).toBe(200);
    for (const [id, status] of answered) expect(status).toBe(id % 2 === 0 ? 200 : 400);
    expect(await world.state()).toEqual(before);
    client.close();
  });

  it("hostile 45: refuses unknown methods", async () => {
    for (const method of [
      "",
      "order.amend.keepPriority",
      "ORDER.PLACE",
      "order.place ",
      "v2/order.place",
      "__proto__",
    ]) {
      await world.refusesMessage(messageOf({ method, json: BASE_ORDER }), refusal(-1020));
    }
  });
});

describe("frames", () => {
  it("hostile 94: a binary frame ends with 1003", () =>
    ends(1003, (client) => client.socket.send(Buffer.from(LISTING))));

  it("hostile 51, 94: 65,536 bytes are a message (accept), one more ends with 1009", async () => {
    const padded = (length: number): string => LISTING + " ".repeat(length - LISTING.length);
    await world.acceptsMessage(padded(65_536));
    await ends(1009, (client) => client.socket.send(padded(65_537)));
  });

  it("hostile 49, 94: compression is not negotiated, so that decompression bombs are impossible", async () => {
    const client = await connect({ perMessageDeflate: true });
    expect(client.socket.extensions).toBe("");
    client.close();
  });

  it("hostile 52: a message that never ends delays no other client", async () => {
    const connection = await rawSocket();
    connection.write(Uint8Array.from([0x01, 0xfe, 0x10, 0x00, 1, 2, 3, 4, 0x7a]));
    await world.acceptsMessage(LISTING);
    connection.close();
  });
});
