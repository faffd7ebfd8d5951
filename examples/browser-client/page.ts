import type { OrderState } from "managed-orders/client";
import type { Draft, DraftType } from "./draft.ts";
import { openTrader, type Trader, type View } from "./trader.ts";

const SYMBOL = "BTC/USD";

function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return found;
}

const input = (id: string): HTMLInputElement => element(id, HTMLInputElement);
const connectForm = element("connect", HTMLFormElement);
const orderForm = element("order", HTMLFormElement);
const type = element("type", HTMLSelectElement);
const side = element("side", HTMLSelectElement);
const messages = element("messages", HTMLOutputElement);

let trader: Trader | undefined;

/** Shows lines as text. Nothing that comes from the service is ever read as HTML. */
function say(lines: readonly string[], isError = false): void {
  messages.replaceChildren(
    ...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line })),
  );
  messages.classList.toggle("error", isError);
}

/** Runs a step of the person, with the buttons disabled meanwhile, so that nothing is sent twice. */
async function run(doing: string, act: () => Promise<readonly string[]>): Promise<void> {
  const buttons = [...document.querySelectorAll("button")].filter((button) => !button.disabled);
  for (const button of buttons) button.disabled = true;
  say([doing]);
  try {
    say(await act());
  } catch (error) {
    say([error instanceof Error ? error.message : "Unknown error"], true);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

function row(cells: readonly (string | Node)[]): HTMLTableRowElement {
  const line = document.createElement("tr");
  for (const cell of cells) line.insertCell().append(cell);
  return line;
}

function cancelButton(order: OrderState): HTMLButtonElement | string {
  if (order.status !== "NEW" && order.status !== "PARTIALLY_FILLED") return "";
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Cancel" });
  button.addEventListener("click", () => {
    void run("Canceling…", async () => (trader === undefined ? [] : [await trader.cancel(order)]));
  });
  return button;
}

function show({ orders, bids, asks, problem }: View): void {
  const levels = [...asks].reverse().map(([price, quantity]) => row(["ask", price, quantity]));
  levels.push(...bids.map(([price, quantity]) => row(["bid", price, quantity])));
  element("book", HTMLTableSectionElement).replaceChildren(...levels);
  const lines = orders.map((order) => {
    const { side, origQty, executedQty, status, clientOrderId } = order;
    return row([clientOrderId, side, `${executedQty} of ${origQty}`, status, cancelButton(order)]);
  });
  element("orders", HTMLTableSectionElement).replaceChildren(...lines);
  if (problem !== undefined) say([`Not connected any more. ${problem}`], true);
}

function draft(): Draft {
  return {
    side: side.value === "SELL" ? "SELL" : "BUY",
    type: type.value as DraftType,
    quantity: input("quantity").value.trim(),
    price: input("price").value.trim(),
    slots: input("slots").value,
    seconds: input("seconds").value,
  };
}

/** Shows the fields that the chosen type takes. */
function showFields(): void {
  for (const field of orderForm.querySelectorAll<HTMLElement>("[data-types]"))
    field.hidden = !field.dataset["types"]?.split(" ").includes(type.value);
}

connectForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const [baseUrl, apiKey, secret] = ["address", "key", "secret"].map((id) => input(id).value.trim());
  void run("Connecting…", async () => {
    trader?.close();
    trader = await openTrader(
      { baseUrl: baseUrl ?? "", apiKey: apiKey ?? "", secret: secret ?? "" },
      SYMBOL,
      show,
    );
    // From here on, the key and the secret are in the client alone.
    connectForm.reset();
    connectForm.hidden = true;
    element("trading", HTMLElement).hidden = false;
    return [`Connected. Market: ${SYMBOL}`];
  });
});

element("preview", HTMLButtonElement).addEventListener("click", () => {
  void run("Previewing…", async () => (await trader?.preview(draft())) ?? []);
});

orderForm.addEventListener("submit", (event) => {
  event.preventDefault();
  void run("Placing…", async () => (trader === undefined ? [] : [await trader.place(draft())]));
});

type.addEventListener("change", showFields);
showFields();
