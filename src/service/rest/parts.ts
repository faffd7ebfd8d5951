import type { Engine } from "../../engine/index.ts";
import type { Questions } from "../../host-answers/index.ts";
import type {
  Entropy,
  Instruments,
  NativeOrders,
  OrderCounts,
  Rejections,
  Telemetry,
} from "../../ports/index.ts";
import type { RouteDescriptor } from "../../requests/index.ts";
import type { JsonInput, Parameters } from "../../wire/index.ts";
import type { Proof } from "../access/authentication.ts";
import type { AccessParts } from "../access/parts.ts";
import type { Traffic } from "../traffic/traffic.ts";
import type { Turns } from "../traffic/turns.ts";
import type { ServiceSettings } from "./api.ts";
import type { CountedPlacements } from "./counted-placements.ts";
import type { Documents } from "./documents.ts";

/** What the parts of one service share. */
export type ServiceParts = AccessParts &
  Readonly<{
    engine: Engine;
    instruments: Instruments;
    entropy: Entropy;
    /** Undefined: the host has no native orders. */
    native: NativeOrders | undefined;
    rejections: Rejections;
    /** Never throws. */
    telemetry: Telemetry;
    questions: Questions;
    settings: ServiceSettings;
    placements: CountedPlacements;
    traffic: Traffic;
    turns: Turns;
    documents: Documents;
  }>;

/** A request whose signature, freshness, address and permission are proved; its parameters are not read yet. */
export type SignedCall = Proof & Readonly<{ route: RouteDescriptor; parameters: Parameters }>;

/** What a handler answers: a JSON body with status 200; of a placement also what the order-count limit has counted. */
export type Answer = Readonly<{ body: JsonInput; counts?: OrderCounts }>;

/** Answers signed calls of a route. */
export type SignedHandler = (parts: ServiceParts, call: SignedCall) => Promise<Answer>;
