/**
 * Returns the names of the members of a JSON value, each below the kind and the name of its parent, such as
 * `FILLED.fill.price`.
 */
export function namesIn(value: unknown, place = ""): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (inner: unknown, at: string): void => {
    for (const name of namesIn(inner, at)) names.add(name);
  };
  if (Array.isArray(value)) {
    for (const entry of value) add(entry, place);
  } else if (typeof value === "object" && value !== null) {
    const kind = "kind" in value ? `${value.kind}.` : "";
    for (const [name, inner] of Object.entries(value)) {
      const at = name === "kind" ? kind : `${kind}${name}`;
      names.add(`${place}>${at}`);
      add(inner, at);
    }
  }
  return names;
}
