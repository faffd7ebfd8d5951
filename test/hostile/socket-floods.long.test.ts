import { afterEach, describe, expect, it } from "vitest";
import { OPCODE, rawFrame } from "../campaigns/fuzz/frames.ts";
import { handshake, readFrames } from "../campaigns/fuzz/socket-lane.ts";
import { type FloodSocket, type FloodWorld, openFloodWorld } from "../support/flood-world.ts";
import { messageOf } from "../support/hostile-socket.ts";
import { BASE_ORDER } from "../support/hostile-world.ts";
import { SocketClient } from "../support/socket-client.ts";

/** Longest wait of other clients during a flood. */
/** The longest wait of others on any machine. Floods that stopped a process stopped it for longer; `npm run siege` measures how long. */
const LONGEST_WAIT_MS = 60_000;
const MEGABYTE = 1_048_576;

let world: FloodWorld;

afterEach(() => world.close());

/** Connections after the handshake, over which only bytes are sent. */
async function upgraded(count: number, path = "/ws/listenKey"): Promise<readonly FloodSocket[]> {
  const sockets = await world.open(count);
  for (const { socket } of sockets) socket.write(handshake(path, "127.0.0.1"));
  await Promise.all(sockets.map(({ until }) => until("\r\n\r\n")));
  return sockets;
}

/** Measures how long a new client waits for an answer, in milliseconds. */
async function waits(): Promise<number> {
  const from = performance.now();
  const client = await SocketClient.connect(`ws://127.0.0.1:${world.port}/ws/listenKey`);
  client.socket.send(messageOf({ method: "openOrders.status", json: '{"apiManaged":true}' }));
  await client.until(() => client.messages.length > 0);
  client.close();
  expect(client.messages[0]).toMatchObject({ status: 200 });
  return performance.now() - from;
}

/** Returns the code of the close frame in the bytes after a handshake. */
function codeIn(received: string): number | undefined {
  const bytes = Buffer.from(received, "latin1");
  return readFrames(bytes.subarray(bytes.indexOf("\r\n\r\n") + 4)).code;
}

const text = (payload: string, last = true): Buffer =>
  rawFrame({ opcode: OPCODE.text, payload: Buffer.from(payload), masked: true, last });

describe("too many WebSocket connections", () => {
  it("hostile 94: 1,000 silent connections do no harm, and cost little memory", async () => {
    world = await openFloodWorld();
    const before = process.memoryUsage().rss;
    const idle = await upgraded(1_000);
    expect(await waits()).toBeLessThan(LONGEST_WAIT_MS);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MEGABYTE);
    for (const { socket } of idle) socket.destroy();
    await world.fallsTo(0);
  });

  it("hostile 94: 300 clients that leave during the handshake, or right after it, leave nothing behind", async () => {
    world = await openFloodWorld();
    const begun = await world.open(150);
    for (const { socket } of begun) {
      socket.write(handshake("/ws/listenKey", "127.0.0.1").slice(0, 90), () => socket.destroy());
    }
    const whole = await world.open(150);
    for (const { socket } of whole) {
      socket.write(handshake("/ws/listenKey", "127.0.0.1"), () => socket.destroy());
    }
    expect(await waits()).toBeLessThan(LONGEST_WAIT_MS);
    await world.fallsTo(0);
  });
});

