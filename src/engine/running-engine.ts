import { wrongOption } from "../common/index.ts";
import type { Price } from "../decimal/index.ts";
import type { JournalRecord, OrderList, ParentOrder, PriceBar } from "../model/index.ts";
import type { ExecutionVenue, Telemetry, VolumeHistory } from "../ports/index.ts";
import { orderIntent } from "../requests/index.ts";
import { ALL_SHARDS, abandonParts, closeParts, type Lease } from "./closing.ts";
import { EngineAccount } from "./commands/engine-account.ts";
import { resumeOrder, settleChild } from "./commands/settlement.ts";
import type * as Api from "./core/api.ts";
import type * as Calls from "./core/calls.ts";
import type { AccountView } from "./core/calls.ts";
import { HandOverError } from "./core/engine-error.ts";
import type { EngineEventSource, EngineStatus, PrintUpdate } from "./core/events.ts";
import type { LiveOrder } from "./core/live-order.ts";
import { COSTS } from "./core/turns.ts";
import { EffectInterpreter } from "./interpreter.ts";
import type { MarketHub } from "./market/market-hub.ts";
import { runningLevelOf, runningLimitOf } from "./market/running-limit.ts";
import type { EngineParts } from "./parts.ts";
import { storyOf } from "./reads/stories.ts";
import { verify } from "./reads/verification.ts";
import type { Shard } from "./shards/shard.ts";

/** Where an opening engine gets its state and its input from. */
export type Opening = Readonly<{
  /** Puts the state of a shard into its memory, after which the shard runs, or leaves it to other nodes. */
  load: (shard: Shard) => Promise<void> | void;
  /** Subscribes to the venue, in place of a subscription of its own. */
  venue?: ExecutionVenue["subscribe"];
  /** Subscribes to the market. */
  subscribe: () => () => void;
}>;

/** The running engine. Passes each call of the host to the part that answers it. */
export class RunningEngine implements Api.Engine {
  readonly market: MarketHub;
  readonly volumes: VolumeHistory;
  readonly #parts: EngineParts;
  readonly #lease: Lease | undefined;
  #unsubscribe: () => void = () => undefined;
  #unwatchTime: () => void = () => undefined;
  #closing: Promise<Api.AtRest> | undefined;

  constructor(parts: EngineParts, lease?: Lease) {
    this.#parts = parts;
    this.#lease = lease;
    this.market = parts.market;
    this.volumes = parts.volumes;
    parts.core.effects.connect(new EffectInterpreter(parts));
  }

