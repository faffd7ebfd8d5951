/** A wait of one caller that others may end before its time. */
export class Pause {
  #end: (() => void) | undefined;

  /** Whether the caller waits. */
  get isOn(): boolean {
    return this.#end !== undefined;
  }

  /** Resolves at {@link end}, or when the timer that `start` starts runs the function. `start` returns what cancels it. */
  async until(start: (over: () => void) => () => void): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = start(resolve);
      this.#end = () => {
        cancel();
        resolve();
      };
    });
    this.#end = undefined;
  }

  end(): void {
    this.#end?.();
  }
}

/**
 * Resolves like `work`. If the timer that `start` starts runs its function first, rejects with what `late` returns, whatever
 * becomes of the work. `start` returns what cancels the timer.
 */
export async function withDeadline<T>(
  work: PromiseLike<T>,
  start: (over: () => void) => () => void,
  late: () => Error,
): Promise<T> {
  let cancel = (): void => undefined;
  const silence = new Promise<never>((_, reject) => {
    cancel = start(() => reject(late()));
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    cancel();
  }
}

type Timers = Readonly<{
  monotonicMs: () => number;
  schedule: (atMs: number, run: () => void) => () => void;
}>;

type Signal = Readonly<
  Record<"addEventListener" | "removeEventListener", (type: "abort", listener: () => void) => void>
>;

/** Resolves after so many milliseconds, or when a signal aborts. */
export async function pause(clock: Timers, ms: number, signal?: Signal): Promise<void> {
  const wait = new Pause();
  const end = (): void => wait.end();
  signal?.addEventListener("abort", end);
  await wait.until((over) => clock.schedule(clock.monotonicMs() + ms, over));
  signal?.removeEventListener("abort", end);
}
