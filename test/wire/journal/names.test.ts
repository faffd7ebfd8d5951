import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PackedNumbers } from "../../../src/decimal/index.ts";
import { InvariantError } from "../../../src/errors/index.ts";
import type { JournalRecord, ParentIntent, ParentOrder } from "../../../src/model/index.ts";
import {
  decodeParent,
  decodeRecord,
  encodeParent,
  encodeRecord,
  requireStorable,
} from "../../../src/wire/index.ts";
import { Subject } from "../../lifecycle/support.ts";
import { anyParent } from "../../support/arbitraries.ts";

const record: JournalRecord = {
  shard: 7,
  sequence: 12,
  timeMs: 1,
  cause: { kind: "VENUE", source: "SUBMIT" },
  changes: [],
};
const parent = fc.sample(anyParent, 1)[0] as ParentOrder;
const { orderId } = parent;
const INCOMPLETE = "a member is missing or has the wrong type";
const broken = (message: string): InvariantError => new InvariantError("I53", message);

describe("I53: the error of a text that cannot be read names the text", () => {
  it.each([
    ["x", "broken text at character 0 of 1"],
    ["5", "it is not an object"],
    ["[]", "it is not an object"],
    ["null", "it is not an object"],
    ['{"v":1,"record":{"shard":"7","sequence":12}}', INCOMPLETE],
    ['{"v":1,"record":{"shard":7,"sequence":"12"}}', INCOMPLETE],
  ])("a record: %s", (text, what) => {
    expect(() => decodeRecord(text)).toThrow(broken(`journal record cannot be read: ${what}`));
    const place = { shard: 7, sequence: 12 };
    expect(() => decodeRecord(text, place)).toThrow(
      broken(`journal record 12 of shard 7 cannot be read: ${what}`),
    );
  });

  it("a record of another shard", () => {
    expect(() => decodeRecord(encodeRecord(record), { shard: 8, sequence: 12 })).toThrow(
      broken("journal record 12 of shard 8 cannot be read: it is record 12 of shard 7"),
    );
  });

  it("a word that is no text is damage, not a newer word", () => {
    const text = encodeRecord(record).replace('"SUBMIT"', "5");
    expect(() => decodeRecord(text)).toThrow(
      broken(`journal record 12 of shard 7 cannot be read: ${INCOMPLETE}: "source" of a cause VENUE`),
    );
  });

  it("a member that is no object", () => {
    const text = encodeRecord(record).replace('{"kind":"VENUE","source":"SUBMIT"}', "5");
    expect(() => decodeRecord(text)).toThrow(
      broken(`journal record 12 of shard 7 cannot be read: ${INCOMPLETE}: "cause" of a record`),
    );
  });

  it("a long number that is no text", () => {
    const long = encodeParent({ ...parent, notBeforeMs: 1, executedNotional: (10n ** 20n) as never });
    const text = long.replace('{"n":"100000000000000000000"}', '{"n":5}');
    expect(() => decodeParent(text)).toThrow("a number cannot be read");
  });

  it("a missing member, and not one that may be absent", () => {
    const subject = new Subject().order;
    const { parent: members } = JSON.parse(encodeParent(subject)) as { parent: Record<string, unknown> };
    for (const name of Object.keys(members).filter((each) => each !== "orderId")) {
      const { [name]: _missing, ...rest } = members;
      expect(() => decodeParent(JSON.stringify({ v: 1, parent: rest }))).toThrow(
        broken(`parent order ${subject.orderId} cannot be read: ${INCOMPLETE}: "${name}" of a parent`),
      );
    }
  });

  it.each([
    ["x", "broken text at character 0 of 1"],
    ['{"v":1,"parent":{"orderId":"x"}}', INCOMPLETE],
  ])("a parent: %s", (text, what) => {
    expect(() => decodeParent(text)).toThrow(broken(`parent order cannot be read: ${what}`));
    expect(() => decodeParent(text, -5)).toThrow(broken(`parent order -5 cannot be read: ${what}`));
  });

  it("a parent with a damaged member", () => {
    const text = encodeParent(parent).replace(/"accountId":\d+/, '"accountId":"x"');
    expect(() => decodeParent(text)).toThrow(
      broken(`parent order ${orderId} cannot be read: ${INCOMPLETE}: "accountId" of a parent`),
    );
  });
});

describe("I53: the error of a damaged or newer part of a parent names the part", () => {
  const trailing = { kind: "bps", bps: 5 } as const;
  const schedule = { intervalMs: 60_000, intervalDelayMs: 0, weights: [1, 2] };
  const text = encodeParent({ ...parent, intent: { ...parent.intent, trailing, schedule } });

  it("an entry of a list", () => {
    const damaged = text.replace('"weights":[1,2]', '"weights":["x",2]');
    expect(() => decodeParent(damaged)).toThrow(
      broken(`parent order ${orderId} cannot be read: ${INCOMPLETE}: an entry`),
    );
  });

  it.each([
    ["a stall", { stall: { cause: "REFUSED", alertedAtMs: 12_345 } }, '"alertedAtMs"'],
    ["an early close", { earlyClose: { atMs: 1, waitMs: 12_345 } }, '"waitMs"'],
  ] as const)("%s", (owner, members, name) => {
    const damaged = encodeParent({ ...parent, ...members }).replace(`${name}:12345`, `${name}:"x"`);
    expect(() => decodeParent(damaged)).toThrow(
      broken(`parent order ${orderId} cannot be read: ${INCOMPLETE}: ${name} of ${owner}`),
    );
  });

  it("a kind of trailing distance", () => {
    const newer = text.replace('{"kind":"bps","bps":5}', '{"kind":"ticks","ticks":5}');
    expect(() => decodeParent(newer)).toThrow('it holds the trailing distance kind "ticks"');
  });
});

