import { describe, expect, it } from "vitest";
import { parseSource } from "./source-file.ts";
import { check, LIMITS, sourceRules } from "./source-rules.ts";

type Sample = readonly [path: string, text: string];

const rulesBroken = ([path, text]: Sample): readonly string[] => [
  ...new Set(check(parseSource(path, text)).map((finding) => finding.rule)),
];

const lines = (count: number, line: string): string => `${line}\n`.repeat(count);

/** Planted violations: every text breaks the rule under which it is listed, and no other. */
const planted: Readonly<Record<string, readonly Sample[]>> = {
  clock: [
    ["engine/a.ts", "const at = Date.now();"],
    ["engine/a.ts", "const at = globalThis.Date.now();"],
    ["engine/a.ts", "const { now } = Date;"],
    ["model/a.ts", "const at = new Date();"],
    ["model/a.ts", "const at = Date();"],
    ["adapters/memory/a.ts", 'const at = Date["now"]();'],
    ["adapters/sqlite/a.ts", "const at = performance.now();"],
  ],
  chance: [
    ["lifecycle/a.ts", "const id = Math.random();"],
    ["lifecycle/a.ts", "const draw = Math.random;"],
    ["service/a.ts", "const id = crypto.randomUUID();"],
    ["service/a.ts", "const id = globalThis.crypto.randomUUID();"],
  ],
  timers: [
    ["engine/a.ts", "setTimeout(() => {}, 5);"],
    ["engine/a.ts", "const wait = globalThis.setTimeout;"],
    ["engine/a.ts", "run({ setTimeout });"],
    ["adapters/memory/a.ts", "setInterval(() => {}, 5);"],
    ["service/a.ts", "setImmediate(() => {});"],
  ],
  turns: [["engine/a.ts", "queueMicrotask(() => {});"]],
  spread: [
    ["engine/a.ts", "all.push(...some);"],
    ["engine/a.ts", "const last = Math.max(0, ...times);"],
    ["adapters/memory/a.ts", "const made = new Row(...columns);"],
    ["engine/a.ts", "const put = (rows: Row[], ...rest: number[]) => insert(...rows);"],
  ],
  process: [
    ["engine/a.ts", "const path = process.env.PATH;"],
    ["adapters/sqlite/a.ts", 'process.on("exit", () => {});'],
    ["service/a.ts", "const cwd = globalThis.process.cwd();"],
  ],
  console: [["engine/a.ts", 'console.warn("late");']],
  json: [
    ["service/a.ts", 'const order = JSON.parse("{}");'],
    ["adapters/sqlite/a.ts", "const order = rows.map(JSON.parse);"],
    ["engine/a.ts", "const { parse } = JSON;"],
  ],
  url: [
    ["wire/a.ts", 'const query = new URL("http://a/?b");'],
    ["signing/a.ts", 'const query = new URLSearchParams("a=b");'],
    ["service/a.ts", "const query = new globalThis.URL(target);"],
  ],
  float: [
    ["sandbox/a.ts", 'const price = parseFloat("1");'],
    ["decimal/a.ts", "const prices = texts.map(Number.parseFloat);"],
  ],
  number: [
    ["wire/a.ts", "const limit = Number(text);"],
    ["wire/a.ts", "const limits = texts.map(Number);"],
    ["requests/a.ts", "const limit = parseInt(text);"],
    ["requests/a.ts", "const limit = Number.parseInt(text);"],
    ["requests/a.ts", "const limits = texts.map(Number.parseInt);"],
    ["engine/a.ts", "const limit = +text;"],
  ],
  any: [
    ["engine/a.ts", "const order = text as any;"],
    ["engine/a.ts", "function read(text: any): void {}"],
  ],
  suppression: [
    ["engine/a.ts", "// @ts-ignore\nconst a = 1;"],
    ["engine/a.ts", "// @ts-expect-error\nconst a = 1;"],
    ["engine/a.ts", "// biome-ignore lint/x: y\nconst a = 1;"],
  ],
  unfinished: [
    ["engine/a.ts", "// TODO later\nconst a = 1;"],
    ["engine/a.ts", "/* FIXME */ const a = 1;"],
  ],
  syntax: [
    ["model/a.ts", "enum Side { BUY }"],
    ["model/a.ts", "namespace Side { const a = 1; }"],
    ["model/a.ts", "/** A side. */\nexport default function side(): void {}"],
    ["model/a.ts", 'const side = "BUY";\nexport default side;'],
    ["model/index.ts", 'export * from "./a.ts";'],
  ],
  imports: [
    ["engine/a.ts", 'import { price } from "../decimal/units.ts";'],
    ["engine/a.ts", 'import type { Price } from "../decimal/units.ts";'],
    ["engine/a.ts", 'import { price } from "../decimal/index.js";'],
    ["engine/a.ts", 'import { price } from "../decimal";'],
    ["engine/a.ts", 'type Price = import("../decimal/units.ts").Price;'],
    ["engine/a.ts", 'const units = await import("../decimal/units.ts");'],
    ["engine/a.ts", 'import { price } from "managed-orders";'],
    ["engine/a.ts", 'import { hmacSha256Hex } from "#hmac";'],
    ["adapters/node/a.ts", 'import { store } from "../memory/store.ts";'],
    ["sandbox/venue/a.ts", 'import { price } from "../../decimal/units.ts";'],
  ],
  zod: [
    ["requests/a.ts", 'import { z } from "zod";'],
    ["requests/a.ts", 'import z from "zod";'],
  ],
  index: [["engine/index.ts", "/** One. */\nexport const one = 1;"]],
  documented: [
    ["engine/a.ts", "export const one = 1;"],
    ["engine/a.ts", "export type One = 1;"],
    ["engine/a.ts", "// One.\nexport function one(): void {}"],
    ["engine/a.ts", "/** One. */\nexport class One {}\nexport class Two {}"],
  ],
  "file-length": [["engine/a.ts", lines(LIMITS.file + 1, "// line")]],
  "function-length": [
    ["engine/a.ts", `function long(): void {\n${lines(LIMITS.function - 1, "  // line")}}`],
    ["engine/a.ts", `const long = () => {\n${lines(LIMITS.function - 1, "  // line")}};`],
    ["engine/a.ts", `class Long {\n  run() {\n${lines(LIMITS.function - 1, "    // line")}  }\n}`],
  ],
};

