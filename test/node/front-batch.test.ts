import { expect, it } from "vitest";
import {
  Batch,
  joinHead,
  joinHeaders,
  joinParameters,
  splitHead,
  splitHeaders,
  splitParameters,
  textOfBytes,
} from "../../src/adapters/node/front/messages.ts";
import type { Scalar } from "../../src/wire/index.ts";

const turn = (): Promise<void> => new Promise((next) => setImmediate(next));

it("the messages of a turn are one list; with 3 unacknowledged messages in flight nothing is sent, and no more is read", async () => {
  const lists: (readonly string[])[] = [];
  const batch = new Batch<string>((list) => lists.push(list), { most: 3 });
  for (const text of ["a", "b"]) batch.add(text);
  await turn();
  batch.add("c");
  await turn();
  for (const text of ["d", "e"]) {
    batch.add(text);
    await turn();
  }
  expect(lists).toEqual([["a", "b"], ["c"]]);
  let read = 0;
  batch.soon(() => read++);
  await turn();
  expect(read).toBe(0);
  batch.acknowledged(3);
  await turn();
  expect(lists).toEqual([["a", "b"], ["c"], ["d", "e"]]);
  expect(read).toBe(1);
});

it("data known only at the end of a turn goes with its list, and causes no list of its own", async () => {
  const lists: (readonly string[])[] = [];
  const alone: boolean[] = [];
  const batch = new Batch<string>((list) => lists.push(list), {
    before: (isAlone) => {
      alone.push(isAlone);
      if (!isAlone) batch.add("beside");
    },
  });
  batch.plan();
  await turn();
  batch.add("a");
  for (let count = 0; count < 3; count++) await turn();
  expect([lists, alone]).toEqual([[["a", "beside"]], [true, false]]);
});

it("headers, parameters and bytes survive the conversion to text unchanged", () => {
  for (const head of [[], ["A", ""], ["A", "", "b", "x: y, é"]])
    expect(splitHead(joinHead(head))).toEqual(head);
  const headers = { "Content-Type": "application/json", Vary: "" };
  expect(splitHeaders(joinHeaders(headers))).toEqual(headers);
  expect(splitHeaders(joinHeaders({}))).toEqual({});
  const parameters = new Map<string, Scalar>([
    ["a", { text: "", kind: "text" }],
    ["b", { text: "0é ", kind: "string" }],
    ["c", { text: "-12345678901234567890", kind: "integer" }],
    ["d", { text: "true", kind: "boolean" }],
  ]);
  expect(splitParameters(joinParameters(parameters))).toEqual(parameters);
  expect(splitParameters(joinParameters(new Map()))).toEqual(new Map());
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  expect([...Buffer.from(textOfBytes(bytes.subarray(1)), "latin1")]).toEqual([...bytes.subarray(1)]);
});
