/** The console page of the sandbox: it connects the parts of the page with each other. */
import {
  type Client,
  type ManagedOrderReply,
  type OrderUpdateMembers,
  preview,
  previewContext,
} from "../../client/index.ts";
import type { PreviewContext } from "../../lifecycle/index.ts";
import { type AccountDesk, openDesk, type Sync, syncText } from "./account-desk.ts";
import { changeable } from "./change.ts";
import { ChangeView, type MovedLevel } from "./change-view.ts";
import { ChartView, type Mark } from "./chart-view.ts";
import { type Control, controlAt } from "./control.ts";
import { showControl } from "./control-view.ts";
import {
  confirmed,
  element,
  listenToMessages,
  markRight,
  markWrong,
  report,
  reportError,
  run,
  segments,
  shown,
} from "./elements.ts";
import { errorWords, previewWords } from "./error-words.ts";
import { levelsOf } from "./levels.ts";
import { endReasonOf } from "./life.ts";
import { ageOf, type Market, openMarketFeed, refreshPast } from "./market-feed.ts";
import { BalancesView, type MarketsView, showMarkets } from "./markets-view.ts";
import { dollars, grouped, plotNumber } from "./numbers.ts";
import { isOpen, type Outcome, type ShownOrder, statusOf } from "./orders.ts";
import { DetailView, OrdersView } from "./orders-view.ts";
import { newId, questionOf, type Request, requestOf } from "./requests.ts";
import { TicketView } from "./ticket-view.ts";

const SPANS = [
  { value: 60_000, text: "1 min" },
  { value: 300_000, text: "5 min" },
  { value: 900_000, text: "15 min" },
  { value: 3_600_000, text: "1 h" },
] as const;
const FRAME_MS = 250;
/** Executions that are kept for the chart. */
const MOST_MARKS = 1_000;

const FOLLOW_MS = 3_000;
/** The page keeps quotes of the last minutes only, so that the trades before them become more. */
const PAST_MS = 60_000;
const RETRY_MS = 2_000;

const settingOf = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";
const clockKind = settingOf("sandbox-clock");

let feedClient: Client | undefined;
let serviceNowMs = (): number => Date.now();
let market: Market | undefined;
let desk: AccountDesk | undefined;
let control: Control | undefined;
let markets: readonly Market[] = [];
/** What the rules of a change need of the service beside the quote, by market. */
const limits = new Map<string, PreviewContext>();
let isLiveOnce = false;
/** How current the prices and the orders are. The market may be lost and found alone. */
let isMarketLive = false;
let accountState = "";
const CONNECT = "Connect to place";
const OFFLINE = "Offline: not placing";
const NOT_PLACED: Outcome = { text: "Not placed.", tone: "off" };
const RECONNECTING = "Reconnecting: is the sandbox running?";
/** Hides the message that the orders could not be read, once they are. */
let hideProblem = (): void => undefined;
let orders: readonly ShownOrder[] = [];
/** Rejected orders whose journal was asked for the reason. */
const explained = new Set<string>();
let marks: readonly Mark[] = [];

const change = new ChangeView({
  context: contextOf,
  async amend(order, changes) {
    if (ticket.isBlocked) throw new Error("Not changed: this page is offline, and its prices are old.");
    return await connected().amend(order, changes);
  },
});
const chart = new ChartView(SPANS[0].value, async ({ orderId, field }, text) => {
  const order = orders.find((each) => each.orderId === orderId);
  if (order !== undefined) await openChange(order, { field, text });
});
const balances = new BalancesView(() => market?.base ?? "");
const ticket = new TicketView(() => ({
  ...{ base: market?.base ?? "", quote: market?.quote, balances: balances.all },
}));
const detail = new DetailView(
  () => control,
  () => table.select(undefined),
);
ticket.block(CONNECT);
const table = new OrdersView({
  cancel: (order, by) => void run(by, () => connected().cancel(order)),
  change: (order) => void openChange(order).catch(reportError),
  select(order) {
    table.select(order.orderId);
    void detail.open(order);
  },
});

