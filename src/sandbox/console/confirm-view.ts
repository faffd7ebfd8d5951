import { element } from "./elements.ts";

/**
 * Asks a person before a step, and resolves to whether it is wanted. `act` is the step in the words of its button. The
 * focus begins on the way back, and then returns to where it was.
 */
export function confirmed(question: string, act: string): Promise<boolean> {
  const dialog = element("confirm", HTMLDialogElement);
  element("confirm-says", HTMLParagraphElement).textContent = question;
  const yes = element("confirm-yes", HTMLButtonElement);
  yes.textContent = act;
  dialog.returnValue = "";
  yes.onclick = () => dialog.close("yes");
  element("confirm-no", HTMLButtonElement).onclick = () => dialog.close();
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
