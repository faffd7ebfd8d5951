import {
  type ExactQuantity,
  exactQuantityText,
  NOTIONAL_SCALE,
  type Notional,
  PRICE_LIMIT,
  PRICE_SCALE,
  type Price,
  parseExactQuantity,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  type Quantity,
} from "../../decimal/index.ts";
import {
  EXECUTION_REASONS,
  EXECUTION_TYPES,
  NATIVE_STATUSES,
  REJECT_REASONS,
  requireThat,
  SIDES,
  textOf,
} from "../../host-answers/index.ts";
import {
  type CancelRestriction,
  type ChildReport,
  type ChildRequest,
  type Fill,
  INSTRUMENT_KINDS,
  INSTRUMENT_STATUSES,
  type Instrument,
  type NativeExecution,
  type NativeFill,
  type NativeOrder,
  type NativeTimeInForce,
} from "../../model/index.ts";
import type {
  ExecutionQuery,
  LevelInput,
  NativeKey,
  NativePage,
  NativePlaced,
  NativePlacement,
  NativeRequest,
  NotFound,
  OpenNativeQuery,
  PrintInput,
  QuoteInput,
} from "../../ports/index.ts";
import {
  type Codec,
  count,
  decimal,
  flag,
  freeText,
  idText,
  listOf,
  mapped,
  maybe,
  objectOf,
  printable,
  remark,
  wideId,
  word,
} from "./codec.ts";

/** Most executions of one order in one message. */
const MOST_FILLS = 10_000;
const MOST_LEVELS = 10_000;
const MOST_ALIASES = 10_000;
const WIDEST = 10n ** 36n;

const priceFrom = (from: "above 0" | "0"): Codec<Price> =>
  decimal({ scale: PRICE_SCALE, from, limit: BigInt(PRICE_LIMIT) });
const price = priceFrom("above 0");
const anyPrice = priceFrom("0");

const quantityFrom = (from: "above 0" | "0"): Codec<Quantity> =>
  decimal({ scale: QUANTITY_SCALE, from, limit: BigInt(QUANTITY_LIMIT) });
const quantity = quantityFrom("above 0");
const anyQuantity = quantityFrom("0");

/** A position: a quantity of any sign, of up to 20 digits before the point. */
export const position: Codec<Quantity> = decimal({ scale: QUANTITY_SCALE, from: "any", limit: WIDEST });

/** Executed volume of a minute. */
export const volume: Codec<Quantity> = decimal({ scale: QUANTITY_SCALE, from: "above 0", limit: WIDEST });

/** An amount of USD. */
const notional: Codec<Notional> = decimal({ scale: NOTIONAL_SCALE, from: "0", limit: WIDEST });

/** A canonical symbol such as BTC/USD. */
export const symbol: Codec<string> = printable(64);

/** BUY or SELL. */
const side: Codec<ChildRequest["side"]> = word(SIDES);

/** The child that the engine sends. */
export const child: Codec<ChildRequest> = objectOf<ChildRequest>({
  childId: printable(64),
  parentOrderId: idText,
  accountId: idText,
  symbol,
  side,
  quantity,
  limitPrice: maybe(price),
  timeInForce: word(["IOC", "FOK"]),
  reduceOnly: flag,
});

const executedQuantity: Codec<ExactQuantity> = {
  schema: quantity.schema,
  write: exactQuantityText,
  read(value, what) {
    const exact = parseExactQuantity(textOf(value, what, { most: 82 }));
    requireThat(exact !== undefined, `${what} is not a decimal above 0 with at most 18 decimals`);
    return exact;
  },
};

/** Members of an execution, of children and native orders alike. */
const FILL_MEMBERS: Readonly<{
  executionId: Codec<string>;
  quantity: Codec<ExactQuantity>;
  price: Codec<Price>;
  timeMs: Codec<number>;
}> = { executionId: printable(64), quantity: executedQuantity, price, timeMs: count };

/** An execution as it is written: with its quantity in one text, exact to 18 decimals. */
type WrittenFill<F extends Fill> = Omit<F, "quantity" | "fine"> & Readonly<{ quantity: ExactQuantity }>;

/** Executions by the codec of how they are written. */
const fillOf = <F extends Fill>(written: Codec<WrittenFill<F>>): Codec<F> =>
  mapped<WrittenFill<F>, F>(
    written,
    ({ quantity: exact, ...more }) => ({ ...more, ...exact }) as unknown as F,
    ({ quantity: steps, fine, ...more }) => ({
      ...more,
      quantity: { quantity: steps, ...(fine !== undefined && { fine }) },
    }),
  );

/** One execution. */
export const fill: Codec<Fill> = fillOf(objectOf<WrittenFill<Fill>>(FILL_MEMBERS));

/** All that the venue knows of a child. */
export const report: Codec<ChildReport> = objectOf<ChildReport>({
  childId: printable(64),
  state: word(["open", "closed", "rejected"]),
  fills: listOf(fill, MOST_FILLS),
  final: maybe(flag),
  mark: maybe(word(["INSUFFICIENT_FUNDS"])),
  detail: maybe(remark(1_000)),
});

/** Returns whether an answer about a child is a report. */
export const isReport = (value: ChildReport | NotFound | "voided"): value is ChildReport =>
  typeof value === "object" && "childId" in value;

const level: Codec<LevelInput> = mapped<readonly string[], LevelInput>(
  listOf(printable(82), 2),
  ([at = "", size]) => (size === undefined ? [at] : [at, size]),
  ([at, size]) => (size === undefined ? [at] : [at, size]),
);

/** A quote. The engine's quote gate reads its decimals. */
export const quote: Codec<QuoteInput> = objectOf<QuoteInput>({
  symbol,
  bid: printable(82),
  ask: printable(82),
  bidQuantity: maybe(printable(82)),
  askQuantity: maybe(printable(82)),
  bids: maybe(listOf(level, MOST_LEVELS)),
  asks: maybe(listOf(level, MOST_LEVELS)),
  timeMs: maybe(count),
});

/** A trade of the market. */
export const print: Codec<PrintInput> = objectOf<PrintInput>({
  symbol,
  price: printable(82),
  quantity: printable(82),
  id: printable(64),
  timeMs: count,
  sequence: maybe(count),
  total: maybe(printable(82)),
});

/** A tradable pair. */
export const instrument: Codec<Instrument> = objectOf<Instrument>({
  id: idText,
  symbol,
  aliases: listOf(symbol, MOST_ALIASES),
  baseAsset: printable(64),
  quoteAsset: printable(64),
  name: freeText(256),
  kind: word(INSTRUMENT_KINDS),
  status: word(INSTRUMENT_STATUSES),
  address: maybe(freeText(1_024)),
  url: maybe(freeText(4_096)),
});

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
export const nativeRequest: Codec<NativeRequest> = objectOf<NativeRequest>({
  accountId: idText,
  requestKey: printable(256),
});

/** Identifies native orders, by one of the two ids. */
export const nativeKey: Codec<NativeKey> = mapped(
  objectOf<Readonly<{ accountId: number; symbol: string; orderId?: bigint; clientOrderId?: string }>>({
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
export const nativePage: Codec<NativePage> = objectOf<NativePage>({
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
