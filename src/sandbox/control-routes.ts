import * as z from "zod";
import type { ClusterNode } from "../cluster/index.ts";
import {
  exactQuantityText,
  formatPrice,
  formatQuantity,
  PRICE_SCALE,
  type Price,
  type Quantity,
} from "../decimal/index.ts";
import { type ChildSettlement, EngineError, type Resumption, SettlementError } from "../engine/index.ts";
import type { Fill, JournalRecord } from "../model/index.ts";
import type { JsonInput, JsonObject } from "../wire/index.ts";
import { readAccountSetup } from "./accounts.ts";
import type { Exchange, SharedExchange } from "./exchange.ts";
import { CRASH_POINTS } from "./faults.ts";
import { stateOf, stateOfSharing, stateOfStandby } from "./health.ts";
import { ConflictError, epochMs, InputError, MissingError, positiveId, readInput } from "./input.ts";
import {
  type ControlCall,
  callKey,
  executedQuantityText,
  idOf,
  readVenueFault,
  requireInstrument,
  scaledText,
  type VenueDesk,
} from "./venue-desk.ts";

/** Another sandbox on the same store is active. Answered with 503. */
export class WaitingError extends Error {
  override readonly name = "WaitingError";
}

/** A call about an order or account that another sandbox on the same store owns. Answered with 421. */
export class ElsewhereError extends Error {
  override readonly name = "ElsewhereError";

  constructor(shard: number, owner: ReturnType<ClusterNode["ownerOf"]>) {
    const whose =
      owner === undefined
        ? "which no sandbox owns at the moment: ask again later"
        : `which another sandbox on the same store owns: ask the one whose PEER_PORT is at ${owner.address} (node ${owner.incarnation})`;
    super(`the order or account is of shard ${shard}, ${whose}`);
  }
}

type Handler = (exchange: Exchange, call: ControlCall) => Promise<unknown> | unknown;

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

async function moveClock(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const target = readInput(clockBody, body);
  await exchange.advance(target);
  return { now: exchange.clock.nowMs() };
}

async function setFaults(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const { venue, store, volume, native } = readInput(faultsBody, body);
  if (venue !== undefined) await exchange.desk.setFault(readVenueFault(venue));
  if (store !== undefined) exchange.setStoreFault(store);
  if (volume !== undefined) exchange.setVolumeFault(volume.mode);
  if (native !== undefined) exchange.setNativeFault(native.mode);
  return { ok: true };
}

async function setAccount(exchange: Exchange, { body }: ControlCall): Promise<unknown> {
  const setup = readAccountSetup(body);
  for (const symbol of Object.keys(setup.positions ?? {})) requireInstrument(exchange, symbol, "positions");
  // A restriction of a misspelt market would restrict nothing.
  const { restricted } = setup;
  for (const symbol of typeof restricted === "boolean" ? [] : restricted)
    requireInstrument(exchange, symbol, "restricted");
  await exchange.directory.replaceAccount(setup);
  const { accountId, balances, positions } = setup;
  await exchange.desk.setFunds(accountId, { balances, positions });
  if (balances !== undefined) exchange.engine.fundsChanged(accountId);
  return await showAccount(exchange, accountId);
}

async function showAccount(exchange: Exchange, accountId: number): Promise<unknown> {
  // Another sandbox on the same store may have set it.
  await exchange.directory.readAgain();
  const account = exchange.directory.describe(accountId);
  if (account === undefined) throw new MissingError(`account ${accountId} does not exist`);
  return { ...account, ...(await exchange.desk.funds(accountId)) };
}

async function showJournal({ engine }: Exchange, what: "order" | "list", id: number): Promise<unknown> {
  const records = what === "list" ? await engine.listStory(id) : (await engine.story(id))?.records;
  if (records === undefined) throw new MissingError(`${what} ${id} does not exist`);
  return records.map(viewRecord);
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

function metrics({ engine, rejections }: Exchange): unknown {
  const { retained, lost } = rejections.counts;
  return { ...engine.metrics(), rejectionsRetained: retained, rejectionsLost: lost };
}

function health(exchange: Exchange): unknown {
  const { openParents, journalSequence } = exchange.engine.metrics();
  const state = stateOf(exchange.engine);
  return { ok: state === "active", state, now: exchange.clock.nowMs(), openParents, journalSequence };
}

/** A standby, and the desk of a venue in a process of its own. */
type ControlledStandby = Readonly<{ standby: ClusterNode; desk: VenueDesk | undefined }>;

/**
 * Returns what a standby says of itself: its state, and why it could not take over. Calls about a venue elsewhere reach
 * it from every node. Throws for every other call.
 */
export async function answerStandby(
  { standby, desk }: ControlledStandby,
  call: ControlCall,
): Promise<JsonInput> {
  const { reasons } = standby.status();
  const state = stateOfStandby(standby);
  const key = callKey(call);
  if (key === "GET health") return { ok: true, state, reasons: [...reasons] };
  if (key === "GET verify") return { ...(await standby.verify()) };
  const ofVenue = desk?.answer(call);
  if (ofVenue !== undefined) return await ofVenue;
  if (key === "POST faults" && desk !== undefined) {
    const { venue, ...others } = readInput(faultsBody, call.body);
    if (venue !== undefined && Object.keys(others).length === 0) {
      await desk.setFault(readVenueFault(venue));
      return { ok: true };
    }
  }
  throw new WaitingError(`this sandbox is a standby (${state}): another one on the same store is active`);
}

/**
 * Answers a call at a node that shares the shards. Health and verify are those of the node: verify covers all shards. Throws
 * an ElsewhereError for an order or account of a shard that this node does not run.
 */
export async function answerSharing(shared: SharedExchange, call: ControlCall): Promise<JsonInput> {
  const { exchange, node } = shared;
  const key = callKey(call);
  if (key === "GET verify") return { ...(await node.verify()) };
  try {
    const answer = await answerControl(exchange, call);
    if (key !== "GET health") return answer;
    const { shards, keepsMarket, reasons } = node.status();
    return {
      ...(answer as JsonObject),
      state: stateOfSharing(node),
      shards,
      keepsMarket,
      reasons: [...reasons],
    };
  } catch (error) {
    if (!(error instanceof EngineError) || error.reason !== "SHARD_ELSEWHERE") throw error;
    const shard = error.details["shard"] as number;
    throw new ElsewhereError(shard, node.ownerOf(shard));
  }
}

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["GET health", health],
  ["GET clock", (exchange) => ({ now: exchange.clock.nowMs() })],
  ["POST clock", moveClock],
  ["POST settle", (exchange) => exchange.settle()],
  ["POST accounts", setAccount],
  ["POST faults", setFaults],
  ["POST venue/settle", settleChild],
  ["POST restored/resume", resumeOrder],
  ["POST crash", armCrash],
  ["GET verify", (exchange) => exchange.engine.verify()],
  ["GET metrics", metrics],
]);

