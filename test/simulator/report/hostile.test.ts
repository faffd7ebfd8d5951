import { describe, expect, it } from "vitest";
import { reportOf, type SimulationResult } from "../../../src/simulator/index.ts";
import { elementsOf, parseHtml, rowsOf } from "../../support/html-tree.ts";
import { onWalk } from "./walks.ts";

const HOSTILE =
  "</title></style></script><script>alert(1)</script><img src=x onerror='alert(1)'>\" onload=\"alert(2)&amp;\u202e\u0000\ud800]]>-->";
const SHOWN = HOSTILE.replace("\u202e", "\\u{202e}")
  .replace("\u0000", "\\u{0}")
  .replace("\ud800", "\\u{d800}");

/** Replaces a symbol and every client id by a hostile text, wherever a result has them. */
function poisoned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const hostile = new Set(["symbol", "clientOrderId", "listClientOrderId", "hash"]);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, hostile.has(key) ? HOSTILE : poisoned(each)]),
  );
}

describe("hostile names in a report", () => {
  it("decision RJ: symbols, ids, title and parameters are text and never markup", async () => {
    const result = await onWalk(1);
    const hostile = poisoned(result) as SimulationResult;
    const text = reportOf(hostile, { title: HOSTILE, parameters: { [HOSTILE]: HOSTILE } });
    const page = parseHtml(text);
    const names = (of: string): readonly string[] =>
      elementsOf(parseHtml(of), () => true).map(({ name, attributes }) =>
        [name, ...attributes.keys()].join(" "),
      );
    const plain = names(reportOf(result, { title: "plain", parameters: { a: "b" } }));
    // The labels beside levels depend on the length of nothing foreign, so elements and attributes are the same.
    expect(names(text)).toEqual(plain);
    expect(rowsOf(page, "Parameters")).toEqual([[SHOWN, SHOWN]]);
    expect(rowsOf(page, "Managed orders")[0]?.slice(1, 3)).toEqual([SHOWN, SHOWN]);
    expect(elementsOf(page, ({ name }) => name === "h1")[0]?.text).toBe(SHOWN);
    expect(text).not.toContain("\u202e");
    expect(Buffer.from(text).toString()).toBe(text);
  });

  it("an option that is unknown or wrong is named", async () => {
    const result = await onWalk(1, () => undefined, { seconds: 10 });
    expect(() => reportOf(result, { titel: "a" } as never)).toThrow("titel");
    expect(() => reportOf(result, { maxRows: -1 })).toThrow("reportOf.maxRows");
    expect(() => reportOf(result, { parameters: { seed: 1 } as never })).toThrow('parameters["seed"]');
  });
});
