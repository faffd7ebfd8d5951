import { createRandom, type Random } from "../../src/common/random.ts";
import { type Price, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import { Ledger } from "./clients/ledger.ts";
import { Departures } from "./departures.ts";
import { Faults, ownFillsOf } from "./faults.ts";
import { Fleet } from "./fleet.ts";
import { Hosts } from "./hosts.ts";
import type { RequireThat } from "./invariant-broken.ts";
import { checkClaim, checkTakenOver } from "./invariants/cluster.ts";
import { Giving } from "./invariants/giving.ts";
import { checkSubmit } from "./invariants/submission.ts";
import { JournalBook, type RecordCheck } from "./journal-book.ts";
import { Market, type RecordedRow } from "./market.ts";
import type { WorldParts } from "./parts.ts";
import type { Plan } from "./plan.ts";
import { Situations } from "./situations.ts";
import { TrueTape } from "./true-tape.ts";
import { exactOf, type Row } from "./venue-row.ts";
import type { CreateDisk } from "./world-disk.ts";
import { WorldNative } from "./world-native.ts";
import { WorldStore } from "./world-store.ts";
import { type Turn, WorldTime } from "./world-time.ts";
import { WorldVenue } from "./world-venue.ts";
import { WorldVolumes } from "./world-volumes.ts";

const START_MS = 1_760_000_000_000;

/**
 * The rows of a recorded day, for markets that play them. Prices around 100 reach the levels of the clients' orders.
 */
export type RecordedRows = readonly RecordedRow[];

/** Inputs of a world besides its plan. */
type WorldInputs = Readonly<{
  turn: Turn;
  rows: RecordedRows;
  disk: CreateDisk;
  checks: readonly RecordCheck[];
  requireThat: RequireThat;
  /** Checks what a child and its siblings have executed, after each execution. */
  executed: (row: Row) => void;
}>;

/** The parts that all other parts of a world depend on. */
type Base = Pick<
  WorldParts,
  "plan" | "random" | "faults" | "situations" | "time" | "requireThat" | "markets"
>;

/** Creates the parts of a world. Each has its own random generator. */
export function makeParts(plan: Plan, given: WorldInputs): WorldParts {
  const turn = async (): Promise<void> => {
    do await given.turn();
    while (disk.isBusy?.() === true);
  };
  const base = makeBase(plan, { ...given, turn });
  const disk = given.disk(plan.forgets, plan.cluster && base.time.clock);
  const { requireThat, situations, faults, time, random } = base;
  const shared = { faults, situations, time };
  const journal = new JournalBook(requireThat, given.checks);
  const tape = new TrueTape({
    ...shared,
    random: random.of("tape"),
    ownFills: ownFillsOf(plan.rates),
    // A node whose clock is behind takes a print for fresh that is not.
    ...(plan.cluster && { freshMs: Number.POSITIVE_INFINITY }),
  });
  const hosts = new Hosts({ ...shared, random: random.of("hosts"), plan, requireThat });
  const between = random.of("fills told between two owners");
  const giving = new Giving(() => parts);
  const fleet = new Fleet(
    {
      requireThat,
      parts: () => parts,
      claiming: (owner, shards) => checkClaim(parts, owner, shards),
      takenOver: (instance, engine) => checkTakenOver(parts, instance, engine),
      moved: (instance, shards) => {
        giving.moved(instance, shards);
        if (shards.lost.length > 0) parts.beside(reportBetween(parts, between));
      },
    },
    plan.markets.map(({ symbol }) => symbol),
  );
  const departures = plan.forgets ? new Departures({ disk, journal, requireThat, situations }) : undefined;
  const store = new WorldStore({
    ...shared,
    random: random.of("store"),
    journal,
    requireThat,
    disk,
    departures,
    retentionDays: plan.settings.retentionDays,
    giving,
    alive: () => fleet.alive,
    kill: (instance) => fleet.kill(instance),
    acquired: (instance, shards) => fleet.acquired(instance, shards),
    cluster: plan.cluster,
  });
  const others = { tape, hosts, fleet, store, journal, disk, departures };
  const parts: WorldParts = {
    ...base,
    ...others,
    ...makeNative(base, tape),
    venue: makeVenue(base, { ...others, parts: () => parts, checked: given.executed }),
    ledger: new Ledger(),
    beside: (doing) => {
      doing.catch((error: unknown) => requireThat(false, "the world itself", () => textOf(error)));
    },
  };
  return parts;
}

/** Lets the venue tell withheld fills about when a shard has left its node and no other one runs it yet. */
async function reportBetween({ time, venue }: WorldParts, random: Random): Promise<void> {
  const [isReported, inMs] = [random.chance(0.7), random.below(60)];
  await time.after(inMs);
  if (isReported) venue.reportWithheld();
}

function makeBase(plan: Plan, { turn, rows, requireThat }: WorldInputs): Base {
  const random = createRandom(plan.seed);
  const faults = new Faults(plan.rates);
  const markets = plan.markets.map(
    (market) =>
      new Market({
        plan: market,
        random: random.of(`market ${market.symbol}`),
        faults,
        rows,
        jumpFactor: plan.settings.quoteJumpFactor,
      }),
  );
  const time = new WorldTime({ startMs: START_MS, turn });
  return { plan, random, faults, markets, time, requireThat, situations: new Situations() };
}

/** Creates the native orders and the volumes of the host. */
function makeNative(base: Base, tape: TrueTape): Pick<WorldParts, "native" | "volumes"> {
  const { random } = base;
  return {
    native: new WorldNative({
      ...base,
      random: random.of("native orders"),
      priceOf: priceIn(base),
      traded: ({ order, executionId, lastQuantity = ZERO_QUANTITY }) =>
        tape.owe(order.symbol, {
          name: `native ${executionId}`,
          id: executionId,
          size: { quantity: lastQuantity },
        }),
    }),
    volumes: new WorldVolumes({ ...base, random: random.of("volumes") }),
  };
}

function makeVenue(
  base: Base,
  {
    hosts,
    tape,
    fleet,
    parts,
    checked,
  }: Readonly<{
    hosts: Hosts;
    tape: TrueTape;
    fleet: Fleet;
    parts: () => WorldParts;
    checked: (row: Row) => void;
  }>,
): WorldVenue {
  const { plan, random } = base;
  return new WorldVenue({
    ...base,
    random: random.of("venue"),
    capabilities: plan.venue,
    quietMs: plan.settings.venueQuietMs,
    forgetsAfterMs: plan.venueForgetsAfterMs ?? Number.POSITIVE_INFINITY,
    tellsTime: plan.venueTellsTime,
    ...(plan.venueClock && { clock: { ...plan.venueClock, random: random.of("time of the venue") } }),
    isOpening: () => fleet.newest?.state === "opening",
    priceOf: priceIn(base),
    submitting: (submitting) => checkSubmit(parts(), submitting),
    latePositions: plan.rates["exposure is late"] !== undefined,
    ...(plan.cluster && { takeoverMs: 2 * plan.cluster.ttlMs }),
    executed: (row, fill) => {
      const { child } = row;
      checked(row);
      hosts.executed(child, exactOf(fill));
      const { executionId: id, ...size } = fill;
      tape.owe(child.symbol, { name: `${child.childId} ${id}`, id, size });
    },
  });
}

function priceIn({ markets }: Base): (symbol: string) => Price | undefined {
  return (symbol) => markets.find((market) => market.symbol === symbol)?.price;
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
