import { connect, type Socket } from "node:net";
import { HANDSHAKE } from "../load/frame-wire.ts";

/** Which attack is run against which port, with how many connections, and for how long at most. */
export type AttackTarget = Readonly<{
  name: string;
  port: number;
  connections: number;
  milliseconds: number;
}>;

/** What the attackers have seen. */
export type Harm = Readonly<{ sentBytes: number; readBytes: number; opened: number; cut: number }>;

/** Addresses that the attackers come from, in turns. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"];

/** How often an attacker comes again whose connection was cut, and how long after. */
const LIVES = 10;
const COMES_AGAIN_MS = 250;

/** What one attacker does on its connection. */
export type Assault = Readonly<{
  /** Path of the WebSocket that it opens first; none: HTTP. */
  socketPath?: string;
  /** What a connection sends over and over, piece by piece, as fast as it is taken. */
  pieces: (connection: number) => readonly Buffer[];
  /** How often the pieces are sent; default without end. */
  rounds?: number;
  /** Whether it never reads what it is sent, after a handshake. */
  deaf?: boolean;
  /** How many pieces go out a second at most; default as fast as the connection takes them. */
  perSecond?: number;
  /** The one address that all come from; default the four in turns. */
  address?: string;
}>;

/** Runs an assault on many connections and resolves when its time is up. */
export async function assail(attacked: AttackTarget, assault: Assault): Promise<Harm> {
  const harm = { sentBytes: 0, readBytes: 0, opened: 0, cut: 0 };
  const sockets = new Set<Socket>();
  let over = false;
  const attack = (index: number, lives: number): void => {
    const localAddress = assault.address ?? ADDRESSES[index % ADDRESSES.length] ?? "";
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
  await new Promise((resolve) => setTimeout(resolve, attacked.milliseconds));
  over = true;
  const result = { ...harm };
  for (const socket of sockets) socket.destroy();
  return result;
}

type Counts = { sentBytes: number; readBytes: number };

/** What one attacker does, and which one it is. */
type Attacker = Assault & Readonly<{ index: number }>;

function begin(socket: Socket, assault: Attacker, counts: Counts): void {
  const { socketPath, deaf = false } = assault;
  const go = (): void => {
    if (deaf) socket.pause();
    void send(socket, assault, counts);
  };
  let heard = 0;
  socket.on("data", (chunk: Buffer) => {
    counts.readBytes += chunk.length;
    heard += chunk.length;
    if (socketPath !== undefined && heard === chunk.length) go();
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
