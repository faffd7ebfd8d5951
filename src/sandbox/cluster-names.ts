import type { NodeReport } from "../cluster/index.ts";
import { nearestName } from "../common/index.ts";
import { clean } from "./cluster-tables.ts";
import { SettingsError } from "./input.ts";

/** Most nodes that a message names. */
const MOST_NAMED = 10;

/**
 * Returns the node that a word names: a name that one node has which is not dead, or the number of a start. Throws a
 * SettingsError that says which nodes there are.
 */
export function nodeNamed(nodes: readonly NodeReport[], word: string): NodeReport {
  const live = nodes.filter(({ life }) => life !== "dead");
  const named = live.filter(({ name }) => name === word);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  if (named.length > 1)
    throw new SettingsError(
      `several nodes are called ${clean(word)}: give the number of one of them: ${listOf(named)}`,
    );
  const numbered = nodes.find(({ incarnation }) => String(incarnation) === word);
  if (numbered !== undefined) return numbered;
  if (live.length === 0)
    throw new SettingsError(`there is no node ${clean(word)}: the store has no live nodes`);
  const near = nearestName(
    word,
    live.map(({ name }) => name),
  );
  const hint = near === undefined ? "" : ` Did you mean ${clean(near)}?`;
  throw new SettingsError(`there is no node ${clean(word)}.${hint} There are: ${listOf(live)}`);
}

function listOf(nodes: readonly NodeReport[]): string {
  const shown = nodes.slice(0, MOST_NAMED).map(({ name, incarnation }) => `${clean(name)} (${incarnation})`);
  const more = nodes.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
