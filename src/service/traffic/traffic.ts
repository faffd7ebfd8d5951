import { OrderError } from "../../errors/index.ts";
import type { AddressList } from "../access/address-list.ts";
import {
  type Arrived,
  type ClientAddress,
  clientAddressBehind,
  trustedProxyList,
} from "../access/client-address.ts";
import { networkOf } from "../access/ip-address.ts";
import type { ByteLimits, HeldKind, Holdings, TrafficGuest, TrafficLimits } from "./api.ts";
import { ByteBudget, type Part } from "./byte-budget.ts";

const MEGABYTE = 1_048_576;

const DEFAULTS = {
  connectionsPerAddress: 2_000,
  unread: { perConnection: 4 * MEGABYTE, perAddress: 32 * MEGABYTE, inAll: 96 * MEGABYTE },
  unanswered: { perConnection: 4 * MEGABYTE, perAddress: 32 * MEGABYTE, inAll: 96 * MEGABYTE },
  unsent: { perConnection: 17 * MEGABYTE, perAddress: 32 * MEGABYTE, inAll: 128 * MEGABYTE },
} as const;

const KINDS: readonly HeldKind[] = ["unread", "unanswered", "unsent"];

/** How a client is told to come back that holds too many connections: one of them may end at any time. */
const RETRY_AFTER_SECONDS = 1;

type Network = { connections: number; isProved: boolean };

/** What all connections of a service hold together. */
export class Traffic {
  /** What one connection too many of an address is told, 429 -1003. */
  readonly tooMany: OrderError;
  /** Connections that one address holds at once. */
  readonly connectionsPerAddress: number;
  /** Addresses or CIDR blocks whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
  readonly #clientAddress: ClientAddress;
  readonly #isProxy: AddressList;
  readonly #budgets: Readonly<Record<HeldKind, ByteBudget>>;
  readonly #networks: Map<string, Network> = new Map();
  #arrivals = 0;

  /** Throws a RangeError for a limit that is not a whole number of at least 1. */
  constructor(limits: TrafficLimits = {}, trustedProxies: readonly string[] = []) {
    this.connectionsPerAddress = checkedLimit(
      "connectionsPerAddress",
      limits.connectionsPerAddress ?? DEFAULTS.connectionsPerAddress,
    );
    this.tooMany = new OrderError("TOO_MANY_CONNECTIONS", {
      ...{ limit: this.connectionsPerAddress, interval: "ADDRESS", retryAfter: RETRY_AFTER_SECONDS },
    });
    this.trustedProxies = trustedProxies;
    this.#clientAddress = clientAddressBehind(trustedProxies);
    this.#isProxy = trustedProxyList(trustedProxies);
    const budgetOf = (kind: HeldKind): ByteBudget =>
      new ByteBudget(checkedLimits(kind, { ...DEFAULTS[kind], ...limits[kind] }));
    this.#budgets = {
      unread: budgetOf("unread"),
      unanswered: budgetOf("unanswered"),
      unsent: budgetOf("unsent"),
    };
  }

  /** Connections that were opened since the service began. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** A connection was opened. */
  arrived(): void {
    this.#arrivals++;
  }

  /** What a request is counted as: the network of its client. */
  networkOf(arrived: Arrived): string {
    return networkOf(this.#clientAddress(arrived));
  }

  /**
   * What a connection is counted as before anything came over it; undefined for one of a trusted proxy, which stands for
   * nobody until a request says whose it is, and for a peer without an address.
   */
  peerOf(remoteAddress: string): string | undefined {
    return remoteAddress === "" || this.#isProxy(remoteAddress) ? undefined : networkOf(remoteAddress);
  }

  /**
   * Counts a connection of a network, or a request that stands for one because it came over the connection of a proxy;
   * what is returned takes it back. Undefined for one too many, which is told {@link tooMany}: whoever opens thousands
   * must cost little.
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

  /** A request of a network has proved a key; that counts for as long as the network has a connection. */
  proved(network: string): void {
    const known = this.#networks.get(network);
    if (known !== undefined) known.isProved = true;
  }

  /** A limit has refused a request of a network: it has proved nothing any more. */
  refused(network: string): void {
    const known = this.#networks.get(network);
    if (known !== undefined) known.isProved = false;
  }

  /** Whether a request of a network has proved a key, and no limit has refused one since. */
  isProved(network: string): boolean {
    return this.#networks.get(network)?.isProved === true;
  }

  /** Begins to count what a connection of a network holds. */
  guest(network: string, { unsentBytes, putOut }: TrafficGuest): Holdings {
    let live = true;
    const partOf = (kind: HeldKind): Part => ({
      address: network,
      bytes: 0,
      out: false,
      atMost: kind === "unsent" ? unsentBytes : () => Number.POSITIVE_INFINITY,
      putOut: (scope) => {
        end();
        putOut(kind, scope);
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

function checkedLimits(kind: HeldKind, limits: Required<ByteLimits>): Required<ByteLimits> {
  for (const [name, value] of Object.entries(limits)) checkedLimit(`${kind}.${name}`, value);
  return limits;
}

/** A limit that was set; throws a RangeError when it is not a whole number of at least 1. */
export function checkedLimit(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`${name} must be at least 1, got ${value}`);
  return value;
}
