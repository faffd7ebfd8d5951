import type { Price } from "../decimal/index.ts";
import { invariant } from "../errors/index.ts";
import { type ParentEvent, SHARD_COUNT, shardOf, shardOfId } from "../lifecycle/index.ts";
import type { Cause, JournalRecord, OrderList, ParentOrder } from "../model/index.ts";
import type { Entropy, VolumeHistory } from "../ports/index.ts";
import { orderIntent } from "../requests/index.ts";
import type * as Api from "./api.ts";
import { Arming } from "./arming.ts";
import { Bursts } from "./bursts.ts";
import { Cancels } from "./cancels.ts";
import { checkedOptions } from "./checked-options.ts";
import { ChildOrderManager } from "./child-order-manager.ts";
import { abandonParts, type ClosingParts, closeParts } from "./closing.ts";
import { Committer } from "./committer.ts";
import { type Core, coreOf, type DurableRecord, type LiveOrder, type QuoteNow } from "./core.ts";
import { EventStream } from "./event-stream.ts";
import { type AttemptParts, ExecutionAttempts } from "./execution-attempts.ts";
import { ExposureTracker } from "./exposure-tracker.ts";
import { type FundsHost, FundsQueue } from "./funds-queue.ts";
import { Housekeeping } from "./housekeeping.ts";
import { ListReads } from "./list-reads.ts";
import { type KeptMarket, type MarketHost, MarketHub } from "./market-hub.ts";
import { metricsOf } from "./metrics.ts";
import { OpenCalls } from "./open-calls.ts";
import { type PlacementHost, Placements } from "./placement.ts";
import { PovParticipants } from "./pov-participants.ts";
import { ReadModel } from "./read-model.ts";
import { Rearming, type RearmingParts } from "./rearming.ts";
import { Rest } from "./rest.ts";
import { runningLimitOf } from "./running-limit.ts";
import { settleChild } from "./settlement.ts";
import { Shard, type ShardHost } from "./shard.ts";
import type { ShardMemory } from "./shard-memory.ts";
import { StatusBoard } from "./status-board.ts";
import { timely } from "./stored.ts";
import { Stories } from "./stories.ts";
import { Timers } from "./timers.ts";
import { COSTS } from "./turns.ts";
import { verify } from "./verification.ts";

class RunningEngine implements Api.Engine {
  readonly market: MarketHub;
  readonly volumes: VolumeHistory;
  readonly #core: Core;
  readonly #shards: readonly Shard[];
  readonly #timers: Timers;
  readonly #bursts: Bursts;
  readonly #committer: Committer;
  readonly #participants: PovParticipants;
  readonly #arming: Arming;
  readonly #desk: ChildOrderManager;
  readonly #rearming: Rearming;
  readonly #funds: FundsQueue;
  readonly #exposure: ExposureTracker;
  readonly #attempts: ExecutionAttempts;
  readonly #placements: Placements;
  readonly #reads: ReadModel;
  readonly #lists: ListReads;
  readonly #stories: Stories;
  readonly #cancels: Cancels;
  readonly #housekeeping: Housekeeping;
  readonly #stream: EventStream;
  readonly #board: StatusBoard;
  readonly #rest: Rest;
  readonly #calls: OpenCalls;
  readonly #entropy: Entropy;
  #unsubscribe: () => void = () => undefined;
  #unwatchTime: () => void = () => undefined;
  #draining = false;
  #closing: Promise<Api.AtRest> | undefined;

