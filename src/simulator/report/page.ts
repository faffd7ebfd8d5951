/** The style sheet of the page. */
export const STYLE = `:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1b1f24; --quiet: #57606a; --rule: #d5dae0; --grid: #e9ecef; --tile: #f5f7f9;
  --bid: #4a5560; --ask: #7f8b97; --buy: #0064a8; --sell: #c44e00; --stop: #a3487f; --gate: #7a5ea8;
  --trail: #00805c; --limit: #a87400; --fired: #1b1f24; --plan: #a87400; --actual: #0064a8; --fall: #d98c5f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181d; --text: #e4e8ec; --quiet: #9aa4af; --rule: #353d47; --grid: #252b33; --tile: #1c2229;
    --bid: #c3ccd5; --ask: #74808c; --buy: #56b4e9; --sell: #ff8a3d; --stop: #e08cbf; --gate: #b39ddb;
    --trail: #2fc79a; --limit: #f0c14b; --fired: #ffffff; --plan: #f0c14b; --actual: #56b4e9; --fall: #a3542b;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 75rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { margin: 0 0 .25rem; font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { margin: 2.25rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--rule); font-size: 1.2rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .5rem 0 0; padding: 0; list-style: none; }
a { color: var(--buy); }
code { font: .92em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.period, .note, .definition, .more { color: var(--quiet); font-size: .87rem; }
.definition { max-width: 60rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .6rem; margin: 1rem 0 0; padding: 0; }
.tiles div { padding: .55rem .75rem; border-radius: .4rem; background: var(--tile); }
.tiles dt { color: var(--quiet); font-size: .8rem; }
.tiles dd { margin: 0; font-size: 1.08rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
figure { margin: 0 0 1.75rem; }
figcaption { margin-bottom: .3rem; font-weight: 600; overflow-wrap: anywhere; }
.plot > svg { display: block; width: 100%; height: auto; }
.plot > svg.narrow { display: none; }
.plot { touch-action: pan-y; }
svg text { fill: var(--quiet); font: 11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
svg path { fill: none; stroke-width: 1.3; }
.grid { stroke: var(--grid); }
.axis { stroke: var(--quiet); }
.cursor { stroke: var(--quiet); stroke-dasharray: 2 3; pointer-events: none; }
.bid { stroke: var(--bid); }
.ask { stroke: var(--ask); }
.level, svg path.level { stroke-width: 1.6; }
.stop { stroke: var(--stop); stroke-dasharray: 7 4; }
.gate { stroke: var(--gate); stroke-dasharray: 2 3; }
.trail { stroke: var(--trail); }
.limit { stroke: var(--limit); stroke-dasharray: 10 3 2 3; }
.touch { stroke: transparent; }
svg path.touch { stroke-width: 9; pointer-events: stroke; }
svg path.buy { fill: var(--buy); stroke: var(--page); stroke-width: .8; }
svg path.sell { fill: var(--sell); stroke: var(--page); stroke-width: .8; }
svg path.fired { fill: none; stroke: var(--fired); stroke-width: 1.6; pointer-events: all; }
svg path.activated { stroke: var(--gate); stroke-width: 1.6; pointer-events: all; }
svg path.child { stroke: var(--actual); stroke-width: 1.4; }
svg path.child.empty { stroke: var(--sell); }
svg text.number { fill: var(--text); font-size: 10px; font-weight: 600; paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
.plan { stroke: var(--plan); stroke-dasharray: 7 4; }
svg path.plan, svg path.actual, svg path.equity { stroke-width: 1.8; }
.actual { stroke: var(--actual); }
.equity { stroke: var(--actual); }
svg path.fall { fill: var(--fall); stroke: var(--sell); stroke-width: 1; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .3rem 0 0; color: var(--quiet); font-size: .82rem; }
.key { display: inline-flex; align-items: center; gap: .35rem; }
.swatch { flex: none; width: 24px; height: 12px; }
.readout { display: block; min-height: 1.5em; font-size: .87rem; font-variant-numeric: tabular-nums; }
.note, .more { margin: .2rem 0 0; }
.scroll { margin: .75rem 0 0; overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
caption { padding: .25rem 0; font-weight: 600; text-align: left; }
th, td { padding: .28rem .6rem; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
.long { min-width: 11rem; }
.is-buy { color: var(--buy); }
.is-sell { color: var(--sell); }
.bar { width: 100px; height: 12px; }
svg path.cost { fill: var(--sell); }
svg path.gain { fill: var(--buy); }
:focus-visible { outline: 2px solid var(--buy); outline-offset: 2px; }
@media (max-width: 40rem) {
  body { padding: .75rem; }
  .plot > svg.wide { display: none; }
  .plot > svg.narrow { display: block; }
}
@media print {
  :root {
    color-scheme: light;
    --page: #ffffff; --text: #000000; --quiet: #444444; --rule: #bbbbbb; --grid: #e0e0e0; --tile: #f3f3f3;
    --bid: #4a5560; --ask: #7f8b97; --buy: #0064a8; --sell: #c44e00; --stop: #a3487f; --gate: #7a5ea8;
    --trail: #00805c; --limit: #a87400; --fired: #000000; --plan: #a87400; --actual: #0064a8; --fall: #d98c5f;
  }
  body { padding: 0; max-width: none; font-size: 9pt; }
  nav, .hint, .readout { display: none; }
  .plot > svg.wide { display: block; }
  .plot > svg.narrow { display: none; }
  figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .scroll { overflow: visible; }
  table { width: 100%; font-size: 7pt; }
  th, td { padding: .15rem .3rem; white-space: normal; overflow-wrap: anywhere; }
  .long { min-width: 0; }
}
`;

