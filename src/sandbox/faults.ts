import { pause } from "../common/index.ts";
import type { ProbePoint } from "../engine/index.ts";
import type { Clock, MarketSink, NativeOrders, OrderStore } from "../ports/index.ts";

/** Points at which a child is submitted. */
export const SUBMIT_POINTS: readonly ProbePoint[] = [
  "before-append",
  "after-append",
  "before-submit",
  "after-submit",
  "before-outcome-append",
];
/** Points of a snapshot. */
export const SNAPSHOT_POINTS: readonly ProbePoint[] = [
  "before-snapshot",
  "during-snapshot",
  "after-snapshot",
];
/** Points of an opening. */
const OPENING_POINTS: readonly ProbePoint[] = ["after-take-over", "after-load"];

/** All named points. */
export const CRASH_POINTS: readonly ProbePoint[] = [...SUBMIT_POINTS, ...SNAPSHOT_POINTS, ...OPENING_POINTS];

/** A crash at a point, after the point was passed `skip` times. */
export type Crash = Readonly<{ at: ProbePoint; skip: number }>;

/** Kills the process without cleanup at an armed point. */
export type CrashPoints = Readonly<{
  /** Arms a crash and replaces the armed one. */
  arm: (crash: Crash) => void;
  /** Probe for the engine, called at every point. */
  probe: (point: ProbePoint) => void;
}>;

/** Creates the crash points of this process. */
export function createCrashPoints(
  kill: () => void = () => process.kill(process.pid, "SIGKILL"),
): CrashPoints {
  let armed: { at: ProbePoint; skip: number } | undefined;
  return {
    arm: (crash) => {
      armed = { ...crash };
    },
    probe: (point) => {
      if (armed?.at !== point) return;
      if (armed.skip-- === 0) kill();
    },
  };
}

/**
 * Fault of the store. `fail`: nothing is stored. `unknown`: it is stored and the answer is lost. `slow`: it takes a
 * second.
 */
type StoreFaultMode = "none" | "fail" | "unknown" | "slow";

/** A fault of the store. It hits `count` appends, or all if left out. */
type StoreFault = Readonly<{ mode: StoreFaultMode; count?: number | undefined }>;

const SLOW_MS = 1_000;

type Method = (...input: unknown[]) => unknown;

/** Returns an object whose methods are those of another one, each with `around` in front of it. */
function intercepted<T extends object>(inner: T, around: (name: PropertyKey, call: Method) => Method): T {
  return new Proxy(inner, {
    get(_, name) {
      const member: unknown = Reflect.get(inner, name);
      return typeof member === "function" ? around(name, member.bind(inner)) : member;
    },
  });
}

/** A store with injected faults in its appends. */
export type FaultyStore = Readonly<{ store: OrderStore; setStoreFault: (fault: StoreFault) => void }>;

/** Wraps a store with faults. */
export function withStoreFaults(inner: OrderStore, clock: Clock): FaultyStore {
  let mode: StoreFaultMode = "none";
  let left = 0;
  const append: OrderStore["append"] = async (batch) => {
    if (left-- <= 0) mode = "none";
    const fault = mode;
    if (fault === "fail") throw new Error("an injected fault makes the store fail");
    if (fault === "slow") await pause(clock, SLOW_MS);
    const outcomes = await inner.append(batch);
    if (fault === "unknown") throw new Error("an injected fault makes the store lose its answer");
    return outcomes;
  };
  return {
    store: intercepted(inner, (name, call) => (name === "append" ? (append as Method) : call)),
    setStoreFault(fault) {
      mode = fault.mode;
      left = fault.count ?? Number.POSITIVE_INFINITY;
    },
  };
}

/**
 * Fault of native orders. `fail`: no request about native orders is answered or executed, as if their database were
 * down.
 */
type NativeFaultMode = "none" | "fail";

/** Native orders with injected faults. */
export type FaultyNative = Readonly<{
  native: NativeOrders;
  setNativeFault: (mode: NativeFaultMode) => void;
}>;

/** Wraps native orders with faults. Children of managed parents still reach the venue. */
export function withNativeFaults(orders: NativeOrders): FaultyNative {
  let mode: NativeFaultMode = "none";
  const requested =
    (call: Method): Method =>
    async (...input) => {
      if (mode === "fail") throw new Error("an injected fault makes native orders fail");
      return await call(...input);
    };
  return {
    native: intercepted(orders, (name, call) => (name === "subscribe" ? call : requested(call))),
    setNativeFault: (next) => {
      mode = next;
    },
  };
}

/** Fault of the volume feed. `stale`: no print passes, as when a volume feed stops. `none`: all pass. */
type VolumeFaultMode = "none" | "stale";

/** Faults of the executed volume, and the sinks whose prints they stop. */
export type VolumeFaults = Readonly<{
  /** Returns a sink in front of another one. */
  around: (sink: MarketSink) => MarketSink;
  setVolumeFault: (mode: VolumeFaultMode) => void;
}>;

/**
 * Creates faults of the executed volume. While it is stale, every print is lost on its way to the engine: those of the
 * control interface, of the market and of the venue's own fills. Neither volume nor last price move, nothing is
 * delivered later, and orders that follow volume wait. Quotes continue.
 */
export function createVolumeFaults(): VolumeFaults {
  let mode: VolumeFaultMode = "none";
  return {
    around: (sink) => ({
      quote: (quote) => sink.quote(quote),
      heartbeat: (symbol) => sink.heartbeat(symbol),
      print: (print) => {
        if (mode === "none") sink.print(print);
      },
    }),
    setVolumeFault: (next) => {
      mode = next;
    },
  };
}
