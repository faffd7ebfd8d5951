import { networkOf } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import {
  type AddressList,
  type Arrived,
  type ClientAddress,
  clientAddressBehind,
  trustedProxyList,
} from "../access/addresses.ts";
import { Bans } from "../access/rate-limits.ts";
import type { HeldKind, Holdings, StreamLimits, TrafficGuest, TrafficLimits } from "./api.ts";
import { ByteBudget, type Part } from "./byte-budget.ts";

const MEGABYTE = 1_048_576;

const DEFAULTS = {
  connectionsPerAddress: 2_000,
  unread: { perConnection: 4 * MEGABYTE, perAddress: 32 * MEGABYTE, inAll: 96 * MEGABYTE },
  unanswered: { perConnection: 4 * MEGABYTE, perAddress: 32 * MEGABYTE, inAll: 96 * MEGABYTE },
  streams: { perAddress: 2_048, inAll: 16_384 },
  unsent: { perConnection: 17 * MEGABYTE, perAddress: 32 * MEGABYTE, inAll: 128 * MEGABYTE },
} as const;

const KINDS: readonly HeldKind[] = ["unread", "unanswered", "unsent"];

/** Retry-After for a client that holds too many connections or streams: one of them may end at any time. */
const RETRY_AFTER_SECONDS = 1;

/**
 * The public streams that are open, by network. They need no key, and each is sent an event for every quote of its market,
 * so that connections and weight alone would let strangers take all the time of the process.
 */
class StreamPlaces {
  readonly #limits: Required<StreamLimits>;
  readonly #isProved: (network: string) => boolean;
  readonly #open: Map<string, number> = new Map();
  #inAll = 0;

  constructor(limits: StreamLimits | undefined, isProved: (network: string) => boolean) {
    this.#limits = { ...DEFAULTS.streams, ...limits };
    this.#isProved = isProved;
  }

  /** Throws an OrderError -1003 if a network may not open so many more streams. */
  requirePlaces(network: string, count: number): void {
    const { perAddress, inAll } = this.#limits;
    if ((this.#open.get(network) ?? 0) + count > perAddress) throw tooMany(perAddress, "ADDRESS");
    if (this.#inAll + count > inAll && !this.#isProved(network)) throw tooMany(inAll, "SERVICE");
  }

  /** Counts streams that a network opens. Throws as {@link requirePlaces}, and then counts none. */
  open(network: string, count: number): void {
    if (count === 0) return;
    this.requirePlaces(network, count);
    this.#add(network, count);
  }

  /** Takes back the count of streams that have ended. */
  close(network: string, count: number): void {
    this.#add(network, -count);
  }

  #add(network: string, count: number): void {
    const open = (this.#open.get(network) ?? 0) + count;
    this.#inAll += count;
    if (open === 0) this.#open.delete(network);
    else this.#open.set(network, open);
  }
}

const tooMany = (limit: number, interval: string): OrderError =>
  new OrderError("TOO_MANY_STREAMS", { limit, interval, retryAfter: RETRY_AFTER_SECONDS });

/** Tracks what all connections of a service hold together. */
export class Traffic {
  /** The refusal of a connection above the limit of its address, 429 -1003. */
  readonly tooMany: OrderError;
  /**
   * The connections that a ban ends.
   *
   * @internal
   */
  readonly bans: Bans = new Bans();
  /**
   * The public streams that are open.
   *
   * @internal
   */
  readonly streams: StreamPlaces;
  /** Connections that one address holds at once. */
  readonly connectionsPerAddress: number;
  /** Addresses or CIDR blocks whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
  readonly #clientAddress: ClientAddress;
  readonly #isProxy: AddressList;
  readonly #budgets: Readonly<Record<HeldKind, ByteBudget>>;
  readonly #networks: Map<string, { connections: number; isProved: boolean }> = new Map();
  #arrivals = 0;

  /** Takes limits that were checked before. */
  constructor(limits: TrafficLimits = {}, trustedProxies: readonly string[] = []) {
    this.connectionsPerAddress = limits.connectionsPerAddress ?? DEFAULTS.connectionsPerAddress;
    this.tooMany = new OrderError("TOO_MANY_CONNECTIONS", {
      ...{ limit: this.connectionsPerAddress, interval: "ADDRESS", retryAfter: RETRY_AFTER_SECONDS },
    });
    this.streams = new StreamPlaces(limits.streams, (network) => this.isProved(network));
    this.trustedProxies = trustedProxies;
    this.#clientAddress = clientAddressBehind(trustedProxies);
    this.#isProxy = trustedProxyList(trustedProxies);
    const budgetOf = (kind: HeldKind): ByteBudget => new ByteBudget({ ...DEFAULTS[kind], ...limits[kind] });
    this.#budgets = {
      unread: budgetOf("unread"),
      unanswered: budgetOf("unanswered"),
      unsent: budgetOf("unsent"),
    };
  }

  /** Number of connections opened since the service began. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** Records that a connection was opened. */
  arrived(): void {
    this.#arrivals++;
  }

  /** Returns the network under which a request is counted: the network of its client. */
  networkOf(arrived: Arrived): string {
    return networkOf(this.#clientAddress(arrived));
  }

  /**
   * Returns the network under which a connection is counted before its first request. Returns undefined for a peer
   * without an address, and for a trusted proxy, whose connection is not counted until a request names its client.
   */
  peerOf(remoteAddress: string): string | undefined {
    return remoteAddress === "" || this.#isProxy(remoteAddress) ? undefined : networkOf(remoteAddress);
  }

  /**
   * Counts a connection of a network, or a request that counts as one because it came over a proxy's connection.
   * Returns a function that takes the count back, or undefined if the network is at its limit; the client is then
   * refused with {@link tooMany}. Refusing a client that opens thousands of connections must be cheap.
   */
  enter(network: string): (() => void) | undefined {
    const known = this.#networks.get(network) ?? { connections: 0, isProved: false };
    if (known.connections >= this.connectionsPerAddress) return undefined;
    if (known.connections++ === 0) this.#networks.set(network, known);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      if (--known.connections === 0) this.#networks.delete(network);
    };
  }

  /** Records that a signed request of a network was admitted. The record lasts while the network has a connection. */
  proved(network: string): void {
    const known = this.#networks.get(network);
    if (known !== undefined) known.isProved = true;
  }

  /** Records that a limit has refused a request of a network. The network then no longer counts as proved. */
  refused(network: string): void {
    const known = this.#networks.get(network);
    if (known !== undefined) known.isProved = false;
  }

  /**
   * Returns whether a signed request of a network was admitted, and no limit has refused a request of the network
   * since.
   */
  isProved(network: string): boolean {
    return this.#networks.get(network)?.isProved === true;
  }

  /** Starts counting what a connection of a network holds. */
  guest(network: string, { unsentBytes, evict }: TrafficGuest): Holdings {
    let live = true;
    const partOf = (kind: HeldKind): Part => ({
      address: network,
      bytes: 0,
      out: false,
      atMost: kind === "unsent" ? unsentBytes : () => Number.POSITIVE_INFINITY,
      evict: (scope) => {
        end();
        evict(kind, scope);
      },
    });
    const parts = { unread: partOf("unread"), unanswered: partOf("unanswered"), unsent: partOf("unsent") };
    const end = (): void => {
      live = false;
      for (const kind of KINDS) this.#budgets[kind].drop(parts[kind]);
    };
    return {
      hold: (kind, bytes) => live && (bytes === 0 || this.#budgets[kind].hold(parts[kind], bytes)),
      end,
    };
  }
}
