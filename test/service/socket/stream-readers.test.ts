import { describe, expect, it } from "vitest";
import { MarketEvent, type MarketReader, StreamReaders } from "../../../src/service/socket/market-streams.ts";
import { TrafficTurns } from "../../../src/service/traffic/turns.ts";

/** A stream, and turns of the event loop that pass one at a time. */
function stream() {
  const soon: (() => void)[] = [];
  const turns = new TrafficTurns((run) => void soon.push(run), { arrivals: 0, isProved: () => false });
  const readers = new StreamReaders(turns);
  const sent: string[] = [];
  const held = new Map<string, number>();
  const read = (name: string, network: string): MarketReader => {
    const reader: MarketReader = {
      network,
      send: ({ text }) => void sent.push(`${name} ${text.slice(0, 1)}`),
      hold: (bytes) => void held.set(name, (held.get(name) ?? 0) + bytes),
    };
    readers.add(reader);
    return reader;
  };
  return {
    ...{ turns, readers, read, held },
    /** Returns what was sent since the last call. */
    take: () => sent.splice(0),
    turn: () => void soon.shift()?.(),
    isCalm: () => soon.length === 0,
  };
}

const event = (text: string): MarketEvent => new MarketEvent({ name: "btcusd@trade" }, text);
const LONG = 250;

describe("events of public streams go out in turns", () => {
  it("one turn sends a bounded number, a request of another network begins between, and nobody is left out", () => {
    const { readers, read, turns, take, turn, isCalm } = stream();
    for (let count = 0; count < 1_000; count++) read(`${count}`, "crowd");
    readers.publish(event("x".repeat(LONG)));
    const counts = [take().length];
    let began = -1;
    turns.begin("honest", { bytes: 100, beside: 4_096 }, () => {
      began = counts.length;
    });
    while (!isCalm()) {
      turn();
      counts.push(take().length);
    }
    expect(Math.max(...counts)).toBeLessThan(64);
    expect(counts.reduce((all, count) => all + count, 0)).toBe(1_000);
    expect(began).toBeLessThan(4);
  });

  it("each reader gets the events in order, also those that come while earlier ones wait", () => {
    const { readers, read, take, turn, isCalm } = stream();
    for (let count = 0; count < 200; count++) read(`${count}`, "crowd");
    for (const text of ["a", "b", "c"]) readers.publish(event(text.repeat(LONG)));
    while (!isCalm()) turn();
    const reported = take();
    for (let count = 0; count < 200; count++) {
      expect(reported.filter((line) => line.startsWith(`${count} `))).toEqual(
        ["a", "b", "c"].map((text) => `${count} ${text}`),
      );
    }
  });

  it("what waits counts for its reader until it is sent; who has left gets nothing more", () => {
    const { readers, read, held, take, turn, isCalm } = stream();
    for (let count = 0; count < 200; count++) read(`${count}`, "crowd");
    const last = read("last", "crowd");
    readers.publish(event("x".repeat(LONG)));
    expect(held.get("last")).toBeGreaterThanOrEqual(LONG);
    readers.delete(last);
    while (!isCalm()) turn();
    expect(take().some((line) => line.startsWith("last"))).toBe(false);
    expect([...held.values()].every((bytes) => bytes === 0)).toBe(true);
  });
});

it("an event is written once for all readers of its stream, in either form", () => {
  let named = 0;
  const reported = new MarketEvent(
    {
      get name() {
        named++;
        return "btcusd@trade";
      },
    },
    '{"t":1}',
  );
  for (let count = 0; count < 3; count++)
    expect(reported.named).toBe('{"stream":"btcusd@trade","data":{"t":1}}');
  expect([reported.text, named]).toEqual(['{"t":1}', 1]);
});
