/**
 * Resolves in a later turn of the event loop, after every promise that can settle without waiting for the outside.
 * A message and not a timer, so that it costs no time.
 */
export function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const onmessage = (): void => {
      port1.close();
      resolve();
    };
    // Node's types lack the member that Node and browsers share; assigning it also starts the port.
    Object.assign(port2, { onmessage });
    port1.postMessage(undefined);
  });
}

/** Takes one step a turn, so that appends and everything else go on in between; `guarded` runs each, `stepped` follows. */
export async function inTurns<T>(
  steps: Generator<void, T>,
  guarded: (step: () => IteratorResult<void, T>) => Promise<IteratorResult<void, T>>,
  stepped?: () => void,
): Promise<T> {
  for (;;) {
    const step = await guarded(() => steps.next());
    if (step.done === true) return step.value;
    stepped?.();
    await nextTurn();
  }
}
