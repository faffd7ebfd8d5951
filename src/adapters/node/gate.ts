import type { OrderError } from "../../errors/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import type { Holdings, Traffic, TrafficGuest } from "../../service/index.ts";

/** Takes back that a connection was counted. */
export type Leave = () => void;

/**
 * Who counts what strangers hold of a server: the service's own {@link Traffic}, or in a front thread what stands for the
 * one on the main thread and answers a moment later.
 */
export type Gate = Readonly<
  Pick<Traffic, "networkOf" | "peerOf" | "arrivals" | "isProved"> & {
    /** What one connection too many of an address is told. */
    tooMany: OrderError;
    /**
     * Counts a connection that was opened, for nobody yet when its network is undefined; "full" when there are as many as
     * there may be, undefined when there are of its network.
     */
    open(network: string | undefined): Awaitable<Leave | "full" | undefined>;
    /** Counts a request that stands for a connection, because it came over that of a proxy; undefined for one too many. */
    enter(network: string): Awaitable<Leave | undefined>;
    guest(network: string, guest: TrafficGuest): Holdings;
  }
>;

/** The gate of a service in the same thread. How many connections there are in all is counted by Node. */
export function gateOf(traffic: Traffic): Gate {
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
