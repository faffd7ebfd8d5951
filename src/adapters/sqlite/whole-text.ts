/**
 * Returns the text in a column that was read with `CAST(... AS BLOB)`. Read as text, it would end at its first NUL with
 * node:sqlite in Node.js 22.
 */
export const wholeText = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString();
