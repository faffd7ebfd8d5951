import type { Engine } from "../engine/index.ts";
import type { Accounts, Clock, Entropy, Instruments, RateLimiter, Telemetry } from "../ports/index.ts";
import type { ReplayGuardOptions } from "../signing/index.ts";
import type { WireRequest, WireResponse } from "../wire/index.ts";

/** Settings of a service. */
export type ServiceSettings = Readonly<{
  /** Business errors of signed routes come with HTTP 200 in place of 400; default false (decision 37). */
  businessErrorsAs200?: boolean;
  /**
   * Last path segments that GET may serve, such as `orderStatus`; any other route answers like an unknown one.
   * Without a list every route is served (contract, Versioning; decision 44).
   */
  getAllowlist?: readonly string[];
  /** The same for POST. */
  postAllowlist?: readonly string[];
}>;

/** What a service is made of. */
export type ServiceOptions = Readonly<{
  engine: Engine;
  accounts: Accounts;
  instruments: Instruments;
  clock: Clock;
  /** Makes request ids. */
  entropy: Entropy;
  rateLimiter: RateLimiter;
  /** Limits of the replay guard; false turns it off (decision 41). */
  replayGuard?: ReplayGuardOptions | false;
  telemetry?: Telemetry;
  settings?: ServiceSettings;
}>;

/**
 * Largest body of any route, in bytes. A mount need not read further: one byte more is refused as too large.
 * Source: contract, Version 3 REST 3.
 */
export const MAX_BODY_BYTES = 32_768;

/** The REST interface without a transport. */
export type Service = {
  /** Answers one request; a failure is an answer too. */
  handle(request: WireRequest): Promise<WireResponse>;
};
