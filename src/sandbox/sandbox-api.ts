import type { Exchange } from "./exchange.ts";

/** A running sandbox. */
export type Sandbox = Readonly<{
  exchange: Exchange;
  /** Base address of REST, without a path. */
  url: string;
  /** Base address of WebSocket, without a path. */
  wsUrl: string;
  /** Base address of the control interface; undefined if it is off. */
  controlUrl: string | undefined;
  /** Resolves to a sentence if another sandbox on the same store has taken over. This one can only end then. */
  replaced: Promise<string>;
  /** Resolves to a sentence once it has handed over because an operator wanted it, and is closed. */
  drained: Promise<string>;
  /** Stops accepting orders, answers pending requests within ten seconds, and closes. */
  stop: () => Promise<void>;
}>;

/** A sandbox that does not serve yet. */
export type WaitingSandbox = Pick<Sandbox, "url" | "wsUrl" | "controlUrl"> &
  Readonly<{
    /** Whether another process serves. A sandbox that starts alone does not serve at once either. */
    isBehindAnother: () => boolean;
  }>;

/** A sandbox that runs, or that waits for another one on the same store. */
export type StartedSandbox = Readonly<{
  /** What it tells while it does not serve yet; undefined if the store has one process only. */
  standby: WaitingSandbox | undefined;
  active: Promise<Sandbox>;
  stop: () => Promise<void>;
}>;
