import { conflict } from "./refusals.ts";

/**
 * Returns the client id, sent under any of its names. Throws BAD_COMBINATION (-1128) with the names that were sent if
 * their values differ.
 */
export function oneClientId<A extends string>(
  fields: Readonly<Partial<Record<A, string | undefined>>>,
  aliases: readonly A[],
): string | undefined {
  const sent = aliases.filter((alias) => fields[alias] !== undefined);
  const ids = new Set(sent.map((alias) => fields[alias]));
  if (ids.size > 1)
    throw conflict(sent, "Send the client id under one name only, or send the same id under each name.");
  return [...ids][0];
}
