import {
  flagOption,
  functionOption,
  listOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  portOption,
  textOption,
  wholeOption,
  wrongOption,
} from "../common/index.ts";
import type { Engine } from "../engine/index.ts";
import {
  accountEventsOption,
  accountsOption,
  balancesOption,
  clockOption,
  entropyOption,
  instrumentsOption,
  nativeOrdersOption,
  rateLimiterOption,
  rejectionsOption,
  telemetryOption,
} from "../ports/internal.ts";
import { replayGuardOption } from "../signing/internal.ts";
import { readAddressBlock } from "./access/address-list.ts";
import { isAllowableOrigin } from "./access/cross-origin.ts";
import type { ServiceOptions } from "./api.ts";
import type { HostFeatures, ServiceSettings } from "./rest/api.ts";
import type { SocketOptions, SocketSettings } from "./socket/api.ts";
import type { ByteLimits, StreamLimits, TrafficLimits } from "./traffic/api.ts";
import { Traffic } from "./traffic/traffic.ts";

const flag = optionalOption(flagOption);
const positive = optionalOption(wholeOption({ from: 1 }));
const positiveMs = optionalOption(wholeOption({ from: 1 }, " of milliseconds"));
const names = (wanted: string): OptionCheck => optionalOption(listOption(wanted, textOption()));

const isBlock = (text: string): boolean => readAddressBlock(text) !== undefined;

/** Checks the settings of a service. */
export const serviceSettingsOption: OptionCheck = optionsOf<ServiceSettings>({
  features: optionalOption(
    optionsOf<HostFeatures>({ leveraged_trading: flag, dark_pool_mode: flag, bridge_required: flag }),
  ),
  businessErrorsAs200: flag,
  getAllowlist: names('a list of last path segments, such as ["orderStatus"]'),
  postAllowlist: names('a list of last path segments, such as ["order"]'),
  compatRoutes: flag,
  allowedOrigins: optionalOption(
    listOption(
      "a list of web origins",
      textOption("* or an origin such as https://desk.example.com", isAllowableOrigin),
    ),
  ),
  trustedProxies: optionalOption(
    listOption(
      "a list of addresses or CIDR blocks",
      textOption("an IP address or a CIDR block such as 10.0.0.0/8", isBlock),
    ),
  ),
});

const byteLimits = optionalOption(
  optionsOf<ByteLimits>({ perConnection: positive, perAddress: positive, inAll: positive }),
);

/** Checks limits of traffic. */
export const trafficOption: OptionCheck = optionsOf<TrafficLimits>({
  connectionsPerAddress: positive,
  unread: byteLimits,
  unanswered: byteLimits,
  unsent: byteLimits,
  streams: optionalOption(optionsOf<StreamLimits>({ perAddress: positive, inAll: positive })),
});

/** Checks limits, or the traffic of a cluster service. */
const sharedTraffic: OptionCheck = Object.assign(
  (value: unknown, name: string) => {
    if (!(value instanceof Traffic)) trafficOption(value, name);
  },
  { names: trafficOption.names ?? [] },
);

const ofEverySocket = {
  settings: optionalOption(
    optionsOf<SocketSettings>({
      maxMessageBytes: positive,
      maxFramesPerSecond: positive,
      maxPingsPerMinute: positive,
      maxUnanswered: positive,
      maxMalformedPerMinute: positive,
      maxWaitingEventBytes: positive,
      maxWaitingReplyBytes: positive,
      maxWaitingMarketBytes: positive,
      maxStreams: positive,
      pingEveryMs: positiveMs,
      pongWithinMs: positiveMs,
      lifeMs: positiveMs,
    }),
  ),
  requestToken: optionalOption(functionOption("returns the account of a session token")),
  realClock: optionalOption(clockOption),
};

const socketsOption: OptionCheck = optionsOf<SocketOptions>({
  ...ofEverySocket,
  accountEvents: optionalOption(accountEventsOption),
});

/** Checks the WebSocket options of a node of a cluster. */
export const nodeSocketsOption: OptionCheck = optionsOf<Omit<SocketOptions, "accountEvents">>(ofEverySocket);

const replayGuard: OptionCheck = (value, name) => {
  if (value !== undefined && value !== false) replayGuardOption(value, name);
};

/** Checks the documents of a service. */
export const documentsOption: OptionCheck = (value, name) => {
  if (value === undefined) return;
  if (typeof value !== "object" || value === null)
    throw wrongOption(value, name, "an object of functions by path, such as /openapi.json");
  for (const [path, make] of Object.entries(value))
    functionOption("returns the text of the document")(make, `${name}[${JSON.stringify(path)}]`);
};

const serviceOptions: OptionCheck = optionsOf<ServiceOptions>(
  {
    engine: portOption<Pick<Engine, "place" | "cancel" | "status">>("Engine (managed-orders/engine)", {
      ...{ place: "required", cancel: "required", status: "required" },
    }),
    accounts: accountsOption,
    instruments: instrumentsOption,
    clock: clockOption,
    entropy: entropyOption,
    rateLimiter: rateLimiterOption,
    nativeOrders: optionalOption(nativeOrdersOption),
    balances: optionalOption(balancesOption),
    rejections: optionalOption(rejectionsOption),
    replayGuard,
    telemetry: optionalOption(telemetryOption),
    settings: optionalOption(serviceSettingsOption),
    traffic: optionalOption(sharedTraffic),
    documents: documentsOption,
    sockets: optionalOption(socketsOption),
  },
  { open: true },
);

/** Throws a TypeError or RangeError that names the first option that is missing, unknown or wrong (decision KI). */
export function requireServiceOptions(options: ServiceOptions): void {
  serviceOptions(options, "createService");
}