  /**
   * Builds every shard's memory from the store, arms open parents, and only then starts to listen to the venue, time
   * and the market. Looks open children up after subscribing to the venue: the answer covers earlier events, and the
   * subscription later ones.
   */
  async start({ load, venue, subscribe }: Opening): Promise<void> {
    const { core, shards, timers, stream, rearming, children, committer, endedNames, exposure } = this.#parts;
    for (const shard of shards.all) await load(shard);
    core.probe("after-load");
    this.#unwatchTime = core.time.watch({
      jumped: () => timers.rearm(),
      stepped: (stepMs) => {
        this.#confirmTime();
        core.clock.soon(() => stream.stepped(stepMs));
      },
    });
    core.executions.younger(core.time.begin());
    this.#confirmTime();
    if (core.time.isDoubted)
      timers.after(core.settings.clockStepMs, () => {
        if (core.time.isDoubted) stream.openedBehind(Math.round(core.time.wallLeadMs));
      });
    await this.#inTurns((live) => {
      rearming.arm(live);
      return COSTS.arm;
    });
    this.market.begin();
    children.listen(venue);
    exposure.listen();
    let restored = 0;
    await this.#inTurns((live) => {
      if (live.durable?.restored !== undefined) restored++;
      if ((live.durable?.child ?? live.durable?.earlyClose) === undefined) return COSTS.visit;
      children.recover(live);
      return COSTS.arm;
    });
    if (restored > 0) core.telemetry.event("warn", "orders.restored", { orders: restored });
    committer.begin();
    timers.begin();
    this.#parts.quotes.begin();
    endedNames.begin();
    this.#unsubscribe = subscribe();
  }

  /** Asks for a second witness of a later wall clock, and looks again when it has had the time to stay. */
  #confirmTime(): void {
    const { core, timers, venueClock } = this.#parts;
    if (!core.time.isDoubted) return;
    timers.after(core.time.doubtedForMs, () => void core.time.nowMs());
    core.clock.soon(() => venueClock.query());
  }

  /** Calls a function, which returns the cost of its work, for every open parent, in slices. */
  async #inTurns(each: (live: LiveOrder) => number): Promise<void> {
    const { core, shards } = this.#parts;
    for (const shard of shards.all) {
      const { memory } = shard;
      for (const live of memory.liveOrders.values()) {
        const turn = core.turns.spend(each(live));
        if (turn !== undefined) await turn;
        // The reload of a shard has handled its parents already.
        if (shard.memory !== memory) break;
      }
    }
  }

  get events(): EngineEventSource {
    return this.#parts.stream.events;
  }

  get settings(): Api.EngineSettings {
    return this.#parts.core.settings;
  }

  reportTo(telemetry: Telemetry): () => void {
    return this.#parts.core.telemetry.reportTo(telemetry);
  }

  get draining(): boolean {
    return this.#parts.board.isDraining;
  }

  account(accountId: number): AccountView {
    return new EngineAccount(this, accountId);
  }

  place(request: Calls.PlaceRequest): Promise<Calls.Placement> {
    const { calls, placements } = this.#parts;
    return calls.decide((caller) => placements.place(this.#commandOf(request), caller));
  }

  check(request: Calls.PlaceRequest): Promise<void> {
    const { placements } = this.#parts;
    return this.#readOf(this.#shardOf(request), () => placements.check(this.#commandOf(request)));
  }

  placeList(request: Calls.PlaceListRequest): Promise<Calls.ListPlacement> {
    const { calls, placements } = this.#parts;
    return calls.decide((caller) => placements.placeList(request, caller));
  }

  cancelList(key: Calls.ListKey): Promise<OrderList> {
    return this.#parts.calls.decide((caller) => caller.follow(this.#parts.cancels.list(key)));
  }

  findList(key: Calls.ListKey): Promise<OrderList | undefined> {
    return this.#readOf(this.#shardOf(key), () => this.#parts.lists.find(key));
  }

  openLists(request: Calls.ListPageRequest): Promise<readonly OrderList[]> {
    return this.#readOf(this.#shardOf(request), () => this.#parts.lists.open(request));
  }

  allLists(request: Calls.ListPageRequest): Promise<readonly OrderList[]> {
    return this.#readOf(this.#shardOf(request), () => this.#parts.lists.all(request));
  }

  listStory(listId: number): Promise<readonly JournalRecord[] | undefined> {
    return this.#parts.calls.read(() => this.#parts.lists.story(listId));
  }

  cancel(request: Calls.CancelRequest): Promise<ParentOrder> {
    return this.#parts.calls.decide((caller) => caller.follow(this.#parts.cancels.one(request)));
  }

  amend(request: Calls.AmendRequest): Promise<ParentOrder> {
    return this.#parts.calls.decide((caller) => caller.follow(this.#parts.amends.one(request)));
  }

  replace(request: Calls.ReplaceRequest): Promise<Calls.Replacement> {
    const { calls, replacements } = this.#parts;
    const { cancel, mode } = request;
    return calls.decide((caller) =>
      replacements.replace({ ...this.#commandOf(request), cancel, mode }, caller),
    );
  }

  settleChild(settlement: Api.ChildSettlement): Promise<ParentOrder> {
    return this.#parts.calls.decide((caller) => caller.follow(settleChild(settlement, this.#parts)));
  }

  resumeOrder(resumption: Api.Resumption): Promise<ParentOrder> {
    return this.#parts.calls.decide((caller) => caller.follow(resumeOrder(resumption, this.#parts.shards)));
  }

  owns(shard: number): boolean {
    return this.#parts.shards.at(shard).isOwned;
  }

  fundsChanged(accountId: number): void {
    this.#parts.funds.changed(accountId);
  }

  cancelAll(accountId: number): Promise<Calls.CancelAllResult> {
    return this.#parts.calls.decide((caller) => caller.follow(this.#parts.cancels.all(accountId)));
  }

  find(key: Calls.ParentKey): Promise<ParentOrder | undefined> {
    return this.#readOf(this.#shardOf(key), () => this.#parts.reads.find(key));
  }

  findAny(orderId: number): Promise<ParentOrder | undefined> {
    return this.#parts.calls.read(() => this.#parts.reads.findAny(orderId));
  }

  page(request: Calls.PageRequest): Promise<Calls.ParentPage> {
    return this.#readOf(this.#shardOf(request), () => this.#parts.reads.page(request));
  }

  runningLimit(order: ParentOrder): Price | undefined {
    return runningLimitOf(order, this.market.history);
  }

  runningLevel(order: ParentOrder): Price | undefined {
    return runningLevelOf(order, this.market.history);
  }

  quote(symbol: string): Api.QuoteNow | undefined {
    return this.market.now(symbol);
  }

  lastPrice(symbol: string): Price | undefined {
    return this.market.lastPrice(symbol);
  }

  priceBars(range: Api.PriceBarRange): readonly PriceBar[] | undefined {
    return this.market.prints.bars(range);
  }

  recentPrints(symbol: string): readonly PrintUpdate[] {
    return this.market.prints.recent(symbol);
  }

  story(orderId: number): Promise<Api.Story | undefined> {
    return this.#parts.calls.read(() => storyOf(this.#parts, orderId));
  }

  verify(): Promise<Api.Verification> {
    const { core, calls, shards, housekeeping } = this.#parts;
    const stored = () =>
      housekeeping.whileRetained(() => verify(core, () => shards.owned, housekeeping.cutoffMs()));
    return calls.read(stored);
  }

  metrics(): Api.Metrics {
    return metricsOf(this.#parts);
  }

  status(): EngineStatus {
    return this.#parts.board.status;
  }

  get isIdle(): boolean {
    return this.#parts.rest.lasts;
  }

  idle(): Promise<Api.AtRest> {
    return this.isIdle ? AT_REST : this.#reachRest();
  }

  async #reachRest(): Promise<Api.AtRest> {
    const { core, rest, reconciler } = this.#parts;
    const waitingFor = await rest.reached(core.settings.closeTimeoutMs);
    return { ...reconciler.followed, waitingFor };
  }

  drain(): void {
    this.#parts.board.draining();
  }

  async handOver(): Promise<Api.AtRest> {
    const lease = this.#lease;
    if (lease === undefined)
      throw new HandOverError(
        "NO_LEASE",
        "the engine has no lease: only one that openNode opened hands over",
      );
    if (this.#closing !== undefined) throw new HandOverError("CLOSING", "the engine is being closed already");
    await lease.announce();
    await this.#parts.dispatcher.hold(ALL_SHARDS);
    return await this.close();
  }

  close(): Promise<Api.AtRest> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<Api.AtRest> {
    this.drain();
    try {
      const left = await closeParts(this.#parts, this.#unsubscribes, this.#lease);
      const named = left.waitingFor.length > 0 ? `, without waiting for: ${left.waitingFor.join(", ")}` : "";
      this.#parts.board.closed(`the engine is closed${named}`);
      return left;
    } finally {
      this.#parts.stream.stop();
    }
  }

  /** Undoes the start of an opening that failed. The store stays with its owner. */
  abandon(): void {
    abandonParts(this.#parts, this.#unsubscribes);
    this.#parts.stream.stop();
  }

  get #unsubscribes(): readonly (() => void)[] {
    return [
      () => this.#unsubscribe(),
      () => this.#unwatchTime(),
      () => this.#parts.exposure.stop(),
      () => this.#parts.children.stop(),
    ];
  }

  #shardOf({ accountId }: Readonly<{ accountId: number }>): Shard {
    return this.#parts.shards.ofAccount(accountId);
  }

  /** Makes a call that only reads, whose answer counts if this engine has owned the shard all the time. */
  #readOf<T>(shard: Shard, call: () => Promise<T>): Promise<T> {
    const { calls, core } = this.#parts;
    if (!core.trust.isLeased) return calls.read(call);
    const { epoch } = shard;
    return calls.read(async () => {
      const answer = await call();
      shard.requireSince(epoch);
      return answer;
    });
  }

  #commandOf(request: Calls.PlaceRequest): Extract<Calls.PlaceRequest, { intent: unknown }> {
    if ("intent" in request) return request;
    const { accountId, order, notAfterMs } = request;
    if (order === undefined) throw wrongOption(order, "engine.place.order", "the fields of an order");
    const intent = orderIntent(order, { clientId: () => this.#parts.entropy.token(CLIENT_ID_LENGTH) });
    return { accountId, intent, notAfterMs };
  }
}

/** Result of `idle` for an engine that is at rest. Created once, because a simulation asks after every quote. */
const AT_REST: Promise<Api.AtRest> = Promise.resolve({ inFlight: 0, unknown: 0, waitingFor: [] });

/** Length of a client id that the engine generates. */
const CLIENT_ID_LENGTH = 22;

/** Returns the current counters and queue lengths of an engine. */
function metricsOf(parts: EngineParts): Api.Metrics {
  const { core, market, shards, venueQueue, stalls, reconciler, board, placements } = parts;
  const { triggers, children, appends, records, alerts } = core.counters;
  return {
    ...market.counts,
    ...{ triggers, children, appends, records, alerts },
    openParents: shards.openParents,
    journalSequence: shards.owned.reduce((sum, shard) => sum + shard.durableSequence, 0),
    pendingCommands: placements.pending,
    venueQueue: venueQueue.size,
    stalled: stalls.counts,
    ...reconciler.followed,
    conditions: board.conditions,
  };
}
