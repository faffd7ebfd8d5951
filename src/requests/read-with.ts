import type * as z from "zod";
import { type ErrorName, OrderError } from "../errors/index.ts";
import type { Field } from "./field.ts";
import { parameterOf } from "./parameters.ts";
import type { PlainFields } from "./plain-fields.ts";
import { illegal, invalid, type NameOf, ownName } from "./refusals.ts";

type Issue = z.core.$ZodIssue;

/**
 * Reads fields with a schema. Throws the OrderError of the first issue in the order of the schema's fields; a field
 * that does not belong there comes before all others. Errors name fields as `nameOf` does.
 */
export function readWith<T>(schema: z.ZodType<T>, fields: PlainFields, nameOf: NameOf = ownName): T {
  const result = schema.safeParse(fields, { reportInput: true });
  if (result.success) return result.data;
  const { issues } = result.error;
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (issue === undefined) throw result.error;
  throw refusalOf(issue, nameOf);
}

function refusalOf(issue: Issue, nameOf: NameOf): OrderError {
  if (issue.code === "unrecognized_keys") {
    return new OrderError("PARAMETER_NOT_REQUIRED", { field: nameOf(String(issue.keys[0])) });
  }
  const field = String(issue.path[0]);
  const name = nameOf(field);
  if (issue.input === undefined) return new OrderError("PARAMETER_MISSING", { field: name });
  return specificRefusal(issue, parameterOf(field), name) ?? invalid(field, name);
}

/** The errors that say more than that a value is not valid. */
function specificRefusal(issue: Issue, rule: Field, field: string): OrderError | undefined {
  switch (issue.code) {
    case "invalid_format":
      return illegal(field, String(issue.pattern).slice(1, -1));
    case "too_small":
      return issue.origin === "string"
        ? new OrderError(rule.empty ?? "PARAMETER_EMPTY", { field })
        : undefined;
    case "too_big":
      return rule.above && new OrderError(rule.above, { field, limit: String(issue.maximum) });
    case "custom":
      return decimalRefusal(issue.params, field);
    default:
      return undefined;
  }
}

function decimalRefusal(params: z.core.$ZodIssueCustom["params"], field: string): OrderError | undefined {
  const reason = params?.reason as ErrorName | undefined;
  return reason && new OrderError(reason, { field, decimals: String(params?.decimals) });
}
