/** Created at the first use: some clients import this module on platforms without TextDecoder. */
let latin1: InstanceType<typeof TextDecoder> | undefined;

/**
 * Returns text with one character for each byte, so that positions in the text are positions in the bytes. ASCII
 * stays as it is. A byte beyond ASCII becomes a character beyond ASCII, which the grammars of query and form refuse.
 */
export function bytesToText(bytes: Uint8Array): string {
  latin1 ??= new TextDecoder("latin1");
  return latin1.decode(bytes);
}
