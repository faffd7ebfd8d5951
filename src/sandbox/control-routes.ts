import * as z from "zod";
import { parsePrice, parseQuantity } from "../decimal/index.ts";
import type { Standby } from "../engine/index.ts";
import type { JsonInput, JsonValue } from "../wire/index.ts";
import { readAccountSetup } from "./account-setup.ts";
import { CRASH_POINTS } from "./crash-points.ts";
import type { Exchange } from "./exchange.ts";
import { stateOf, stateOfStandby } from "./health.ts";
import { decimalText, epochMs, InputError, positiveId, readInput } from "./input-error.ts";
import { viewRecord } from "./journal-view.ts";
import { readResumptionBody, readSettlementBody, settlementRefusal } from "./settlement.ts";
import { readVenueEvent, readVenueFault } from "./venue-input.ts";

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

/** Another sandbox on the same store is active. Answered with 503. */
export class WaitingError extends Error {
  override readonly name = "WaitingError";
}

type Handler = (exchange: Exchange, call: ControlCall) => Promise<unknown> | unknown;

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
  id: z.string().min(1).max(64).optional(),
  time: epochMs.optional(),
});
const clockBody = z.union([
  z.strictObject({ advanceMs: z.number().int().min(0) }),
  z.strictObject({ now: epochMs }),
]);
const crashBody = z.strictObject({
  at: z.enum(CRASH_POINTS),
  skip: z.number().int().min(0).default(0),
});
const storeFault = z.strictObject({
  mode: z.enum(["none", "fail", "unknown", "slow"]),
  count: z.number().int().min(1).optional(),
});
const volumeFault = z.strictObject({ mode: z.enum(["none", "stale"]) });
const nativeFault = z.strictObject({ mode: z.enum(["none", "fail"]) });
const faultsBody = z.strictObject({
  venue: z.unknown().optional(),
  store: storeFault.optional(),
  volume: volumeFault.optional(),
  native: nativeFault.optional(),
});

const oneOrMany = <T>(schema: z.ZodType<T>, body: unknown): readonly T[] =>
  Array.isArray(body) ? readInput(z.array(schema), body) : [readInput(schema, body)];

const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

async function feedQuotes(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  let accepted = 0;
  let dropped = 0;
  for (const { time, ...quote } of oneOrMany(quoteBody, body)) {
    const verdict = exchange.sink.quote(given({ ...quote, timeMs: time }));
    if (verdict === "counted") accepted++;
    else dropped++;
    await exchange.settle();
  }
  return { accepted, dropped };
}

/** Passes on every print with a positive size. The engine counts each id once, so a repeated print adds nothing. */
async function feedTrades(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const trades = oneOrMany(tradeBody, body);
  const nowMs = exchange.clock.nowMs();
  for (const { symbol, time } of trades) {
    demandInstrument(exchange, symbol);
    if (time !== undefined && time > nowMs)
      throw new InputError(`time: must not be after the current time, ${nowMs}`);
  }
  const prints = trades.filter(({ price, quantity }) => isPositive(price, quantity));
  for (const { time, id, ...trade } of prints) {
    exchange.sink.print({ ...trade, id: id ?? exchange.nextTradeId(), timeMs: time ?? nowMs });
  }
  await exchange.settle();
  return { accepted: prints.length };
}

function demandInstrument({ instruments }: Exchange, symbol: string, field = "symbol"): void {
  if (instruments.find(symbol) === undefined) throw new InputError(`${field}: unknown instrument ${symbol}`);
}

/** Returns whether a print has a positive price and quantity; any other print is invalid. */
const isPositive = (price: string, quantity: string): boolean =>
  parsePrice(price) !== undefined && parseQuantity(quantity) !== undefined;

async function heartbeat(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const { symbol } = readInput(z.strictObject({ symbol: z.string() }), body);
  demandInstrument(exchange, symbol);
  exchange.sink.heartbeat(symbol);
  await exchange.settle();
  return { ok: true };
}

async function moveClock(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const target = readInput(clockBody, body);
  await exchange.advance(target);
  return { now: exchange.clock.nowMs() };
}

async function setFaults(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const { venue, store, volume, native } = readInput(faultsBody, body);
  if (venue !== undefined) exchange.venue.setFault(readVenueFault(venue));
  if (store !== undefined) exchange.store.setFault(store);
  if (volume !== undefined) exchange.setVolumeFault(volume.mode);
  if (native !== undefined) exchange.setNativeFault(native.mode);
  return { ok: true };
}

async function setAccount(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const setup = readAccountSetup(body);
  for (const symbol of Object.keys(setup.positions ?? {})) demandInstrument(exchange, symbol, "positions");
  await exchange.directory.replaceAccount(setup);
  if (setup.balances !== undefined) {
    await exchange.venue.setBalances(setup.accountId, setup.balances);
    exchange.engine.fundsChanged(setup.accountId);
  }
  if (setup.positions !== undefined) await exchange.venue.setPositions(setup.accountId, setup.positions);
  return showAccount(exchange, setup.accountId);
}

