import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect, createServer, isIP, type Server, type Socket } from "node:net";
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  connect as tlsConnect,
} from "node:tls";
import type { ListenAddress } from "../../adapters/node/index.ts";
import { errorCode } from "../../common/index.ts";
import type { PeerLinkOptions, PeerTls, Pem } from "./options.ts";

/** How nodes connect: encrypted and identified by certificates, or plainly on one machine. */
export type PeerSecurity = Readonly<{
  /** Returns why an address must not be used, or undefined if it may. */
  objection: (host: string) => string | undefined;
  /** Begins a connection. `ready` is called when the other node is known to be one. */
  connect: (address: ListenAddress, ready: () => void) => Socket;
  /** Creates a server. `accepted` is told every connection of a known node, and `failed` why another one was refused. */
  createServer: (
    handshakeMs: number,
    outcome: Readonly<{ accepted: (socket: Socket) => void; failed: (problem: string) => void }>,
  ) => Server;
}>;

/** Reads keys and certificates. Throws a RangeError that names the option for a file that cannot be read. */
export function peerSecurity(security: PeerLinkOptions["security"]): PeerSecurity {
  return security === "loopback" ? PLAIN : secured(security);
}

const PLAIN: PeerSecurity = {
  objection: (host) =>
    isLoopback(host) ? undefined : "without TLS, nodes must have addresses of this machine such as 127.0.0.1",
  connect: (address, ready) => connect(address, ready),
  createServer: (_handshakeMs, { accepted }) => createServer(accepted),
};

function secured(tls: PeerTls): PeerSecurity {
  const { names } = tls;
  const shared: SecureContextOptions = {
    key: textOf(tls.key, "key"),
    cert: textOf(tls.cert, "cert"),
    ca: textOf(tls.ca, "ca"),
    minVersion: "TLSv1.3",
  };
  return {
    objection: () => undefined,
    connect: (address, ready) =>
      tlsConnect(
        {
          ...{ ...shared, ...address, rejectUnauthorized: true },
          // The name comes from the settings: the address was read from the store.
          checkServerIdentity: (_host, { raw }) => problemOf(new X509Certificate(raw), names),
        },
        ready,
      ),
    createServer(handshakeMs, { accepted, failed }) {
      const server = createTlsServer({
        ...{ ...shared, handshakeTimeout: handshakeMs },
        ...{ requestCert: true, rejectUnauthorized: true },
      });
      server.on("tlsClientError", (error) => failed(errorCode(error)));
      server.on("secureConnection", (socket: TLSSocket) => {
        const certificate = socket.getPeerX509Certificate();
        const problem = certificate === undefined ? NO_NAME : problemOf(certificate, names);
        if (socket.authorized && problem === undefined) return accepted(socket);
        failed((problem ?? NO_NAME).message);
        socket.destroy();
      });
      return server;
    },
  };
}

const NO_NAME: Error = new Error("the certificate has none of the names of nodes");

function problemOf(certificate: X509Certificate, names: readonly string[] | undefined): Error | undefined {
  const has = (name: string): boolean =>
    certificate.checkHost(name, { subject: "never", wildcards: false }) !== undefined;
  return names === undefined || names.some(has) ? undefined : NO_NAME;
}

function textOf(pem: Pem, option: keyof PeerTls): string {
  if (typeof pem === "string") return pem;
  try {
    return readFileSync(pem, "utf8");
  } catch (cause) {
    throw new RangeError(
      `createPeerLink.security.${option}: the file ${pem.pathname} cannot be read (${errorCode(cause)})`,
      { cause },
    );
  }
}

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
function isLoopback(host: string): boolean {
  return host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
