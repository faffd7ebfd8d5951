import type { RateLimiter, RateLimits } from "../../ports/index.ts";

/** The part of a rate limiter that counts requests of addresses. */
type Weigher = Pick<RateLimiter, "limits" | "weigh" | "connect">;

/** Weighs with the rate limiter of a node, and from the time at which it has a service, with that of the service. */
export class NodeRateLimiter implements Weigher {
  #used: Weigher;

  constructor(first: Weigher) {
    this.#used = first;
  }

  /** Weighs with this one from now on. */
  use(next: Weigher = this.#used): void {
    this.#used = next;
  }

  get limits(): RateLimits | undefined {
    return this.#used.limits;
  }

  weigh(request: Parameters<Weigher["weigh"]>[0]): ReturnType<Weigher["weigh"]> {
    return this.#used.weigh(request);
  }

  connect(
    request: Parameters<NonNullable<Weigher["connect"]>>[0],
  ): ReturnType<NonNullable<Weigher["connect"]>> {
    return this.#used.connect?.(request) ?? {};
  }
}
