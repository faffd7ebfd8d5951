import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { JsonInput } from "../../wire/index.ts";

/** Description of a route: its tag, its purpose, its reply and an example request. */
export type RouteNote = Readonly<{
  tag: "Market" | "Orders" | "Lists" | "Native orders" | "Existing clients";
  summary: string;
  about: string;
  reply: JsonSchema;
  /** Present if the route counts new orders and reports the counts in headers. */
  counts?: true;
  /** Name of the schema of its body, if it has one. */
  body?: string;
  /** A valid request. */
  example?: Readonly<Record<string, JsonInput>>;
  /** Explains a weight that depends on parameters. */
  weight?: string;
}>;
