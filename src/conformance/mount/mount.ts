import { holds, same } from "../checks.ts";
import { declareSuite, type TestFramework } from "../suite.ts";
import { answerRules, closingRules, connectionRules } from "./answers.ts";
import {
  ACCEPT,
  BINARY,
  CLOSE,
  type Frame,
  frameBytes,
  PING,
  PONG,
  type RawConnection,
  TEXT,
  takeFrame,
  upgradeBytes,
} from "./raw-http.ts";
import { requestRules } from "./requests.ts";
import {
  type ConnectedPeer,
  latin,
  type MountRules,
  type MountSubject,
  MountWorld,
  mountSubject,
  REPLY,
} from "./world.ts";

const PATH = "/ws/listenKey";

/** Opens a WebSocket, and returns it with the connection that the service received. */
async function opened(
  world: MountWorld,
  target = PATH,
  headers: readonly string[] = [],
): Promise<ConnectedPeer & Readonly<{ connection: RawConnection }>> {
  const connection = await world.connect(upgradeBytes(target, headers));
  const answer = await world.within(`an upgrade to ${target}`, connection.answer());
  same("the status", answer.status, 101);
  same("Sec-WebSocket-Accept", answer.headers.get("sec-websocket-accept"), ACCEPT);
  await world.until("a connection of the service", () => world.standIn.peers.length > 0);
  const [first] = world.standIn.peers;
  return { ...(first as ConnectedPeer), connection };
}

/** Returns the next frame of the server. Throws a Mismatch if none comes in time. */
const frameOf = (world: MountWorld, connection: RawConnection): Promise<Frame> =>
  world.within("the next frame", connection.take(takeFrame));

const receivedOf = async (
  world: MountWorld,
  { received }: ConnectedPeer,
  due: readonly unknown[],
): Promise<void> => {
  await world.until(`${due.length} calls of the session`, () => received.length >= due.length);
  same("the calls of the session", received, due);
};

/** More than the buffers of a connection take at once. */
const MANY_BYTES = 16 * 1024 * 1024;

