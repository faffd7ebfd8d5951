/** Key and secret of an account. */
export type SiegeKey = Readonly<{ apiKey: string; secret: string }>;

/** The demo account, which has money: used by the honest client, and for schedules with many weights. */
export const HONEST: SiegeKey = { apiKey: "siege-honest-key", secret: "siege-honest-secret" };

/** An account without money. */
export const BROKE: SiegeKey = { apiKey: "siege-broke-key", secret: "siege-broke-secret" };

/** An account with money and many orders. */
export const BUSY: SiegeKey = { apiKey: "siege-busy-key", secret: "siege-busy-secret" };
