const latin1 = new TextDecoder("latin1");

/**
 * Text with one character for each byte, so that places in the text are places in the bytes. ASCII is itself; a byte
 * beyond it becomes some character beyond ASCII, which the grammars of query and form refuse.
 */
export function bytesToText(bytes: Uint8Array): string {
  return latin1.decode(bytes);
}
