import { connect, type Socket } from "node:net";
import { HANDSHAKE } from "../load/frame-wire.ts";

/** The attack and its target port, the number of connections, and the longest duration. */
export type AttackTarget = Readonly<{
  name: string;
  port: number;
  connections: number;
  milliseconds: number;
}>;

/** The observations of the attackers. */
export type Harm = Readonly<{ sentBytes: number; readBytes: number; opened: number; cut: number }>;

/** Addresses of the attackers, used in turn. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"];

/** How often, and after which pause, an attacker reconnects whose connection was cut. */
const LIVES = 10;
const COMES_AGAIN_MS = 250;

/** The behavior of one attacker on its connection. */
export type Assault = Readonly<{
  /** Path of the WebSocket that it opens first; none: HTTP. */
  socketPath?: string;
  /** The pieces that a connection sends repeatedly, as fast as they are accepted. */
  pieces: (connection: number) => readonly Buffer[];
  /** How often the pieces are sent; without end by default. */
  rounds?: number;
  /** Whether it never reads after a handshake. */
  deaf?: boolean;
  /** Most pieces per second; by default as fast as the connection accepts them. */
  perSecond?: number;
  /** The address of an attacker; by default the four in turn. */
  address?: (connection: number) => string;
  /** Whether the assault is over with the first bytes that come back. */
  untilAnswered?: boolean;
}>;

/** Runs an assault on many connections and resolves when its time is up. */
export async function assail(attacked: AttackTarget, assault: Assault): Promise<Harm> {
  const harm = { sentBytes: 0, readBytes: 0, opened: 0, cut: 0 };
  const sockets = new Set<Socket>();
  let over = false;
  const attack = (index: number, lives: number): void => {
    const localAddress = assault.address?.(index) ?? ADDRESSES[index % ADDRESSES.length] ?? "";
    const socket = connect({ host: "127.0.0.1", port: attacked.port, localAddress, noDelay: true });
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      harm.cut++;
      if (lives > 0) setTimeout(() => over || attack(index, lives - 1), COMES_AGAIN_MS);
    });
    socket.on("connect", () => {
      harm.opened++;
      begin(socket, { ...assault, index }, harm);
    });
  };
  for (let index = 0; index < attacked.connections; index++) {
    attack(index, LIVES);
    if (index % 50 === 0) await new Promise((next) => setImmediate(next));
  }
  await new Promise<void>((resolve) => {
    setTimeout(resolve, attacked.milliseconds);
    if (assault.untilAnswered) for (const socket of sockets) socket.once("data", () => resolve());
  });
  over = true;
  const result = { ...harm };
  for (const socket of sockets) socket.destroy();
  return result;
}

type Counts = { sentBytes: number; readBytes: number };

/** The behavior and the number of one attacker. */
type Attacker = Assault & Readonly<{ index: number }>;

function begin(socket: Socket, assault: Attacker, counts: Counts): void {
  const { socketPath, deaf = false } = assault;
  const go = (): void => {
    if (deaf) socket.pause();
    void send(socket, assault, counts);
  };
  let received = 0;
  socket.on("data", (chunk: Buffer) => {
    counts.readBytes += chunk.length;
    received += chunk.length;
    if (socketPath !== undefined && received === chunk.length) go();
  });
  if (socketPath === undefined) go();
  else socket.write(HANDSHAKE.toString().replace("/ws/listenKey", socketPath));
}

async function send(socket: Socket, assault: Attacker, counts: Counts): Promise<void> {
  const { index, rounds = Number.POSITIVE_INFINITY, perSecond } = assault;
  const pieces = assault.pieces(index);
  for (let round = 0; round < rounds; round++) {
    for (const piece of pieces) {
      if (!socket.writable) return;
      counts.sentBytes += piece.length;
      if (!socket.write(piece)) await drained(socket);
      const pauseMs = perSecond === undefined ? 0 : 1_000 / perSecond;
      await new Promise((next) => (pauseMs === 0 ? setImmediate(next) : setTimeout(next, pauseMs)));
    }
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off("drain", end);
      socket.off("close", end);
      resolve();
    };
    socket.on("drain", end);
    socket.on("close", end);
  });
}
