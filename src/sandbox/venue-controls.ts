import * as z from "zod";
import { floorFact, PRICE_SCALE, QUANTITY_SCALE } from "../decimal/index.ts";
import type { PaperVenue } from "../paper-exchange/index.ts";
import type { Clock, Entropy, Instruments, MarketSink } from "../ports/index.ts";
import type { JsonValue } from "../wire/index.ts";
import { decimalText, epochMs, InputError, readInput } from "./input-error.ts";
import type { Market } from "./markets/index.ts";
import { readVenueEvent } from "./venue-input.ts";

/** A call of the control interface: path parts after `/control`, query, parsed body. */
export type ControlCall = Readonly<{
  method: string;
  path: readonly string[];
  query: ReadonlyMap<string, string>;
  body: JsonValue | undefined;
}>;

/** There is no such call, or nothing with that id. Answered with 404. */
export class MissingError extends Error {
  override readonly name = "MissingError";
}

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

const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

async function feedQuotes(controls: VenueControls, { body }: ControlCall): Promise<unknown> {
  let accepted = 0;
  let dropped = 0;
  for (const { time, ...quote } of oneOrMany(quoteBody, body)) {
    const verdict = controls.sink.quote(given({ ...quote, timeMs: time }));
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
  controls.venue.say(readVenueEvent(body, controls.clock.nowMs()));
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
