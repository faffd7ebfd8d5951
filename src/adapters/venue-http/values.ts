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
import { requireThat, SIDES, textOf } from "../../host-answers/index.ts";
import {
  type ChildReport,
  type ChildRequest,
  type Fill,
  INSTRUMENT_KINDS,
  INSTRUMENT_STATUSES,
  type Instrument,
} from "../../model/index.ts";
import type { LevelInput, NotFound, PrintInput, QuoteInput } from "../../ports/index.ts";
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
  word,
} from "./codec.ts";

/** Most executions of one order in one message. */
export const MOST_FILLS = 10_000;
const MOST_LEVELS = 10_000;
const MOST_ALIASES = 10_000;
const WIDEST = 10n ** 36n;

/** A price above 0. */
export const price: Codec<Price> = decimal({
  scale: PRICE_SCALE,
  from: "above 0",
  limit: BigInt(PRICE_LIMIT),
});

/** A price that may be zero. */
export const anyPrice: Codec<Price> = decimal({ scale: PRICE_SCALE, from: "0", limit: BigInt(PRICE_LIMIT) });

/** A quantity above 0. */
export const quantity: Codec<Quantity> = decimal({
  scale: QUANTITY_SCALE,
  from: "above 0",
  limit: BigInt(QUANTITY_LIMIT),
});

/** A quantity that may be zero. */
export const anyQuantity: Codec<Quantity> = decimal({
  scale: QUANTITY_SCALE,
  from: "0",
  limit: BigInt(QUANTITY_LIMIT),
});

/** A position: a quantity of any sign, of up to 20 digits before the point. */
export const position: Codec<Quantity> = decimal({ scale: QUANTITY_SCALE, from: "any", limit: WIDEST });

/** Executed volume of a minute. */
export const volume: Codec<Quantity> = decimal({ scale: QUANTITY_SCALE, from: "above 0", limit: WIDEST });

/** An amount of USD. */
export const notional: Codec<Notional> = decimal({ scale: NOTIONAL_SCALE, from: "0", limit: WIDEST });

/** A canonical symbol such as BTC/USD. */
export const symbol: Codec<string> = printable(64);

/** BUY or SELL. */
export const side: Codec<ChildRequest["side"]> = word(SIDES);

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
export const FILL_MEMBERS: Readonly<{
  executionId: Codec<string>;
  quantity: Codec<ExactQuantity>;
  price: Codec<Price>;
  timeMs: Codec<number>;
}> = { executionId: printable(64), quantity: executedQuantity, price, timeMs: count };

/** An execution as it is written: with its quantity in one text, exact to 18 decimals. */
export type WrittenFill<F extends Fill> = Omit<F, "quantity" | "fine"> &
  Readonly<{ quantity: ExactQuantity }>;

/** Executions by the codec of how they are written. */
export const fillOf = <F extends Fill>(written: Codec<WrittenFill<F>>): Codec<F> =>
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