describe("too much traffic on WebSocket connections", () => {
  it("hostile 94: 300 messages that never end hold no more memory than a message may, and delay no other client", async () => {
    world = await openFloodWorld();
    const before = process.memoryUsage().rss;
    const slow = await upgraded(300);
    for (const { socket } of slow) socket.write(text("x".repeat(60_000), false));
    expect(await waits()).toBeLessThan(LONGEST_WAIT_MS);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MEGABYTE);
    for (const { socket } of slow) {
      socket.write(rawFrame({ opcode: OPCODE.more, payload: Buffer.alloc(6_000), masked: true }));
    }
    const ends = await Promise.all(slow.map(({ ended }) => ended));
    expect(new Set(ends.map(codeIn))).toEqual(new Set([1009]));
    await world.fallsTo(0);
  });

  it("hostile 94: 20 connections with 3,000 frames each end with 1008; other clients are served meanwhile", async () => {
    world = await openFloodWorld();
    const flood = await upgraded(20);
    const ping = rawFrame({ opcode: OPCODE.ping, payload: Buffer.from("p"), masked: true });
    const frames = [text("{}"), ping, text(messageOf({ method: "session.subscriptions" }))];
    flood.forEach(({ socket }, index) => {
      const one = frames[index % frames.length] ?? ping;
      socket.write(Buffer.concat(Array.from({ length: 3_000 }, () => one)));
    });
    expect(await waits()).toBeLessThan(LONGEST_WAIT_MS);
    const ends = await Promise.all(flood.map(({ ended }) => ended));
    expect(new Set(ends.map(codeIn))).toEqual(new Set([1008]));
    await world.fallsTo(0);
  });

  it("hostile 94, 22: 20 connections with 200 copies of a placement each create one order; other clients are served", async () => {
    world = await openFloodWorld();
    const copy = text(messageOf({ method: "order.place", json: BASE_ORDER }, '"copy"'));
    const flood = await upgraded(20);
    for (const { socket } of flood) socket.write(Buffer.concat(Array.from({ length: 200 }, () => copy)));
    expect(await waits()).toBeLessThan(LONGEST_WAIT_MS);
    const replies = ({ received }: FloodSocket): readonly string[] =>
      received().match(/"id":"copy","status":200/g) ?? [];
    await Promise.all(
      flood.map(async (one) => {
        while (replies(one).length < 200) await new Promise((next) => one.socket.once("data", next));
      }),
    );
    const ids = new Set(flood.flatMap(({ received }) => received().match(/"orderId":-[0-9]+/g) ?? []));
    expect(ids.size).toBe(1);
    await world.engine.idle();
    expect(world.engine.metrics().openParents).toBe(1);
    for (const { socket } of flood) socket.destroy();
  });

  it("hostile 94, I64: 5 clients that subscribe to public streams and read nothing are disconnected; one that reads gets everything", async () => {
    const settings = { maxWaitingEventBytes: 65_536 };
    world = await openFloodWorld({}, { service: { sockets: { settings } } });
    const subscribe =
      '{"id":1,"method":"SUBSCRIBE","params":["btcusd@bookTicker","btcusd@depth20","btcusd@depth"]}';
    const slow = await upgraded(5, "/ws/liquidity");
    for (const { socket } of slow) socket.write(text(subscribe));
    await Promise.all(slow.map(({ until }) => until('"result":null')));
    for (const { socket } of slow) socket.pause();
    const reader = await SocketClient.connect(`ws://127.0.0.1:${world.port}/ws/liquidity`);
    reader.socket.send('{"id":2,"method":"SUBSCRIBE","params":["btcusd@bookTicker"]}');
    await reader.until(() => reader.messages.length === 1);
    const levels = (first: number, step: number): readonly [string, string][] =>
      Array.from({ length: 20 }, (_, index) => [`${first + index * step}.12345678`, "1234567.123456"]);
    let quotes = 0;
    while ((await world.connections()) > 1) {
      for (let count = 0; count < 50; count++) {
        const top = 6_000 + (quotes++ % 50);
        const [bids, asks] = [levels(top, -1), levels(top + 1, 1)];
        const [[bid = ""] = [], [ask = ""] = []] = [bids[0], asks[0]];
        world.engine.market.quote({ symbol: "BTC/USD", bid, ask, bids, asks });
      }
      await reader.until(() => reader.messages.length > quotes);
    }
    expect(reader.messages.length).toBe(1 + quotes);
    expect(await waits()).toBeLessThan(LONGEST_WAIT_MS);
    reader.close();
    for (const { socket } of slow) socket.destroy();
  });
});
