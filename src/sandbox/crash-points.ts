import type { ProbePoint } from "../engine/index.ts";

/** Kills the process without a chance to clean up, where it was asked to. */
export type CrashPoints = Readonly<{
  /** Arms the crash: at this point, after it was passed `skip` times. */
  arm: (at: ProbePoint, skip: number) => void;
  /** Given to the engine; called at every point. */
  probe: (point: ProbePoint) => void;
}>;

/** Crash points of this process. */
export function createCrashPoints(
  kill: () => void = () => process.kill(process.pid, "SIGKILL"),
): CrashPoints {
  let armed: { at: ProbePoint; skip: number } | undefined;
  return {
    arm: (at, skip) => {
      armed = { at, skip };
    },
    probe: (point) => {
      if (armed?.at !== point) return;
      if (armed.skip-- === 0) kill();
    },
  };
}
