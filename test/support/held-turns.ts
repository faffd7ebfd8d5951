import { Slicer } from "../../src/common/index.ts";

/** Turns that pass only on request of a test: after every `share` of work the caller waits. */
export type HeldTurns = Readonly<{
  turns: Slicer;
  soon: (run: () => void) => void;
  /** Whether a caller waits for the next turn. */
  isAwaited: () => boolean;
  /** Lets one turn pass, and completes the work that follows. */
  pass: () => Promise<void>;
  /** Lets turns pass until no caller waits; `between` runs before each. */
  run: (between?: () => void) => Promise<void>;
}>;

export function createHeldTurns(share: number): HeldTurns {
  const held: (() => void)[] = [];
  const soon = (run: () => void): void => void held.push(run);
  const settle = async (): Promise<void> => {
    for (let step = 0; step < 64; step++) await Promise.resolve();
  };
  const pass = async (): Promise<void> => {
    for (const run of held.splice(0)) run();
    await settle();
  };
  return {
    turns: new Slicer({ soon }, share),
    soon,
    isAwaited: () => held.length > 0,
    pass,
    async run(between = () => undefined) {
      for (await settle(); held.length > 0; ) {
        between();
        await pass();
      }
    },
  };
}
