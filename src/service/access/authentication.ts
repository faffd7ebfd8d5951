import { follow, networkOf } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { ApiKey, Permission } from "../../model/index.ts";
import type { Accounts, Awaitable, Clock, RateLimiter } from "../../ports/index.ts";
import type { AnyRoute, MethodDescriptor } from "../../requests/index.ts";
import type { ReplayGuard } from "../../signing/index.ts";
import type { Parameters, RequestId } from "../../wire/index.ts";
import { isListed } from "./addresses.ts";
import type { ProvedNetworks } from "./rate-limits.ts";

/** Dependencies of identifying, authenticating and limiting clients. */
export type AccessParts = Readonly<{
  accounts: Accounts;
  clock: Clock;
  rateLimiter: RateLimiter;
  /** Undefined if the replay guard is turned off. */
  replayGuard: ReplayGuard | undefined;
  /** Whether this node owns a shard. Undefined outside a cluster, where every account is here. */
  owns?: ((shard: number) => boolean) | undefined;
  /** Time after which the request of another node must not be executed. Undefined for requests of own clients. */
  expiresAtMs?: number | undefined;
  traffic: ProvedNetworks;
}>;

/** The authenticated key of a request, and the permission that the request needs. */
export type Proof = Readonly<{
  key: ApiKey;
  /** Permission that the route or method needs on key and account. */
  permission: Permission;
  /** 64 lower-case hex digits. */
  signature: string;
  /** Address of the client. */
  address: string;
}>;

const API_KEY = /^[\x21-\x7e]{1,256}$/;

/** Returns the API key as sent. Throws an OrderError -2014 if it is missing or malformed. */
export function requiredKey(apiKey: string | undefined): string {
  if (apiKey === undefined || !API_KEY.test(apiKey)) throw new OrderError("BAD_API_KEY_FORMAT");
  return apiKey;
}

/** The address from which a key is used, and the permission that it needs there. */
type KeyUse = Pick<Proof, "address" | "permission">;

/** Stands for an unknown key, which costs the work of a known one. */
const NO_KEY: Pick<ApiKey, "permissions" | "ipAllowlist"> = { permissions: [], ipAllowlist: [] };

/**
 * Returns the key of a signed request; `isSigned` says whether a secret made the signature. Throws an OrderError: -1022 for a
 * wrong signature; -2015, always in the same form, for an unknown key, and for one that lacks the address or the permission.
 * All of them are decided after the same work and before any other, so that timing does not distinguish them.
 */
export function provedKey(
  { accounts }: Pick<AccessParts, "accounts">,
  use: KeyUse & Readonly<{ apiKey: string; isSigned: (secret: string | undefined) => boolean }>,
): Awaitable<ApiKey> {
  return follow(accounts.key(use.apiKey), (key) => {
    const signed = use.isSigned(key?.secret);
    const allowed = hasAccess(key ?? NO_KEY, use);
    if (key === undefined) throw new OrderError("REJECTED_API_KEY");
    if (!signed) throw new OrderError("BAD_SIGNATURE");
    if (!allowed) throw new OrderError("REJECTED_API_KEY");
    return key;
  });
}

/** Returns whether a key may be used from the address and has the permission. Takes as long whichever it lacks. */
export function hasAccess(key: Pick<ApiKey, "permissions" | "ipAllowlist">, use: KeyUse): boolean {
  const isFromThere = isListed(use.address, key.ipAllowlist);
  return key.permissions.includes(use.permission) && isFromThere;
}

/**
 * Asks the replay guard about a request whose key and freshness are verified. Throws an OrderError -1022 if the signature
 * was used before for something else.
 */
