import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { differenceOf, holds, refused, same, shown } from "../../src/conformance/checks.ts";
import { ConformanceError, type TestFramework } from "../../src/conformance/index.ts";
import { declareSuite, type Suite } from "../../src/conformance/suite.ts";

import { Quantity } from "../../src/decimal/index.ts";
import { ExecutionIds } from "../../src/model/index.ts";
import { testOrderStore } from "../store/rules/index.ts";
import { recordTests } from "../support/recorded-tests.ts";
import { memorySubject } from "./order-store/faulty-place.ts";

type Rest = Partial<Suite<object, Readonly<{ part: boolean }>>>;

/** Runs a suite of one rule. Resolves to its error. */
async function broken(check: () => Promise<void>, rest: Rest = {}): Promise<unknown> {
  const [test] = recordTests((framework) =>
    declareSuite(framework, {
      port: "a port",
      subject: { name: "an adapter", supports: { part: true } },
      groups: { "a subject": { "the rule": { remedy: "Do it.", check } } },
      open: async () => ({}),
      ...rest,
    }),
  );
  return await test?.run().catch((error: unknown) => error);
}

describe("a broken rule", () => {
  it("is reported with the call, both answers and what to do, all as texts", async () => {
    const error = await broken(async () => same("sum()", [{ total: "5" }], [{ total: 5n }]));
    expect(error).toBeInstanceOf(ConformanceError);
    expect(error).toMatchObject({
      suite: "a port: an adapter",
      rule: "the rule",
      call: "sum()",
      expected: "[{ total: 5n }]; first difference at [0].total: 5n",
      answered: '[{ total: "5" }]; first difference at [0].total: "5"',
      remedy: "Do it.",
    });
    expect(String(error)).toBe(
      [
        "ConformanceError: a port: an adapter breaks the rule: the rule",
        "  call:     sum()",
        "  expected: [{ total: 5n }]; first difference at [0].total: 5n",
        '  answered: [{ total: "5" }]; first difference at [0].total: "5"',
        "  to do:    Do it.",
      ].join("\n"),
    );
  });

  it("is one whose adapter throws where it must answer; the error is the cause", async () => {
    const cause = new TypeError("no connection");
    const error = await broken(async () => {
      throw cause;
    });
    expect(error).toMatchObject({ cause, answered: "a rejection: TypeError: no connection" });
  });

  it("an error of another realm is an error, as in jest, whose tests have a realm of their own", async () => {
    const foreign: unknown = runInNewContext("new RangeError('not here')");
    expect(foreign).not.toBeInstanceOf(Error);
    expect(await refused("read()", () => Promise.reject(foreign))).toBe(foreign);
    const error = await broken(async () => {
      throw foreign;
    });
    expect(error).toMatchObject({
      call: "RangeError was thrown, see its cause",
      answered: "a rejection: RangeError: not here",
    });
    await expect(refused("read()", () => Promise.reject("text"))).rejects.toThrow("threw");
  });

  it("is one that cannot be opened, or cannot be closed; a failure of the check comes first", async () => {
    const fails = async () => {
      throw new Error("the disk is gone");
    };
    expect(await broken(async () => {}, { open: fails })).toMatchObject({ rule: "the rule" });
    const closing: Rest = {
      async open(atEnd) {
        atEnd(fails);
        return {};
      },
    };
    expect(await broken(async () => {}, closing)).toMatchObject({ rule: "the rule" });
    const both = await broken(async () => holds("check", false, "true", false), closing);
    expect(both).toMatchObject({ call: "check" });
  });

  it("is one that answers where it must refuse, or throws something other than an Error", async () => {
    expect(await broken(async () => void (await refused("f()", async () => 5)))).toMatchObject({
      expected: "a rejection",
      answered: "resolved to 5",
    });
    const thrown = async () => {
      throw "no";
    };
    expect(await broken(async () => void (await refused("f()", thrown)))).toMatchObject({
      answered: 'threw "no"',
    });
    expect(await broken(async () => void (await refused("f()", () => Promise.reject(new Error()))))).toBe(
      undefined,
    );
  });
});

describe("the comparison of answers", () => {
  it.each([
    [5, 5n],
    [5, "5"],
    [5n, "5"],
    [0.5, "0.5"],
    [undefined, null],
    [{ a: 1 }, { a: null }],
    [{ a: 1 }, {}],
    [[], {}],
    [[1], [1, 2]],
    [
      [1, 2],
      [2, 1],
    ],
    [ExecutionIds.of(["a"]), ["a"]],
    [ExecutionIds.of(["a"]), ExecutionIds.of(["b"])],
    [9007199254740993n, 9007199254740992],
  ])("%o is not %o", (answered, expected) => {
    expect(differenceOf(answered, expected)).toBeDefined();
    expect(differenceOf(expected, answered)).toBeDefined();
  });

  it.each([
    [{ a: undefined }, {}],
    [Number.NaN, Number.NaN],
    [[{ a: [1n] }], [{ a: [1n] }]],
    [ExecutionIds.of(["1 a"]).with("aqc-74-mggs-2", "b"), ExecutionIds.of(["1 a", "2 b"])],
    [Quantity.parse("1.5"), 1_500_000],
  ])("%o is %o", (answered, expected) => {
    expect(differenceOf(answered, expected)).toBeUndefined();
  });

  it("a report stays short and on one line, whatever was answered", () => {
    const circle: { self?: object } = {};
    circle.self = circle;
    for (const value of ["x\n".repeat(9_999), Array.from({ length: 9_999 }, (_, n) => n), circle]) {
      expect(shown(value).length).toBeLessThan(500);
      expect(shown(value)).not.toContain("\n");
    }
    expect(shown([1, 2n, "3", undefined, null, { a: [] }])).toBe('[1, 2n, "3", undefined, null, { a: [] }]');
  });
});

describe("a manifest", () => {
  const declare = (framework: TestFramework, supports: object): void =>
    testOrderStore(framework, { ...memorySubject("memory"), supports: supports as never });

  it("names every optional part, and no other", () => {
    const [whole, framework] = [memorySubject("memory").supports, { describe: () => {}, it: () => {} }];
    const { priceBars: _priceBars, ...rest } = whole;
    expect(() => declare(framework, rest)).toThrow(/testOrderStore\.supports\.priceBars is missing/);
    expect(() => declare(framework, { ...whole, priceBars: "yes" })).toThrow(TypeError);
    expect(() => declare(framework, { ...whole, priceBar: true })).toThrow(/priceBars/);
  });

  it("decides which rules are tested, those of absent parts too", () => {
    const namesOf = (subject = memorySubject("memory")) =>
      recordTests((framework) => testOrderStore(framework, subject)).map(({ name }) => name);
    const present = namesOf();
    const absent = namesOf(memorySubject("memory", undefined, { priceBars: false }));
    expect(present).toContain("a print makes one bar of each length, with the same figures");
    expect(present).not.toContain("a store without price bars returns none at all");
    expect(absent).not.toContain("a print makes one bar of each length, with the same figures");
    expect(absent).toContain("a store without price bars returns none at all");
  });
});
