import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { ReadTurns } from "../../src/adapters/node/read-turns.ts";

const CROWD = { arrivals: 0, isProved: () => false };

/** Lets streams report what was written to them. */
const reported = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Turns that run when the test says so, and what each connection's parser received. */
function readTurns() {
  const planned: (() => void)[] = [];
  const turns = new ReadTurns(CROWD, (run) => planned.push(run));
  const parsed: string[] = [];
  const follow = (name: string, address: string): PassThrough => {
    const socket = new PassThrough();
    socket.on("data", (slice: Buffer) => parsed.push(`${name} ${slice.length}`));
    turns.attach(socket, { address });
    return socket;
  };
  const turn = async (): Promise<string[]> => {
    await reported();
    for (const run of planned.splice(0)) run();
    return parsed.splice(0);
  };
  return { follow, turn, parsed };
}

describe("frames of WebSocket connections are parsed in turns", () => {
  it("hostile 53: one turn parses a share of the frames, however many connections sent them", async () => {
    const { follow, turn, parsed } = readTurns();
    for (let index = 0; index < 100; index++) follow(`c${index}`, "flood").write(Buffer.alloc(65_536));
    await reported();
    expect(parsed.splice(0)).toEqual(Array(4).fill("c0 4096"));
    expect(await turn()).toHaveLength(4);
    expect(await turn()).toHaveLength(4);
  });

  it("hostile 94: the frames of another address are parsed in the next turn", async () => {
    const { follow, turn } = readTurns();
    for (let index = 0; index < 100; index++) follow(`c${index}`, "flood").write(Buffer.alloc(65_536));
    await turn();
    follow("honest", "other").write(Buffer.alloc(400));
    expect(await turn()).toContain("honest 400");
  });

  it("a parser that removes its listener receives nothing further, and another one the rest", async () => {
    const { follow, turn, parsed } = readTurns();
    const socket = follow("c", "address");
    socket.write(Buffer.alloc(65_536));
    await reported();
    parsed.splice(0);
    socket.removeAllListeners("data");
    expect(await turn()).toEqual([]);
    socket.on("data", (slice: Buffer) => parsed.push(`next ${slice.length}`)).resume();
    await reported();
    expect(new Set(await turn())).toEqual(new Set(["next 4096"]));
  });

  it("nothing is parsed of a connection that has closed", async () => {
    const { follow, turn, parsed } = readTurns();
    const socket = follow("c", "address");
    socket.on("close", () => void socket.read());
    socket.write(Buffer.alloc(65_536));
    await reported();
    parsed.splice(0);
    socket.destroy();
    expect([await turn(), await turn(), socket.readableLength]).toEqual([[], [], 0]);
  });

  it("bytes arrive complete and in order, and then the end", async () => {
    const { follow, turn } = readTurns();
    const socket = follow("c", "address");
    const sent = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 251));
    const received: Buffer[] = [];
    socket.on("data", (slice: Buffer) => received.push(slice));
    const ended = new Promise((resolve) => socket.on("end", resolve));
    socket.write(sent.subarray(0, 30_000));
    socket.end(sent.subarray(30_000));
    while (Buffer.concat(received).length < sent.length) await turn();
    expect(Buffer.concat(received).equals(sent)).toBe(true);
    await ended;
  });
});
