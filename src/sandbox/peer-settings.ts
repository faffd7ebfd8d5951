import { pathToFileURL } from "node:url";
import type { PeerTls } from "../cluster/index.ts";
import { SettingsError } from "./input.ts";
import {
  host,
  nameList,
  type Option,
  onOrOff,
  option,
  optionalPort,
  optionalSetting,
  type SettingReader,
  type SettingValues,
  secretOption,
  sharedSecret,
} from "./setting.ts";

/** How a sandbox on Postgres exchanges requests with the others on the same store. */
export type PeerSetting = Readonly<{
  host: string;
  port: number | "auto";
  secret: string;
  security: PeerTls | "loopback";
}>;

const path: SettingReader<string> = (text) => text;

/** The settings of the link between sandboxes. */
export const PEER_OPTIONS: Readonly<{
  PEER_PORT: Option<number | "auto" | "off">;
  PEER_HOST: Option<string>;
  PEER_SECRET: Option<string | undefined>;
  PEER_KEY: Option<string | undefined>;
  PEER_CERT: Option<string | undefined>;
  PEER_CA: Option<string | undefined>;
  PEER_NAMES: Option<readonly string[] | undefined>;
  PEER_PLAIN: Option<boolean>;
}> = {
  PEER_PORT: option(
    "off",
    "port for requests that other sandboxes on the same Postgres forward; auto = a free port, off = none",
    optionalPort,
  ),
  PEER_HOST: option("127.0.0.1", "address of PEER_PORT, which the other sandboxes reach", host),
  PEER_SECRET: secretOption(
    "secret that all sandboxes on one store share, for PEER_PORT",
    optionalSetting(sharedSecret),
  ),
  PEER_KEY: option("", "file with the private key of this sandbox, in PEM", optionalSetting(path)),
  PEER_CERT: option("", "file with the certificate of this sandbox, in PEM", optionalSetting(path)),
  PEER_CA: option(
    "",
    "file with the certificates of the authorities of all sandboxes, in PEM",
    optionalSetting(path),
  ),
  PEER_NAMES: option(
    "",
    "DNS names that a sandbox's certificate may have, separated by commas; empty = any of the authorities",
    nameList,
  ),
  PEER_PLAIN: option(
    "false",
    "whether PEER_PORT works without TLS, on addresses of this machine only",
    onOrOff,
  ),
};

type Values = SettingValues<typeof PEER_OPTIONS> & Readonly<{ STORE: Readonly<{ kind: string }> }>;

/**
 * Returns how requests are forwarded; undefined if they are not. Throws a SettingsError for settings that do not belong
 * together.
 */
export function peersOf(values: Values): PeerSetting | undefined {
  const { PEER_PORT: port, PEER_HOST, PEER_SECRET: secret, STORE } = values;
  if (port === "off") return undefined;
  if (STORE.kind !== "postgres")
    throw new SettingsError(
      "PEER_PORT: must be off without a store in Postgres, which several sandboxes share",
    );
  if (secret === undefined)
    throw new SettingsError(
      "PEER_SECRET: must be set together with PEER_PORT, to the same secret everywhere",
    );
  return { host: PEER_HOST, port, secret, security: securityOf(values) };
}

function securityOf({
  PEER_PLAIN,
  PEER_KEY,
  PEER_CERT,
  PEER_CA,
  PEER_NAMES: names,
}: Values): PeerSetting["security"] {
  const files = [PEER_KEY, PEER_CERT, PEER_CA];
  if (PEER_PLAIN) {
    if (files.some((file) => file !== undefined))
      throw new SettingsError("PEER_PLAIN: must be false with PEER_KEY, PEER_CERT and PEER_CA");
    return "loopback";
  }
  const [key, cert, ca] = files.map((file) => (file === undefined ? undefined : pathToFileURL(file)));
  if (key === undefined || cert === undefined || ca === undefined)
    throw new SettingsError(
      "PEER_KEY: must be set together with PEER_CERT, PEER_CA and PEER_PORT; or set PEER_PLAIN=true on one machine",
    );
  return { key, cert, ca, ...(names && { names }) };
}
