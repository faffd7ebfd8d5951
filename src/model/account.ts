/**
 * Permission of an API key. READ covers everything that only reads, TRADE covers placing and cancelling. Neither
 * implies the other.
 */
export type Permission = "READ" | "TRADE";

/** A person who may act for another person's account. */
export interface Delegate {
  readonly userId: number;
  readonly permissions: readonly Permission[];
}

/** An account: owner, the owner's consent to advanced orders, delegates and restrictions. */
export interface Account {
  readonly accountId: number;
  readonly userId: number;
  readonly enableDataSharing: boolean;
  readonly delegates: readonly Delegate[];
  /** true: may not trade at all. A list: may not trade these symbols. */
  readonly restricted: boolean | readonly string[];
}

/** An API key with its secret. `accountId` is the account for requests that name none. */
export interface ApiKey {
  readonly apiKey: string;
  readonly secret: string;
  readonly userId: number;
  readonly accountId: number;
  readonly permissions: readonly Permission[];
  /** CIDR blocks; empty means any address. */
  readonly ipAllowlist: readonly string[];
}