/** Asks for a change of an order, once the minimum of the service is known. */
async function openChange(order: ShownOrder, moved?: MovedLevel): Promise<void> {
  const { symbol } = order;
  if (feedClient !== undefined && !limits.has(symbol))
    limits.set(symbol, await previewContext(feedClient, symbol));
  await change.open(order, moved);
}

/** What is not known of a position is left to the service. */
function contextOf({ symbol, side, origQty }: ManagedOrderReply): PreviewContext {
  const quote = markets.find((each) => each.symbol === symbol)?.quote;
  const [base = ""] = symbol.split("/");
  const { minimumNotional, maxIcebergParts } = limits.get(symbol) ?? {};
  return {
    ...{ nowMs: nowMs(), position: balances.all[base] ?? (side === "SELL" ? origQty : `-${origQty}`) },
    ...(quote !== undefined && { quote: { bid: quote.bid, ask: quote.ask } }),
    ...(minimumNotional !== undefined && { minimumNotional }),
    ...(maxIcebergParts !== undefined && { maxIcebergParts }),
  };
}

function connected(): AccountDesk {
  if (desk === undefined) throw new Error("Connect first.");
  return desk;
}

/** Says how the page is connected, in plain words. */
function state(text: string, tone: "good" | "work" | "bad" | "off"): void {
  const where = element("state", HTMLParagraphElement);
  shown(where, text);
  where.dataset["tone"] = tone;
}

/** Says how the page is connected, and lets nothing be placed while it is not. */
function showState(): void {
  const isOffline = !isMarketLive || accountState === RECONNECTING;
  if (isOffline) state(RECONNECTING, "bad");
  else state(desk === undefined ? "Market live" : accountState, "good");
  ticket.block(desk === undefined ? CONNECT : isOffline ? OFFLINE : undefined);
}

/** The time of the sandbox. A clock that is moved by hand stands still between two quotes. */
const nowMs = (): number => Math.max(market?.track.last?.timeMs ?? 0, serviceNowMs());

function draw(): void {
  if (market === undefined) return;
  const { symbol, track, quote, past } = market;
  chart.draw({ symbol, track, past, marks, levels: levelsOf(orders, symbol, changeable), nowMs: nowMs() });
  change.refresh();
  const age = ageOf(market);
  const best = quote === undefined ? "" : `bid ${dollars(quote.bid)}  ask ${dollars(quote.ask)}`;
  shown(element("best", HTMLParagraphElement), age === "" ? best : `${best}  ${age}`);
  element("chart", HTMLFieldSetElement).classList.toggle("old", age !== "");
  element("bid", HTMLInputElement).placeholder = quote?.bid ?? "";
  element("ask", HTMLInputElement).placeholder = quote?.ask ?? "";
}

function choose(chosen: Market, view: MarketsView): void {
  market = chosen;
  element("chart-title", HTMLHeadingElement).textContent = chosen.symbol;
  view.choose(chosen);
  ticket.choose(ticket.kind);
  balances.draw();
  draw();
  showPast();
}

function showPast(): void {
  if (market !== undefined) void refreshPast(location.origin, market).then(draw);
}

async function openMarkets(): Promise<void> {
  let view: MarketsView | undefined;
  const feed = await openMarketFeed(location.origin, {
    passes: clockKind !== "manual",
    changed: (changed) => view?.update(changed),
    live(isLive) {
      isMarketLive = isLive;
      showState();
    },
  });
  feedClient = feed.client;
  serviceNowMs = feed.nowMs;
  markets = feed.markets;
  const opened = showMarkets(feed.markets, (chosen) => choose(chosen, opened));
  view = opened;
  const [first] = feed.markets;
  if (first !== undefined) choose(first, opened);
  setInterval(() => {
    draw();
    // Ages grow without an event.
    if (!isMarketLive) for (const each of feed.markets) opened.update(each);
  }, FRAME_MS);
  setInterval(showPast, PAST_MS);
  setInterval(() => {
    if (!ticket.isInUse) ticket.follow();
  }, FOLLOW_MS);
}

/** The control interface has no key. It answers this page only if it was opened under a name that it knows. */
async function openControl(): Promise<void> {
  const url = settingOf("sandbox-control");
  if (url === "") return;
  const opened = controlAt(url);
  await opened.health();
  control = opened;
  showControl(opened, { market: settingOf("sandbox-market"), clock: clockKind }, () => market?.symbol ?? "");
}