export function admit(
  { replayGuard, clock, traffic }: Pick<AccessParts, "replayGuard" | "clock" | "traffic">,
  { key, signature, address }: Proof,
  target: AnyRoute | MethodDescriptor,
  connection?: string,
): void {
  const use = useOf(target);
  const signed = { apiKey: key.apiKey, signature, ...use, nowMs: clock.monotonicMs() };
  const isFollowed = use === QUERY || use.onceAfter !== undefined;
  const seen = isFollowed ? { ...signed, sender: { address, connection } } : signed;
  if (replayGuard?.decide(seen) === "other") throw new OrderError("SIGNATURE_REUSED");
  traffic.proved(networkOf(address));
}

/** What a signature is used for, and other uses that it may follow: always, or once and from the same client. */
type Use = Readonly<{ use: string; after?: string; onceAfter?: string }>;

const SUBSCRIPTION: Use = { use: "subscription" };

/**
 * The use of every query: the same key may read all of it, and a query changes nothing. It may follow a subscription,
 * which shows more, but not precede it: otherwise a captured query would show every event from then on.
 */
const QUERY: Use = { use: "query", after: SUBSCRIPTION.use };

/** The use of each placement and cancel, made once, because the replay guard keeps a text for every signature. */
const CHANGES: WeakMap<AnyRoute | MethodDescriptor, Use> = new WeakMap();

/**
 * Returns the use of a signature. Placements and cancels are apart (a cancel may follow a query), and so are REST and
 * WebSocket; an alias of a path counts as its route, which has the same name. The compat prefix is apart too: it reads the
 * same parameters in its own way, and its methods have names of others.
 */
function useOf(target: AnyRoute | MethodDescriptor): Use {
  if (target.access === "READ") return "act" in target ? SUBSCRIPTION : QUERY;
  const known = CHANGES.get(target);
  if (known !== undefined) return known;
  const { name, compat, method } =
    "route" in target ? target.route : { compat: undefined, method: undefined, ...target };
  const transport = "path" in target ? "REST" : "WebSocket";
  const use: Use = {
    use: `${transport} ${compat === true ? "compat " : ""}${name}`,
    // An honest client may look and then cancel with the same parameters in one millisecond.
    ...(method === "DELETE" && { onceAfter: QUERY.use }),
  };
  CHANGES.set(target, use);
  return use;
}

/** The results of a front thread for a signed request or message in which nothing was unusual. */
export interface Worked {
  readonly apiKey: string;
  /** 64 lower-case hex digits. */
  readonly signature: string;
  /** The parameters as the service's readers return them. */
  readonly parameters: Parameters;
  /** The secret that made the signature. The results are valid while the host confirms that it is the key's secret. */
  readonly secret: string;
  /** Of a WebSocket message: its request id and its method. */
  readonly envelope?: Readonly<{ id: RequestId; method: string }>;
}

/** The front thread that a request or message came through. */
export interface Front {
  /** The results of the front thread, or undefined if it has none. */
  readonly worked: Worked | undefined;
  /**
   * Reports that the main thread verified a signature of this key. The front thread may verify its signatures from now
   * on.
   */
  proved(key: ApiKey): void;
  /** Reports that the secret known to the front thread is no longer the key's. */
  outdated(): void;
}

/**
 * Returns what a front thread has verified of a request, with the current key. Returns undefined if it verified nothing, or if
 * the key is gone or has another secret; the results of the front thread are void then. Throws an OrderError -2015 if the
 * key lacks the address or the permission.
 */
export function provedAhead(
  { accounts }: Pick<AccessParts, "accounts">,
  front: Front | undefined,
  use: KeyUse,
): Awaitable<Readonly<{ key: ApiKey } & Pick<Worked, "signature" | "parameters">> | undefined> {
  const worked = front?.worked;
  if (worked === undefined) return undefined;
  const { signature, parameters } = worked;
  return follow(accounts.key(worked.apiKey), (key) => {
    if (key?.secret !== worked.secret) {
      front?.outdated();
      return undefined;
    }
    if (!hasAccess(key, use)) throw new OrderError("REJECTED_API_KEY");
    return { key, signature, parameters };
  });
}
