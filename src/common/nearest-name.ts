/**
 * Returns the known name that a misspelt name most likely means. It differs in letter case, in at most one of three
 * letters, or in its end: a name without its unit is such a case. Returns undefined if no name is that near, and if the
 * nearest was given as well: `Price` beside `price` means no other name.
 */
export function nearestName(
  name: string,
  known: Iterable<string>,
  isGiven: (known: string) => boolean = () => false,
): string | undefined {
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const most = mostDifferences(name, candidate);
    // Each letter that one name has more is a difference: most names are ruled out here, even for a very long name.
    if (Math.abs(name.length - candidate.length) > most) continue;
    const differences = differencesOf(name.toLowerCase(), candidate.toLowerCase());
    // Of two equally near names, the one that was not given is meant.
    const weight = isGiven(candidate) ? differences + 0.5 : differences;
    if (weight >= fewest || differences > most) continue;
    nearest = candidate;
    fewest = weight;
  }
  return nearest !== undefined && isGiven(nearest) ? undefined : nearest;
}

const SHORTEST_START = 3;

/** Returns the number of differences up to which a candidate is near. */
function mostDifferences(name: string, candidate: string): number {
  if (name.length >= SHORTEST_START && candidate.startsWith(name)) return candidate.length;
  return Math.max(name.length, candidate.length) / 3;
}

/**
 * Returns how many letters must be added, left out, replaced or swapped with a neighbour to turn one text into another.
 */
function differencesOf(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        at(last, column) + 1,
        at(next, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        at(swapped ? beforeLast : [], column - 2) + 1,
      );
    }
    [beforeLast, last] = [last, next];
  }
  return at(last, other.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
