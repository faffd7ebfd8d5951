import type { Agent } from "node:http";
import {
  type OptionCheck,
  objectOption,
  optionalOption,
  optionsOf,
  sharedSecretOption,
  wholeOption,
} from "../../common/index.ts";
import type { Clock, Telemetry } from "../../ports/index.ts";
import { clockOption, telemetryOption } from "../../ports/internal.ts";
import { durationOption } from "./server-options.ts";

/** Where a venue server is, and bounds of the calls to it. */
export interface VenueClientOptions {
  /** Address of the server, such as `https://venue.internal:8443`, with the server's prefix if it has one. */
  readonly url: string;
  /** The shared secret, of at least 16 characters. No message shows it. */
  readonly secret: string;
  readonly clock: Clock;
  /**
   * Makes the connections: an Agent of node:http or node:https, with certificates for TLS or mutual TLS. Default: one
   * that keeps at most 64 connections.
   */
  readonly agent?: Agent;
  readonly telemetry?: Telemetry;
  /** Milliseconds within which the server must answer a call; default 10,000. */
  readonly timeoutMs?: number;
  /** Milliseconds without a line after which a stream counts as broken; default 15,000, three beats of a server. */
  readonly silenceMs?: number;
  /**
   * Milliseconds within which the server must answer the first call; default 10,000. The call for its instruments, which
   * follows, has `timeoutMs`.
   */
  readonly openWithinMs?: number;
  /** Milliseconds between two readings of the instruments; default 10,000. */
  readonly instrumentsEveryMs?: number;
  /** Most calls at a time; default 1,000. A further call is rejected as `unsent`. */
  readonly calls?: number;
}

const urlOption: OptionCheck = (value, name) => {
  const wanted = "the URL of a venue server such as https://venue.internal:8443";
  if (value === undefined) throw new TypeError(`${name} is missing: pass ${wanted}`);
  if (typeof value !== "string") throw new TypeError(`${name} must be ${wanted}`);
  if (addressOf(value) === undefined)
    throw new RangeError(`${name} must be ${wanted}, without user, password, query and fragment`);
};

/** Checks the options of a venue client. */
export const clientOption: OptionCheck = optionsOf<VenueClientOptions>({
  url: urlOption,
  secret: sharedSecretOption,
  clock: clockOption,
  agent: optionalOption(objectOption("an Agent of node:http or node:https")),
  telemetry: optionalOption(telemetryOption),
  timeoutMs: optionalOption(durationOption),
  silenceMs: optionalOption(durationOption),
  openWithinMs: optionalOption(durationOption),
  instrumentsEveryMs: optionalOption(durationOption),
  calls: optionalOption(wholeOption({ from: 1, to: 1_000_000 })),
});

/** Address of a server: its origin, and the prefix of its paths. */
export type Address = Readonly<{ origin: string; prefix: string; isSecure: boolean }>;

/** Returns the address in a URL; undefined for anything else. */
export function addressOf(url: string): Address | undefined {
  let parts: URL;
  try {
    parts = new URL(url);
  } catch {
    return undefined;
  }
  const { protocol, username, password, search, hash, origin, pathname } = parts;
  const isPlain = username === "" && password === "" && search === "" && hash === "";
  if (!isPlain || (protocol !== "http:" && protocol !== "https:")) return undefined;
  return { origin, prefix: pathname.replace(/\/$/, ""), isSecure: protocol === "https:" };
}
