import type { Engine } from "../../engine/index.ts";
import type { Questions } from "../../host-answers/index.ts";
import type {
  Balances,
  Entropy,
  Instruments,
  NativeOrders,
  OrderCounts,
  Rejections,
  Telemetry,
} from "../../ports/index.ts";
import type { AnyRoute } from "../../requests/index.ts";
import type { JsonInput, Parameters } from "../../wire/index.ts";
import type { Proof } from "../access/authentication.ts";
import type { AccessParts } from "../access/parts.ts";
import type { Traffic } from "../traffic/traffic.ts";
import type { TrafficTurns } from "../traffic/turns.ts";
import type { ServiceSettings } from "./api.ts";
import type { ClientSymbols } from "./compat/symbols.ts";
import type { CountedPlacements } from "./counted-placements.ts";
import type { Documents } from "./documents.ts";
import type { LongAnswers } from "./long-answers.ts";
import type { QuoteSeries } from "./quote-series.ts";

/** Parts that all handlers of a service share. */
export type ServiceParts = AccessParts &
  Readonly<{
    engine: Engine;
    instruments: Instruments;
    entropy: Entropy;
    /** Undefined if the host has no native orders. */
    native: NativeOrders | undefined;
    /** Undefined if the host reports no balances. */
    balances: Balances | undefined;
    rejections: Rejections;
    /** Never throws. */
    telemetry: Telemetry;
    questions: Questions;
    settings: ServiceSettings;
    placements: CountedPlacements;
    traffic: Traffic;
    turns: TrafficTurns;
    documents: Documents;
    longAnswers: LongAnswers;
    quoteSeries: QuoteSeries;
    clientSymbols: ClientSymbols;
  }>;

/**
 * A request whose signature, freshness, address and permission are verified. Its parameters are not interpreted yet.
 */
export type SignedCall = Proof & Readonly<{ route: AnyRoute; parameters: Parameters }>;

/** A handler's answer: a JSON body with status 200 and, for a placement, the counts of the order-count limit. */
export type Answer = Readonly<{ body: JsonInput; counts?: OrderCounts }>;

/** Handler that answers signed calls of a route. */
export type SignedHandler = (parts: ServiceParts, call: SignedCall) => Promise<Answer>;
