import { type ErrorWords, errorWords } from "./error-words.ts";
import type { Outcome } from "./orders.ts";

/** Returns an element of the page. Throws if the page has none of that kind. */
export function element<T extends Element>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return found;
}

/** Changes a text only if it is another: a screen reader reads it out again, and a browser lays it out anew. */
export function shown(where: HTMLElement, text: string): void {
  if (where.textContent !== text) where.textContent = text;
}

/** Says below a field what is wrong with it, until it is changed or marked as right. */
export function markWrong(field: HTMLElement, text: string): void {
  markRight(field);
  const id = `${field.id}-wrong`;
  field.after(make("p", { className: "wrong", text, attributes: { id } }));
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", id);
  field.addEventListener("input", () => markRight(field), { once: true });
}

/** Takes back what {@link markWrong} said. */
export function markRight(field: HTMLElement): void {
  if (!field.hasAttribute("aria-invalid")) return;
  field.nextElementSibling?.remove();
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-describedby");
}

/** Members of a new element. Texts become text, never HTML. */
type Made = Readonly<{
  text?: string;
  className?: string;
  data?: Readonly<Record<string, string>>;
  attributes?: Readonly<Record<string, string>>;
}>;

/** Creates an element with its children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  { text, className, data = {}, attributes = {} }: Made = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className !== undefined) made.className = className;
  for (const [key, value] of Object.entries(data)) made.dataset[key] = value;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Creates a button that does something. */
export function button(text: string, act: () => void, made: Made = {}): HTMLButtonElement {
  const created = make("button", { ...made, text, attributes: { type: "button", ...made.attributes } });
  created.addEventListener("click", act);
  return created;
}

/** One of several buttons, of which one is pressed. */
type Choice<T> = Readonly<{ value: T; text: string }>;

/** Fills a group with buttons of which one is pressed. Returns a function that presses one. */
export function segments<T>(
  group: HTMLElement,
  choices: readonly Choice<T>[],
  chosen: (value: T) => void,
): (value: T) => void {
  const buttons = choices.map(({ value, text }) => ({ value, button: button(text, () => press(value)) }));
  const show = (value: T): void => {
    for (const each of buttons) each.button.setAttribute("aria-pressed", String(each.value === value));
  };
  const press = (value: T): void => {
    show(value);
    chosen(value);
  };
  group.replaceChildren(...buttons.map((each) => each.button));
  return show;
}

/** Gives an element its children. Those that it has already stay, so that no press of a button in them is lost. */
export function arrange(parent: Element, children: readonly Element[]): void {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  for (const [index, child] of children.entries()) {
    const present = parent.children[index];
    if (present !== child) parent.insertBefore(child, present ?? null);
  }
}

/** Fills a select with options, in groups if there are any. */
export function options(
  select: HTMLSelectElement,
  choices: readonly Readonly<{ value: string; text: string; group?: string }>[],
): void {
  const groups = new Map<string, HTMLElement>();
  select.replaceChildren();
  for (const { value, text, group } of choices) {
    const option = make("option", { text, attributes: { value } });
    if (group === undefined) {
      select.append(option);
      continue;
    }
    const parent = groups.get(group) ?? make("optgroup", { attributes: { label: group } });
    if (!groups.has(group)) select.append(parent);
    groups.set(group, parent);
    parent.append(option);
  }
}

/** Shows a sentence, which a screen reader reads out. */
export function report(outcome: Outcome): void {
  const { text, tone } = typeof outcome === "string" ? { text: outcome, tone: "good" } : outcome;
  show(tone, [make("p", { text })]);
}

/** Shows an error as the service words it. Returns a function that hides it, unless something else was said since. */
export function reportError(error: unknown): () => void {
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
export async function run(by: HTMLButtonElement, act: () => Promise<Outcome>): Promise<void> {
  if (by.hasAttribute("aria-busy")) return;
  by.setAttribute("aria-busy", "true");
  try {
    report(await act());
  } catch (error) {
    reportError(error);
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
