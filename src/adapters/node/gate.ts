import type { OrderError } from "../../errors/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import type { Holdings, TrafficGuest } from "../../service/index.ts";
import type { Traffic } from "../../service/internal.ts";

/** Reverts the count of a connection. */
export type Leave = () => void;

/**
 * Counts what clients hold of a server: either the service's own {@link Traffic}, or in a front thread a stand-in for
 * the main thread's, which answers a moment later.
 */
export type TrafficGate = Readonly<
  Pick<Traffic, "networkOf" | "peerOf" | "arrivals" | "isProved"> & {
    /** The refusal of a connection above the limit of its address. */
    tooMany: OrderError;
    /**
     * Counts an opened connection. If its network is undefined, it is not counted for any network yet. Returns "full"
     * at the total limit, and undefined at the limit of its network.
     */
    open(network: string | undefined): Awaitable<Leave | "full" | undefined>;
    /**
     * Counts a request as a connection, because it came over a proxy's connection. Returns undefined at the limit of
     * its network.
     */
    enter(network: string): Awaitable<Leave | undefined>;
    guest(network: string, guest: TrafficGuest): Holdings;
  }
>;

/** Returns the gate of a service in the same thread. Node itself counts the total number of connections. */
export function gateOf(traffic: Traffic): TrafficGate {
  return {
    tooMany: traffic.tooMany,
    get arrivals() {
      return traffic.arrivals;
    },
    isProved: (network) => traffic.isProved(network),
    networkOf: (arrived) => traffic.networkOf(arrived),
    peerOf: (remoteAddress) => traffic.peerOf(remoteAddress),
    open: (network) => {
      traffic.arrived();
      return network === undefined ? () => undefined : traffic.enter(network);
    },
    enter: (network) => traffic.enter(network),
    guest: (network, guest) => traffic.guest(network, guest),
  };
}