function showAccount(exchange: Exchange, accountId: number): unknown {
  const account = exchange.directory.describe(accountId);
  if (account === undefined) throw new MissingError(`account ${accountId} does not exist`);
  const { venue } = exchange;
  return { ...account, balances: venue.balances(accountId), positions: venue.positions(accountId) };
}

async function showJournal(exchange: Exchange, orderId: number): Promise<unknown> {
  const story = await exchange.engine.story(orderId);
  if (story === undefined) throw new MissingError(`order ${orderId} does not exist`);
  return story.records.map(viewRecord);
}

async function showListJournal(exchange: Exchange, listId: number): Promise<unknown> {
  const records = await exchange.engine.listStory(listId);
  if (records === undefined) throw new MissingError(`list ${listId} does not exist`);
  return records.map(viewRecord);
}

function showChildren(exchange: Exchange, { query }: ControlCall): unknown {
  const text = query.get("orderId");
  return exchange.venue.children(text === undefined ? undefined : idOf(text));
}

async function release(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const { child } = readInput(z.strictObject({ child: z.string().optional() }), body ?? {});
  const released = await exchange.venue.release(child);
  await exchange.settle();
  return { released };
}

async function sayEvent(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  exchange.venue.say(readVenueEvent(body, exchange.clock.nowMs()));
  await exchange.settle();
  return { ok: true };
}

/** Settles a child. Answers 409 if the child is not unknown. */
async function settleChild(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const settlement = readSettlementBody(body, exchange.clock.nowMs());
  return await settled(exchange, exchange.engine.settleChild(settlement));
}

/** Resumes an order of a restored store. Answers 409 if the order does not wait for it. */
async function resumeOrder(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const resumption = readResumptionBody(body, exchange.clock.nowMs());
  return await settled(exchange, exchange.engine.resumeOrder(resumption));
}

async function settled(exchange: Exchange, change: Promise<unknown>): Promise<unknown> {
  try {
    await change;
  } catch (error) {
    throw settlementRefusal(error);
  }
  await exchange.settle();
  return { ok: true };
}

function armCrash(exchange: Exchange, { body }: ControlCall): unknown {
  exchange.crashPoints.arm(readInput(crashBody, body));
  return { ok: true };
}

function idOf(text: string): number {
  const id = /^-?[0-9]{1,16}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (!Number.isSafeInteger(id))
    throw new InputError(`${text.slice(0, 32)} is not an id: use a whole number`);
  return id;
}

function metrics({ engine, rejections }: Exchange): unknown {
  const { retained, lost } = rejections.counts;
  return { ...engine.metrics(), rejectionsRetained: retained, rejectionsLost: lost };
}

function health(exchange: Exchange): unknown {
  const { openParents, journalSequence } = exchange.engine.metrics();
  return { ok: true, state: stateOf(exchange), now: exchange.clock.nowMs(), openParents, journalSequence };
}

/** Returns what a standby says of itself: its state, and why it could not take over. Throws for every other call. */
export async function answerStandby(standby: Standby, { method, path }: ControlCall): Promise<JsonInput> {
  const call = `${method} ${path.join("/")}`;
  const { reasons } = standby.status();
  const state = stateOfStandby(standby);
  if (call === "GET health") return { ok: true, state, reasons: [...reasons] };
  if (call === "GET verify") return { ...(await standby.verify()) };
  throw new WaitingError(`this sandbox is a standby (${state}): another one on the same store is active`);
}

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["GET health", health],
  ["POST quotes", feedQuotes],
  ["POST heartbeat", heartbeat],
  ["POST trades", feedTrades],
  ["GET clock", (exchange) => ({ now: exchange.clock.nowMs() })],
  ["POST clock", moveClock],
  ["POST settle", (exchange) => exchange.settle()],
  [
    "POST market",
    (exchange, { body }) => exchange.runMarket(readInput(z.strictObject({ run: z.boolean() }), body).run),
  ],
  ["POST accounts", setAccount],
  ["POST faults", setFaults],
  ["POST venue/release", release],
  ["POST venue/events", sayEvent],
  ["POST venue/settle", settleChild],
  ["POST restored/resume", resumeOrder],
  ["POST crash", armCrash],
  ["GET children", showChildren],
  ["GET verify", (exchange) => exchange.engine.verify()],
  ["GET metrics", metrics],
]);

/** Answers a call of the control interface. Throws InputError or MissingError. */
export async function answerControl(exchange: Exchange, call: ControlCall): Promise<JsonInput> {
  const handler = HANDLERS.get(`${call.method} ${call.path.join("/")}`);
  if (handler !== undefined) return (await handler(exchange, call)) as JsonInput;
  const [first, id = "", last] = call.path;
  if (call.method === "GET" && first === "accounts" && call.path.length === 2) {
    return showAccount(exchange, readInput(positiveId, idOf(id))) as JsonInput;
  }
  if (call.method === "GET" && first === "orders" && last === "journal" && call.path.length === 3) {
    return (await showJournal(exchange, idOf(id))) as JsonInput;
  }
  if (call.method === "GET" && first === "lists" && last === "journal" && call.path.length === 3) {
    return (await showListJournal(exchange, idOf(id))) as JsonInput;
  }
  throw new MissingError(`unknown call ${call.method} /control/${call.path.join("/").slice(0, 64)}`);
}
