import { arrange, element, make, shown } from "./elements.ts";
import { type Level, levelAt, type Move, movedBy } from "./levels.ts";
import { dollars, plotNumber } from "./numbers.ts";

/** The place of prices in the drawing now. */
type Scale = Readonly<{
  width: number;
  height: number;
  yOf: (price: number) => number;
  priceAt: (y: number) => number | undefined;
}>;

/** A level that a person moves, until the dialog about it is closed. */
type Moving = { readonly key: string; text: string; isAsked: boolean };

type Handle = Readonly<{ root: HTMLElement; bubble: HTMLElement }>;

const TICKS: Readonly<Record<string, number>> = {
  ...{ ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 100, PageDown: -100 },
};

/** The handles by which levels are moved in the chart, with a mouse, a finger or the keyboard. Nothing moves before it is confirmed. */
export class LevelHandles {
  readonly #box: HTMLElement = make("div", { className: "handles" });
  readonly #ask: (move: Move, text: string) => Promise<void>;
  #moves: readonly Move[] = [];
  #handles: ReadonlyMap<string, Handle> = new Map();
  #scale: Scale | undefined;
  #moving: Moving | undefined;

  constructor(ask: (move: Move, text: string) => Promise<void>) {
    this.#ask = ask;
    element("chart", HTMLFieldSetElement).append(this.#box);
  }

  /** Shows the handles of levels. That of an order keeps its element, and so the focus. */
  show(levels: readonly Level[]): void {
    this.#moves = levels.flatMap(({ moves = [] }) => moves);
    this.#handles = new Map(
      this.#moves.map((move) => [keyOf(move), this.#handles.get(keyOf(move)) ?? this.#made(move)]),
    );
    arrange(
      this.#box,
      [...this.#handles.values()].map(({ root }) => root),
    );
    this.#place();
  }

  /** Puts the handles where their levels are drawn now. */
  place(scale: Scale): void {
    this.#scale = scale;
    this.#place();
  }

  #place(): void {
    if (this.#scale === undefined) return;
    const { width, height, yOf } = this.#scale;
    this.#box.style.setProperty("--width", `${width}px`);
    this.#box.style.setProperty("--height", `${height}px`);
    for (const move of this.#moves) {
      const handle = this.#handles.get(keyOf(move));
      if (handle === undefined) continue;
      const moving = this.#moving?.key === keyOf(move) ? this.#moving : undefined;
      const text = moving?.text ?? move.text;
      const y = yOf(plotNumber(text));
      const { root, bubble } = handle;
      root.hidden = moving === undefined && !(y >= 0 && y <= height);
      root.classList.toggle("moving", moving !== undefined);
      root.style.setProperty("--y", `${Math.max(0, Math.min(height, y))}px`);
      root.setAttribute("aria-valuenow", text);
      root.setAttribute("aria-valuetext", `${dollars(text)} USD`);
      shown(bubble, moving === undefined ? "" : dollars(text));
    }
  }

  #made(first: Move): Handle {
    const key = keyOf(first);
    const bubble = make("span", { className: "bubble" });
    const root = make(
      "div",
      {
        className: "handle",
        data: { side: first.side },
        attributes: {
          ...{ role: "slider", tabindex: "0", "aria-orientation": "vertical" },
          ...{ "aria-label": `${first.label}, ${first.clientOrderId}`, "aria-valuemin": "0" },
          "aria-valuemax": "1000000000",
          title: `${first.label}: drag it, or press an arrow key and then Enter`,
        },
      },
      [bubble, make("span", { className: "grip", attributes: { "aria-hidden": "true" } })],
    );
    root.addEventListener("pointerdown", (event) => this.#grab(event, key));
    root.addEventListener("keydown", (event) => this.#press(event, key));
    root.addEventListener("blur", () => this.#letGo(key));
    return { root, bubble };
  }

  #move(key: string, text: string): void {
    this.#moving = { key, text, isAsked: false };
    this.#place();
  }

  /** Puts a level back that was not asked about. */
  #letGo(key: string): void {
    if (this.#moving?.key !== key || this.#moving.isAsked) return;
    this.#moving = undefined;
    this.#place();
  }

  #grab(event: PointerEvent, key: string): void {
    const root = this.#handles.get(key)?.root;
    if (event.button !== 0 || root === undefined || this.#moving?.isAsked) return;
    root.setPointerCapture(event.pointerId);
    const box = this.#box.getBoundingClientRect();
    const drag = ({ clientY }: PointerEvent): void => {
      const { priceAt, height } = this.#scale ?? {};
      const y = Math.max(0, Math.min(height ?? 0, clientY - box.top));
      const text = levelAt(priceAt?.(y), this.#find(key)?.text ?? "");
      if (text !== undefined) this.#move(key, text);
    };
    const stop = ({ type }: Event): void => {
      root.removeEventListener("pointermove", drag);
      for (const end of ENDS) root.removeEventListener(end, stop);
      if (type === "pointerup") this.#confirm(key);
      else this.#letGo(key);
    };
    root.addEventListener("pointermove", drag);
    for (const end of ENDS) root.addEventListener(end, stop);
  }

  #press(event: KeyboardEvent, key: string): void {
    const ticks = TICKS[event.key];
    const text = this.#moving?.key === key ? this.#moving.text : this.#find(key)?.text;
    if (text === undefined || this.#moving?.isAsked) return;
    if (ticks !== undefined) this.#move(key, movedBy(text, ticks));
    else if (event.key === "Enter") this.#confirm(key);
    else if (event.key === "Escape") this.#letGo(key);
    else return;
    event.preventDefault();
  }

  /** Asks about a level that has moved, and puts it back afterwards: the order itself shows what has become of it. */
  #confirm(key: string): void {
    const [move, moving] = [this.#find(key), this.#moving];
    if (move === undefined || moving?.key !== key || moving.text === move.text) return this.#letGo(key);
    moving.isAsked = true;
    void this.#ask(move, moving.text).finally(() => {
      this.#moving = undefined;
      this.#place();
    });
  }

  #find = (key: string): Move | undefined => this.#moves.find((move) => keyOf(move) === key);
}

const ENDS = ["pointerup", "pointercancel"] as const;

const keyOf = ({ orderId, field }: Move): string => `${orderId} ${field}`;