/** Texts that the rules must accept. */
const sound: readonly Sample[] = [
  [
    "adapters/node/a.ts",
    "const at = Date.now();\nsetTimeout(() => {}, 5);\nconsole.log(process.pid, Math.random());",
  ],
  ["sandbox/a.ts", 'const at = new Date();\nconst row = JSON.parse("{}");'],
  ["wire/a.ts", 'const row = JSON.parse("{}");'],
  [
    "engine/a.ts",
    "const all = [...some, ...others];\nconst one = { ...first, last: (...all: Row[]) => all };",
  ],
  ["adapters/memory/a.ts", "queueMicrotask(() => {});"],
  ["adapters/memory/a.ts", "const put = (...row: Row) => named(() => insert(...row));"],
  [
    "engine/a.ts",
    "const at = new Date(0);\nconst text = JSON.stringify(at);\nconst max = Number.MAX_SAFE_INTEGER;",
  ],
  ["engine/a.ts", "const ok = Number.isSafeInteger(1) && Math.min(1, 2) === +1;"],
  ["engine/a.ts", "const host = { process: 1, setTimeout: 2 };\nhost.process = host.setTimeout;"],
  ["decimal/a.ts", "const whole = Number(text);"],
  ["signing/a.ts", "const byte = Number.parseInt(hex, 16) + parseInt(hex, 16);"],
  ["engine/a.ts", 'import { price } from "../decimal/index.ts";\nimport { shard } from "./shard.ts";'],
  [
    "sandbox/venue/a.ts",
    'import { settings } from "../settings.ts";\nimport { price } from "../../decimal/index.ts";',
  ],
  ["adapters/node/a.ts", 'import { service } from "../../service/index.ts";'],
  ["signing/a.ts", 'import { hmacSha256Hex } from "#hmac";'],
  ["requests/a.ts", 'import * as z from "zod";'],
  ["index.ts", 'export * from "./decimal/index.ts";'],
  ["engine/index.ts", 'export { one, type Two } from "./one.ts";\nexport type { Three } from "./three.ts";'],
  [
    "engine/a.ts",
    "/** One. */\nexport function one(a: 1): void;\nexport function one(a: 2): void;\nexport function one(): void {}",
  ],
  ["engine/a.ts", lines(LIMITS.file, "// line")],
  ["engine/a.ts", `function long(): void {\n${lines(LIMITS.function - 2, "  // line")}}`],
];

describe("the rules of the sources", () => {
  it("a violation is planted for every rule", () => {
    expect(Object.keys(planted).sort()).toEqual(sourceRules.map((rule) => rule.name).sort());
  });

  for (const [rule, samples] of Object.entries(planted)) {
    for (const sample of samples) {
      it(`${rule} finds ${JSON.stringify(sample[1].slice(0, 60))} in ${sample[0]}`, () => {
        expect(rulesBroken(sample)).toEqual([rule]);
      });
    }
  }

  for (const sample of sound) {
    it(`${sample[0]} is accepted: ${JSON.stringify(sample[1].slice(0, 60))}`, () => {
      expect(rulesBroken(sample)).toEqual([]);
    });
  }

  it("a finding names file, line and text", () => {
    expect(check(parseSource("engine/a.ts", "const a = 1;\nconst at = Date.now();"))).toEqual([
      { rule: "clock", path: "engine/a.ts", line: 2, what: "const at = Date.now();" },
    ]);
  });
});
