import * as z from "zod";
import type { ClusterNode } from "../cluster/index.ts";
import { EngineError } from "../engine/index.ts";
import type { JsonInput, JsonObject } from "../wire/index.ts";
import { readAccountSetup } from "./account-setup.ts";
import { CRASH_POINTS } from "./crash-points.ts";
import type { Exchange } from "./exchange.ts";
import type { SharedExchange } from "./exchange-node.ts";
import { stateOf, stateOfSharing, stateOfStandby } from "./health.ts";
import { epochMs, positiveId, readInput } from "./input-error.ts";
import { viewRecord } from "./journal-view.ts";
import { readResumptionBody, readSettlementBody, settlementRefusal } from "./settlement.ts";
import { type ControlCall, idOf, MissingError, requireInstrument } from "./venue-controls.ts";
import { callKey, type VenueDesk } from "./venue-desk.ts";
import { readVenueFault } from "./venue-input.ts";

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
  if (store !== undefined) exchange.store.setFault(store);
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
  const state = stateOf(exchange);
  return { ok: state === "active", state, now: exchange.clock.nowMs(), openParents, journalSequence };
}

/** A standby, and the desk of a venue in a process of its own. */
export type ControlledStandby = Readonly<{ standby: ClusterNode; desk: VenueDesk | undefined }>;

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
      state: stateOfSharing(shared),
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
  if (call.method === "GET" && first === "orders" && last === "journal" && call.path.length === 3) {
    return (await showJournal(exchange, idOf(id))) as JsonInput;
  }
  if (call.method === "GET" && first === "lists" && last === "journal" && call.path.length === 3) {
    return (await showListJournal(exchange, idOf(id))) as JsonInput;
  }
  throw new MissingError(`unknown call ${call.method} /control/${call.path.join("/").slice(0, 64)}`);
}
