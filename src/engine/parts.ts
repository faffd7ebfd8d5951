import type { ShardHead, VolumeHistory } from "../ports/index.ts";
import { ChildOrderManager } from "./children/child-order-manager.ts";
import { ChildReports, ClosedChildren, CloseWait } from "./children/child-reports.ts";
import { Dispatcher } from "./children/dispatcher.ts";
import { Rearming } from "./children/rearming.ts";
import { Reconciler } from "./children/reconciler.ts";
import { Submissions } from "./children/submissions.ts";
import { VenueClock } from "./children/venue-clock.ts";
import { VenueQueue } from "./children/venue-queue.ts";
import { Amends } from "./commands/amends.ts";
import { Cancels } from "./commands/cancels.ts";
import { Placements } from "./commands/placement.ts";
import { Replacements } from "./commands/replacements.ts";
import { Committer } from "./commit/committer.ts";
import { Housekeeping } from "./commit/housekeeping.ts";
import type { EngineOptions } from "./core/api.ts";
import { AppendTimes, type Core } from "./core/core.ts";
import { EventStream } from "./core/event-stream.ts";
import { OpenCalls } from "./core/open-calls.ts";
import { Arming } from "./eligibility/arming.ts";
import { ExecutionAttempts } from "./eligibility/execution-attempts.ts";
import { ExposureTracker } from "./eligibility/exposure-tracker.ts";
import { FundsQueue } from "./eligibility/funds-queue.ts";
import { PovParticipants } from "./eligibility/pov-participants.ts";
import { StallWatch } from "./eligibility/stall-watch.ts";
import { MarketHub, type StoredMarket } from "./market/market-hub.ts";
import { QuoteWatch } from "./market/quote-watch.ts";
import { ListReads } from "./reads/list-reads.ts";
import { ReadModel } from "./reads/read-model.ts";
import { Rest } from "./rest.ts";
import { CommitQueue } from "./shards/commit-queue.ts";
import { EndedNames } from "./shards/ended.ts";
import { Shards } from "./shards/shards.ts";
import { StatusBoard } from "./status/status-board.ts";
import { Bursts } from "./time/bursts.ts";
import { Timers } from "./time/timers.ts";

/** Contents of the store when an engine was opened. */
export type Stored = Readonly<{ heads: readonly ShardHead[]; market: StoredMarket }>;

/** The connected parts of one engine. */
export type EngineParts = Readonly<{
  core: Core;
  entropy: EngineOptions["entropy"];
  calls: OpenCalls;
  timers: Timers;
  bursts: Bursts;
  stream: EventStream;
  venueClock: VenueClock;
  venueQueue: VenueQueue;
  shards: Shards;
  endedNames: EndedNames;
  market: MarketHub;
  volumes: VolumeHistory;
  participants: PovParticipants;
  funds: FundsQueue;
  quotes: QuoteWatch;
  stalls: StallWatch;
  arming: Arming;
  reads: ReadModel;
  lists: ListReads;
  reconciler: Reconciler;
  submissions: Submissions;
  dispatcher: Dispatcher;
  children: ChildOrderManager;
  exposure: ExposureTracker;
  attempts: ExecutionAttempts;
  rearming: Rearming;
  board: StatusBoard;
  placements: Placements;
  cancels: Cancels;
  amends: Amends;
  replacements: Replacements;
  housekeeping: Housekeeping;
  committer: Committer;
  rest: Rest;
}>;

/**
 * Creates and connects the parts of an engine. Each part depends only on earlier ones. Nothing happens before {@link
 * EngineParts} is complete. A part reaches later parts through effects, which the interpreter of the running engine runs.
 */
export function engineParts(core: Core, options: EngineOptions, stored: Stored): EngineParts {
  const { instruments, venue, entropy } = options;
  const calls = new OpenCalls(core);
  const timers = new Timers(core.clock, core.time, core.reporterOf("timer.failed"));
  const commits = new CommitQueue();
  const bursts = new Bursts(core, commits);
  const stream = new EventStream(core);
  const venueClock = new VenueClock(core, venue, timers);
  const times = new AppendTimes(core);
  const venueQueue = new VenueQueue(core, venue, venueClock, times);
  const shards = new Shards(stored.heads, core, venueQueue);
  const endedNames = new EndedNames(core, timers);
  const market = new MarketHub(core, stored.market, { instruments, timers, bursts, stream });
  const participants = new PovParticipants(core, market.tape, options.marketData?.ownFillsInPrints);
  const funds = new FundsQueue(core, timers, instruments, shards);
  const quotes = new QuoteWatch(core, timers, market);
  const reads = new ReadModel(core, shards);
  const lists = new ListReads(core, reads);
  const closeWait = new CloseWait(core, venue);
  const reports = new ChildReports(core, { shards, market, reads, funds, timers, closeWait });
  const asking = { venue, timers, shards, reports };
  const reconciler = new Reconciler(core, asking, venueClock);
  const closed = new ClosedChildren(core, asking, closeWait);
  const eligibility = { timers, bursts, market, funds, shards, participants };
  const stalls = new StallWatch(core, eligibility, reconciler);
  const arming = new Arming(core, eligibility, stalls);
  const submissions = new Submissions(core, asking);
  const exposure = new ExposureTracker(core, options.exposure, shards, timers);
  const sending = { ...asking, venueClock, reconciler };
  const dispatcher = new Dispatcher(core, { ...sending, venueQueue, market, exposure, submissions });
  const children = new ChildOrderManager(core, { ...sending, funds, dispatcher, closed });
  const attempts = new ExecutionAttempts(eligibility, exposure, arming, stalls);
  const rearming = new Rearming(eligibility, exposure, arming, children);
  const board = new StatusBoard(core, { shards, market, reconciler, stream, quotes, stalls, timers });
  const volumes = options.volumeHistory ?? market.tape;
  const placements = new Placements(core, options, { shards, market, lists, volumes, board });
  const cancels = new Cancels({ trust: core.trust, shards, reads, lists, bursts });
  const amends = new Amends(core, { shards, reads, board, placements, market });
  const replacements = new Replacements(core, { shards, reads, board, market, placements });
  const housekeeping = new Housekeeping(core, shards, market, timers);
  const committing = { shards, market, timers, commits, bursts, board, calls, housekeeping, times };
  const committer = new Committer(core, committing);
  const queries = { calls, venueQueue, reconciler, closed, exposure, housekeeping };
  const rest = new Rest(core, { committer, timers, reports, queries });
  return {
    ...{ core, entropy, calls },
    ...{ timers, bursts, stream },
    ...{ venueClock, venueQueue, shards, endedNames },
    ...{ market, volumes, participants },
    ...{ funds, quotes, stalls, arming },
    ...{ reads, lists },
    ...{ reconciler, submissions, dispatcher, children },
    ...{ exposure, attempts, rearming, board },
    ...{ placements, cancels, amends, replacements, housekeeping, committer, rest },
  };
}
