import { OrderError } from "../errors/index.ts";
import type { ParentIntent, ParentType } from "../model/index.ts";

type Need = "required" | "optional" | "none";
const FIELDS = [
  "price",
  "stopPrice",
  "trailing",
  "limitOffset",
  "icebergQuantity",
  "schedule",
  "participationBips",
] as const;
type Shape = Readonly<Partial<Record<(typeof FIELDS)[number], Need>>>;

const CAPPED: Shape = { price: "required", icebergQuantity: "optional" };
const STOP: Shape = { stopPrice: "required" };
const TRAILING: Shape = { stopPrice: "optional", trailing: "required" };

/** The fields of each type; one that is not named is not taken. */
const SHAPES: Readonly<Record<ParentType, Shape>> = {
  SYNTHETIC_LIMIT: CAPPED,
  STOP_MARKET: STOP,
  STOP_LOSS_LIMIT: { ...STOP, ...CAPPED },
  TAKE_PROFIT_MARKET: STOP,
  TAKE_PROFIT_LIMIT: { ...STOP, ...CAPPED },
  TRAILING_STOP_MARKET: TRAILING,
  TRAILING_STOP_LIMIT: {
    ...TRAILING,
    price: "optional",
    limitOffset: "optional",
    icebergQuantity: "optional",
  },
  LIMIT_MAKER: { price: "required" },
  ICEBERG: { price: "required", icebergQuantity: "required" },
  TWAP: { price: "optional", schedule: "required" },
  VWAP: { price: "optional", schedule: "required" },
  POV: { price: "optional", participationBips: "required" },
};

/** A stop or take-profit leg of a list may trail, and needs no stop price then (decision 18). */
function shapeOf({ type, trailing }: ParentIntent, isLeg: boolean): Shape {
  const shape = SHAPES[type];
  if (!isLeg || shape.stopPrice !== "required" || trailing === undefined) return shape;
  return { ...shape, stopPrice: "optional", trailing: "optional" };
}

/** The fields a type needs; an intent that was built in process by hand is held to them too. Throws an OrderError that names the field. */
export function checkShape(intent: ParentIntent, isLeg: boolean): void {
  const shape = shapeOf(intent, isLeg);
  for (const field of FIELDS) {
    const given = intent[field] !== undefined;
    const need = shape[field] ?? "none";
    if (need === "required" && !given) throw new OrderError("PARAMETER_MISSING", { field });
    if (need === "none" && given) throw new OrderError("PARAMETER_NOT_REQUIRED", { field });
  }
  if (
    intent.type !== "TRAILING_STOP_LIMIT" ||
    (intent.price === undefined) !== (intent.limitOffset === undefined)
  )
    return;
  throw new OrderError("BAD_COMBINATION", {
    fields: "'price', 'limitOffset'",
    advice: "Send exactly one of price and limitOffset.",
  });
}
