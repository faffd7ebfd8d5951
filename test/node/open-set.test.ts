import { expect, it } from "vitest";
import { OpenSet } from "../../src/adapters/node/connections.ts";

it("is empty when the last item has ended, and at once if there is none", async () => {
  const open = new OpenSet<string>();
  await open.empty();
  for (const item of ["a", "b", "b"]) open.add(item);
  let empty = false;
  const waiting = Promise.all([open.empty(), open.empty()]).then(() => {
    empty = true;
  });
  open.delete("a");
  await new Promise((next) => setImmediate(next));
  expect([empty, ...open]).toEqual([false, "b"]);
  open.delete("b");
  await waiting;
  expect([...open]).toEqual([]);
});
