"use strict";
(() => {
  const { details, sizes, factor, unit, sign } = JSON.parse(document.getElementById("details").textContent);
  const dialog = document.getElementById("drill-down");
  const element = (tag, text, kind) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const drawing = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, text] of Object.entries(attributes)) made.setAttribute(name, text);
    return made;
  };
  const strip = (scores, low, high) => {
    const svg = drawing("svg", { viewBox: "0 0 220 18", width: 220, height: 18, "aria-hidden": true });
    const at = (score) => 6 + ((score - low) / (high - low || 1)) * 208;
    svg.append(drawing("line", { x1: 6, x2: 214, y1: 9, y2: 9, class: "grid" }));
    for (const score of scores) {
      svg.append(drawing("circle", { cx: at(score), cy: 9, r: 3.5, class: "ours", "fill-opacity": 0.55 }));
    }
    return svg;
  };
  const shown = (value, digits) =>
    factor === 100 ? (100 * value).toFixed(digits) : String(Number((factor * value).toPrecision(4)));
  const number = (seconds) => (seconds === null ? "–" : String(seconds));
  const open = (dataset) => {
    const methods = Object.entries(details[dataset]);
    // A method with missing splits has no mean and comes last.
    const place = (result) => (result.mean === null ? -Infinity : sign * result.mean);
    methods.sort((a, b) => (place(b[1]) > place(a[1])) - (place(b[1]) < place(a[1])));
    const all = methods.flatMap(([, result]) => result.scores);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const size = sizes[dataset];
    dialog.querySelector("h2").textContent = dataset;
    dialog.querySelector("p").textContent =
      (size ? `About ${size[0]} training and ${size[1]} test rows a split. ` : "") +
      (all.length ? `Dots are splits, from ${shown(low, 1)} to ${shown(high, 1)}${unit && " " + unit}.` : "");
    const body = dialog.querySelector("tbody");
    body.replaceChildren();
    for (const [method, result] of methods) {
      const row = body.insertRow();
      row.append(element("td", method));
      if (result.scores.length) {
        row.append(element("td", result.mean === null ? "–" : shown(result.mean, 2)));
        const dots = element("td");
        dots.append(strip(result.scores, low, high));
        row.append(dots, element("td", number(result.fit)), element("td", number(result.predict)));
        row.append(element("td", result.failure || result.params, result.failure ? "left warn" : "left"));
      } else {
        const reason = element("td", result.failure, "left warn");
        reason.colSpan = 5;
        row.append(reason);
      }
    }
    dialog.showModal();
  };
  for (const button of document.querySelectorAll("button[data-dataset]")) {
    button.addEventListener("click", () => open(button.dataset.dataset));
  }
  dialog.querySelector(".close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
})();
