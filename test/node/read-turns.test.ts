import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { ReadTurns } from "../../src/adapters/node/read-turns.ts";

const CROWD = { arrivals: 0, isProved: () => false };

/** Turns that run when the test says so, and what each connection's parser received. */
function readTurns() {
  const planned: (() => void)[] = [];
  const turns = new ReadTurns(CROWD, (run) => planned.push(run));
  const parsed: string[] = [];
  const follow = (name: string, address: string): PassThrough => {
    const socket = new PassThrough();
    socket.on("data", (slice: Buffer) => parsed.push(`${name} ${slice.length}`));
    turns.follow(socket, address);
    return socket;
  };
  const turn = (): string[] => {
    for (const run of planned.splice(0)) run();
    return parsed.splice(0);
  };
  return { follow, turn, parsed };
}

describe("frames of WebSocket connections are parsed in turns", () => {
  it("hostile 53: one turn parses a share of the frames, however many connections sent them", () => {
    const { follow, turn, parsed } = readTurns();
    for (let index = 0; index < 100; index++) follow(`c${index}`, "flood").emit("data", Buffer.alloc(65_536));
    expect(parsed.splice(0)).toEqual(Array(4).fill("c0 4096"));
    expect(turn()).toHaveLength(4);
    expect(turn()).toHaveLength(4);
  });

  it("hostile 94: the frames of another address are parsed in the next turn", () => {
    const { follow, turn } = readTurns();
    for (let index = 0; index < 100; index++) follow(`c${index}`, "flood").emit("data", Buffer.alloc(65_536));
    turn();
    follow("honest", "other").emit("data", Buffer.alloc(400));
    expect(turn()).toContain("honest 400");
  });

  it("a parser that removes its listener receives nothing further", () => {
    const { follow, turn, parsed } = readTurns();
    const socket = follow("c", "address");
    socket.emit("data", Buffer.alloc(65_536));
    parsed.splice(0);
    socket.removeAllListeners("data");
    expect(turn()).toEqual([]);
  });

  it("bytes arrive complete and in order", () => {
    const { follow, turn } = readTurns();
    const socket = follow("c", "address");
    const sent = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 251));
    const received: Buffer[] = [];
    socket.on("data", (slice: Buffer) => received.push(slice));
    socket.emit("data", sent.subarray(0, 30_000));
    socket.emit("data", sent.subarray(30_000));
    while (Buffer.concat(received).length < sent.length) turn();
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });
});
