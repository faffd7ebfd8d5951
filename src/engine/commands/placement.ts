import { follow, isAwaited } from "../../common/index.ts";
import type { Quantity } from "../../decimal/index.ts";
import { OrderError } from "../../errors/index.ts";
import { quantityOf } from "../../host-answers/index.ts";
import {
  type Admission,
  type AdmissionContext,
  admit,
  admitList,
  listTermsOf,
  orderListOf,
  withJoinedShares,
} from "../../lifecycle/index.ts";
import {
  type Account,
  acceptedIntent,
  type Instrument,
  type LegIntent,
  type ListIntent,
  type OrderList,
  type ParentIntent,
  type ParentOrder,
  packedIntent,
  weightBytesOf,
} from "../../model/index.ts";
import type { Awaitable, VolumeHistory } from "../../ports/index.ts";
import { canonicalIntent, canonicalList, notTraded } from "../../requests/index.ts";
import { profileWindow, type VolumeProfile, volumeProfile } from "../../schedules/index.ts";
import { requireStorable } from "../../wire/index.ts";
import type { EngineOptions } from "../core/api.ts";
import type { ListPlacement, PlaceIntentRequest, PlaceListRequest, Placement } from "../core/calls.ts";
import type { Core } from "../core/core.ts";
import { EngineError } from "../core/engine-error.ts";
import type { PendingRecord } from "../core/live-order.ts";
import type { OpenCaller } from "../core/open-calls.ts";
import { stored } from "../core/stored.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { ListReads } from "../reads/list-reads.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";
import type { StatusBoard } from "../status/status-board.ts";
import { PlacementDesk } from "./placement-desk.ts";

/** Dependencies of {@link Placements}. */
type PlacementParts = Readonly<{
  shards: Shards;
  market: MarketHub;
  lists: ListReads;
  volumes: VolumeHistory;
  board: StatusBoard;
}>;

type Named = Readonly<{ accountId: number; clientOrderId: string }>;
type Command = PlaceIntentRequest;
type ListCommand = PlaceListRequest;
type Weighted = Parameters<typeof weightBytesOf>[0] & Readonly<{ accountId: number }>;
/** A shard, and the epoch that it had when work on it began. */
type ShardTenure = Readonly<{ shard: Shard; epoch: number }>;
type Host = Pick<EngineOptions, "accounts" | "instruments" | "exposure">;

/** An order that may be accepted now, and where. */
export type Admitted = Readonly<{ shard: Shard; timeMs: number; admission: Admission }>;

/** How a command is decided, and answered once its record is durable. */
type Decided<T> = Readonly<{
  decide: () => Awaitable<T | PendingRecord>;
  answerOf: (durable: PendingRecord) => T;
}>;

/** Answers of the host that a decision needs: the position, and volumes for a profile. */
type Fetched = Readonly<{ position: Quantity | undefined; profile: VolumeProfile | undefined }>;

/**
 * Places new parents and lists. One account and client id name one order for as long as its record is kept. Simultaneous
 * copies wait for the first and answer with its order.
 */
export class Placements {
  readonly #core: Core;
  readonly #host: Host;
  readonly #parts: PlacementParts;
  readonly #desk: PlacementDesk;
  /** Number of parents for which there is certainly room. When it is used up, the open parents are counted again. */
  #room = 0;

  constructor(core: Core, host: Host, parts: PlacementParts) {
    this.#core = core;
    this.#host = host;
    this.#parts = parts;
    this.#desk = new PlacementDesk(core.settings.maxPendingCommands);
  }

  /** Counts the open parents again before the next one is placed: shards have come with theirs. */
  recount(): void {
    this.#room = 0;
  }

  /** Number of commands that wait for the store, or for a copy of themselves that waits for it. */
  get pending(): number {
    return this.#desk.waiting;
  }

