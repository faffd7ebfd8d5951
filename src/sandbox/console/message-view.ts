import { element, make } from "./elements.ts";
import { type ErrorWords, errorWords } from "./error-words.ts";

/** Shows a sentence, which a screen reader reads out. */
export function say(text: string, tone: "good" | "work" = "good"): void {
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
  message.replaceChildren(...parts);
}

/** Does a step of a person, with its button disabled meanwhile, so that nothing is sent twice. Shows what it says. */
export async function run(by: HTMLButtonElement, act: () => Promise<string>): Promise<void> {
  if (by.disabled) return;
  by.disabled = true;
  by.setAttribute("aria-busy", "true");
  try {
    say(await act());
  } catch (error) {
    sayError(error);
  } finally {
    by.disabled = false;
    by.removeAttribute("aria-busy");
  }
}
