/** The most work off the path of orders in one turn, in approximate microseconds. */
export const BACKGROUND_SHARE = 4_000;

/** Cost of one unit of each kind of work, in approximate microseconds on a common machine. */
export const COSTS: Readonly<
  Record<"read" | "remember" | "arm" | "visit" | "hash" | "name" | "filter", number>
> = {
  /** A record or parent read from the store. */
  read: 8,
  /** A parent put into memory. */
  remember: 3,
  /** A parent armed, or checked for a child to look up. */
  arm: 4,
  /** A parent encoded and hashed. */
  hash: 8,
  /** An open parent visited. */
  visit: 0.25,
  /** A name of an ended parent read from the store. */
  name: 1.5,
  /** A client id put into the filter. */
  filter: 1,
};
