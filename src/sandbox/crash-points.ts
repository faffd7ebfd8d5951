import type { ProbePoint } from "../engine/index.ts";

/** Points at which a child is sent, at which a snapshot is written, and which an opening passes. */
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

/** Every point that has a name. */
export const CRASH_POINTS: readonly ProbePoint[] = [...SUBMIT_POINTS, ...SNAPSHOT_POINTS, ...OPENING_POINTS];

/** A crash: at this point, after it was passed `skip` times. */
export type Crash = Readonly<{ at: ProbePoint; skip: number }>;

/** Kills the process without a chance to clean up, where it was asked to. */
export type CrashPoints = Readonly<{
  /** Arms the crash in place of one that was armed. */
  arm: (crash: Crash) => void;
  /** Given to the engine; called at every point. */
  probe: (point: ProbePoint) => void;
}>;

/** Crash points of this process. */
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
