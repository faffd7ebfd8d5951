import { Slicer } from "../../common/index.ts";
import { notional } from "../../decimal/index.ts";
import { checkedClock, harmless, Questions, QuietTelemetry } from "../../host-answers/index.ts";
import type { Rules } from "../../lifecycle/index.ts";
import { type Mutable, SHARD_COUNT } from "../../model/index.ts";
import type { Clock, OrderStore } from "../../ports/index.ts";
import type { CoreCounts, EngineOptions, EngineSettings, ProbePoint } from "./api.ts";
import { ClientIdFilter } from "./client-id-filter.ts";
import { Effects } from "./effects.ts";
import { EngineTime } from "./engine-time.ts";
import { type LeaseTerm, Trust } from "./open-calls.ts";
import { type ExposureLag, OwnExecutions } from "./own-executions.ts";
import { resolveSettings } from "./settings.ts";
import { BACKGROUND_SHARE } from "./turns.ts";

/** Services and state that the parts of one engine share. */
export type Core = Readonly<{
  settings: EngineSettings;
  rules: Rules;
  store: OrderStore;
  clock: Clock;
  /** Never throws. */
  telemetry: QuietTelemetry;
  /**
   * Returns a handler that reports a failure to the operator by telemetry. The failure must not stop anything else.
   */
  reporterOf: (name: string) => (error: unknown) => void;
  questions: Questions;
  probe: (point: ProbePoint) => void;
  /** Engine time, in which records are written. It never falls. */
  nowMs: () => number;
  /** The wall clock, which can be set. For times that come from outside or go there. */
  wallMs: () => number;
  /** Monotonic time. For waiting. */
  monotonicMs: () => number;
  time: EngineTime;
  /** Whether this engine may rely on owning its shards. */
  trust: Trust;
  /** Slices background work that no caller waits for. */
  turns: Slicer;
  counters: Counters;
  clientIds: ClientIdFilter;
  executions: OwnExecutions;
  /** Takes the effects that follow from the actions of the parts. */
  effects: Effects;
}>;

/**
 * Counters of an engine. `decisions` numbers the records in decision order, and `acceptances` the parents in
 * acceptance order. `activity` rises with every event, so a constant value means that the engine is idle.
 */
export type Counters = {
  /** Shards that this engine runs. */
  shards: number;
  decisions: number;
  /** Children that are decided but whose intent is not durable yet. */
  deciding: number;
  acceptances: number;
  activity: number;
} & Mutable<CoreCounts>;

/**
 * Creates the core of an engine, which all parts share, with the term of its lease if it has one. Throws a RangeError
 * for a setting out of range.
 */
export function coreOf(options: EngineOptions, term?: LeaseTerm): Core {
  const settings = resolveSettings(options.settings);
  const telemetry = new QuietTelemetry(options.telemetry);
  const reporterOf = (name: string) => (error: unknown) =>
    telemetry.event("error", name, { message: String(error) });
  const clock = checkedClock(options.clock, telemetry);
  const time = new EngineTime(clock, settings.clockStepMs);
  return {
    settings,
    rules: {
      minimum: notional(settings.minimumNotional),
      retryMinMs: settings.retryMinMs,
      retryMaxMs: settings.retryMaxMs,
      residualCountsAsFilled: settings.residualCountsAsFilled,
    },
    store: options.store,
    clock,
    telemetry,
    questions: new Questions({ clock, telemetry, timeoutMs: settings.hostTimeoutMs }),
    probe: (point) => harmless(() => options.probe?.(point), reporterOf("probe.failed")),
    reporterOf,
    nowMs: () => time.nowMs(),
    wallMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    time,
    trust: new Trust(() => ({ wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() }), term),
    turns: new Slicer(clock, BACKGROUND_SHARE),
    counters: {
      shards: SHARD_COUNT,
      decisions: 0,
      deciding: 0,
      acceptances: 0,
      triggers: 0,
      children: 0,
      appends: 0,
      records: 0,
      alerts: 0,
      activity: 0,
    },
    clientIds: new ClientIdFilter(),
    executions: new OwnExecutions(
      lagOf(options, settings),
      () => clock.monotonicMs(),
      settings.quoteMaxAgeMs + settings.quoteMaxAheadMs,
    ),
    effects: new Effects(),
  };
}

function lagOf(
  { exposure }: Partial<Pick<EngineOptions, "exposure">>,
  { exposureLagMs, hostTimeoutMs }: EngineSettings,
): ExposureLag {
  const { lagMs = exposureLagMs } = exposure ?? {};
  return { lagMs, confirmMs: Math.max(exposureLagMs, lagMs), answerMs: hostTimeoutMs };
}

/** How long an append counts that no later one has outlasted. */
const RETAINED_MS = 60_000;

/** How long appends take, which the deadlines of children allow for. Times are monotonic. */
export class AppendTimes {
  readonly #core: Pick<Core, "monotonicMs" | "settings">;
  /** When the appends under way were asked for, oldest first. */
  readonly #open: number[] = [];
  #longestMs = 0;
  #longestUntilMs = 0;

  constructor(core: Pick<Core, "monotonicMs" | "settings">) {
    this.#core = core;
  }

  /** Notes that the store is asked for an append. The returned function notes that it has answered, or that it was given up. */
  requested(): () => void {
    const requestedAtMs = this.#core.monotonicMs();
    this.#open.push(requestedAtMs);
    return () => {
      this.#open.splice(this.#open.indexOf(requestedAtMs), 1);
      const nowMs = this.#core.monotonicMs();
      const tookMs = nowMs - requestedAtMs;
      if (tookMs < this.#longestMs && nowMs < this.#longestUntilMs) return;
      this.#longestMs = tookMs;
      this.#longestUntilMs = nowMs + RETAINED_MS;
    };
  }

  /**
   * How long a record that is decided now may wait for the store: for the append under way and for its own, each as long as
   * the longest of the last minute, and at most `hostTimeoutMs`.
   */
  get allowanceMs(): number {
    const nowMs = this.#core.monotonicMs();
    const longestMs = nowMs < this.#longestUntilMs ? this.#longestMs : 0;
    const [oldest] = this.#open;
    const openMs = oldest === undefined ? 0 : nowMs - oldest;
    return 2 * Math.min(Math.ceil(Math.max(longestMs, openMs)), this.#core.settings.hostTimeoutMs);
  }
}
