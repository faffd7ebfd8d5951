import { expect, it } from "vitest";
import { Turns, turnCost } from "../../../src/service/traffic/turns.ts";

/** Turns whose event loop goes on when it is told to. */
function stepped() {
  const soon: (() => void)[] = [];
  const turns = new Turns((run) => soon.push(run));
  const begun: string[] = [];
  const ask = (address: string, name: string, bytes = 0, weight = 1): void =>
    turns.begin(address, turnCost({ bytes, weight }), () => begun.push(name));
  const step = (): string => {
    begun.length = 0;
    for (const run of soon.splice(0)) run();
    return begun.join(" ");
  };
  return { ask, step, begun, idle: () => soon.length === 0 };
}

it("decision GE: while there is room everything begins at once", () => {
  const { ask, begun, step, idle } = stepped();
  for (const name of ["1", "2", "3", "4"]) ask("a", name);
  expect(begun).toEqual(["1", "2", "3", "4"]);
  expect([step(), idle()]).toEqual(["", true]);
});

it("decision GE: who asks for much waits for himself; an address that comes later has the next turn", () => {
  const { ask, step } = stepped();
  for (let count = 0; count < 100; count++) ask("loud", "l");
  ask("quiet", "q");
  expect(step()).toBe("l q l l");
  ask("quiet", "q");
  expect(step()).toBe("l q l l");
});

it("decision GE: one that is large, or weighs much, takes the turns after it, and no weight more than five", () => {
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
