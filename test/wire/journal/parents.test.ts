import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { price } from "../../../src/decimal/index.ts";
import type { ParentOrder } from "../../../src/model/index.ts";
import { decodeParents, encodeParent, encodeParents } from "../../../src/wire/index.ts";
import { anyParent } from "../../support/arbitraries.ts";

/** Parents of which several have the same members: each again, with another id and client id. */
const anyParents: fc.Arbitrary<readonly ParentOrder[]> = fc.array(anyParent, { maxLength: 6 }).map((orders) =>
  [1, 2, 3].flatMap((again) =>
    orders.map((order) => ({
      ...order,
      orderId: order.orderId + again,
      intent: { ...order.intent, clientOrderId: `c${again}` },
    })),
  ),
);

const [whole] = fc.sample(anyParent, { numRuns: 1, seed: 7 }) as [ParentOrder];
/** Names of another order would stand there beside its own. */
const { replaces: _other, ...sample } = whole;
const two = [sample, { ...sample, orderId: sample.orderId + 1, attempts: sample.attempts + 1 }];
const text = encodeParents(two);

/** The names of the members in which parents with the same members differ, if all have the same. */
const ownIn = (written: string): unknown =>
  (JSON.parse(written) as { parents: { alike: readonly { own: unknown }[] } }).parents.alike[0]?.own;

describe("the text of parents of a snapshot", () => {
  it("I53 I16: parents read back from it unchanged, in their order", () => {
    fc.assert(
      fc.property(anyParents, (orders) => {
        const read = decodeParents(encodeParents(orders));
        expect(read).toStrictEqual(orders);
        expect(read.map(encodeParent)).toEqual(orders.map(encodeParent));
      }),
      { numRuns: 200 },
    );
  });

  it("names of members and what is equal stand there once", () => {
    const names = ["acceptedAtMs", "orderId", "clientOrderId", "lastSequence"];
    for (const name of names) expect(encodeParents([...two, ...two]).split(`"${name}":`)).toHaveLength(2);
  });

  it("I53 I16: parents that differ in an object keep their own, and equal objects stand there once", () => {
    const activeAt = (position: number): ParentOrder => ({
      ...sample,
      activation: { position, seed: price("9999999999.99999999") },
    });
    expect(ownIn(encodeParents([activeAt(1), activeAt(1)]))).toEqual([]);
    const orders = [activeAt(1), activeAt(1), activeAt(2)];
    const written = encodeParents(orders);
    expect(ownIn(written)).toEqual(["activation"]);
    expect(decodeParents(written)).toStrictEqual(orders);
  });

  it("of intents that differ only the members that do are repeated", () => {
    const other = { ...sample, intent: { ...sample.intent, clientOrderId: "other" } };
    expect(ownIn(encodeParents([sample, other]))).toEqual(["intent.clientOrderId"]);
  });

  it("an absent member may be undefined, and is not written", () => {
    const { clientOrderId } = sample.intent;
    const intent = { ...sample.intent, mood: undefined, clientOrderId } as ParentOrder["intent"];
    expect(encodeParents([{ ...sample, mood: undefined, intent } as ParentOrder, ...two.slice(1)])).toBe(
      text,
    );
  });

  it("I53: it is refused as a whole if one parent cannot be written", () => {
    const broken = { ...sample, attempts: 0.5 };
    expect(() => encodeParents([sample, broken])).toThrow(
      `I53: parent order ${sample.orderId} cannot be written: "attempts" of a parent`,
    );
    expect(() => encodeParents([sample, { ...sample, mood: 1 } as never])).toThrow('"mood"');
  });

  it.each([
    [
      "a value of another kind",
      text.replace(/"values":\[0,-?\d+/, '"values":[0,"x"'),
      '"orderId" of a parent',
    ],
    ["a value too few", text.replace(/,\d+\]\}\}$/, "]}}"), '"attempts" of a parent'],
    [
      "a place that is not there",
      text.replace('"values":[0', '"values":[1'),
      "missing or has the wrong type",
    ],
    [
      "the name of a place",
      text.replace('"values":[0', '"values":["length"'),
      "missing or has the wrong type",
    ],
    ["no values", text.replace('"values"', '"others"'), "missing or has the wrong type"],
    ["an unknown member", text.replace('"own":["orderId"', '"own":["mood"'), 'the member "mood", which'],
    ["no parent", text.replace('"parent":{', '"other":{'), "missing or has the wrong type"],
    [
      "another parent",
      text.replace('"attempts":', '"mood":'),
      `parent order ${sample.orderId} cannot be read`,
    ],
    ["the end", text.slice(0, -1), "broken text at character"],
    ["another format", text.replace('"v":1', '"v":2'), "it has the format 2"],
    ["the form of an unreleased version", two.map(encodeParent).join("\n"), "an unreleased version wrote it"],
    ["nothing", "", "an unreleased version wrote it"],
  ])("I53: %s is refused", (_, damaged, what) => {
    expect(damaged).not.toBe(text);
    expect(() => decodeParents(damaged)).toThrow(
      /^I53: (a part of a snapshot|parent order -?\d+) cannot be read: /,
    );
    expect(() => decodeParents(damaged)).toThrow(what);
  });
});