function markOf(
  symbol: string,
  side: "BUY" | "SELL",
  fill: Readonly<{ timeMs: number; price: string; quantity: string }>,
): Mark {
  const does = side === "SELL" ? "Sold" : "Bought";
  const text = `${does} ${grouped(fill.quantity)} at ${dollars(fill.price)}`;
  return { symbol, side, timeMs: fill.timeMs, price: plotNumber(fill.price), text };
}

function executed({ s, S, T, L, l }: OrderUpdateMembers): void {
  marks = [...marks, markOf(s, S, { timeMs: T, price: L, quantity: l })].slice(-MOST_MARKS);
  if (desk !== undefined) void readBalances(desk.accountId);
}

/** Executions of which the page has not heard are in the record of the venue. */
async function readPast(): Promise<void> {
  if (control === undefined) return;
  const children = await control.children();
  const own = new Set(orders.map(({ orderId }) => orderId));
  const past = children.filter(
    ({ parentOrderId, executedQty }) => own.has(String(parentOrderId)) && executedQty !== "0",
  );
  marks = past
    .slice(-MOST_MARKS)
    .map(({ symbol, side, time, averagePrice, executedQty }) =>
      markOf(symbol, side, { timeMs: time, price: averagePrice, quantity: executedQty }),
    );
}

/** Of a rejection from before the page was opened, only the journal tells the reason. */
function explainRejections(): void {
  for (const { orderId, status, reason } of orders) {
    if (control === undefined || status !== "REJECTED" || reason !== undefined || explained.has(orderId))
      continue;
    explained.add(orderId);
    const reading = control.journal(orderId).then((records) => {
      const found = endReasonOf(records, orderId);
      if (found !== undefined) desk?.explain(orderId, found);
    });
    void reading.catch(() => explained.delete(orderId));
  }
}

async function readBalances(accountId: number): Promise<void> {
  const account = await control?.account(accountId).catch(() => undefined);
  // It may have been disconnected meanwhile.
  if (desk?.accountId === accountId) showBalances(account?.balances ?? {});
}

function showBalances(changed: Readonly<Record<string, string>>): void {
  balances.show(changed);
  ticket.showSize();
}

function synced(sync: Sync): void {
  if (sync.state === "ended") {
    disconnect();
    state("Disconnected", "bad");
    reportError(sync.error);
    return;
  }
  accountState = sync.state === "lost" ? RECONNECTING : syncText(sync, isLiveOnce);
  if (sync.state === "synced") isLiveOnce = true;
  showState();
}

async function connect(apiKey: string, secret: string): Promise<string> {
  // Executions that the page has not heard of are read with the next page of orders.
  let isPastRead = false;
  const opened = await openDesk(
    { baseUrl: location.origin, apiKey, secret, ...(clockKind === "manual" && { clockKeepMs: 0 }) },
    {
      orders(read) {
        orders = read;
        hideProblem();
        table.show(read);
        change.update(read);
        explainRejections();
        detail.update(read);
        if (!isPastRead) void readPast().catch(() => undefined);
        isPastRead = true;
      },
      execution: executed,
      ended: (order) => {
        element("news", HTMLParagraphElement).textContent = `${order.clientOrderId}: ${statusOf(order)[0]}`;
      },
      balances: showBalances,
      reconciling: (text) => report({ text, tone: "work" }),
      sync(sync) {
        isPastRead = false;
        synced(sync);
      },
      problem(error) {
        hideProblem = reportError(error);
      },
    },
  );
  desk = opened;
  await readBalances(opened.accountId);
  const form = element("connect", HTMLFormElement);
  form.reset();
  form.hidden = true;
  element("disconnect", HTMLButtonElement).hidden = false;
  const account = element("account", HTMLParagraphElement);
  account.textContent = `Account ${opened.accountId}`;
  account.hidden = false;
  showState();
  element("kind", HTMLSelectElement).focus();
  return `Connected to account ${opened.accountId}. Place an order: its levels appear in the chart.`;
}

