import type { Accounts, Clock, RateLimiter } from "../../ports/index.ts";
import type { ReplayGuard } from "../../signing/index.ts";
import type { Bans } from "./bans.ts";
import type { ClientAddress } from "./client-address.ts";
import type { CrossOrigin } from "./cross-origin.ts";

/** Remembers which networks have proved a key, and were not refused since. */
export type ProvedNetworks = Readonly<{
  proved: (network: string) => void;
  refused: (network: string) => void;
}>;

/** What it takes to tell clients apart, to prove who they are and to limit them. */
export type AccessParts = Readonly<{
  accounts: Accounts;
  clock: Clock;
  rateLimiter: RateLimiter;
  /** Undefined: it is turned off. */
  replayGuard: ReplayGuard | undefined;
  clientAddress: ClientAddress;
  crossOrigin: CrossOrigin;
  bans: Bans;
  traffic: ProvedNetworks;
}>;
