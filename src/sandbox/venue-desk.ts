import * as z from "zod";
import {
  type ExactQuantity,
  floorFact,
  normalise,
  PRICE_SCALE,
  type Price,
  parseExactQuantity,
  parseFact,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
} from "../decimal/index.ts";
import { type PaperVenue, parseFraction, type VenueFault } from "../paper-exchange/index.ts";
import type { Clock, Entropy, Instruments, MarketSink, VenueEvent } from "../ports/index.ts";
import type { JsonInput, JsonValue } from "../wire/index.ts";
import { decimalText, epochMs, InputError, positiveId, readInput } from "./input.ts";
import type { Market } from "./market.ts";

/** A call of the control interface: path parts after `/control`, query, parsed body. */
export type ControlCall = Readonly<{
  method: string;
  path: readonly string[];
  query: ReadonlyMap<string, string>;
  body: JsonValue | undefined;
}>;

/** What the calls about market and venue need: of an exchange, or of a paper venue in a process of its own. */
export type VenueControls = Readonly<{
  sink: MarketSink;
  venue: PaperVenue;
  instruments: Instruments;
  clock: Clock;
  settle: () => Promise<unknown>;
  runMarket: (on: boolean) => Readonly<{ running: boolean }>;
  /** Returns a trade id for a print without one. */
  nextTradeId: () => string;
}>;

/** Length of the id that distinguishes the trade ids of different runs of the process. */
const RUN_ID_LENGTH = 12;

/** Returns the controls of a market. */
export function marketControls(
  market: Market,
  entropy: Entropy,
): Pick<VenueControls, "runMarket" | "nextTradeId"> {
  const runId = entropy.token(RUN_ID_LENGTH);
  let trades = 0;
  return {
    runMarket(on) {
      market.run(on);
      return { running: market.running };
    },
    // A manual clock may stand still over a restart, and a repeated id would not count.
    nextTradeId: () => `control-${runId}-${++trades}`,
  };
}

type Handler = (controls: VenueControls, call: ControlCall) => Promise<unknown> | unknown;

const levels = z.array(z.tuple([decimalText, decimalText]).readonly());
const quoteBody = z.strictObject({
  symbol: z.string(),
  bid: decimalText,
  ask: decimalText,
  bidQuantity: decimalText.optional(),
  askQuantity: decimalText.optional(),
  bids: levels.optional(),
  asks: levels.optional(),
  time: epochMs.optional(),
});
const tradeBody = z.strictObject({
  symbol: z.string(),
  price: decimalText,
  quantity: decimalText,
  // The engine would not count a print with another id.
  id: z
    .string()
    .regex(/^[ -~]{1,64}$/, "must be 1 to 64 printable ASCII characters")
    .optional(),
  time: epochMs.optional(),
});
const oneOrMany = <T>(schema: z.ZodType<T>, body: unknown): readonly T[] =>
  Array.isArray(body) ? readInput(z.array(schema), body) : [readInput(schema, body)];

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;

async function feedQuotes(controls: VenueControls, { body }: ControlCall): Promise<unknown> {
  let accepted = 0;
  let dropped = 0;
  for (const { time, ...quote } of oneOrMany(quoteBody, body)) {
    const verdict = controls.sink.quote(defined({ ...quote, timeMs: time }));
    if (verdict === "counted") accepted++;
    else dropped++;
    await controls.settle();
  }
  return { accepted, dropped };
}

/** Passes on every print with a positive size. The engine counts each id once, so a repeated print adds nothing. */
async function feedTrades(controls: VenueControls, { body }: ControlCall): Promise<unknown> {
  const trades = oneOrMany(tradeBody, body);
  const nowMs = controls.clock.nowMs();
  for (const { symbol, time } of trades) {
    requireInstrument(controls, symbol);
    if (time !== undefined && time > nowMs)
      throw new InputError(`time: must not be after the current time, ${nowMs}`);
  }
  const prints = trades.filter(({ price, quantity }) => isPositive(price, quantity));
  for (const { time, id, ...trade } of prints) {
    controls.sink.print({ ...trade, id: id ?? controls.nextTradeId(), timeMs: time ?? nowMs });
  }
  await controls.settle();
  return { accepted: prints.length };
}

