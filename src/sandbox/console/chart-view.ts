import {
  type AutoscaleInfoProvider,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  type IChartApi,
  type IPriceLine,
  type IPrimitivePaneView,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type ISeriesPrimitive,
  LineSeries,
  LineStyle,
  LineType,
  type Logical,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import { element, make } from "./elements.ts";
import { LevelHandles } from "./level-handles.ts";
import { type Level, levelText, type Move, namedOf, namesOf, rangeWith } from "./levels.ts";
import { PLACE_MS, type PriceTrack, placeOf, type Row, type Trade } from "./market-feed.ts";
import { plotDecimals, plotText, timeText } from "./numbers.ts";

/** An execution of a child. */
export type Mark = Readonly<{
  symbol: string;
  timeMs: number;
  price: number;
  side: "BUY" | "SELL";
  text: string;
}>;

/** What the chart shows. */
type Shown = Readonly<{
  symbol: string;
  track: PriceTrack;
  /** Trades from before the first quote. */
  past: readonly Trade[];
  levels: readonly Level[];
  marks: readonly Mark[];
  nowMs: number;
}>;

type Drawing = Readonly<{
  chart: IChartApi;
  bid: ISeriesApi<"Line">;
  ask: ISeriesApi<"Line">;
  marks: ISeriesMarkersPluginApi<Time>;
  color: (name: string) => string;
  remove: () => void;
}>;

/** What is drawn: the first and the last place, if there is any. */
type Drawn = Pick<Shown, "symbol" | "past" | "marks"> & Readonly<{ firstMs?: number; lastMs?: number }>;

/** How long a chart looks back at most. */
const MOST_MS = 3_660_000;
/** Quotes that come a little late change places that are drawn already. */
const LATE_MS = 1_000;
/** After a longer pause, everything is drawn anew. */
const PAUSE_MS = 60_000;
/** The part of the time shown that stays free on the right. */
const FREE_SHARE = 0.03;
const MOST_PIXELS = 3_000;
/** A chart begins with a short time, so that its first seconds are not at its edge. */
const SHORTEST_MS = 20_000;
/** The place of the logo at the lower left. */
const LOGO = { width: 54, height: 32 } as const;
const LEVEL_COLORS = { BUY: "buy", SELL: "sell", BOTH: "dim" } as const;

const timeOf = (timeMs: number): UTCTimestamp => (placeOf(timeMs) / 1_000) as UTCTimestamp;
const clockText = (time: Time): string => timeText(typeof time === "number" ? time * 1_000 : 0);

/** The chart of a market, with the levels and the executions of orders. */
export class ChartView {
  #levels: readonly Level[] = [];
  #named: readonly Level[] = [];
  #lines: readonly IPriceLine[] = [];
  #lineKey = "";
  #drawn: Drawn | undefined;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #spanMs: number;
  /** Whether the chosen time is shown, until somebody zooms or pans. */
  #isFollowing = true;
  readonly #handles: LevelHandles;
  #drawing: Drawing;

  /** `moved` asks about a level that a person has moved, and resolves when that is answered. */
  constructor(spanMs: number, moved: (move: Move, text: string) => Promise<void>) {
    this.#spanMs = spanMs;
    this.#handles = new LevelHandles(moved);
    this.#drawing = this.#open();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.#drawing.remove();
      [this.#drawn, this.#lines, this.#lineKey] = [undefined, [], ""];
      this.#drawing = this.#open();
    });
  }

  /** Shows the last time up to now, from the next drawing on. */
  span(spanMs: number): void {
    [this.#spanMs, this.#isFollowing, this.#drawnAtMs] = [spanMs, true, Number.NEGATIVE_INFINITY];
  }

  /** Draws what has changed. The same data is in the tables, so that a screen reader is told a summary. */
  draw(wanted: Shown): void {
    const isOther = wanted.symbol !== this.#drawn?.symbol;
    // Of a long time, a moment is less than a pixel, and there is more to draw.
    if (!isOther && performance.now() - this.#drawnAtMs < this.#spanMs / MOST_PIXELS) return;
    this.#drawnAtMs = performance.now();
    if (isOther) this.#isFollowing = true;
    const newest = wanted.track.last;
    const price = newest === undefined ? undefined : (newest.bid + newest.ask) / 2;
    this.#drawRows(wanted);
    this.#drawLevels(wanted.levels, price ?? 0);
    this.#follow();
    this.#describe(wanted.symbol, price);
  }

  /** Shows the chosen time, or less while less is known. */
  #follow(): void {
    const { firstMs, lastMs } = this.#drawn ?? {};
    const scale = this.#drawing.chart.timeScale();
    if (!this.#isFollowing || firstMs === undefined || lastMs === undefined || scale.width() === 0) return;
    const places = Math.min(this.#spanMs, Math.max(SHORTEST_MS, lastMs - firstMs)) / PLACE_MS;
    const last = (lastMs - firstMs) / PLACE_MS;
    const [from, to] = [last - places, last + places * FREE_SHARE];
    scale.setVisibleLogicalRange({ from: from as Logical, to: to as Logical });
  }

  #drawRows({ symbol, track, past, marks, nowMs }: Shown): void {
    const { bid, ask, color, ...drawing } = this.#drawing;
    const drawn = this.#drawn;
    const { firstMs, lastMs = 0 } = drawn ?? {};
    const goesOn = drawn?.symbol === symbol && drawn.past === past && nowMs - lastMs < PAUSE_MS;
    const rows = track.rows(goesOn ? lastMs - LATE_MS : nowMs - MOST_MS, nowMs, past);
    const put = (series: ISeriesApi<"Line">, name: string, pick: (row: Row) => number): void => {
      const colors = { quotes: color(name), trades: color("dim"), nothing: "transparent" };
      const points = rows.map((row) => ({
        ...{ time: timeOf(row.timeMs), value: pick(row), color: colors[row.source] },
      }));
      if (goesOn) {
        for (const point of points) series.update(point, point.time < timeOf(lastMs));
        return;
      }
      const precision = plotDecimals(rows.at(-1)?.bid ?? 0);
      series.applyOptions({ priceFormat: { type: "price", precision, minMove: 10 ** -precision } });
      series.setData(points);
    };
    put(ask, "ask-line", (row) => row.ask);
    put(bid, "bid-line", (row) => row.bid);
    const begins = goesOn ? firstMs : rows[0]?.timeMs;
    this.#drawn = {
      ...{ symbol, past, marks },
      ...(begins !== undefined && { firstMs: begins, lastMs: rows.at(-1)?.timeMs ?? lastMs }),
    };
    if (goesOn && drawn.marks === marks) return;
    const own = marks.filter((mark) => mark.symbol === symbol && mark.timeMs >= (begins ?? nowMs));
    drawing.marks.setMarkers(
      own
        .toSorted((a, b) => a.timeMs - b.timeMs)
        .map(({ timeMs, side, price, text }) => ({
          ...{ time: timeOf(timeMs), price, id: text, color: color(LEVEL_COLORS[side]) },
          ...(side === "BUY"
            ? ({ position: "atPriceBottom", shape: "arrowUp" } as const)
            : ({ position: "atPriceTop", shape: "arrowDown" } as const)),
        })),
    );
  }

  #drawLevels(levels: readonly Level[], price: number): void {
    const named = namedOf(levels, price);
    const key = JSON.stringify([levels, named]);
    if (key === this.#lineKey) return;
    [this.#levels, this.#named, this.#lineKey] = [levels, named, key];
    this.#handles.show(named);
    const { bid, color } = this.#drawing;
    for (const line of this.#lines) bid.removePriceLine(line);
    this.#lines = levels.map((level) =>
      bid.createPriceLine({
        ...{ id: levelText(level), price: level.price, color: color(LEVEL_COLORS[level.side]), lineWidth: 1 },
        ...{ lineStyle: level.isSoft ? LineStyle.LargeDashed : LineStyle.Solid },
        ...{ axisLabelVisible: named.includes(level), axisLabelTextColor: color("card") },
      }),
    );
  }

  /** Says what the drawing shows. */
  #describe(symbol: string, price: number | undefined): void {
    const from = this.#drawn?.firstMs === undefined ? "" : ` from ${timeText(this.#drawn.firstMs)}`;
    const priceText = price === undefined ? "no quote yet" : `price ${plotText(price)}`;
    const description = [priceText, ...this.#named.map(levelText)].join(", ");
    element("chart", HTMLFieldSetElement).setAttribute("aria-label", `${symbol}${from}: ${description}`);
    element("chart-waiting", HTMLParagraphElement).hidden = price !== undefined;
  }

  /** Puts an empty chart with the present colors into the page. */
  #open(): Drawing {
    const styles = getComputedStyle(document.documentElement);
    const color = (name: string): string => styles.getPropertyValue(`--${name}`).trim();
    const [box, host] = [element("chart", HTMLFieldSetElement), make("div", { className: "drawing" })];
    const chart = createChart(host, {
      autoSize: true,
      layout: {
        ...{ background: { color: color("card") }, textColor: color("dim"), fontSize: 11.5 },
        ...{ fontFamily: styles.fontFamily, attributionLogo: true },
      },
      grid: { vertLines: { color: color("line") }, horzLines: { color: color("line") } },
      crosshair: { mode: CrosshairMode.Normal },
      rightPriceScale: { borderVisible: false },
      timeScale: {
        ...{ borderVisible: false, minBarSpacing: 0.01, allowBoldLabels: false },
        tickMarkFormatter: clockText,
      },
      localization: { timeFormatter: clockText, priceFormatter: plotText },
      // A finger that moves up or down scrolls the page.
      handleScroll: { vertTouchDrag: false },
    });
    // The policy of the page allows no style but its own, which has the place of the logo.
    host.querySelector("style")?.remove();
    host.querySelector("table")?.setAttribute("role", "presentation");
    chart.subscribeCrosshairMove(({ hoveredInfo }) => {
      box.title = String(hoveredInfo?.objectId ?? "");
    });
    box.prepend(host);
    const moved = (): void => {
      this.#isFollowing = false;
    };
    for (const by of ["wheel", "pointerdown"]) host.addEventListener(by, moved, { passive: true });
    const line = (name: string): ISeriesApi<"Line"> =>
      chart.addSeries(LineSeries, {
        ...{ color: color(name), lineWidth: 2, lineType: LineType.WithSteps },
        ...{ priceLineStyle: LineStyle.Dotted, autoscaleInfoProvider: this.#scale },
      });
    const [ask, bid] = [line("ask-line"), line("bid-line")];
    const remove = (): void => {
      chart.remove();
      host.remove();
    };
    bid.attachPrimitive(this.#names(bid, color));
    return { chart, ask, bid, marks: createSeriesMarkers(bid), color, remove };
  }

  /** Draws the names of levels on the left, where they cover no new price, and beside the logo. */
  #names(bid: ISeriesApi<"Line">, color: Drawing["color"]): ISeriesPrimitive<Time> {
    const yOf = (price: number): number => bid.priceToCoordinate(price) ?? 0;
    const font = `600 11.5px ${getComputedStyle(document.body).fontFamily}`;
    const view: IPrimitivePaneView = {
      renderer: () => ({
        draw: (target) =>
          target.useMediaCoordinateSpace(({ context, mediaSize: { width, height } }) => {
            const priceAt = (y: number): number | undefined => bid.coordinateToPrice(y) ?? undefined;
            this.#handles.place({ width, height, yOf, priceAt });
            Object.assign(context, { font, lineJoin: "round", lineWidth: 4, strokeStyle: color("card") });
            for (const { text, side, y } of namesOf(this.#levels, { named: this.#named, height, yOf })) {
              const x = y > height - LOGO.height ? LOGO.width : 6;
              context.fillStyle = color(LEVEL_COLORS[side]);
              context.strokeText(text, x, y, width - x);
              context.fillText(text, x, y, width - x);
            }
          }),
      }),
    };
    return { paneViews: () => [view] };
  }

  #scale: AutoscaleInfoProvider = (own) => {
    const info = own();
    if (!info?.priceRange) return info;
    const { minValue: low, maxValue: high } = info.priceRange;
    const range = rangeWith({ low, high }, this.#levels);
    return { ...info, priceRange: { minValue: range.low, maxValue: range.high } };
  };
}