  /** Decides synchronously when all inputs are there. The caller is answered when the order is durable. */
  place(command: Command, caller: OpenCaller<Placement>): void {
    this.enter(command, { decide: () => this.#place(command), answerOf: placementOf }, caller);
  }

  /** Decides with {@link place}, one after the other, on commands about the client id of a new order. */
  enter<T>({ accountId, intent }: Command, { decide, answerOf }: Decided<T>, caller: OpenCaller<T>): void {
    const names = [`${accountId}:${intent.clientOrderId}`];
    this.#desk.enter({ names, decide: () => naming([intent], decide), answerOf }, caller);
  }

  /**
   * Asks the host what the decision on an order needs. Resolves to what decides then, and throws the refusal: the room of the
   * order that it replaces is free for it.
   */
  async admissionOf(command: Command): Promise<(replaced?: ParentOrder) => Admitted> {
    const fetched = await this.#query(command.accountId, [command.intent]);
    return (replaced) => this.#admit(command, fetched, replaced);
  }

  /** Decides as {@link place} does, and places nothing. Rejects with the refusal. */
  async check(command: Command): Promise<void> {
    const { accountId, intent: requested, notAfterMs } = command;
    await naming([requested], async () => {
      const intent = packedIntent(requested);
      const known = await this.findOrder({ accountId, clientOrderId: intent.clientOrderId });
      if (known !== undefined) existing(known, intent);
      else this.#admit({ accountId, intent, notAfterMs }, await this.#query(accountId, [intent]));
    });
  }

  /** Places the whole list or none of it. */
  placeList(command: ListCommand, caller: OpenCaller<ListPlacement>): void {
    const { accountId, list } = command;
    const ids = list.legs.map(({ intent }) => `${accountId}:${intent.clientOrderId}`);
    const names = [`${accountId}:list:${list.listClientOrderId}`, ...ids];
    const intents = list.legs.map(({ intent }) => intent);
    const decide = () => naming(intents, () => this.#placeList(command));
    this.#desk.enter({ names, decide, answerOf: listPlacementOf }, caller);
  }

  /** Returns the order that a client id of an account names, open or ended. Waits for one that is not durable yet. */
  findOrder(named: Named): Awaitable<ParentOrder | undefined> {
    const { accountId, clientOrderId } = named;
    if (this.#core.clientIds.lacks(accountId, clientOrderId)) return undefined;
    const shard = this.#parts.shards.ofAccount(accountId);
    const live = shard.accounts.get(accountId)?.byClientId.get(clientOrderId);
    if (live?.durable !== undefined) return live.durable;
    if (live?.pending !== undefined) return this.#findAfter(live.pending, shard, named);
    return this.#findEnded(named);
  }

  /** Returns the order that a client id names once its first record is durable or lost. */
  async #findAfter(record: PendingRecord, shard: Shard, named: Named): Promise<ParentOrder | undefined> {
    if (shard.state === "running") await shard.whenDurable(record).catch(() => undefined);
    else {
      // The shard is being read again and its memory is stale: only the store's answer counts.
      const ended = await this.#findEnded(named);
      if (ended !== undefined) return ended;
      shard.requireRunning();
    }
    return await this.findOrder(named);
  }

  #findEnded(named: Named): Promise<ParentOrder | undefined> {
    return stored(this.#core, () => this.#core.store.findEnded(named));
  }

  #place({ accountId, intent: requested, notAfterMs }: Command): Awaitable<Placement | PendingRecord> {
    const intent = packedIntent(requested);
    const shard = this.#parts.shards.ofAccount(accountId);
    const { epoch } = shard;
    return follow(this.findOrder({ accountId, clientOrderId: intent.clientOrderId }), (known) => {
      if (known !== undefined) return existing(this.#newest(known, { shard, epoch }), intent);
      return follow(this.#query(accountId, [intent]), (fetched) => {
        // Another engine may have taken the same client id while the host was asked.
        shard.requireSince(epoch);
        return this.#accept({ accountId, intent, notAfterMs }, fetched);
      });
    });
  }

  /** Returns what was found, unless another engine may know more of it. */
  #newest<T>(known: T, { shard, epoch }: ShardTenure): T {
    this.#core.trust.requireHeld();
    shard.requireSince(epoch);
    return known;
  }

  #accept(command: Command, fetched: Fetched): PendingRecord {
    const { accountId, intent } = command;
    const { shard, timeMs, admission } = this.#admit(command, fetched);
    return this.acceptIn(intent.symbol, shard, { accountId, timeMs, parents: [{ intent, admission }] });
  }

