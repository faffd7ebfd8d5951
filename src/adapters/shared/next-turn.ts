/**
 * Resolves in a later turn of the event loop, after every promise that can settle without external input. It uses a
 * message instead of a timer, so that it adds no delay.
 */
export function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const onmessage = (): void => {
      port1.close();
      resolve();
    };
    // Node's types lack this member, which Node and browsers share. Assigning it also starts the port.
    Object.assign(port2, { onmessage });
    port1.postMessage(undefined);
  });
}
