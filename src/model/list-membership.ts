/** How the legs of a list depend on each other. */
export type Contingency = "OCO" | "OTO" | "OTOCO";

/**
 * What a leg is in its list. `working` is held by nothing; `pending` is the one order a working leg releases;
 * `protective` (stop) and `profit` (limit or take-profit) are the two of a pair, of which one wins.
 */
export type LegRole = "working" | "pending" | "protective" | "profit";

/**
 * The place of a parent in its list. Every leg holds it, so that the list is what its legs say and nothing besides.
 * `legs` are the order ids of all members as they are shown: working, protective, then the other (decision 6).
 */
export type ListMembership = Readonly<{
  listId: number;
  listClientOrderId: string;
  contingency: Contingency;
  role: LegRole;
  legs: readonly number[];
  /** Its client id was made here; a repeated command may bring another (decision 1). */
  generatedClientId?: true;
}>;
