import type { ProbePoint } from "../engine/index.ts";

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
export const OPENING_POINTS: readonly ProbePoint[] = ["after-take-over", "after-load"];

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
