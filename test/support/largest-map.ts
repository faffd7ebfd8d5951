/** The size of the largest `Map` or `Set` that grew during `run`: growing moves all of its entries. */
export function largestGrown(run: () => void): number {
  let largest = 0;
  const { set } = Map.prototype;
  const { add } = Set.prototype;
  Map.prototype.set = function noted(key: unknown, value: unknown) {
    const before = this.size;
    const map = set.call(this, key, value);
    if (this.size > before) largest = Math.max(largest, this.size);
    return map;
  };
  Set.prototype.add = function noted(value: unknown) {
    const before = this.size;
    const all = add.call(this, value);
    if (this.size > before) largest = Math.max(largest, this.size);
    return all;
  };
  try {
    run();
  } finally {
    Map.prototype.set = set;
    Set.prototype.add = add;
  }
  return largest;
}
