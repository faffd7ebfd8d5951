const latin1 = new TextDecoder("latin1");

/**
 * Returns text with one character for each byte, so that positions in the text are positions in the bytes. ASCII
 * stays as it is. A byte beyond ASCII becomes a character beyond ASCII, which the grammars of query and form refuse.
 */
export function bytesToText(bytes: Uint8Array): string {
  return latin1.decode(bytes);
}
