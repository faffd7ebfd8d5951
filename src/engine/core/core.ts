import { notional } from "../../decimal/index.ts";
import { checkedClock, harmless, Questions, quietTelemetry } from "../../host-answers/index.ts";
import type { Rules } from "../../lifecycle/index.ts";
import type { Quote } from "../../model/index.ts";
import type { Clock, OrderStore, Telemetry } from "../../ports/index.ts";
import type { EngineOptions, EngineSettings, ProbePoint } from "./api.ts";
import { ClientIdFilter } from "./client-id-filter.ts";
import { Effects } from "./effects.ts";
import { EngineTime } from "./engine-time.ts";
import { resolveSettings } from "./settings.ts";
import { Turns } from "./turns.ts";

/** What the parts of one engine share. */
export type Core = Readonly<{
  settings: EngineSettings;
  rules: Rules;
  store: OrderStore;
  clock: Clock;
  /** Never throws. */
  telemetry: Telemetry;
  /** Makes what tells the operator that something failed which must not stop anything else. */
  told: (name: string) => (error: unknown) => void;
  questions: Questions;
  probe: (point: ProbePoint) => void;
  /** Engine time, in which records are written; it never falls. */
  nowMs: () => number;
  /** The wall clock, which somebody may set: for what comes from outside or goes there. */
  wallMs: () => number;
  /** Time that only passes: for waiting. */
  monotonicMs: () => number;
  time: EngineTime;
  /** For work that nobody waits for. */
  turns: Turns;
  counters: Counters;
  clientIds: ClientIdFilter;
  /** Where the parts leave what is to follow from what they have done. */
  effects: Effects;
}>;

/**
 * Counters of an engine; `decisions` numbers the records in the order in which they were decided, `acceptances` the
 * parents in the order in which they were accepted, `activity` rises with everything that happens and tells when nothing
 * does.
 */
export type Counters = {
  decisions: number;
  /** Children that are decided while their intent is not durable yet. */
  deciding: number;
  acceptances: number;
  triggers: number;
  children: number;
  appends: number;
  records: number;
  alerts: number;
  activity: number;
};

/** The counted quote of an instrument and whether it is fresh. */
export type QuoteNow = Readonly<{ quote: Quote; fresh: boolean }>;

/** The parts of an engine that all others share; throws a RangeError on a setting out of range. */
export function coreOf(options: EngineOptions): Core {
  const settings = resolveSettings(options.settings);
  const telemetry = quietTelemetry(options.telemetry);
  const told = (name: string) => (error: unknown) =>
    telemetry.event("error", name, { message: String(error).slice(0, 200) });
  const clock = checkedClock(options.clock, telemetry);
  const time = new EngineTime(clock, settings.clockStepMs);
  return {
    settings,
    rules: {
      minimum: notional(settings.minimumNotional),
      retryMinMs: settings.retryMinMs,
      retryMaxMs: settings.retryMaxMs,
    },
    store: options.store,
    clock,
    telemetry,
    questions: new Questions({ clock, telemetry, timeoutMs: settings.hostTimeoutMs }),
    probe: (point) => harmless(() => options.probe?.(point), told("probe.failed")),
    told,
    nowMs: () => time.nowMs(),
    wallMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    time,
    turns: new Turns(clock),
    counters: {
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
    effects: new Effects(),
  };
}
