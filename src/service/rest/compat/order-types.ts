import { type ParentType, TRAITS } from "../../../model/index.ts";
import { COMPAT_TRAILING, conflict } from "../../../requests/index.ts";
import type { Parameters, Scalar } from "../../../wire/index.ts";

/**
 * Returns the parameters of a placement with the service's own type. Only a stop or take-profit with trailingDelta has
 * another type here: it is a trailing stop. Its stopPrice is the gate of a take-profit in the convention, and the same
 * gate here. A stop-loss has the opposite gate in the convention, which no type here has: with a stopPrice it is
 * refused (-1128). Source: decision NC; convention 1.2 a.
 */
export function withOwnType(parameters: Parameters): Parameters {
  const sent = parameters.get("type")?.text ?? "";
  const trailing = parameters.has("trailingDelta") ? COMPAT_TRAILING.get(sent) : undefined;
  if (trailing === undefined) return parameters;
  if (sent.startsWith("STOP_LOSS") && parameters.has("stopPrice")) {
    throw conflict(
      ["stopPrice", "trailingDelta"],
      "Omit stopPrice: a stop-loss trails from its acceptance on. With stopPrice, send TAKE_PROFIT or TAKE_PROFIT_LIMIT.",
    );
  }
  const type: Scalar = { text: trailing, kind: "text" };
  return new Map([...parameters, ["type", type]]);
}

/** An order as far as its type in the convention depends on it. */
type TypedOrder = Readonly<{ type: string; stopPrice?: unknown }>;

/** Names of canonical types in the convention. The other types have their own name, or trail. */
const NAMES: Readonly<Partial<Record<string, string>>> = {
  SYNTHETIC_LIMIT: "LIMIT",
  ICEBERG: "LIMIT",
  STOP_MARKET: "STOP_LOSS",
  TAKE_PROFIT_MARKET: "TAKE_PROFIT",
} satisfies Partial<Record<ParentType, string>>;

/**
 * Returns the name that the convention has for the type of an order. A trailing stop is a take-profit if it has a gate,
 * else a stop-loss, as {@link withOwnType} reads them. A schedule has no name in the convention and keeps its own.
 */
export function typeForClient({ type, stopPrice }: TypedOrder): string {
  const { trigger, limit } = TRAITS[type as ParentType] ?? {};
  if (trigger !== "trailing") return NAMES[type] ?? type;
  const kind = stopPrice === undefined ? "STOP_LOSS" : "TAKE_PROFIT";
  return limit === "none" ? kind : `${kind}_LIMIT`;
}

const NATIVE: ReadonlySet<string> = new Set(["LIMIT", "MARKET"]);

/**
 * Returns the types of a market in the convention's names, each once. Schedules are left out, and aliases, whose types
 * are listed too.
 */
export function typesForClient(types: readonly string[]): readonly string[] {
  const named = types.filter((type) => {
    const traits = TRAITS[type as ParentType];
    return traits === undefined ? NATIVE.has(type) : traits.schedule === undefined;
  });
  return [...new Set(named.map((type) => typeForClient({ type })))];
}
