const FNV_OFFSET = 0x811c9dc5;

/**
 * Returns a 32-bit FNV-1a hash with a final mix. Texts that differ only in their last letter get unrelated hashes,
 * and so does one text under different seeds. Allocates no object.
 */
export function hashOf(text: string, seed = 0): number {
  let hash = FNV_OFFSET ^ seed;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
