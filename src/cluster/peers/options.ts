import {
  listOption,
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  sharedSecretOption,
  wholeOption,
  wrongOption,
} from "../../common/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import { telemetryOption } from "../../ports/internal.ts";

/** A text in PEM, or the URL of a file with it, such as `new URL("file:///etc/orders/node.key")`. */
export type Pem = string | URL;

/** Mutual TLS between nodes. Every node has a certificate that serves both as client and as server. */
export interface PeerTls {
  /** Private key of this node. It is never shown. */
  readonly key: Pem;
  /** Certificate of this node, with those between it and the authority. */
  readonly cert: Pem;
  /** Certificates of the authorities that sign the nodes' certificates. No other one counts, also not the system's. */
  readonly ca: Pem;
  /**
   * The DNS names that a node's certificate may have (subjectAltName), without wildcards. Default: every certificate of
   * the authorities is a node's. The names are never taken from the store.
   */
  readonly names?: readonly string[];
}

/** Limits of a link. Bytes count payloads; durations are in milliseconds. */
export interface PeerLimits {
  /** Requests to one node that wait for an answer, and those of one connection that are answered; default 256. */
  readonly requests?: number;
  /** Bytes of one request; default 131072. */
  readonly requestBytes?: number;
  /** Bytes of one reply; default 16777216. A longer one is replaced by an error. */
  readonly replyBytes?: number;
  /** Bytes of requests that are answered for all nodes together; default 67108864. */
  readonly heldBytes?: number;
  /** Bytes that wait for one node to read them; default 33554432. */
  readonly unsentBytes?: number;
  /** Time until a connection can be used: TCP, TLS and the first frame; default 2000. */
  readonly connectMs?: number;
  /** Time for the rest of a frame to arrive; default 10000. */
  readonly frameMs?: number;
  /**
   * Time after which the node that asks closes a connection without any traffic; the other one does so after twice that time.
   * The same on all nodes; default 120000.
   */
  readonly idleMs?: number;
  /** Streams of events that are open on one connection; default 10000. */
  readonly streams?: number;
  /** Bytes that may wait for a node when an event is sent to it; its stream ends at more. Default 8388608. */
  readonly eventBytes?: number;
  /**
   * Time after which a connection with streams ends if the other node says nothing; default 10000. The same on all nodes:
   * each says something every third of it.
   */
  readonly silentMs?: number;
  /** Connections of known nodes; default 64. Those before their handshake have 256 places of their own. */
  readonly connections?: number;
  /** Connections of known nodes from one address; default 16. */
  readonly connectionsPerAddress?: number;
}

/** Dependencies and settings of a link. */
export interface PeerLinkOptions {
  /** Secret of the seals, of at least 16 characters, the same on all nodes. No message shows it. */
  readonly secret: string;
  /** An earlier secret whose seals still count, while it is replaced on one node after the other. */
  readonly previousSecret?: string;
  /** Mutual TLS, or `"loopback"`: no encryption, between addresses of this machine only, for tests. */
  readonly security: PeerTls | "loopback";
  readonly telemetry?: Telemetry;
  readonly limits?: PeerLimits;
}

const pem: OptionCheck = (value, name) => {
  const wanted = "a text in PEM or the URL of a file";
  if (value === undefined) throw new TypeError(`${name} is missing: pass ${wanted}`);
  if (typeof value !== "string" && !(value instanceof URL))
    throw new TypeError(`${name} must be ${wanted}; its value is not shown`);
  const isPem = typeof value === "string" && value.includes("-----BEGIN ");
  const isFile = typeof value !== "string" && value.protocol === "file:";
  if (!isPem && !isFile) throw new RangeError(`${name} must be ${wanted}; its value is not shown`);
};

const tlsOption: OptionCheck = optionsOf<PeerTls>({
  key: pem,
  cert: pem,
  ca: pem,
  names: optionalOption((value, name) => {
    listOption("a list of DNS names", nameOption)(value, name);
    if (Array.isArray(value) && value.length === 0)
      throw wrongOption(value, name, "a list of at least one DNS name, or be left out", true);
  }),
});

const securityOption: OptionCheck = Object.assign(
  (value: unknown, name: string) => {
    if (value === "loopback") return;
    if (typeof value !== "object" || value === null)
      throw wrongOption(
        value,
        name,
        'an object with key, cert and ca, or "loopback"',
        typeof value === "string",
      );
    tlsOption(value, name);
  },
  { names: tlsOption.names ?? [] },
);

const count = optionalOption(wholeOption({ from: 1, to: 1_000_000 }));
const bytes = optionalOption(wholeOption({ from: 1_024, to: 1_073_741_824 }));
const durationMs = optionalOption(wholeOption({ from: 1, to: 86_400_000 }, " of milliseconds"));

/** Checks the options of a link. */
export const peerLinkOption: OptionCheck = optionsOf<PeerLinkOptions>({
  secret: sharedSecretOption,
  previousSecret: optionalOption(sharedSecretOption),
  security: securityOption,
  telemetry: optionalOption(telemetryOption),
  limits: optionalOption(
    optionsOf<PeerLimits>({
      ...{ requests: count, streams: count, connections: count, connectionsPerAddress: count },
      ...{ requestBytes: bytes, replyBytes: bytes, heldBytes: bytes, unsentBytes: bytes },
      ...{ eventBytes: bytes, silentMs: durationMs },
      ...{ connectMs: durationMs, frameMs: durationMs, idleMs: durationMs },
    }),
  ),
});

const DEFAULTS: Required<PeerLimits> = {
  requests: 256,
  requestBytes: 131_072,
  replyBytes: 16_777_216,
  heldBytes: 67_108_864,
  unsentBytes: 33_554_432,
  connectMs: 2_000,
  frameMs: 10_000,
  idleMs: 120_000,
  streams: 10_000,
  eventBytes: 8_388_608,
  silentMs: 10_000,
  connections: 64,
  connectionsPerAddress: 16,
};

/** Returns the limits with their defaults. */
export const peerLimits = (limits: PeerLimits = {}): Required<PeerLimits> => ({ ...DEFAULTS, ...limits });
