const FNV_OFFSET = 0x811c9dc5;

/**
 * FNV-1a, mixed at its end: texts that differ in their last letter go different ways, and one text goes different ways
 * under different seeds. 32 bits; makes no object.
 */
export function hashOf(text: string, seed = 0): number {
  let hash = FNV_OFFSET ^ seed;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