  /**
   * Accepts the parents of a market. It is open before they watch it, so that the first quote of a market without orders
   * needs no other to confirm it.
   */
  acceptIn(symbol: string, shard: Shard, command: Parameters<Shard["accept"]>[0]): PendingRecord {
    this.#parts.market.open(symbol);
    return shard.accept(command);
  }

  /** Decides on an order for which the host has answered. Changes nothing. Throws the refusal. */
  #admit({ accountId, intent, notAfterMs }: Command, fetched: Fetched, replaced?: ParentOrder): Admitted {
    this.#requireInTime(notAfterMs);
    this.#requireTime([intent]);
    const shard = this.#requireShard(accountId, replaced === undefined ? 1 : 0);
    const timeMs = this.#core.nowMs();
    const admission = admit(intent, this.#admissionContext(intent.symbol, timeMs, fetched));
    if (intent.schedule !== undefined)
      this.#requireWeights(shard, { accountId, intent, ...admission }, replaced);
    return { shard, timeMs, admission };
  }

  async #placeList({ accountId, list: requested, notAfterMs }: ListCommand): Promise<ListPlacement> {
    const list = withJoinedShares(requested, this.#core.rules.minimum);
    const owner = this.#parts.shards.ofAccount(accountId);
    const { epoch } = owner;
    const known = await this.#parts.lists.find({ accountId, listClientOrderId: list.listClientOrderId });
    if (known !== undefined) return existingList(this.#newest(known, { shard: owner, epoch }), list);
    const intents = list.legs.map(({ intent }) => intent);
    await this.#refuseKnownIds({ shard: owner, epoch }, accountId, intents);
    const fetched = await this.#query(accountId, intents);
    this.#requireInTime(notAfterMs);
    this.#requireTime(intents);
    const shard = this.#requireShard(accountId, intents.length);
    shard.requireSince(epoch);
    const timeMs = this.#core.nowMs();
    const symbol = intents[0]?.symbol ?? "";
    const admissions = admitList(list, {
      ...this.#admissionContext(symbol, timeMs, fetched),
      mustStraddle: this.#core.settings.ocoMustStraddle,
    });
    const parents = intents.map((intent, index) => ({ intent, admission: admissions[index] ?? {} }));
    const pending = this.acceptIn(symbol, shard, { accountId, timeMs, parents, list });
    // The list's names stay reserved until then: an earlier copy would otherwise find legs without a list.
    await shard.whenDurable(pending);
    return listPlacementOf(pending);
  }

  /**
   * Throws DUPLICATE_ORDER if the client id of a leg names an existing order or another leg. A leg of the same list may be
   * found without its list: another engine has accepted it meanwhile, and ended the leg.
   */
  async #refuseKnownIds(
    tenure: ShardTenure,
    accountId: number,
    intents: readonly ParentIntent[],
  ): Promise<void> {
    const ids = intents.map(({ clientOrderId }) => clientOrderId);
    const known = await Promise.all(ids.map((clientOrderId) => this.findOrder({ accountId, clientOrderId })));
    if (new Set(ids).size < ids.length || known.some((order) => order !== undefined)) {
      this.#newest(known, tenure);
      throw new OrderError("DUPLICATE_ORDER", { field: "newClientOrderId" });
    }
  }

