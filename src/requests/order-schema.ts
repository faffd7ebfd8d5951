import * as z from "zod";
import type { Price, Quantity } from "../decimal/index.ts";
import type { ChildTimeInForce, ParentType, Side, TimeInForce } from "../model/index.ts";
import {
  basisPointsSchema,
  expirySchema,
  intervalCountSchema,
  intervalDelaySchema,
  intervalSchema,
  newClientIdSchema,
  offsetSchema,
  participationSchema,
  percentSchema,
  priceSchema,
  quantitySchema,
  textSchema,
  weightsSchema,
} from "./field-schemas.ts";

/** The fields of an order, each read by itself; how they go together is not looked at yet. */
export type OrderFieldValues = Readonly<{
  type: ParentType;
  symbol: string;
  side: Side;
  quantity: Quantity;
  timeInForce?: TimeInForce | undefined;
  expireTime?: number | undefined;
  goodTillDate?: number | undefined;
  reduceOnly: boolean;
  childTimeInForce: ChildTimeInForce;
  newClientOrderId: string;
  price?: Price | undefined;
  stopPrice?: Price | undefined;
  trailingDelta?: number | undefined;
  price2?: Price | undefined;
  trailingAmount?: Price | undefined;
  limitOffset?: Price | undefined;
  icebergQty?: Quantity | undefined;
  interval?: number | undefined;
  intervalCount?: number | undefined;
  intervalDelay?: number | undefined;
  volumeProfile?: readonly number[] | undefined;
  participationBips?: number | undefined;
}>;

const MINUTE_MS = 60_000;

const everyOrder = {
  symbol: textSchema,
  side: z.enum(["BUY", "SELL"]),
  quantity: quantitySchema,
  timeInForce: z.enum(["GTC", "GTD"]).optional(),
  expireTime: expirySchema.optional(),
  goodTillDate: expirySchema.optional(),
  reduceOnly: z.boolean().default(false),
  childTimeInForce: z.enum(["IOC", "FOK"]).default("IOC"),
  newClientOrderId: newClientIdSchema,
  apiManaged: z.literal(true).optional(),
};

const capped = { price: priceSchema, icebergQty: quantitySchema.optional() };

const trailing = {
  trailingDelta: basisPointsSchema.optional(),
  price2: percentSchema.optional(),
  trailingAmount: priceSchema.optional(),
  stopPrice: priceSchema.optional(),
};

const stop = { stopPrice: priceSchema };

/** A stop or take-profit leg may trail by basis points, and needs no stop price then (decision 18). */
const stopOfLeg = { stopPrice: priceSchema.optional(), trailingDelta: basisPointsSchema.optional() };

/** A price only where targetStrategy made the type; {@link typedOrder} sees to that. */
const scheduled = { price: priceSchema.optional(), intervalDelay: intervalDelaySchema.optional() };

const orderOf = <T extends ParentType, S extends z.ZodRawShape>(type: T, own: S) =>
  z.strictObject({ type: z.literal(type), ...everyOrder, ...own });

const untriggered = [
  orderOf("SYNTHETIC_LIMIT", capped),
  orderOf("LIMIT_MAKER", { price: priceSchema }),
  orderOf("ICEBERG", { price: priceSchema, icebergQty: quantitySchema }),
] as const;

const trails = [
  orderOf("TRAILING_STOP_MARKET", trailing),
  orderOf("TRAILING_STOP_LIMIT", {
    ...trailing,
    price: priceSchema.optional(),
    limitOffset: offsetSchema.optional(),
    icebergQty: quantitySchema.optional(),
  }),
] as const;

/** The fields that each type takes, required and optional (contract, Order type values). */
export const orderSchema: z.ZodType<OrderFieldValues> = z.discriminatedUnion("type", [
  ...untriggered,
  ...trails,
  orderOf("STOP_MARKET", stop),
  orderOf("STOP_LOSS_LIMIT", { ...stop, ...capped }),
  orderOf("TAKE_PROFIT_MARKET", stop),
  orderOf("TAKE_PROFIT_LIMIT", { ...stop, ...capped }),
  orderOf("TWAP", { ...scheduled, interval: intervalSchema, intervalCount: intervalCountSchema }),
  orderOf("VWAP", {
    ...scheduled,
    interval: intervalSchema.default(MINUTE_MS),
    intervalCount: intervalCountSchema.optional(),
    volumeProfile: weightsSchema.optional(),
  }),
  orderOf("POV", { price: priceSchema.optional(), participationBips: participationSchema }),
]);

/** The fields that each type takes as a leg of a list; there are no schedules in lists (contract rule 8). */
export const legSchema: z.ZodType<OrderFieldValues> = z.discriminatedUnion("type", [
  ...untriggered,
  ...trails,
  orderOf("STOP_MARKET", stopOfLeg),
  orderOf("STOP_LOSS_LIMIT", { ...stopOfLeg, ...capped }),
  orderOf("TAKE_PROFIT_MARKET", stopOfLeg),
  orderOf("TAKE_PROFIT_LIMIT", { ...stopOfLeg, ...capped }),
]);
