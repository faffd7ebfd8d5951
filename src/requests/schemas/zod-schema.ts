import * as z from "zod";
import { DECIMAL_GRAMMAR, decimalProblem, type Scaled } from "../../decimal/index.ts";
import type { FieldRules } from "../field-set.ts";
import { DECIMAL_ERRORS, type DecimalTerms, type FieldRule, type RuleTerms } from "../rule.ts";

const DECIMAL = new RegExp(DECIMAL_GRAMMAR);

/** Number of digits that the grammar allows before the point. */
const MOST_DIGITS = 20;

/**
 * Returns the pattern of accepted values for descriptions. It also matches zero where zero is refused. It has no
 * look-ahead, which many tools do not support.
 */
const patternOf = ({ scale, digits }: DecimalTerms): string =>
  `^0{0,${MOST_DIGITS - digits}}[0-9]{1,${digits}}(\\.[0-9]{1,${scale}})?$`;

function decimalSchema(terms: DecimalTerms): z.ZodType {
  const { scale, parse, below } = terms;
  const parsed = z
    .string()
    .regex(DECIMAL)
    .transform((input, context): Scaled => {
      const value = parse(input);
      if (value !== undefined) return value;
      const reason = DECIMAL_ERRORS[decimalProblem(input, scale)];
      context.issues.push({ code: "custom", input, params: { reason, decimals: scale } });
      return z.NEVER;
    });
  const schema = below === undefined ? parsed : parsed.refine((value) => value < below);
  return schema.meta({ pattern: patternOf(terms) });
}

function textSchema({ pattern, reserved }: Extract<RuleTerms, { kind: "text" }>): z.ZodType {
  const some = z.string().min(1);
  const schema = pattern === undefined ? some : some.regex(pattern);
  if (reserved === undefined) return schema;
  return schema.refine((value) => !reserved.test(value)).meta({ not: { pattern: reserved.source } });
}

function wholeSchema({ from, to }: Extract<RuleTerms, { kind: "whole" }>): z.ZodType {
  const whole = z.number().int();
  const bounded = from === undefined ? whole : whole.min(from);
  return to === undefined ? bounded : bounded.max(to);
}

function schemaOf(terms: RuleTerms): z.ZodType {
  switch (terms.kind) {
    case "text":
      return textSchema(terms);
    case "words":
      return z.enum(terms.words);
    case "only":
      return z.literal(terms.value);
    case "flag":
      return z.boolean();
    case "int64":
      return z.bigint();
    case "whole":
      return wholeSchema(terms);
    case "capped":
      return z.number().min(terms.from);
    case "decimal":
      return decimalSchema(terms);
    case "csv":
      return z
        .string()
        .min(1)
        .max(terms.longest, { abort: true })
        .regex(terms.pattern)
        .transform((items) => items.split(",").map((item) => Number.parseInt(item, 10)))
        .refine(terms.takes);
  }
}

/** Caps a value. The description states only the type. */
const cappedSchema = (schema: z.ZodType, cap: number): z.ZodType =>
  (schema as z.ZodType<number>).transform((value) => Math.min(value, cap)).meta({ type: "integer" });

/** Converts a rule to a zod schema. */
function zodOf({ terms, presence }: FieldRule<unknown>): z.ZodType {
  const own = schemaOf(terms);
  const present =
    presence === "required" ? own : presence === "optional" ? own.optional() : own.default(presence.preset);
  return terms.kind === "capped" ? cappedSchema(present, terms.cap) : present;
}

/**
 * Converts rules to a zod object. Descriptions are made from it, and tests compare the readers of the rules with it.
 * Reading a request does not need zod.
 */
export function zodObject(rules: FieldRules): z.ZodObject {
  return z.strictObject(Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, zodOf(rule)])));
}
