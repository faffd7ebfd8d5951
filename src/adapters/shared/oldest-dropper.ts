/**
 * Creates a function that drops the oldest keys of a map until `most` are left. It keeps its iterator: finding the
 * oldest key from the start each time would step over all dropped keys, up to half a million.
 */
export function createOldestDropper<K>(map: Map<K, unknown>): (most: number) => void {
  let oldest: MapIterator<K> | undefined;
  return (most) => {
    while (map.size > most) {
      oldest ??= map.keys();
      const { done, value } = oldest.next();
      if (done === true) oldest = undefined;
      else map.delete(value);
    }
  };
}