  constructor(
    core: Core,
    options: Api.EngineOptions,
    kept: KeptMarket,
    shardsOf: (host: ShardHost) => readonly Shard[],
  ) {
    this.#core = core;
    this.#entropy = options.entropy;
    this.#calls = new OpenCalls(core.monotonicMs);
    this.#timers = new Timers(core.clock, core.time, core.told("timer.failed"));
    this.#bursts = new Bursts(core, { isStoreBehind: () => this.#committer.isBehind });
    this.#stream = new EventStream(core);
    this.#board = new StatusBoard(core, {
      tell: (update) => this.#stream.status(update),
      stopped: () => this.market.stopped,
      unknown: () => this.#desk.reconciler.unknown,
    });
    this.#rest = new Rest(core, () => this.#awaited());
    const timers = this.#timers;
    const shard = (number: number): Shard => this.#shard(number);
    const quote = (symbol: string): QuoteNow | undefined => this.market.now(symbol);
    const isFrozen = (order: ParentOrder): boolean => this.#isFrozen(order);
    const { instruments } = options;
    this.market = new MarketHub(core, { instruments, ...kept }, this.#marketHost());
    this.#committer = new Committer(core, timers, {
      takeMarket: () => ({ marks: this.market.takeMarks(), prints: this.market.tape.takePrints() }),
      quotesToKeep: (touched) => this.market.quotesToKeep(touched),
      kept: (kept) => this.market.kept(kept),
      failed: (error) => this.#board.storeFailed(error),
      unanswered: (sinceMs) => this.#calls.giveUp(sinceMs),
      worked: () => this.#storeWorked(),
      committed: (shards) => this.#housekeeping.afterCommit(shards),
      bursts: this.#bursts,
    });
    this.#shards = shardsOf(this.#shardHost());
    this.#participants = new PovParticipants(this.market.tape);
    this.#funds = new FundsQueue(core, { timers, instruments }, this.#fundsHost());
    const funds = this.#funds;
    this.#arming = new Arming(
      core,
      { timers, market: this.market, funds },
      {
        isFrozen,
        mayFollow: (live) => this.#participants.volumeFor(live) !== undefined,
        post: (order, event, cause) => this.#postInTurn(order, event, cause),
      },
    );
    const desk = { venue: options.venue, timers, funds };
    this.#desk = new ChildOrderManager(core, desk, { shard, quote, isFrozen });
    this.#rearming = new Rearming(this.#rearmingParts());
    this.#exposure = new ExposureTracker(core, options.exposure, {
      shard,
      measured: (live, exposure) => this.#attempts.measured(live, exposure),
      idle: (live) => this.#arming.arm(live),
    });
    this.#attempts = new ExecutionAttempts(this.#attemptParts(), { shard, isFrozen });
    this.#reads = new ReadModel(core, { shard, shardFor: (accountId) => this.#shardFor(accountId) });
    const told = { reads: this.#reads, market: this.market, funds };
    this.#stories = new Stories(core, told, { shard, isFrozen });
    this.#lists = new ListReads(core, { shard, reads: this.#reads });
    this.#cancels = new Cancels({ shard, reads: this.#reads, lists: this.#lists, bursts: this.#bursts });
    this.volumes = options.volumeHistory ?? this.market.tape;
    this.#placements = new Placements(core, options, this.#placementHost());
    this.#housekeeping = new Housekeeping(core, {
      shards: this.#shards,
      market: this.market,
      instruments: options.instruments,
      timers,
    });
  }

  #fundsHost(): FundsHost {
    const live: FundsHost["live"] = (id) => this.#shard(shardOfId(id)).liveOrders.get(id);
    return { live, arm: (each) => this.#arming.arm(each) };
  }

  #placementHost(): PlacementHost {
    return {
      shardFor: (accountId) => this.#shardFor(accountId),
      openParents: () => this.#shards.reduce((sum, { memory }) => sum + memory.openParents, 0),
      weightBytes: () => this.#shards.reduce((sum, { memory }) => sum + memory.weightBytes, 0),
      quote: (symbol) => this.market.now(symbol),
      draining: () => this.#draining,
      lists: this.#lists,
      volumes: this.volumes,
      executedVolume: (symbol) => this.market.tape.total(symbol),
    };
  }

  #rearmingParts(): RearmingParts {
    const [bursts, participants, arming, desk] = [this.#bursts, this.#participants, this.#arming, this.#desk];
    return { bursts, participants, arming, desk };
  }

  #attemptParts(): AttemptParts {
    const [exposure, funds] = [this.#exposure, this.#funds];
    return { market: this.market, ...this.#rearmingParts(), exposure, funds };
  }

  #marketHost(): MarketHost {
    return {
      runDue: () => this.#timers.runDue(),
      afterDue: (act) => this.#timers.afterDue(act),
      act: (symbol, steps) => this.#bursts.add("quotes", symbol, steps),
      fired: (fired, seen) => this.#attempts.fired(fired, seen),
      activated: (activated, seen) => this.#attempts.activated(activated, seen),
      quoted: (seen) => this.#stream.quoted(seen),
      printed: (print, price) => {
        this.#attempts.printed(print);
        this.#stream.printed(print, price);
      },
      moved: () => this.#committer.wake(),
      overflowed: () => this.#board.volumeDropped(),
    };
  }

  #shardHost(): ShardHost {
    return {
      dirty: (dirty, asked) => this.#committer.wake(dirty, asked),
      durable: (record, liveOrders) => this.#durable(record, liveOrders),
      found: (record) => {
        this.#desk.found(record.steps);
        this.#stream.tell(record);
      },
      reloaded: (reloaded, before) => this.#reloaded(reloaded, before),
      notAfterMs: () => this.#desk.dispatcher.notAfterMs(),
      measure: (order) => this.#exposure.measure(order),
    };
  }

  /**
   * Makes every shard's memory from the store, arms what is open, and only then lets the venue, time and the market in.
   * Each open child is looked up after the venue is heard: what it did before is in the answer, what it does later in
   * its events.
   */
  async start(options: Api.EngineOptions): Promise<void> {
    for (const shard of this.#shards) await shard.load();
    this.#core.probe("after-load");
    this.#unwatchTime = this.#core.time.watch({
      jumped: () => this.#timers.rearm(),
      stepped: (stepMs) => this.#core.clock.soon(() => this.#stream.stepped(stepMs)),
    });
    await this.#inTurns((live) => this.#rearming.arm(live));
    this.market.begin();
    this.#desk.listen();
    await this.#inTurns((live) => this.#desk.recover(live));
    this.#committer.begin();
    this.#timers.begin();
    this.#unsubscribe = options.marketData?.subscribe(this.market) ?? this.#unsubscribe;
  }

  /** Does something with every open parent, in slices. */
  async #inTurns(each: (live: LiveOrder) => void): Promise<void> {
    const { turns } = this.#core;
    for (const shard of this.#shards) {
      const { memory } = shard;
      for (const live of memory.liveOrders.values()) {
        each(live);
        const turn = turns.spend(COSTS.arm);
        if (turn !== undefined) await turn;
        // A shard that was read again has been seen to with that.
        if (shard.memory !== memory) break;
      }
    }
  }

  get events(): Api.EngineEventSource {
    return this.#stream.events;
  }

  get settings(): Api.EngineSettings {
    return this.#core.settings;
  }

  get draining(): boolean {
    return this.#draining;
  }

  place(request: Api.PlaceRequest): Promise<Api.Placement> {
    return this.#calls.decide(() =>
      "intent" in request ? this.#placements.place(request) : this.#placeFields(request),
    );
  }

  placeList({ accountId, list }: Api.PlaceListRequest): Promise<Api.ListPlacement> {
    return this.#calls.decide(() => this.#placements.placeList({ accountId, list }));
  }

  cancelList(key: Api.ListKey): Promise<OrderList> {
    return this.#calls.decide(() => this.#cancels.list(key));
  }

  findList(key: Api.ListKey): Promise<OrderList | undefined> {
    return this.#calls.read(() => this.#lists.find(key));
  }

  openLists(request: Api.ListPageRequest): Promise<readonly OrderList[]> {
    return this.#calls.read(() => this.#lists.open(request));
  }

  allLists(request: Api.ListPageRequest): Promise<readonly OrderList[]> {
    return this.#calls.read(() => this.#lists.all(request));
  }

  listStory(listId: number): Promise<readonly JournalRecord[] | undefined> {
    return this.#calls.read(() => this.#lists.story(listId));
  }

  cancel(key: Api.ParentKey): Promise<ParentOrder> {
    return this.#calls.decide(() => this.#cancels.one(key));
  }

  settleChild(settlement: Api.ChildSettlement): Promise<ParentOrder> {
    return this.#calls.decide(() => settleChild(settlement, (number) => this.#shard(number)));
  }

  fundsChanged(accountId: number): void {
    this.#funds.changed(accountId);
  }

  cancelAll(accountId: number): Promise<Api.CancelAllResult> {
    return this.#calls.decide(() => this.#cancels.all(accountId));
  }

  find(key: Api.ParentKey): Promise<ParentOrder | undefined> {
    return this.#calls.read(() => this.#reads.find(key));
  }

  findAny(orderId: number): Promise<ParentOrder | undefined> {
    return this.#calls.read(() => this.#reads.findAny(orderId));
  }

  page(request: Api.PageRequest): Promise<Api.ParentPage> {
    return this.#calls.read(() => this.#reads.page(request));
  }

  runningLimit(order: ParentOrder): Price | undefined {
    return runningLimitOf(order, this.market.history);
  }

  quote(symbol: string): QuoteNow | undefined {
    return this.market.now(symbol);
  }

  lastPrice(symbol: string): Price | undefined {
    return this.market.lastPrice(symbol);
  }

  story(orderId: number): Promise<Api.Story | undefined> {
    return this.#calls.read(() => this.#stories.of(orderId));
  }

  verify(): Promise<Api.Verification> {
    return this.#calls.read(() => verify(this.#core, this.#shards, this.#housekeeping.cutoffMs()));
  }

  metrics(): Api.Metrics {
    return metricsOf({
      counters: this.#core.counters,
      market: this.market,
      shards: this.#shards,
      placements: this.#placements,
      desk: this.#desk,
    });
  }

  status(): Api.EngineStatus {
    return this.#board.status;
  }

  async idle(): Promise<Api.AtRest> {
    const waitingFor = await this.#rest.reached(this.#core.settings.closeTimeoutMs);
    return { ...this.#followed(), waitingFor };
  }

  drain(): void {
    this.#draining = true;
    this.#board.draining();
  }

  close(): Promise<Api.AtRest> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<Api.AtRest> {
    this.drain();
    try {
      const left = await closeParts(this.#closingParts());
      const named = left.waitingFor.length > 0 ? `, left: ${left.waitingFor.join(", ")}` : "";
      this.#board.closed(`the engine is closed${named}`);
      return left;
    } finally {
      this.#stream.stop();
    }
  }

  /** Calls off what an opening that failed has begun; the store stays its owner's. */
  abandon(): void {
    this.#draining = true;
    abandonParts(this.#closingParts());
    this.#stream.stop();
  }

  #closingParts(): ClosingParts {
    return {
      core: this.#core,
      unsubscribe: [() => this.#unsubscribe(), () => this.#unwatchTime(), () => this.#desk.stop()],
      committer: this.#committer,
      timers: this.#timers,
      bursts: this.#bursts,
      shards: this.#shards,
      housekeeping: this.#housekeeping,
      calls: this.#calls,
      rest: this.#rest,
      followed: () => this.#followed(),
    };
  }

  #followed(): Api.InFlight {
    const { inFlight, unknown } = this.#desk.reconciler;
    return { inFlight, unknown };
  }

  #awaited(): readonly string[] {
    const awaited: string[] = [];
    if (this.#committer.busy) awaited.push("an append to the store");
    if (this.#timers.isBehind) awaited.push("what is due by now");
    if (this.#desk.busy) awaited.push("an ended order from the store");
    return awaited;
  }

  /** The store fails for as long as a shard cannot be read, too. */
  #storeWorked(): void {
    if (!this.#board.isStoreFailing || !this.#shards.some(({ state }) => state === "reloading"))
      this.#board.storeWorked();
  }

  async #placeFields({
    accountId,
    order,
  }: Extract<Api.PlaceRequest, { order: unknown }>): Promise<Api.Placement> {
    const intent = orderIntent(order, { clientId: () => this.#entropy.token(CLIENT_ID_LENGTH) });
    return await this.#placements.place({ accountId, intent });
  }

  #shard(number: number): Shard {
    const shard = this.#shards[number];
    if (shard === undefined) throw new RangeError(`no shard ${number}`);
    return shard;
  }

  #shardFor(accountId: number): Shard {
    return this.#shard(shardOf(accountId));
  }

  #isFrozen(order: ParentOrder): boolean {
    return this.#shardFor(order.accountId).accounts.get(order.accountId)?.frozen === true;
  }

  /** Many may be due at one time. */
  #postInTurn({ orderId, accountId }: ParentOrder, event: ParentEvent, cause: Cause): void {
    const shard = this.#shard(shardOfId(orderId));
    const change = (): void => void shard.change(orderId, event, cause);
    this.#bursts.do("time", accountId, () => shard.post(change));
  }

  /** What follows once a record is durable: book and timers, the venue, the event stream. */
  #durable(record: DurableRecord, liveOrders: readonly LiveOrder[]): void {
    for (const step of record.steps) this.#funds.saw(step);
    for (const live of liveOrders) {
      this.#participants.keep(live);
      this.#arming.arm(live);
    }
    for (const step of record.steps) {
      this.#desk.followUp(step);
      for (const effect of step.effects) {
        if (effect.kind === "SUBMIT") this.#desk.dispatcher.submit(step.order, this.#committer.askedAtMs);
        else this.#exposure.measure(step.order);
      }
    }
    this.#stream.tell(record);
  }

  #reloaded(shard: Shard, before: ShardMemory): void {
    this.#rearming.reloaded(shard, before);
    if (shard.state === "fenced") this.#board.fenced(shard.number);
  }
}

