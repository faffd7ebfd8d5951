import type { Clock } from "../../ports/index.ts";
import type { RouteDescriptor } from "../../requests/index.ts";
import type { Answer, ServiceParts, SignedCall } from "../rest/parts.ts";
import type { AccountStreams } from "./account-streams.ts";
import type { SocketOptions, SocketSettings } from "./api.ts";
import type { MarketStreams } from "./market-streams.ts";

/** What the connections of one service share. */
export type SocketParts = Readonly<{
  service: ServiceParts;
  settings: Required<SocketSettings>;
  realClock: Clock;
  requestToken: SocketOptions["requestToken"];
  /** The handler of REST that answers a call. */
  answer: (call: SignedCall) => Promise<Answer>;
  /** Whether the allow lists let a route be used. */
  serves: (route: RouteDescriptor) => boolean;
  streams: AccountStreams;
  markets: MarketStreams;
}>;
