/** Beats in the time after which a silent connection ends. */
const BEATS = 3;

/** What a heartbeat does to its connection. */
type HeartbeatHost = Readonly<{
  silentMs: number;
  /** Says something to the other node; undefined if only the other one does so. */
  beat?: () => void;
  /** Ends the connection, because the other node says nothing. */
  abandon: () => void;
}>;

/** Finds out that the other side of a connection is gone although the connection still looks open. */
export class Heartbeat {
  readonly #host: HeartbeatHost;
  #timer: NodeJS.Timeout | undefined;
  #receivedAtMs = 0;

  constructor(host: HeartbeatHost) {
    this.#host = host;
  }

  /** Records that something came from the other node. */
  received(): void {
    if (this.#timer !== undefined) this.#receivedAtMs = performance.now();
  }

  /** Begins, unless it has begun. */
  start(): void {
    const { silentMs, beat, abandon } = this.#host;
    if (this.#timer !== undefined) return;
    this.#receivedAtMs = performance.now();
    this.#timer = setInterval(
      () => {
        if (performance.now() - this.#receivedAtMs < silentMs) return beat?.();
        this.stop();
        abandon();
      },
      Math.ceil(silentMs / BEATS),
    );
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
