import * as z from "zod";
import type { Price, Quantity } from "../decimal/index.ts";
import type { ChildTimeInForce, ParentType, Side, TimeInForce } from "../model/index.ts";
import {
  basisPointsSchema,
  expirySchema,
  newClientIdSchema,
  offsetSchema,
  percentSchema,
  priceSchema,
  quantitySchema,
  textSchema,
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
}>;

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

const trailing = {
  trailingDelta: basisPointsSchema.optional(),
  price2: percentSchema.optional(),
  trailingAmount: priceSchema.optional(),
  stopPrice: priceSchema.optional(),
};

const orderOf = <T extends ParentType, S extends z.ZodRawShape>(type: T, own: S) =>
  z.strictObject({ type: z.literal(type), ...everyOrder, ...own });

/** The fields that each type takes, required and optional (contract, Order type values). */
export const orderSchema: z.ZodType<OrderFieldValues> = z.discriminatedUnion("type", [
  orderOf("SYNTHETIC_LIMIT", { price: priceSchema }),
  orderOf("STOP_MARKET", { stopPrice: priceSchema }),
  orderOf("STOP_LOSS_LIMIT", { stopPrice: priceSchema, price: priceSchema }),
  orderOf("TAKE_PROFIT_MARKET", { stopPrice: priceSchema }),
  orderOf("TAKE_PROFIT_LIMIT", { stopPrice: priceSchema, price: priceSchema }),
  orderOf("TRAILING_STOP_MARKET", trailing),
  orderOf("TRAILING_STOP_LIMIT", {
    ...trailing,
    price: priceSchema.optional(),
    limitOffset: offsetSchema.optional(),
  }),
]);