/** SHA-256 of the style sheet, by which the page permits it and no other. A test computes it anew. */
export const STYLE_HASH = "sha256-ldjsJ6Kp4gIyJuDkzwCNNCxopvL7FIXaONSbVKXiHB0=";

/**
 * The script of the page. It shows the values of a chart at the time under the pointer, or at the time that the arrow
 * keys choose. The page is complete without it.
 */
export const SCRIPT = `(() => {
  const read = (item) => ({
    name: item.dataset.name,
    times: item.dataset.times.split(" ").map((text) => parseInt(text, 36)),
    values: item.dataset.values.split(" "),
  });
  const valueAt = ({ name, times, values }, afterMs) => {
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= afterMs) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? "" : " \\u00b7 " + name + " " + values[low - 1];
  };
  const follow = (figure) => {
    const [plot, readout] = [figure.querySelector(".plot"), figure.querySelector(".readout")];
    const [from, to] = [Number(figure.dataset.from), Number(figure.dataset.to)];
    const series = Array.from(figure.querySelectorAll(".series li"), read);
    const drawings = Array.from(plot.children);
    let fraction = 1;
    const show = (mark) => {
      const afterMs = Math.round(fraction * (to - from));
      for (const { dataset, lastElementChild } of drawings) {
        const x = Number(dataset.left) + fraction * (dataset.right - dataset.left);
        lastElementChild.setAttribute("transform", "translate(" + x.toFixed(1) + " 0)");
      }
      const time = new Date(from + afterMs).toISOString().replace("T", " ").replace(/(\\.000)?Z$/, " UTC");
      readout.textContent = time + series.map((each) => valueAt(each, afterMs)).join("") + (mark ? " \\u2014 " + mark : "");
    };
    const point = (event) => {
      const drawing = drawings.find((each) => each.clientWidth > 0);
      if (drawing === undefined) return;
      const { left, width } = drawing.getBoundingClientRect();
      const { dataset } = drawing;
      const x = ((event.clientX - left) / width) * dataset.width;
      fraction = Math.min(Math.max((x - dataset.left) / (dataset.right - dataset.left), 0), 1);
      const mark = event.target.closest(".mark");
      show(mark && mark.querySelector("title").textContent);
    };
    const moves = { ArrowLeft: -0.005, ArrowRight: 0.005, PageUp: -0.1, PageDown: 0.1, Home: -1, End: 1 };
    plot.tabIndex = 0;
    plot.addEventListener("pointermove", point);
    plot.addEventListener("pointerdown", point);
    plot.addEventListener("keydown", (event) => {
      if (!(event.key in moves)) return;
      event.preventDefault();
      fraction = Math.min(Math.max(fraction + moves[event.key], 0), 1);
      show();
    });
  };
  for (const figure of document.querySelectorAll("figure.chart")) follow(figure);
  document.querySelector(".hint").hidden = false;
})();
`;

/** SHA-256 of the script, by which the page permits it and no other. A test computes it anew. */
export const SCRIPT_HASH = "sha256-sm6596d5yxVDey+voqyB7bigVBAB45WyNfgqSd/KuRQ=";
