import {
  type OptionCheck,
  optionalOption,
  optionsOf,
  sharedSecretOption,
  textOption,
  wholeOption,
} from "../../common/index.ts";
import type {
  Balances,
  Clock,
  Entropy,
  ExecutionVenue,
  Exposure,
  Instruments,
  MarketData,
  NativeOrders,
  Telemetry,
  VolumeHistory,
} from "../../ports/index.ts";
import {
  balancesOption,
  clockOption,
  entropyOption,
  exposureOption,
  instrumentsOption,
  marketDataOption,
  nativeOrdersOption,
  telemetryOption,
  venueOption,
  volumeHistoryOption,
} from "../../ports/internal.ts";

/** Limits of a venue server. */
export interface VenueServerLimits {
  /** Most milliseconds between the time of a signature and the server's time; default 30,000. */
  readonly freshMs?: number;
  /** Milliseconds between two beats of a stream; default 5,000. */
  readonly beatMs?: number;
  /** Milliseconds for which a stream of reports is kept for a reader that has left; default 60,000. */
  readonly keepMs?: number;
  /** Most events of a stream that are kept for a reader that comes back, beside current quotes; default 10,000. */
  readonly history?: number;
  /** Most streams at a time; default 16. */
  readonly streams?: number;
  /** Most requests with a right signature at a time, without streams; default 256. */
  readonly requests?: number;
  /** Most bytes of a body; default 65,536. */
  readonly bodyBytes?: number;
  /** Milliseconds within which a body must arrive; default 5,000. */
  readonly bodyMs?: number;
  /** Milliseconds within which the venue must answer; default 30,000. */
  readonly answerMs?: number;
}

/** The venue behind a server, and the parts of a host that the server offers too. */
export interface VenueServerOptions {
  readonly venue: ExecutionVenue;
  /** The shared secret, of at least 16 characters. No message shows it. */
  readonly secret: string;
  /** An earlier secret that still counts, while it is replaced. */
  readonly previousSecret?: string;
  /** If the venue does not tell its time, deadlines are judged by this clock. */
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** A path in front of the paths of the protocol, such as `/venue`, which the client has in its URL too. */
  readonly prefix?: string;
  readonly marketData?: MarketData;
  readonly nativeOrders?: NativeOrders;
  readonly balances?: Balances;
  readonly exposure?: Exposure;
  readonly volumeHistory?: VolumeHistory;
  readonly instruments?: Instruments;
  readonly telemetry?: Telemetry;
  readonly limits?: VenueServerLimits;
}

/** Limits with their defaults. */
export type ServerLimits = Required<VenueServerLimits>;

/** The limits of a server that is given none. */
export const DEFAULT_LIMITS: ServerLimits = {
  freshMs: 30_000,
  beatMs: 5_000,
  keepMs: 60_000,
  history: 10_000,
  streams: 16,
  requests: 256,
  bodyBytes: 65_536,
  bodyMs: 5_000,
  answerMs: 30_000,
};

const DAY_MS = 86_400_000;
/** Checks a number of milliseconds, up to a day. */
export const durationOption: OptionCheck = wholeOption({ from: 1, to: DAY_MS }, " of milliseconds");
const countOption = wholeOption({ from: 1, to: 1_000_000 });

const PREFIX = /^(\/[A-Za-z0-9._~-]+)*$/;

/** Checks the options of a venue server. */
export const serverOption: OptionCheck = optionsOf<VenueServerOptions>({
  venue: venueOption,
  secret: sharedSecretOption,
  previousSecret: optionalOption(sharedSecretOption),
  clock: clockOption,
  entropy: entropyOption,
  prefix: optionalOption(
    textOption("empty or a path such as /venue, without a trailing slash", (text) => PREFIX.test(text)),
  ),
  marketData: optionalOption(marketDataOption),
  nativeOrders: optionalOption(nativeOrdersOption),
  balances: optionalOption(balancesOption),
  exposure: optionalOption(exposureOption),
  volumeHistory: optionalOption(volumeHistoryOption),
  instruments: optionalOption(instrumentsOption),
  telemetry: optionalOption(telemetryOption),
  limits: optionalOption(
    optionsOf<VenueServerLimits>({
      ...{ freshMs: optionalOption(durationOption), beatMs: optionalOption(durationOption) },
      ...{ keepMs: optionalOption(durationOption), bodyMs: optionalOption(durationOption) },
      ...{ answerMs: optionalOption(durationOption), history: optionalOption(countOption) },
      ...{ streams: optionalOption(countOption), requests: optionalOption(countOption) },
      bodyBytes: optionalOption(wholeOption({ from: 1_024, to: 16_777_216 })),
    }),
  ),
});
