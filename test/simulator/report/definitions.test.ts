import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { STATISTICS, TRADE_STATISTICS, TRADES } from "../../../src/simulator/report/statistics.ts";

const source = readFileSync(new URL("../../../src/simulator/statistics.ts", import.meta.url), "utf8");

/** Returns the comment before a text of the source, in one line and without marks. */
function commentBefore(text: string): string {
  const end = source.indexOf(text);
  if (end < 0) throw new Error(`statistics.ts has no ${text}`);
  const start = source.lastIndexOf("/**", end);
  const words = source.slice(start + 3, source.indexOf("*/", start));
  return words
    .replace(/^\s*\* ?/gm, "")
    .replace(/`/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

const interfaceOf = (name: string): string => {
  const start = source.indexOf(`export interface ${name} {`);
  return source.slice(start, source.indexOf("\n}", start));
};

const membersOf = (name: string): readonly string[] =>
  [...interfaceOf(name).matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member = ""]) => member);

it("decision RH: the page has each figure with the words of its comment", () => {
  expect([...Object.keys(STATISTICS), "trades"].sort()).toEqual([...membersOf("Statistics")].sort());
  for (const [key, [, , definition]] of Object.entries(STATISTICS))
    expect(
      commentBefore(interfaceOf("Statistics").match(new RegExp(` {2}readonly ${key}\\??:.*`))?.[0] ?? ""),
    ).toBe(definition);
  expect(Object.keys(TRADE_STATISTICS)).toEqual(membersOf("TradeStatistics"));
  const trades = source.indexOf("export interface TradeStatistics");
  for (const [key, [, , definition]] of Object.entries(TRADE_STATISTICS)) {
    const member = source.slice(trades).match(new RegExp(` {2}readonly ${key}\\??:.*`))?.[0] ?? "";
    const end = source.indexOf(member, trades);
    const start = source.lastIndexOf("/**", end);
    expect(source.slice(start + 3, source.indexOf("*/", start)).trim()).toBe(definition);
  }
  expect(commentBefore("export interface TradeStatistics")).toBe(TRADES);
});
