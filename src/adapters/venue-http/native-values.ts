import type { Notional, Price, Quantity } from "../../decimal/index.ts";
import {
  EXECUTION_REASONS,
  EXECUTION_TYPES,
  NATIVE_STATUSES,
  REJECT_REASONS,
  requireThat,
} from "../../host-answers/index.ts";
import type {
  CancelRestriction,
  NativeExecution,
  NativeFill,
  NativeOrder,
  NativeTimeInForce,
} from "../../model/index.ts";
import type {
  ExecutionQuery,
  NativeKey,
  NativePage,
  NativePlaced,
  NativePlacement,
  NativeRequest,
  OpenNativeQuery,
} from "../../ports/index.ts";
import {
  type Codec,
  count,
  flag,
  freeText,
  idText,
  listOf,
  mapped,
  maybe,
  objectOf,
  printable,
  wideId,
  word,
} from "./codec.ts";
import {
  anyPrice,
  anyQuantity,
  FILL_MEMBERS,
  fillOf,
  MOST_FILLS,
  notional,
  price,
  quantity,
  side,
  symbol,
  type WrittenFill,
} from "./values.ts";

const clientOrderId = freeText(256);

/** A native order. */
export const nativeOrder: Codec<NativeOrder> = objectOf<NativeOrder>({
  orderId: wideId,
  accountId: idText,
  symbol,
  clientOrderId,
  orderListId: maybe(wideId),
  status: word(NATIVE_STATUSES),
  type: printable(64),
  side,
  timeInForce: freeText(64),
  price: maybe(anyPrice),
  stopPrice: maybe(anyPrice),
  quantity: anyQuantity,
  quoteQuantity: maybe(notional),
  executedQuantity: anyQuantity,
  executedNotional: maybe(notional),
  rejectReason: maybe(word(REJECT_REASONS)),
  reason: maybe(word(EXECUTION_REASONS)),
  errorMessage: maybe(freeText(65_536)),
  updatedAtMs: count,
  isWorking: flag,
});

const nativeFill = fillOf<NativeFill>(
  objectOf<WrittenFill<NativeFill>>({
    ...FILL_MEMBERS,
    commission: maybe(printable(64)),
    commissionAsset: maybe(printable(64)),
  }),
);

/** The answer to a placement. */
export const placed: Codec<NativePlaced> = objectOf<NativePlaced>({
  order: nativeOrder,
  fills: listOf(nativeFill, MOST_FILLS),
  created: flag,
});

/** An event of a native order. */
export const execution: Codec<NativeExecution> = objectOf<NativeExecution>({
  executionId: printable(64),
  execType: word(EXECUTION_TYPES),
  order: nativeOrder,
  lastQuantity: maybe(anyQuantity),
  lastPrice: maybe(anyPrice),
  timeMs: count,
});

/** The members of all kinds of placements. */
type FlatPlacement = Readonly<{
  accountId: number;
  requestKey: string;
  symbol: string;
  side: NativePlacement["side"];
  type: NativePlacement["type"];
  clientOrderId: string;
  timeInForce?: NativeTimeInForce;
  quantity?: Quantity;
  quoteQuantity?: Notional;
  price?: Price;
}>;

const TIMES: readonly NativeTimeInForce[] = ["GTC", "IOC", "FOK"];

const flatPlacement = objectOf<FlatPlacement>({
  accountId: idText,
  requestKey: printable(256),
  symbol,
  side,
  type: word(["LIMIT", "MARKET"]),
  clientOrderId,
  timeInForce: maybe(word(TIMES)),
  quantity: maybe(quantity),
  quoteQuantity: maybe(notional),
  price: maybe(price),
});

/** A native order to place. */
export const placement: Codec<NativePlacement> = mapped(flatPlacement, termsOf, (terms) => terms);

function termsOf({
  type,
  timeInForce,
  quantity: size,
  quoteQuantity,
  price: limit,
  ...terms
}: FlatPlacement): NativePlacement {
  if (type === "LIMIT") {
    const isWhole = timeInForce !== undefined && limit !== undefined && size !== undefined;
    requireThat(isWhole, "a LIMIT order needs timeInForce, quantity and price");
    return { ...terms, type, timeInForce, quantity: size, price: limit };
  }
  if (size !== undefined) return { ...terms, type, quantity: size };
  requireThat(quoteQuantity !== undefined, "a MARKET order needs quantity or quoteQuantity");
  return { ...terms, type, quoteQuantity };
}

/** Identifies the request of a placement. */
export const request: Codec<NativeRequest> = objectOf<NativeRequest>({
  accountId: idText,
  requestKey: printable(256),
});

type FlatKey = Readonly<{ accountId: number; symbol: string; orderId?: bigint; clientOrderId?: string }>;

/** Identifies native orders, by one of the two ids. */
export const key: Codec<NativeKey> = mapped(
  objectOf<FlatKey>({
    accountId: idText,
    symbol,
    orderId: maybe(wideId),
    clientOrderId: maybe(clientOrderId),
  }),
  ({ orderId, clientOrderId: name, ...market }): NativeKey => {
    if (orderId !== undefined) return { ...market, orderId };
    requireThat(name !== undefined, "a key needs orderId or clientOrderId");
    return { ...market, clientOrderId: name };
  },
  (one) => one,
);

/** A condition of a cancel. */
export const restriction: Codec<CancelRestriction> = word(["ONLY_NEW", "ONLY_PARTIALLY_FILLED"]);

/** Asks for a page of orders. */
export const page: Codec<NativePage> = objectOf<NativePage>({
  accountId: idText,
  symbol,
  clientOrderId: maybe(clientOrderId),
  fromOrderId: maybe(wideId),
  startTimeMs: maybe(count),
  endTimeMs: maybe(count),
  limit: count,
});

/** Asks for open orders. */
export const openQuery: Codec<OpenNativeQuery> = objectOf<OpenNativeQuery>({
  accountId: idText,
  symbol: maybe(symbol),
  limit: count,
});

/** Asks for executions. */
export const executionQuery: Codec<ExecutionQuery> = objectOf<ExecutionQuery>({
  accountId: idText,
  symbol: maybe(symbol),
  orderId: maybe(wideId),
  clientOrderId: maybe(clientOrderId),
  startTimeMs: maybe(count),
  endTimeMs: maybe(count),
  limit: count,
});
