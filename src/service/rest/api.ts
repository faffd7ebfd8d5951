/** Optional features of the host, reported by GET /api/status. Each defaults to false. Source: contract, Status. */
export interface HostFeatures {
  readonly leveraged_trading?: boolean;
  readonly dark_pool_mode?: boolean;
  readonly bridge_required?: boolean;
}

/** Settings of a service. */
export interface ServiceSettings {
  /** Reported by GET /api/status. */
  readonly features?: HostFeatures;
  /** If true, business errors of signed routes return HTTP 200 instead of 400; default false (decision 37). */
  readonly businessErrorsAs200?: boolean;
  /**
   * Last path segments that GET may serve, such as `orderStatus`. Any other route answers like an unknown one. Without
   * a list, every route is served (contract, Versioning; decision 44).
   */
  readonly getAllowlist?: readonly string[];
  /** The same list for POST. */
  readonly postAllowlist?: readonly string[];
  /**
   * Whether the routes below `/compat/api/v3` are served, for clients of the public convention that cannot change the
   * paths they call; default true (decision NA).
   */
  readonly compatRoutes?: boolean;
  /**
   * Web origins whose scripts may read replies and open WebSockets, such as `https://desk.example.com`, or `*` for
   * every origin; default none. Browser credentials are never allowed (decision 47).
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Proxies in front of the service: addresses or CIDR blocks, IPv4 or IPv6. Their X-Forwarded-For header gives the
   * client's address. Default none: the header is not read. Each proxy must append the address of its own peer.
   */
  readonly trustedProxies?: readonly string[];
}

/**
 * Largest body of any route, in bytes. A mount can stop reading after one more byte: that body is refused as too large.
 * Source: contract, Version 3 REST 3.
 */
export const MAX_BODY_BYTES = 32_768;