/** The field that a refusal of a connection is about, by its code. */
const WRONG: Readonly<Record<string, "key" | "secret">> = {
  "-1022": "secret",
  "-2014": "key",
  "-2015": "key",
};

async function connectAsEntered(): Promise<string> {
  const [key, secret] = [element("key", HTMLInputElement), element("secret", HTMLInputElement)];
  for (const field of [key, secret]) markRight(field);
  try {
    return await connect(key.value.trim(), secret.value.trim());
  } catch (error) {
    const words = errorWords(error);
    const wrong = WRONG[new Map(words.details).get("code") ?? ""];
    if (wrong !== undefined) markWrong(element(wrong, HTMLInputElement), words.text);
    throw error;
  }
}

function disconnect(): void {
  desk?.close();
  desk = undefined;
  isLiveOnce = false;
  [orders, marks] = [[], []];
  explained.clear();
  table.select(undefined);
  table.show([]);
  detail.close();
  change.close();
  balances.hide();
  element("connect", HTMLFormElement).hidden = false;
  element("disconnect", HTMLButtonElement).hidden = true;
  element("account", HTMLParagraphElement).hidden = true;
  accountState = "";
  showState();
}

const request = (): Request =>
  requestOf(ticket.kind, market?.symbol ?? "", {
    ...{ values: ticket.values, nowMs: nowMs(), id: newId(ticket.kind, Date.now()) },
  });

/** Places what the form says now. A large order is confirmed first. */
async function place(): Promise<Outcome> {
  if (ticket.isBlocked) {
    const why = desk === undefined ? "connect first" : "this page is offline, and its prices are old";
    return { text: `Not placed: ${why}.`, tone: "bad" };
  }
  const { size } = ticket;
  const requested = request();
  const question = questionOf(size);
  if (question !== undefined && !(await confirmed(question, size.does))) return NOT_PLACED;
  ticket.clearRefusal();
  try {
    const outcome = await connected().place(requested);
    ticket.placed();
    return outcome;
  } catch (error) {
    ticket.refused(errorWords(error));
    throw error;
  }
}

async function cancelEverything(): Promise<Outcome> {
  const open = orders.filter(isOpen).length;
  const all = open === 1 ? "the open order" : `all ${open} open orders`;
  const isWanted = await confirmed(`Cancel ${all} of the account, in every market?`, `Cancel ${all}`);
  return isWanted ? await connected().cancelAll() : { text: "Nothing was canceled.", tone: "off" };
}

/** A preview needs no key: it uses the rules of the service, and its public prices. */
async function showPreview(): Promise<void> {
  const requested = request();
  if (feedClient === undefined || requested.form !== "order") return;
  const of = JSON.stringify([ticket.kind, ticket.values]);
  const words = previewWords(await preview(feedClient, requested.order));
  // Of a form that was changed meanwhile, this would say nothing.
  if (of === JSON.stringify([ticket.kind, ticket.values])) ticket.showPreview(words);
}

function listen(): void {
  element("connect", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    const by = event.submitter;
    if (by instanceof HTMLButtonElement) void run(by, connectAsEntered);
  });
  element("disconnect", HTMLButtonElement).addEventListener("click", () => {
    disconnect();
    element("key", HTMLInputElement).focus();
  });
  listenToMessages();
  element("ticket", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    void run(element("place", HTMLButtonElement), place);
  });
  element("preview", HTMLButtonElement).addEventListener(
    "click",
    () => void showPreview().catch(reportError),
  );
  const cancelAll = element("cancel-all", HTMLButtonElement);
  cancelAll.addEventListener("click", () => void run(cancelAll, cancelEverything));
  segments<number>(element("spans", HTMLFieldSetElement), SPANS, (chosen) => {
    chart.span(chosen);
    draw();
  })(SPANS[0].value);
}

/** Opens what needs no key, again and again: a standby or a sandbox that is starting does not answer yet. */
async function openAll(): Promise<void> {
  try {
    await openMarkets();
  } catch (error) {
    state(errorWords(error).text, "bad");
    setTimeout(() => void openAll(), RETRY_MS);
    return;
  }
  await openControl().catch(() => undefined);
}

listen();
void openAll();