/** Throws InputError for a symbol that is no instrument. `field` names it. */
export function requireInstrument(
  { instruments }: Pick<VenueControls, "instruments">,
  symbol: string,
  field = "symbol",
): void {
  if (instruments.find(symbol) === undefined) throw new InputError(`${field}: unknown instrument ${symbol}`);
}

/** Returns whether a print has a positive price and quantity; any other print is invalid. */
const isPositive = (price: string, quantity: string): boolean =>
  (floorFact(price, PRICE_SCALE) ?? 0) > 0 && (floorFact(quantity, QUANTITY_SCALE) ?? 0) > 0;

async function heartbeat(controls: VenueControls, { body }: ControlCall): Promise<unknown> {
  const { symbol } = readInput(z.strictObject({ symbol: z.string() }), body);
  requireInstrument(controls, symbol);
  controls.sink.heartbeat(symbol);
  await controls.settle();
  return { ok: true };
}

function showChildren(controls: VenueControls, { query }: ControlCall): unknown {
  const text = query.get("orderId");
  return controls.venue.children(text === undefined ? undefined : idOf(text));
}

async function release(controls: VenueControls, { body }: ControlCall): Promise<unknown> {
  const { child } = readInput(z.strictObject({ child: z.string().optional() }), body ?? {});
  const released = await controls.venue.release(child);
  await controls.settle();
  return { released };
}

async function emitEvent(controls: VenueControls, { body }: ControlCall): Promise<unknown> {
  controls.venue.publish(readVenueEvent(body, controls.clock.nowMs()));
  await controls.settle();
  return { ok: true };
}

/** Returns the whole number of a text. Throws InputError for any other text. */
export function idOf(text: string): number {
  const id = /^-?[0-9]{1,16}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (!Number.isSafeInteger(id))
    throw new InputError(`${text.slice(0, 32)} is not an id: use a whole number`);
  return id;
}

/** The calls about market and venue, by method and path. */
export const VENUE_HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["POST quotes", feedQuotes],
  ["POST heartbeat", heartbeat],
  ["POST trades", feedTrades],
  [
    "POST market",
    (controls, { body }) => controls.runMarket(readInput(z.strictObject({ run: z.boolean() }), body).run),
  ],
  ["POST venue/release", release],
  ["POST venue/events", emitEvent],
  ["GET children", showChildren],
]);

/** Balances and positions of an account at the venue: decimal text by asset, and signed decimal text by symbol. */
type AccountFunds = Readonly<{
  balances: Readonly<Record<string, string>>;
  positions: Readonly<Record<string, string>>;
}>;

/** What the control interface asks of market and venue, in this process or in another one. */
export type VenueDesk = Readonly<{
  /** Answers a call about market or venue; returns undefined for any other call. */
  answer: (call: ControlCall) => Promise<JsonInput> | undefined;
  /** Activates a fault of the venue in place of the previous one. Rejects with an error for the caller if it is invalid. */
  setFault: (fault: VenueFault) => Promise<void>;
  /** Sets all balances, all positions, or both. Rejects with an error for the caller if one is invalid. */
  setFunds: (accountId: number, funds: FundsUpdate) => Promise<void>;
  funds: (accountId: number) => Promise<AccountFunds>;
}>;

/** Funds to set. What is left out stays as it is. */
type FundsUpdate = Readonly<{ [Part in keyof AccountFunds]?: AccountFunds[Part] | undefined }>;

/** Returns the key of a call in a table of handlers. */
export const callKey = ({ method, path }: Pick<ControlCall, "method" | "path">): string =>
  `${method} ${path.join("/")}`;

