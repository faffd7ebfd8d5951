import { element, make } from "./elements.ts";
import { type ErrorWords, errorWords } from "./error-words.ts";
import type { Said } from "./order-words.ts";

/** Shows a sentence, which a screen reader reads out. */
export function say(said: Said): void {
  const { text, tone } = typeof said === "string" ? { text: said, tone: "good" } : said;
  show(tone, [make("p", { text })]);
}

/** Shows an error as the service words it. Returns a function that hides it, unless something else was said since. */
export function sayError(error: unknown): () => void {
  const parts = errorParts(errorWords(error));
  show("bad", parts);
  return () => {
    if (parts[0]?.isConnected === true) element("message", HTMLDivElement).hidden = true;
  };
}

/** Returns an error as elements: its text, then code, field and remedy. */
export function errorParts({ text, details }: ErrorWords): readonly HTMLElement[] {
  const list = make(
    "dl",
    {},
    details.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]),
  );
  return [make("p", { text }), ...(details.length === 0 ? [] : [list])];
}

function show(tone: string, parts: readonly HTMLElement[]): void {
  const message = element("message", HTMLDivElement);
  message.dataset["tone"] = tone;
  message.hidden = false;
  element("message-says", HTMLDivElement).replaceChildren(...parts);
}

/** Lets a person close the message. */
export function listenToMessages(): void {
  element("message-close", HTMLButtonElement).addEventListener("click", () => {
    element("message", HTMLDivElement).hidden = true;
  });
}

/**
 * Does a step of a person once, however often its button is pressed meanwhile. Shows what it says. The button is not
 * disabled, because a browser takes the focus from one that is.
 */
export async function run(by: HTMLButtonElement, act: () => Promise<Said>): Promise<void> {
  if (by.hasAttribute("aria-busy")) return;
  by.setAttribute("aria-busy", "true");
  try {
    say(await act());
  } catch (error) {
    sayError(error);
  } finally {
    by.removeAttribute("aria-busy");
  }
}

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
