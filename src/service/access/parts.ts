import type { Accounts, Clock, RateLimiter } from "../../ports/index.ts";
import type { ReplayGuard } from "../../signing/index.ts";
import type { Bans } from "./bans.ts";
import type { ClientAddress } from "./client-address.ts";
import type { CrossOrigin } from "./cross-origin.ts";

/** Remembers which networks have proved a key and have not been refused since. */
export type ProvedNetworks = Readonly<{
  proved: (network: string) => void;
  refused: (network: string) => void;
}>;

/** Dependencies of identifying, authenticating and limiting clients. */
export type AccessParts = Readonly<{
  accounts: Accounts;
  clock: Clock;
  rateLimiter: RateLimiter;
  /** Undefined if the replay guard is turned off. */
  replayGuard: ReplayGuard | undefined;
  clientAddress: ClientAddress;
  crossOrigin: CrossOrigin;
  bans: Bans;
  /** Whether this node owns a shard. Undefined outside a cluster, where every account is here. */
  owns?: ((shard: number) => boolean) | undefined;
  /** Time after which the request of another node must not be executed. Undefined for requests of own clients. */
  expiresAtMs?: number | undefined;
  traffic: ProvedNetworks;
}>;
