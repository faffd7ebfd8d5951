import { isIP } from "node:net";
import type { ListenAddress } from "../server-api.ts";

const ADDRESS = /^(?:\[([0-9a-fA-F:.%]+)\]|([^\s:[\]]+)):([0-9]{1,5})$/;
const HIGHEST_PORT = 65_535;

/** Returns the parts of `host:port` or `[IPv6]:port`; undefined for any other text. */
export function readPeerAddress(text: string): ListenAddress | undefined {
  const [, v6, name, digits = ""] = ADDRESS.exec(text) ?? [];
  const host = v6 ?? name;
  const port = Number.parseInt(digits, 10);
  if (host === undefined || port < 1 || port > HIGHEST_PORT) return undefined;
  if (v6 !== undefined && isIP(v6) !== 6) return undefined;
  return { host, port };
}

/** Returns whether a host is this machine, by its literal address: a name could lead anywhere. */
export function isLoopback(host: string): boolean {
  return host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
