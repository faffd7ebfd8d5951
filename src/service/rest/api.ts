/** What the host offers beside; GET /api/status tells it. Each is false unless said. Source: contract, Status. */
export type HostFeatures = Readonly<{
  leveraged_trading?: boolean;
  dark_pool_mode?: boolean;
  bridge_required?: boolean;
}>;

/** Settings of a service. */
export type ServiceSettings = Readonly<{
  /** Told by GET /api/status. */
  features?: HostFeatures;
  /** Business errors of signed routes come with HTTP 200 in place of 400; default false (decision 37). */
  businessErrorsAs200?: boolean;
  /**
   * Last path segments that GET may serve, such as `orderStatus`; any other route answers like an unknown one.
   * Without a list every route is served (contract, Versioning; decision 44).
   */
  getAllowlist?: readonly string[];
  /** The same for POST. */
  postAllowlist?: readonly string[];
  /**
   * Web origins whose scripts may read replies and open WebSockets, such as `https://desk.example.com`, or `*` for every
   * one; default none. Credentials of the browser are never allowed (decision 47).
   */
  allowedOrigins?: readonly string[];
  /**
   * Proxies in front of the service, addresses or CIDR blocks of either family, whose X-Forwarded-For tells the address of
   * the client; default none, and the header is not read. Each of them must add the address of its own peer.
   */
  trustedProxies?: readonly string[];
}>;

/**
 * Largest body of any route, in bytes. A mount need not read further: one byte more is refused as too large.
 * Source: contract, Version 3 REST 3.
 */
export const MAX_BODY_BYTES = 32_768;
