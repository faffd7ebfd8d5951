/** So few members are found sooner one by one than in a map. */
const FEW = 8;

/** Returns a function that finds the member of a list with a key. */
export function finder<T extends readonly [key: string, ...rest: unknown[]]>(
  list: readonly T[],
): (key: string) => T | undefined {
  if (list.length <= FEW) return (key) => list.find(([one]) => one === key);
  const members = new Map(list.map((member) => [member[0], member]));
  return (key) => members.get(key);
}
