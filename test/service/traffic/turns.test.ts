import { expect, it } from "vitest";
import { TrafficTurns, turnCost } from "../../../src/service/traffic/turns.ts";

/** Turns whose event loop advances on request, and optionally accepts a connection each time. */
function stepped({ newcomers = false } = {}) {
  const soon: (() => void)[] = [];
  const crowd = { arrivals: 0, isProved: (address: string) => address.startsWith("proved") };
  const turns = new TrafficTurns((run) => soon.push(run), crowd);
  const begun: string[] = [];
  const ask = (address: string, name: string, bytes = 0, weight = 1): void =>
    turns.begin(address, turnCost({ bytes, weight }), () => begun.push(name));
  const work = (address: string, weight: number): void => turns.add(address, turnCost({ bytes: 0, weight }));
  const step = (): string => {
    begun.length = 0;
    if (newcomers) crowd.arrivals++;
    for (const run of soon.splice(0)) run();
    return begun.join(" ");
  };
  return { ask, work, step, begun, idle: () => soon.length === 0 };
}

const countOf = (names: string): number => names.split(" ").filter((name) => name !== "").length;

it("while there is room everything starts at once", () => {
  const { ask, begun, step, idle } = stepped();
  for (const name of ["1", "2", "3", "4"]) ask("a", name);
  expect(begun).toEqual(["1", "2", "3", "4"]);
  expect([step(), idle()]).toEqual(["", true]);
});

it("a flooding client delays only itself; an address that comes later has the next turn", () => {
  const { ask, step } = stepped();
  for (let count = 0; count < 100; count++) ask("loud", "l");
  ask("quiet", "q");
  expect(step()).toBe("l q l l");
  ask("quiet", "q");
  expect(step()).toBe("l q l l");
});

it("of an address that has proved a key a turn starts 64 small requests, which share a commit; larger ones count by their bytes", () => {
  const { ask, step, begun } = stepped();
  for (let count = 0; count < 100; count++) ask("proved", "p");
  expect(begun).toHaveLength(64);
  expect([countOf(step()), countOf(step())]).toEqual([36, 0]);
  for (let count = 0; count < 5; count++) ask("proved", "large", 8_192);
  expect([begun.length, countOf(step()), countOf(step())]).toEqual([2, 2, 1]);
});

it("a request that reads many rows counts whole, also of an address that has proved a key", () => {
  const { ask, step } = stepped();
  for (let count = 0; count < 3; count++) ask("proved", "page", 0, 20);
  ask("other", "o");
  const turns = Array.from({ length: 11 }, step);
  expect(turns.flatMap((names, index) => (names === "" ? [] : [[index + 1, names]]))).toEqual([
    [5, "page"],
    [10, "o page"],
  ]);
});

it("while connections are accepted, a turn starts 4 requests also of an address that has proved a key", () => {
  const { ask, step } = stepped({ newcomers: true });
  for (let count = 0; count < 100; count++) ask("proved", "p");
  expect([countOf(step()), countOf(step())]).toEqual([4, 4]);
});

it("floods of unproved addresses leave a proved one its place in each turn, and only that", () => {
  const { ask, step } = stepped();
  for (let count = 0; count < 100; count++) ask("stranger", "s");
  for (let count = 0; count < 100; count++) ask("proved", "p");
  expect(step()).toBe("s p s p s p s");
});

it("a request that is large, or has a high weight, uses the following turns, at most five for its weight", () => {
  const { ask, step, idle } = stepped();
  ask("a", "large", 65_536);
  ask("a", "weighty", 0, 20);
  ask("b", "weightier", 0, 250);
  ask("a", "next");
  const turns = Array.from({ length: 14 }, step);
  expect(turns.flatMap((names, index) => (names === "" ? [] : [[index + 1, names]]))).toEqual([
    [4, "weighty"],
    [9, "weightier"],
    [14, "next"],
  ]);
  expect([step(), step(), idle()]).toEqual(["", "", true]);
});

it("work that is known only after it has begun uses the following turns too", () => {
  const { ask, work, step, begun } = stepped();
  ask("a", "message");
  work("a", 20);
  ask("b", "other");
  expect(begun).toEqual(["message"]);
  expect(Array.from({ length: 5 }, step)).toEqual(["", "", "", "", "other"]);
});