/** Returns the desk of a paper venue of this process. */
export function paperDesk(controls: VenueControls): VenueDesk {
  const { venue } = controls;
  return {
    answer(call) {
      const handler = VENUE_HANDLERS.get(callKey(call));
      return handler && (async () => (await handler(controls, call)) as JsonInput)();
    },
    async setFault(fault) {
      // A fault of a misspelt market would never happen, and a test that relies on it would prove nothing.
      if (fault.symbol !== undefined) requireInstrument(controls, fault.symbol);
      venue.setFault(fault);
    },
    async setFunds(accountId, { balances, positions }) {
      if (balances !== undefined) await venue.setBalances(accountId, balances);
      if (positions !== undefined) await venue.setPositions(accountId, positions);
    },
    funds: async (accountId) => ({
      balances: venue.balances(accountId),
      positions: venue.positions(accountId),
    }),
  };
}

const fraction = decimalText.refine(
  (text) => parseFraction(text) !== undefined,
  "must be a number from 0 to 1",
);

const faultBody: z.ZodType<VenueFault> = z.strictObject({
  mode: z
    .enum(["none", "reject", "timeout-before", "timeout-after", "partial", "delay", "hold"])
    .default("none"),
  lookup: z.enum(["none", "not-found", "fail", "delay"]).default("none"),
  fraction: fraction.prefault("0.5"),
  delayMs: z.number().int().min(0).max(86_400_000).default(1_000),
  count: z.number().int().min(1).max(1_000_000_000).optional(),
  symbol: z.string().optional(),
  accountId: positiveId.optional(),
});

/** Reads the member `venue` of `POST /control/faults`. Throws InputError. */
export function readVenueFault(body: unknown): VenueFault {
  return readInput(faultBody, body);
}

const STATES = {
  open: "open",
  NEW: "open",
  PARTIALLY_FILLED: "open",
  closed: "closed",
  FILLED: "closed",
  CANCELED: "closed",
  EXPIRED: "closed",
  rejected: "rejected",
  REJECTED: "rejected",
} as const;

/** Schema of decimal text as a scaled value of any sign. */
export const scaledText = (scale: number): z.ZodType<Scaled> =>
  decimalText.transform((text, context) => {
    const value = parseFact(text.replace("-", ""), scale);
    if (value === undefined) {
      context.addIssue(`must have at most ${scale} decimals`);
      return z.NEVER;
    }
    return text.startsWith("-") ? normalise(-BigInt(value)) : value;
  });

/** Schema of an executed quantity, exact to 18 decimals; one that is zero or negative has whole steps. */
export const executedQuantityText: z.ZodType<ExactQuantity> = decimalText.transform((text, context) => {
  const exact = parseExactQuantity(text);
  if (exact !== undefined) return exact;
  const size = parseFact(text.replace("-", ""), QUANTITY_SCALE);
  if (size !== undefined)
    return { quantity: (text.startsWith("-") ? normalise(-BigInt(size)) : size) as Quantity };
  context.addIssue("must have at most 18 decimals");
  return z.NEVER;
});

const eventBody = z.strictObject({
  child: z.string().min(1).max(64),
  executionId: z.string().min(1).max(64),
  quantity: executedQuantityText,
  price: scaledText(PRICE_SCALE),
  status: z.enum(Object.keys(STATES) as (keyof typeof STATES)[]).default("open"),
  time: epochMs.optional(),
});

/**
 * Reads the body of `POST /control/venue/events`: a report that the venue is made to send, even if it is wrong (a
 * quantity may be zero or negative). Without a status the child is reported as open. Throws InputError.
 */
export function readVenueEvent(body: unknown, nowMs: number): VenueEvent {
  const answer = readInput(eventBody, body);
  const fill = {
    executionId: answer.executionId,
    ...answer.quantity,
    price: answer.price as Price,
    timeMs: answer.time ?? nowMs,
  };
  return { report: { childId: answer.child, state: STATES[answer.status], fills: [fill] } };
}
