/** A place where the calls of a host wait while a test keeps it shut. */
export type Gate = Readonly<{
  /** Holds all later calls. */
  shut(): void;
  /** Lets all held calls go on, in their order, and holds no more. */
  open(): void;
  /** Lets the oldest held call go on. Later calls are still held. */
  release(): void;
  /** Resolves when the call may go on. */
  pass(): Promise<void>;
  /** Number of held calls. */
  readonly held: number;
}>;

export function createGate(): Gate {
  const held: (() => void)[] = [];
  let isShut = false;
  return {
    shut() {
      isShut = true;
    },
    open() {
      isShut = false;
      for (const resume of held.splice(0)) resume();
    },
    release() {
      held.shift()?.();
    },
    pass() {
      return isShut ? new Promise((resolve) => held.push(resolve)) : Promise.resolve();
    },
    get held() {
      return held.length;
    },
  };
}