/** Rules of WebSockets. */
const socketRules: MountRules = {
  "target, headers and address of an upgrade arrive as they were sent, once to admit and once to connect": {
    remedy: "Hand over `url` and `rawHeaders` of the upgrade request, and the address of the socket's peer.",
    where: { sockets: true },
    async check(world) {
      const target = `${PATH}?b=%2f&&a=1+2&a=`;
      const { peer } = await opened(world, target, [
        "signature",
        "aa",
        "Signature",
        "bb",
        "X-Forwarded-For",
        "203.0.113.9",
      ]);
      same(
        "the upgrade requests",
        world.standIn.upgrades.map((one) => one.target),
        [target],
      );
      const valuesOf = (raw: readonly string[]): readonly string[] =>
        raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === "signature");
      for (const given of [...world.standIn.upgrades, peer]) {
        same("the target", given.target, target);
        same("the signatures", valuesOf(given.rawHeaders), ["aa", "bb"]);
        same("the address", String(given.remoteAddress).replace(/^::ffff:/, ""), "127.0.0.1");
      }
    },
  },
  "an upgrade that the service refuses is answered with its status, headers and body": {
    remedy: "Await `admit`, and write its answer in place of the upgrade.",
    where: { sockets: true },
    async check(world) {
      world.standIn.refusal = { ...REPLY, status: 429 };
      const connection = await world.connect(upgradeBytes(PATH));
      const answer = await world.within(`an upgrade to ${PATH}`, connection.answer());
      same("status and body", [answer.status, answer.body], [429, latin(REPLY.body)]);
      same("Retry-After", answer.headers.get("retry-after"), REPLY.headers["Retry-After"]);
      same("the connections of the service", world.standIn.peers.length, 0);
    },
  },
  "texts arrive whole and unchanged in both directions, also in fragments; binary messages are reported": {
    remedy: "Pass on whole messages as text. Without compression no client can make a message grow.",
    where: { sockets: true },
    async check(world) {
      const socket = await opened(world);
      const { connection, peer } = socket;
      const text = '{"id": 9007199254740993, "m":"é€"}';
      const bytes = Buffer.from(text);
      connection.write(frameBytes(TEXT, text));
      connection.write(frameBytes(TEXT, bytes.subarray(0, 30), false));
      connection.write(frameBytes(0, bytes.subarray(30)));
      connection.write(frameBytes(BINARY, "abc"));
      await receivedOf(world, socket, [["text", text], ["text", text], ["binary"]]);
      for (const sent of [text, `"${"é".repeat(1_000)}"`]) {
        peer.send(sent);
        same("the frame", await frameOf(world, connection), { opcode: TEXT, payload: latin(sent) });
      }
    },
  },
  "pings are answered and reported, and those of the service arrive": {
    remedy: "Answer pings in the transport, and call `pinged` and `ponged` of the session.",
    where: { sockets: true },
    async check(world) {
      const socket = await opened(world);
      socket.connection.write(frameBytes(PING, "p1"));
      same("the frame", await frameOf(world, socket.connection), { opcode: PONG, payload: "p1" });
      socket.peer.ping();
      same("the opcode", (await frameOf(world, socket.connection)).opcode, PING);
      socket.connection.write(frameBytes(PONG));
      await receivedOf(world, socket, [["ping"], ["pong"]]);
    },
  },
  "hostile 94: bytes that wait for the client are counted until it has read them": {
    remedy:
      "Return what the WebSocket has not written yet in `bufferedBytes`. The service ends a client that does not read by it; with 0, its events fill the memory.",
    where: { sockets: true },
    async check(world) {
      const { connection, peer } = await opened(world);
      const text = "x".repeat(MANY_BYTES);
      peer.send(text);
      const waiting = peer.bufferedBytes();
      holds(`bufferedBytes after a text of ${MANY_BYTES} bytes`, waiting > 0, "above 0", waiting);
      await world.until("the text", () => connection.received().length >= MANY_BYTES);
      await world.until("bufferedBytes of 0 when it was read", () => peer.bufferedBytes() === 0);
    },
  },
  "a close of the service arrives with its code and reason, after everything sent before": {
    remedy: "Pass both to the WebSocket, and do not drop what waits.",
    where: { sockets: true },
    async check(world) {
      const { connection, peer } = await opened(world);
      peer.send("last");
      peer.close(1008, "too slow");
      same("the text", (await frameOf(world, connection)).payload, "last");
      const { opcode, payload } = await frameOf(world, connection);
      same("the close", [opcode, payload], [CLOSE, `${latin(Uint8Array.of(1008 >> 8, 1008 & 255))}too slow`]);
    },
  },
  "the end of a connection is reported once, with and without a close frame": {
    remedy: "Call `closed` when the socket has ended, whichever side ended it.",
    where: { sockets: true },
    async check(world) {
      for (const isPolite of [true, false]) {
        world.standIn.peers.length = 0;
        const socket = await opened(world);
        if (isPolite) socket.connection.write(frameBytes(CLOSE, Uint8Array.of(3, 232)));
        else socket.connection.close();
        await world.until("the end of the connection", () => socket.received.length > 0);
        await world.pause();
        same("the calls of the session", socket.received, [["closed"]]);
      }
    },
  },
  "closing tells the WebSocket connections that the service stops": {
    remedy: "Call `shutdown` of the sockets once, and wait until their connections have ended.",
    where: { sockets: true, drains: true },
    async check(world) {
      const { connection } = await opened(world);
      const closing = world.close();
      const { opcode, payload } = await frameOf(world, connection);
      same("the close", [opcode, payload.slice(2)], [CLOSE, "the service stops"]);
      connection.write(frameBytes(CLOSE, Uint8Array.of(3, 233)));
      await world.within("close()", closing);
      holds("calls of shutdown", world.standIn.shutdowns > 0, "at least one", world.standIn.shutdowns);
    },
  },
  "a mount that declares no WebSockets takes none": {
    remedy: "Declare `sockets: true`. A connection that nobody tests can lose orders.",
    where: { sockets: false },
    async check(world) {
      const connection = await world.connect(upgradeBytes(PATH));
      await world.within(
        `an upgrade to ${PATH}`,
        Promise.race([connection.ended, connection.answer().catch(() => undefined)]),
      );
      same("upgrades and connections", [world.standIn.upgrades, world.standIn.peers], [[], []]);
    },
  },
};

/** All rules of a mount. */
export const mountRules: Readonly<Record<string, MountRules>> = {
  ...{ requests: requestRules, answers: answerRules, connections: connectionRules },
  ...{ WebSockets: socketRules, closing: closingRules },
};

/**
 * Declares one test for each rule of a mount: of a server that hands requests over to the service. Every test starts a
 * server of its own with a stand-in for the service, and closes it. Throws a TypeError that names a part of the
 * description that is missing, unknown or of the wrong type; a test that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { type OpenMount, testMount } from "managed-orders/conformance";
 * import type { Service } from "managed-orders/service";
 *
 * export const declareTests = (open: (service: Service) => Promise<OpenMount>): void =>
 *   testMount({ describe, it }, {
 *     name: "my server",
 *     supports: { sockets: true, ownRoutes: true, drains: true },
 *     open,
 *   });
 * ```
 */
export function testMount(framework: TestFramework, subject: MountSubject): void {
  mountSubject(subject, "testMount");
  declareSuite(framework, {
    port: "mount",
    subject,
    groups: mountRules,
    open: (atEnd) => MountWorld.create(subject, atEnd),
  });
}