  /**
   * Asks the host what the admission of a change of an order, or of legs of a list, needs. Resolves to what returns the context at
   * the time of the decision. Throws or rejects with the reason against the change.
   */
  async contextOf(accountId: number, intents: readonly ParentIntent[]): Promise<() => AdmissionContext> {
    const fetched = await this.#query(
      accountId,
      intents.map(({ schedule: _isPlanned, ...terms }) => terms),
    );
    return () => this.#admissionContext(intents[0]?.symbol ?? "", this.#core.nowMs(), fetched);
  }

  #admissionContext(symbol: string, nowMs: number, { position, profile }: Fetched): AdmissionContext {
    const { time, rules, settings } = this.#core;
    const { market } = this.#parts;
    const now = market.now(symbol);
    return {
      nowMs,
      aheadMs: time.aheadOfWallMs(),
      minimum: rules.minimum,
      maxIcebergParts: settings.maxIcebergParts,
      quote: now?.fresh === true ? now.quote : undefined,
      position,
      profile,
      ...this.#volumeBefore(symbol),
    };
  }

  /**
   * Returns the executed volume after which a participation begins: the total of the market's log, if it is known to be
   * that of now, and every node can read that it was used.
   */
  #volumeBefore(symbol: string): Pick<AdmissionContext, "volume" | "volumeLogged"> {
    const { market, board } = this.#parts;
    const logged = board.hasOutdatedNodes ? undefined : market.loggedNow(symbol);
    return logged === undefined
      ? { volume: market.tape.total(symbol) }
      : { volume: logged, volumeLogged: true };
  }

  /** Asks the host for everything the decision needs. Throws or rejects with the reason against the command. */
  #query(accountId: number, intents: readonly ParentIntent[]): Awaitable<Fetched> {
    this.#requireService();
    const { symbol } = this.#instrument(intents[0]?.symbol ?? "");
    return follow(this.#host.accounts.account(accountId), (account) => {
      requireRights(account, { accountId, symbol });
      return follow(this.#fetch(accountId, symbol, intents), (fetched) => {
        // The host's answers may have taken time, and the engine may have begun to drain.
        this.#requireService();
        return fetched;
      });
    });
  }

  #fetch(accountId: number, symbol: string, intents: readonly ParentIntent[]): Awaitable<Fetched> {
    const reduces = intents.some(({ reduceOnly }) => reduceOnly);
    const position = reduces ? this.#host.exposure.position(accountId, symbol) : undefined;
    return follow(position, (held) =>
      follow(this.#profile(intents[0]), (profile) => ({
        position: held === undefined ? undefined : quantityOf(held),
        profile,
      })),
    );
  }

  /** Returns the volumes for a VWAP without a profile of its own. */
  #profile(intent: ParentIntent | undefined): Awaitable<VolumeProfile | undefined> {
    const schedule = intent?.schedule;
    if (intent?.type !== "VWAP" || schedule === undefined || schedule.weights !== undefined) return undefined;
    const nowMs = this.#core.wallMs();
    const bars = this.#parts.volumes.minutes({ symbol: intent.symbol, ...profileWindow(nowMs) });
    return follow(bars, (minutes) => volumeProfile(minutes, { nowMs, ...schedule }));
  }

  /** Throws DISCONNECTED after the time of a placement: its client may have been told that the outcome is unknown. */
  #requireInTime(notAfterMs: number | undefined): void {
    if (notAfterMs !== undefined && this.#core.wallMs() > notAfterMs)
      throw new EngineError("DISCONNECTED", { notAfterMs });
  }

  /** Throws DISCONNECTED for a schedule while engine time may be about to jump: its slots would be jumped over. */
  #requireTime(intents: readonly ParentIntent[]): void {
    if (!intents.some(({ schedule }) => schedule !== undefined)) return;
    const confirmMs = Math.ceil(this.#core.time.doubtedForMs);
    if (confirmMs > 0) throw new EngineError("DISCONNECTED", { confirmMs });
  }

  #requireService(): void {
    const { advancedOrders, liquidityMode } = this.#core.settings;
    if (!advancedOrders || !liquidityMode)
      throw new EngineError("ADVANCED_ORDERS_OFF", {
        setting: advancedOrders ? "liquidityMode" : "advancedOrders",
      });
    const { board } = this.#parts;
    if (board.isDraining)
      throw new EngineError("SHUTTING_DOWN", board.isClockApart ? { clock: "apart" } : {});
  }

  #instrument(symbol: string): Instrument {
    const instrument = this.#host.instruments.find(symbol);
    if (instrument === undefined) throw new OrderError("BAD_SYMBOL", { field: "symbol" });
    if (instrument.kind !== "liquidity") throw notTraded(instrument);
    if (instrument.status !== "TRADING") throw new OrderError("MARKET_CLOSED");
    return instrument;
  }

  /** Returns the shard of an account. Throws SERVER_BUSY if there is no room for `more` further parents. */
  #requireShard(accountId: number, more: number): Shard {
    const shard = this.#parts.shards.ofAccount(accountId);
    shard.requireRunning();
    if (more === 0) return shard;
    const { maxOpenParents, maxOpenParentsPerAccount } = this.#core.settings;
    const mine = (shard.accounts.get(accountId)?.size ?? 0) + more;
    if (this.#room < more) this.#room = maxOpenParents - this.#parts.shards.openParents;
    if (mine > maxOpenParentsPerAccount)
      throw new EngineError("SERVER_BUSY", { setting: "maxOpenParentsPerAccount" });
    if (this.#room < more) throw new EngineError("SERVER_BUSY", { setting: "maxOpenParents" });
    this.#room -= more;
    return shard;
  }

  /** Throws SERVER_BUSY if the weights of a schedule exceed the limit of the account or of the engine. */
  #requireWeights(shard: Shard, order: Weighted, replaced?: ParentOrder): void {
    const more = weightBytesOf(order) - (replaced === undefined ? 0 : weightBytesOf(replaced));
    if (more <= 0) return;
    const { maxWeightBytes, maxWeightBytesPerAccount } = this.#core.settings;
    const mine = (shard.accounts.get(order.accountId)?.weightBytes ?? 0) + more;
    if (mine > maxWeightBytesPerAccount)
      throw new EngineError("SERVER_BUSY", { setting: "maxWeightBytesPerAccount" });
    if (this.#parts.shards.weightBytes + more > maxWeightBytes)
      throw new EngineError("SERVER_BUSY", { setting: "maxWeightBytes" });
  }
}

