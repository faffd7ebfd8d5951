/** Where the entries of a kind of key are. */
export type Place = "journal" | "heads" | "short" | "long";

/**
 * The kinds of keys, by their first word, whose values are short. A released kind never changes its place: its entries
 * would not be found. Every other kind is in the table `long`, which suits any value.
 */
const SHORT: ReadonlySet<string> = new Set(
  (
    "accepted account ban banend bar count epoch forgotten generation leg limiters listname listtime mark name " +
    "orders placed pricebar print quote rejectname rejects rejecttime seen snapshot time total"
  ).split(" "),
);

/** Returns the place of a key. */
export function placeOf(key: string): Place {
  if (key.startsWith("log ")) return "journal";
  if (key.startsWith("head ")) return "heads";
  const end = key.indexOf(" ");
  return SHORT.has(end < 0 ? key : key.slice(0, end)) ? "short" : "long";
}