describe("I53: the error of what cannot be written names it", () => {
  const NOT_PART = "is not part of the journal's format";
  const [strange, id] = [{ mood: 1 }, "a".repeat(60)];

  it("a record", () => {
    expect(() => encodeRecord({ ...record, ...strange })).toThrow(
      broken(`journal record 12 of shard 7 cannot be written: the member "mood" of a record ${NOT_PART}`),
    );
  });

  it("a parent", () => {
    expect(() => encodeParent({ ...parent, ...strange })).toThrow(
      broken(`parent order ${orderId} cannot be written: the member "mood" of a parent ${NOT_PART}`),
    );
  });

  it.each([
    ["a quantity that is a text", { executedQuantity: "5" }, '"executedQuantity" of a parent'],
    ["a mark that is not true", { held: false }, '"held" of a parent'],
    ["a mark that is a number", { held: 1 }, '"held" of a parent'],
    [
      "a choice that is a number",
      { intent: { ...parent.intent, reduceOnly: 1 } },
      '"reduceOnly" of an intent',
    ],
  ])("%s", (_what, members, place) => {
    expect(() => encodeParent({ ...parent, ...members } as unknown as ParentOrder)).toThrow(
      broken(`parent order ${orderId} cannot be written: ${place} ${NOT_PART}`),
    );
  });

  it("an intent, by the first characters of its client id", () => {
    const intent: ParentIntent = { ...parent.intent, clientOrderId: id };
    expect(() => requireStorable(intent)).not.toThrow();
    expect(() => requireStorable({ ...intent, ...strange })).toThrow(
      broken(
        `the intent of "${id.slice(0, 36)}" cannot be written: the member "mood" of an intent ${NOT_PART}`,
      ),
    );
  });

  it.each([
    ["a child", "child"],
    ["a plan", "plan"],
    ["a list membership", "list"],
    ["an activation", "activation"],
    ["a trigger", "trigger"],
    ["a pending end", "pendingEnd"],
    ["an end", "ended"],
  ])("%s of a parent", (name, member) => {
    expect(() => encodeParent({ ...parent, [member]: strange })).toThrow(
      broken(`parent order ${orderId} cannot be written: the member "mood" of ${name} ${NOT_PART}`),
    );
  });

  it("a schedule of an intent", () => {
    const intent = { ...parent.intent, schedule: strange } as unknown as ParentIntent;
    expect(() => requireStorable(intent)).toThrow(`the member "mood" of a schedule ${NOT_PART}`);
  });

  it.each([
    ["a quote", { kind: "QUOTE", quote: strange }],
    ["a print", { kind: "PRINT", print: strange }],
  ])("%s of a record", (name, cause) => {
    expect(() => encodeRecord({ ...record, cause } as unknown as JournalRecord)).toThrow(
      broken(`journal record 12 of shard 7 cannot be written: the member "mood" of ${name} ${NOT_PART}`),
    );
  });

  it("a fill of a fact", () => {
    const facts = [{ kind: "FILLED", childId: "x", fill: strange }];
    const changes = [{ orderId: -1, previous: 0, facts }] as unknown as JournalRecord["changes"];
    expect(() => encodeRecord({ ...record, changes })).toThrow(
      broken(`journal record 12 of shard 7 cannot be written: the member "mood" of a fill ${NOT_PART}`),
    );
  });

  it("an error of a member's own is passed on", () => {
    const value = Object.defineProperty({ ...record }, "timeMs", {
      enumerable: true,
      get: () => {
        throw new RangeError("own");
      },
    });
    expect(() => encodeRecord(value)).toThrow(new RangeError("own"));
  });
});

describe("long rows of numbers are packed when a parent is read", () => {
  const row = Array.from({ length: 64 }, (_, index) => index + 1);
  const { plan: _, ...plain } = parent;

  it("the sums of a plan", () => {
    const plan = { startsAtMs: 1, intervalMs: 60_000, count: 64, cumulative: row };
    const read = decodeParent(encodeParent({ ...plain, plan }));
    expect(read.plan?.cumulative).toBeInstanceOf(PackedNumbers);
    expect([...(read.plan?.cumulative ?? [])]).toEqual(row);
  });

  it("the weights of an intent, and a parent without a plan gets none", () => {
    const schedule = { intervalMs: 60_000, intervalDelayMs: 0, weights: row };
    const read = decodeParent(encodeParent({ ...plain, intent: { ...plain.intent, schedule } }));
    expect(read.intent.schedule?.weights).toBeInstanceOf(PackedNumbers);
    expect(read).not.toHaveProperty("plan");
  });
});