const acceptedOf = ({ steps }: PendingRecord): readonly ParentOrder[] => steps.map(({ order }) => order);

const placementOf = (pending: PendingRecord): Placement => ({
  order: acceptedOf(pending)[0] as ParentOrder,
  created: true,
});

const listPlacementOf = (pending: PendingRecord): ListPlacement => ({
  list: orderListOf(acceptedOf(pending)),
  created: true,
});

/**
 * Runs a decision. If it fails for an intent that no journal could hold, the error names the offending member instead of
 * the failure it led to.
 */
function naming<T>(intents: readonly ParentIntent[], decide: () => Awaitable<T>): Awaitable<T> {
  const refuse = (error: unknown): never => {
    for (const intent of intents) requireStorable(intent);
    throw error;
  };
  try {
    const decided = decide();
    return isAwaited(decided) ? decided.catch(refuse) : decided;
  } catch (error) {
    return refuse(error);
  }
}

/** Answers a repeated intent with its order. Another intent under the same id is refused (I03, I04). */
export function existing(order: ParentOrder, intent: ParentIntent): Placement {
  if (order.list !== undefined || canonicalIntent(acceptedIntent(order)) !== canonicalIntent(intent)) {
    throw new OrderError("DUPLICATE_ORDER", { field: "newClientOrderId" });
  }
  return { order, created: false };
}

function existingList(known: OrderList, list: ListIntent): ListPlacement {
  const legs = known.legs.map((leg): LegIntent => {
    const { role = "working", generatedClientId = false } = leg.list ?? {};
    return { role, intent: acceptedIntent(leg), generatedClientId };
  });
  const { contingency } = known;
  if (canonicalList({ ...listTermsOf(known), contingency, legs }) !== canonicalList(list)) {
    throw new OrderError("DUPLICATE_ORDER", { field: "listClientOrderId" });
  }
  return { list: known, created: false };
}

function requireRights(
  account: Account | undefined,
  { accountId, symbol }: Readonly<{ accountId: number; symbol: string }>,
): void {
  if (account === undefined) throw new EngineError("UNKNOWN_ACCOUNT", { accountId });
  if (account.enableDataSharing !== true) throw new OrderError("ACCOUNT_DISABLED");
  if (account.restricted === true) throw new OrderError("ACCOUNT_RESTRICTED");
  if (account.restricted !== false && account.restricted.includes(symbol))
    throw new OrderError("SYMBOL_RESTRICTED");
}
