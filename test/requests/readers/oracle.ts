import type * as z from "zod";
import { type ErrorName, OrderError } from "../../../src/errors/index.ts";
import type { FieldRules } from "../../../src/requests/field-set.ts";
import {
  illegal,
  invalid,
  type NameOf,
  type PlainFields,
  parameterOf,
} from "../../../src/requests/parameters.ts";
import { zodObject } from "../../../src/requests/schemas/zod-schema.ts";

type Issue = z.core.$ZodIssue;

/**
 * Reads fields with zod, by the schema from which descriptions are made: the way of reading before the rules had
 * readers of their own. Throws the OrderError of the first issue; issues of unknown fields come before all others.
 */
export function zodReader(rules: FieldRules): (fields: PlainFields, nameOf: NameOf) => object {
  const schema = zodObject(rules);
  return (fields, nameOf) => {
    const result = schema.safeParse(fields, { reportInput: true });
    if (result.success) return result.data;
    const { issues } = result.error;
    const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
    if (issue === undefined) throw result.error;
    throw refusalOf(issue, nameOf);
  };
}

function refusalOf(issue: Issue, nameOf: NameOf): OrderError {
  if (issue.code === "unrecognized_keys") {
    return new OrderError("PARAMETER_NOT_REQUIRED", { field: nameOf(String(issue.keys[0])) });
  }
  const field = String(issue.path[0]);
  const name = nameOf(field);
  if (issue.input === undefined) return new OrderError("PARAMETER_MISSING", { field: name });
  return specificRefusal(issue, field, name) ?? invalid(field, name);
}

/** The errors that say more than that a value is not valid. */
function specificRefusal(issue: Issue, field: string, name: string): OrderError | undefined {
  const { empty, above } = parameterOf(field);
  switch (issue.code) {
    case "invalid_format":
      return illegal(name, String(issue.pattern).slice(1, -1));
    case "too_small":
      return issue.origin === "string"
        ? new OrderError(empty ?? "PARAMETER_EMPTY", { field: name })
        : undefined;
    case "too_big":
      return above && new OrderError(above, { field: name, limit: String(issue.maximum) });
    case "custom": {
      const reason = issue.params?.reason as ErrorName | undefined;
      return reason && new OrderError(reason, { field: name, decimals: String(issue.params?.decimals) });
    }
    default:
      return undefined;
  }
}
