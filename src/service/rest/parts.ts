import type { Engine } from "../../engine/index.ts";
import type { Questions } from "../../host-answers/index.ts";
import type { ApiKey, Permission } from "../../model/index.ts";
import type {
  Accounts,
  Clock,
  Entropy,
  Instruments,
  NativeOrders,
  OrderCounts,
  RateLimiter,
  Rejections,
  Telemetry,
} from "../../ports/index.ts";
import type { RouteDescriptor } from "../../requests/index.ts";
import type { ReplayGuard } from "../../signing/index.ts";
import type { JsonInput, Parameters } from "../../wire/index.ts";
import type { Bans } from "../access/bans.ts";
import type { ClientAddress } from "../access/client-address.ts";
import type { CrossOrigin } from "../access/cross-origin.ts";
import type { ServiceSettings } from "../api.ts";
import type { Traffic } from "../traffic/traffic.ts";
import type { Turns } from "../traffic/turns.ts";
import type { CountedPlacements } from "./counted-placements.ts";
import type { Documents } from "./documents.ts";

/** What the parts of one service share. */
export type ServiceParts = Readonly<{
  engine: Engine;
  accounts: Accounts;
  instruments: Instruments;
  clock: Clock;
  entropy: Entropy;
  rateLimiter: RateLimiter;
  /** Undefined: the host has no native orders. */
  native: NativeOrders | undefined;
  rejections: Rejections;
  /** Never throws. */
  telemetry: Telemetry;
  questions: Questions;
  settings: ServiceSettings;
  replayGuard: ReplayGuard | undefined;
  placements: CountedPlacements;
  clientAddress: ClientAddress;
  crossOrigin: CrossOrigin;
  bans: Bans;
  traffic: Traffic;
  turns: Turns;
  documents: Documents;
}>;

/** A request whose signature, freshness, address and permission are proved; its parameters are not read yet. */
export type SignedCall = Readonly<{
  route: RouteDescriptor;
  /** What the route needs of key and account. */
  permission: Permission;
  key: ApiKey;
  /** 64 hex digits in lower case. */
  signature: string;
  parameters: Parameters;
}>;

/** What a handler answers: a JSON body with status 200; of a placement also what the order-count limit has counted. */
export type Answer = Readonly<{ body: JsonInput; counts?: OrderCounts }>;

/** Answers signed calls of a route. */
export type SignedHandler = (parts: ServiceParts, call: SignedCall) => Promise<Answer>;
