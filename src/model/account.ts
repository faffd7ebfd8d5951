/** What an API key may do. READ covers everything that only reads, TRADE placing and cancelling; neither implies the other. */
export type Permission = "READ" | "TRADE";

/** A person who may act for an account that is not theirs. */
export type Delegate = Readonly<{ userId: number; permissions: readonly Permission[] }>;

/** An account: owner, the owner's consent to advanced orders, delegates and restrictions. */
export type Account = Readonly<{
  accountId: number;
  userId: number;
  enableDataSharing: boolean;
  delegates: readonly Delegate[];
  /** true: may not trade at all; a list: may not trade these symbols. */
  restricted: boolean | readonly string[];
}>;

/** An API key with its secret; `accountId` is the account it acts for when a request names none. */
export type ApiKey = Readonly<{
  apiKey: string;
  secret: string;
  userId: number;
  accountId: number;
  permissions: readonly Permission[];
  /** CIDR blocks; empty means any address. */
  ipAllowlist: readonly string[];
}>;
