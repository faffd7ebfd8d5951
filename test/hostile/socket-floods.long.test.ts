import { afterEach, describe, expect, it } from "vitest";
import { OPCODE, rawFrame } from "../campaigns/fuzz/frames.ts";
import { handshake, readFrames } from "../campaigns/fuzz/socket-lane.ts";
import { type FloodSocket, type FloodWorld, openFloodWorld } from "../support/flood-world.ts";
import { messageOf } from "../support/hostile-socket.ts";
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
});
