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