/** Answers a call of the control interface. Throws InputError or MissingError. */
export async function answerControl(exchange: Exchange, call: ControlCall): Promise<JsonInput> {
  const handler = HANDLERS.get(callKey(call));
  if (handler !== undefined) return (await handler(exchange, call)) as JsonInput;
  const ofVenue = exchange.desk.answer(call);
  if (ofVenue !== undefined) return await ofVenue;
  const [first, id = "", last] = call.path;
  if (call.method === "GET" && first === "accounts" && call.path.length === 2) {
    return (await showAccount(exchange, readInput(positiveId, idOf(id)))) as JsonInput;
  }
  const isJournal = call.method === "GET" && last === "journal" && call.path.length === 3;
  if (isJournal && (first === "orders" || first === "lists"))
    return (await showJournal(exchange, first === "orders" ? "order" : "list", idOf(id))) as JsonInput;
  throw new MissingError(`unknown call ${call.method} /control/${call.path.join("/").slice(0, 64)}`);
}

const fill = z.strictObject({
  executionId: z.string().min(1).max(64),
  quantity: executedQuantityText,
  price: scaledText(PRICE_SCALE),
  time: epochMs.optional(),
});
const body = z.strictObject({
  child: z.string().min(1).max(64),
  state: z.enum(["closed", "rejected", "never"]),
  fills: z.array(fill).optional(),
  by: z.string().min(1).max(64),
  why: z.string().min(1).max(200),
});

const resumption = z.strictObject({
  orderId: z.number(),
  children: z.array(z.strictObject({ childId: z.string().min(1).max(64), fills: z.array(fill) })).optional(),
  by: z.string().min(1).max(64),
  why: z.string().min(1).max(200),
});

/**
 * Reads the body of `POST /control/venue/settle`. An execution without a time gets the current time. Throws InputError.
 */
function readSettlementBody(answer: unknown, nowMs: number): ChildSettlement {
  const { child, fills = [], ...rest } = readInput(body, answer);
  return { ...rest, childId: child, fills: fills.map(fillAt(nowMs)) };
}

/** Reads the body of `POST /control/restored/resume` in the same way. */
function readResumptionBody(answer: unknown, nowMs: number): Resumption {
  const { children = [], ...rest } = readInput(resumption, answer);
  return {
    ...rest,
    children: children.map(({ childId, fills }) => ({ childId, fills: fills.map(fillAt(nowMs)) })),
  };
}

const fillAt =
  (nowMs: number) =>
  ({ executionId, quantity, price, time }: z.infer<typeof fill>): Fill => {
    return { executionId, ...quantity, price: price as Price, timeMs: time ?? nowMs };
  };

/** Returns the control interface's error for a settlement that the engine refuses. */
function settlementRefusal(error: unknown): unknown {
  if (!(error instanceof SettlementError)) return error;
  return error.problem === "UNREADABLE" ? new InputError(error.message) : new ConflictError(error.message);
}

const PRICES: ReadonlySet<string> = new Set([
  "price",
  "stopPrice",
  "limitOffset",
  "limitPrice",
  "amount",
  "percent",
  "admissionPrice",
  "seed",
  "level",
  "observed",
  "reference",
  "limit",
  "bid",
  "ask",
]);

const QUANTITIES: ReadonlySet<string> = new Set([
  "quantity",
  "executedQuantity",
  "exposure",
  "icebergQuantity",
  "volume",
  "volumeBefore",
]);

/**
 * Returns a journal record for people: prices and quantities as decimal text, everything else unchanged. The weights of
 * a schedule and their sums have no unit and stay whole numbers.
 */
export function viewRecord(record: JournalRecord): unknown {
  return viewValue("", record);
}

function viewValue(name: string, value: unknown): unknown {
  if (typeof value === "number" || typeof value === "bigint") {
    if (PRICES.has(name)) return formatPrice(value as Price);
    if (QUANTITIES.has(name)) return formatQuantity(value as Quantity);
    return value;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => viewValue(name, item));
  if (typeof value !== "object" || value === null) return value;
  if ("fine" in value && "executionId" in value && "quantity" in value) {
    const { fine, ...fill } = value as unknown as Fill;
    return { ...(viewValue(name, fill) as object), quantity: exactQuantityText(value as unknown as Fill) };
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, viewValue(key, member)]));
}
