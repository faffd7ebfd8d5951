import type { Random } from "../../../src/common/random.ts";
import type { FieldSet } from "../../../src/requests/field-set.ts";
import { parameterOf } from "../../../src/requests/parameters.ts";
import type { RuleTerms } from "../../../src/requests/rule.ts";
import { NUMBERS, TEXTS } from "../../campaigns/fuzz/hostile-values.ts";

/** Values of JavaScript that a caller may pass in process, whatever the types say. */
const ANY: readonly unknown[] = [
  ...[null, undefined, true, false, [], {}, ["1"], { toString: "1" }, 0n, -1n, 2n ** 63n, 10n],
  ...[0, -0, 1, -1, 0.5, 1.5, 100, 1_000, 1_001, 2 ** 31, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e300],
  ...[
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    253_402_300_798_999,
    253_402_300_799_000,
  ],
  ...[
    "GTC",
    "GTD",
    "GTX",
    "IOC",
    "FOK",
    "BUY",
    "SELL",
    "buy",
    "NONE",
    "LIMIT",
    "MARKET",
    "aqc-1",
    "AQC-x",
    ".",
    "..",
  ],
  ...[
    "x".repeat(36),
    "x".repeat(37),
    "x".repeat(64),
    "x".repeat(65),
    "x".repeat(512),
    "x".repeat(513),
    "a b",
    "é",
  ],
  ...[
    "0",
    "0.0",
    "99.99999999",
    "100",
    "100.00000001",
    "9999999999.99999999",
    "10000000000",
    "999999999999.999999",
  ],
  ...[
    "1000000000000",
    "0.0000001",
    "0.000000001",
    "1".repeat(20),
    "1".repeat(21),
    "1,2",
    "0,0",
    "1,",
    ",1",
    "1,2,x",
  ],
  ...[
    "1,".repeat(9_999).concat("1"),
    "1,".repeat(10_000).concat("1"),
    "1234567890123456,1",
    "9".repeat(160_000),
  ],
];

const HOSTILE: readonly unknown[] = [...ANY, ...NUMBERS, ...TEXTS];

/** A value at a limit of a rule, one beyond, or one in the middle. */
function nearby(terms: RuleTerms, random: Random): unknown {
  switch (terms.kind) {
    case "only":
      return terms.value;
    case "words":
      return random.pick(terms.words);
    case "flag":
      return random.chance(0.5);
    case "int64":
      return BigInt(random.below(10)) - 5n;
    case "whole": {
      const { from = -5, to = 5 } = terms;
      return random.pick([from - 1, from, from + 1, to - 1, to, to + 1, 2 ** 53, -(2 ** 53)]);
    }
    case "capped":
      return random.pick([terms.from - 1, terms.from, terms.cap - 1, terms.cap, terms.cap + 1]);
    case "csv":
      return Array.from({ length: 1 + random.below(4) }, () => random.below(3)).join();
    case "decimal": {
      const whole = "9".repeat(random.below(terms.digits + 2));
      const decimals = random.pick([
        "",
        `.${"0".repeat(random.below(terms.scale + 2))}`,
        `.${random.below(10 ** 6)}`,
      ]);
      return `${whole}${decimals}`;
    }
    case "text":
      return String.fromCharCode(...Array.from({ length: random.below(70) }, () => 32 + random.below(96)));
  }
}

/** Fields for a set: mostly valid ones, in any order, some left out, some wrong, some unknown. */
export function fieldsFor({ rules }: FieldSet<unknown>, random: Random): Record<string, unknown> {
  const wrong = random.pick([0, 0.05, 0.05, 0.5]);
  const fields: [string, unknown][] = [];
  for (const [name, { terms, presence }] of Object.entries(rules)) {
    if (random.chance(presence === "required" ? 0.03 : 0.4)) continue;
    const usual = terms.kind === "only" ? terms.value : parameterOf(name).example;
    const value = name === "orderId" || name === "orderListId" ? BigInt(Number(usual)) : usual;
    const odd = random.chance(0.5) ? nearby(terms, random) : random.pick(HOSTILE);
    fields.push([name, random.chance(wrong) ? odd : value]);
  }
  if (random.chance(0.05)) fields.push([random.pick(["price", "stopPrice", "limit", "nobody", "x"]), "1"]);
  if (random.chance(0.5)) fields.sort(() => random.next() - 0.5);
  return Object.fromEntries(fields);
}
