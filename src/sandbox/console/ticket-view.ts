import { button, element, errorParts, make, markRight, markWrong, options, shown } from "./elements.ts";
import type { ErrorWords, PreviewWords } from "./error-words.ts";
import { fieldOf, type OrderSize, quantityAt, type SizeInput, sizeOf } from "./requests.ts";
import {
  defaultsOf,
  FIELDS,
  type Field,
  type FieldName,
  fieldsOf,
  isList,
  KINDS,
  type KindName,
  kindOf,
  QUICK,
  type Values,
} from "./ticket.ts";

/** The market that the form is about, and what the account has. */
type TicketMarket = Omit<SizeInput, "values">;

/** The form of a new order. */
export class TicketView {
  readonly #form: HTMLFormElement = element("ticket", HTMLFormElement);
  readonly #kind: HTMLSelectElement = element("kind", HTMLSelectElement);
  readonly #market: () => TicketMarket;
  /** Fields that a person has filled. All others follow the market. */
  readonly #touched: Set<string> = new Set();
  readonly #share: HTMLInputElement = element("share", HTMLInputElement);
  #blocked: string | undefined;

  constructor(market: () => TicketMarket) {
    this.#market = market;
    const kinds = Object.entries(KINDS).map(([value, { label: text, group }]) => ({ value, text, group }));
    options(this.#kind, kinds);
    this.#kind.addEventListener("change", () => this.choose(this.kind));
    element("quick", HTMLFieldSetElement).replaceChildren(
      ...QUICK.map((kind) => button(KINDS[kind].label, () => this.choose(kind), { data: { kind } })),
    );
    this.#form.addEventListener("input", ({ target }) => this.#changed(target));
    this.choose(QUICK[0] ?? this.kind);
  }

  get kind(): KindName {
    return kindOf(this.#kind.value);
  }

  /** What is entered, by field. A field that is not shown is left out. */
  get values(): Values {
    const { needs, may } = fieldsOf(this.kind);
    return Object.fromEntries([...needs, ...may].map((name) => [name, this.#read(name)]));
  }

  /** Shows the fields of a kind, with defaults from the market. */
  choose(kind: KindName): void {
    const side = this.#read("side") === "BUY" ? "BUY" : "SELL";
    this.#touched.clear();
    this.#kind.value = kind;
    for (const quick of element("quick", HTMLFieldSetElement).querySelectorAll("button"))
      quick.setAttribute("aria-pressed", String(quick.dataset["kind"] === kind));
    element("kind-says", HTMLParagraphElement).textContent = KINDS[kind].description;
    const { base } = this.#market();
    for (const [id, names] of Object.entries(fieldsOf(kind)))
      element(id, HTMLDivElement).replaceChildren(...names.map((name) => inputFor(name, base)));
    this.#pressSide(kind === "OTO" || kind === "OTOCO" ? "BUY" : side);
    element("preview", HTMLButtonElement).hidden = isList(kind);
    this.clearPreview();
    this.follow();
  }

  /** Fills the fields that nobody has touched from the market. */
  follow(): void {
    const side = this.#read("side") === "BUY" ? "BUY" : "SELL";
    const { needs } = fieldsOf(this.kind);
    const { quote } = this.#market();
    const defaults = defaultsOf(this.kind, side, quote, this.#read("trailBy") || undefined);
    for (const [name, text] of Object.entries(defaults)) {
      const input = this.#form.elements.namedItem(name);
      const isFree = needs.includes(name as FieldName) && !this.#touched.has(name);
      if (isFree && (input instanceof HTMLInputElement || input instanceof HTMLSelectElement))
        input.value = text;
    }
    this.showSize();
  }

  /** The size of the order as it is entered. */
  get size(): OrderSize {
    return sizeOf({ ...this.#market(), values: this.values });
  }

  /** Says in the button why nothing can be placed now; undefined if an order can be. */
  block(why: string | undefined): void {
    this.#blocked = why;
    this.showSize();
  }

  /** Whether an order can be placed. */
  get isBlocked(): boolean {
    return this.#blocked !== undefined;
  }

  /** Shows the value of the order, what the account has for it, and the order itself in the words of the button. */
  showSize(): void {
    const { does, value, available, percent = 0 } = this.size;
    const place = element("place", HTMLButtonElement);
    shown(place, this.#blocked ?? does);
    place.setAttribute("aria-disabled", String(this.isBlocked));
    shown(element("size-value", HTMLElement), value === undefined ? "–" : `about ${value} USD`);
    shown(element("size-available", HTMLElement), available ?? "");
    const size = element("size", HTMLDivElement);
    size.dataset["tone"] = percent > 100 ? "bad" : "off";
    element("size-share", HTMLDivElement).hidden = available === undefined;
    const text = percent > 100 ? "more than you have" : `${percent} %`;
    shown(element("share-text", HTMLElement), text);
    this.#share.setAttribute("aria-valuetext", text);
    if (document.activeElement !== this.#share) this.#share.value = String(percent);
  }

  /** Whether a person works in the form, or looks at a preview of it. Its prices stand still meanwhile. */
  get isInUse(): boolean {
    if (!element("previewed", HTMLDivElement).hidden) return true;
    return this.#form.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement;
  }

  /** Lets all fields follow the market again. */
  placed(): void {
    this.#touched.clear();
    this.clearPreview();
  }

  /** Shows a refusal at the field that it names. The focus stays where it is. */
  refused({ text, details }: ErrorWords): void {
    const byName = new Map(details);
    const name = fieldOf(this.kind, byName.get("field") ?? "");
    const input = name && this.#form.querySelector<HTMLElement>(`#field-${name}`);
    if (!name || !input) return;
    markWrong(input, wordsAt(FIELDS[name], { text, details }));
    const more = input.closest("details");
    if (more !== null) more.open = true;
  }

  /** Takes back what the last refusal said. */
  clearRefusal(): void {
    for (const input of this.#form.querySelectorAll<HTMLElement>("[aria-invalid]")) markRight(input);
  }

  showPreview({ refusal, lines, slots }: PreviewWords): void {
    this.clearRefusal();
    if (refusal !== undefined) this.refused(refusal);
    const box = element("previewed", HTMLDivElement);
    box.dataset["tone"] = refusal === undefined ? "good" : "bad";
    const bars = slots.slice(0, MOST_BARS).map(({ time, quantity, share }) => {
      const bar = make("span", { className: "bar" });
      bar.style.setProperty("--share", `${share}%`);
      return make("li", {}, [make("span", { text: time }), bar, make("span", { text: quantity })]);
    });
    const more =
      slots.length > MOST_BARS ? [make("p", { text: `and ${slots.length - MOST_BARS} more` })] : [];
    box.replaceChildren(
      ...(refusal === undefined ? lines.map((text) => make("p", { text })) : errorParts(refusal)),
      ...(bars.length === 0 ? [] : [make("ol", { className: "slots" }, bars)]),
      ...more,
    );
    box.hidden = false;
  }

  clearPreview(): void {
    element("previewed", HTMLDivElement).hidden = true;
  }

  #changed(target: EventTarget | null): void {
    this.clearPreview();
    if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
    if (target === this.#share) return this.#shareChanged();
    if (target.name === "side") return this.#sideChanged();
    this.#touched.add(target.name);
    this.showSize();
    // A number of another unit would be another distance by far.
    if (target.name === "trailBy") {
      this.#touched.delete("trail");
      this.follow();
    }
  }

  #shareChanged(): void {
    const percent = Number.parseInt(this.#share.value, 10);
    const text = quantityAt(percent, { ...this.#market(), values: this.values });
    const quantity = this.#form.elements.namedItem("quantity");
    if (text === undefined || !(quantity instanceof HTMLInputElement)) return;
    quantity.value = text;
    this.#touched.add("quantity");
    this.showSize();
  }

  /** Prices of the other side would be refused, or would trade at once. */
  #sideChanged(): void {
    this.#touched.clear();
    this.#form.dataset["side"] = this.#read("side");
    this.follow();
  }

  #pressSide(side: string): void {
    for (const input of this.#form.querySelectorAll<HTMLInputElement>("input[name=side]"))
      input.checked = input.value === side;
    this.#form.dataset["side"] = side;
  }

  #read(name: string): string {
    const input = this.#form.elements.namedItem(name);
    if (input instanceof HTMLInputElement && input.type === "checkbox") return input.checked ? "true" : "";
    return input !== null && "value" in input && typeof input.value === "string" ? input.value.trim() : "";
  }
}

const MOST_BARS = 24;
/** The code of a text that is no number. The service words it for a program. */
const ILLEGAL = "-1100";
const PLAIN: Readonly<Partial<Record<Field["kind"], string>>> = {
  decimal: "Enter a number, such as 0.5.",
  whole: "Enter a whole number, such as 5.",
};

/** Returns what is wrong with a field, for a person who has filled it. */
export function wordsAt({ kind }: Field, { text, details }: ErrorWords): string {
  const byName = new Map(details);
  const plain = byName.get("code") === ILLEGAL ? PLAIN[kind] : undefined;
  return plain ?? [text, byName.get("remedy")].filter(Boolean).join(" ");
}

function inputFor(name: FieldName, base: string): HTMLElement {
  const field: Field = FIELDS[name];
  return name === "side" ? sideOf(field) : fieldInput(field, { base, id: `field-${name}`, name });
}

/** Creates a field with its label. `base`: the base asset of the market. */
export function fieldInput(
  field: Field,
  { base, id, name, value = "" }: Readonly<{ base: string; id: string; name: string; value?: string }>,
): HTMLElement {
  const unit = field.unit === "BASE" ? base : field.unit;
  const label = make("label", { text: field.label, attributes: { for: id } });
  if (unit !== undefined) label.append(" ", make("span", { className: "unit", text: unit }));
  const input = inputOf(field, { id, name, ...(value !== "" && { value }) });
  return make(
    "div",
    { className: `field ${field.kind}` },
    field.kind === "check" ? [input, label] : [label, input],
  );
}

function inputOf({ kind, choices = [] }: Field, attributes: Readonly<Record<string, string>>): HTMLElement {
  if (kind === "choice") {
    const select = make("select", { attributes });
    options(
      select,
      choices.map(([value, text]) => ({ value, text })),
    );
    return select;
  }
  if (kind === "check") return make("input", { attributes: { ...attributes, type: "checkbox" } });
  const inputmode = kind === "text" ? "text" : kind === "whole" ? "numeric" : "decimal";
  return make("input", { attributes: { ...attributes, type: "text", inputmode, autocomplete: "off" } });
}

function sideOf({ label, choices = [] }: Field): HTMLElement {
  const radios = choices.map(([value, text]) => {
    const input = make("input", {
      attributes: { type: "radio", name: "side", value, id: `field-side-${value}` },
    });
    return make("label", { data: { side: value } }, [input, text]);
  });
  return make("fieldset", { className: "sides" }, [
    make("legend", { className: "unseen", text: label }),
    ...radios,
  ]);
}
