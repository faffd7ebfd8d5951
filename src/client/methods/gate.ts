import { ProtocolError } from "../errors/protocol-error.ts";
import { type Refusal, RefusedError } from "../errors/refused-error.ts";
import { LONGEST_HOLD_MS } from "../http/deadline.ts";
import type { ClientClock } from "../http/platform.ts";
import type { Route } from "./routes.ts";

/** Code of a refusal because of too many orders. It concerns placements only. */
const TOO_MANY_ORDERS = -1015;
/** Text of a refusal whose own text cannot be read. */
const TOO_MANY_REQUESTS = "Too many requests; the server asked for a wait.";

/** Remembers until when the server wants no further requests. To go on would lengthen a ban. */
export class RequestGate {
  readonly #clock: ClientClock;
  /** Monotonic times. */
  #allUntilMs = -Infinity;
  #ordersUntilMs = -Infinity;
  #refusal: Refusal | undefined;

  constructor(clock: ClientClock) {
    this.#clock = clock;
  }

  /** Takes in a refusal that says how long to wait, of the service or of a proxy before it. */
  learn(error: unknown): void {
    if (!(error instanceof RefusedError || error instanceof ProtocolError)) return;
    const { status, retryAfterMs } = error;
    if (status !== 429 || retryAfterMs === undefined) return;
    const untilMs = this.#clock.monotonicMs() + Math.min(retryAfterMs, LONGEST_HOLD_MS);
    const refusal: Refusal = error instanceof RefusedError ? error : { msg: TOO_MANY_REQUESTS, status };
    this.#refusal = refusal;
    this.#ordersUntilMs = Math.max(this.#ordersUntilMs, untilMs);
    if (refusal.code !== TOO_MANY_ORDERS) this.#allUntilMs = Math.max(this.#allUntilMs, untilMs);
  }

  /** Throws the last refusal again, with the time that is left, if the server does not want a request yet. */
  requireOpen({ access, verb }: Route<unknown>): void {
    const places = access === "TRADE" && verb === "POST";
    const untilMs = places ? this.#ordersUntilMs : this.#allUntilMs;
    const retryAfterMs = untilMs - this.#clock.monotonicMs();
    if (retryAfterMs <= 0 || this.#refusal === undefined) return;
    const { code, msg, remedy, status } = this.#refusal;
    throw new RefusedError({ msg, retryAfterMs, code, remedy, status }, { sent: false });
  }
}
