/**
 * Permission of an API key. READ covers everything that only reads, TRADE covers placing and cancelling. Neither
 * implies the other.
 */
export type Permission = "READ" | "TRADE";

/** A person who may act for another person's account. */
export type Delegate = Readonly<{ userId: number; permissions: readonly Permission[] }>;

/** An account: owner, the owner's consent to advanced orders, delegates and restrictions. */
export type Account = Readonly<{
  accountId: number;
  userId: number;
  enableDataSharing: boolean;
  delegates: readonly Delegate[];
  /** true: may not trade at all. A list: may not trade these symbols. */
  restricted: boolean | readonly string[];
}>;

/** An API key with its secret. `accountId` is the account for requests that name none. */
export type ApiKey = Readonly<{
  apiKey: string;
  secret: string;
  userId: number;
  accountId: number;
  permissions: readonly Permission[];
  /** CIDR blocks; empty means any address. */
  ipAllowlist: readonly string[];
}>;