/** Length of a client id made here (decision 3). */
const CLIENT_ID_LENGTH = 22;

/**
 * Opens an engine on a store: takes every shard over, makes the state again from snapshots and journal, arms what is
 * open and looks up every child whose outcome is not known.
 * Rejects when the store cannot be read, does not answer for `hostTimeoutMs` or holds what a newer version wrote, in one
 * shard or in many; throws a RangeError on a setting out of range.
 * Source: contract "What the service does", decisions 12 and 14.
 */
export async function openEngine(given: Api.EngineOptions): Promise<Api.Engine> {
  const core = coreOf(given);
  const options = checkedOptions(core, given);
  const store = timely(core);
  const heads = [...(await store.acquire())].sort((a, b) => a.shard - b.shard);
  core.probe("after-take-over");
  invariant(
    heads.length === SHARD_COUNT,
    "I60",
    `the store holds ${heads.length} shards instead of ${SHARD_COUNT}`,
  );
  const [marks, volume, quotes] = [
    await store.readMarks(),
    await store.readVolume(),
    await store.readQuotes(),
  ];
  const engine = new RunningEngine(core, options, { marks, volume, quotes }, (host) =>
    heads.map((head) => new Shard(head, core, host)),
  );
  try {
    await engine.start(options);
  } catch (error) {
    engine.abandon();
    throw error;
  }
  return engine;
}
