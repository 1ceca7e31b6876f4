"use strict";
(() => {
  const { details, sizes } = JSON.parse(document.getElementById("details").textContent);
  const dialog = document.getElementById("drill-down");
  let measure = null;
  const shown = (value) => measure.factor === 100
    ? (100 * value).toFixed(2) : String(Number((measure.factor * value).toPrecision(4)));
  const quantile = (sorted, share) => {
    const place = share * (sorted.length - 1), low = Math.floor(place);
    return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
  };
  const short = (name) => (name.length > 24 ? `${name.slice(0, 23)}…` : name);
  const boxes = (rows) => {
    const all = rows.flatMap(([, values]) => values);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const edge = 0.04 * (most - least) || 0.01;
    const [low, high] = [least - edge, most + edge];
    const [left, right, top, step] = [200, 820, 8, 24];
    const at = (value) => left + ((value - low) / (high - low)) * (right - left);
    const bottom = top + step * rows.length;
    const picture = makeDrawing("svg", { viewBox: `0 0 840 ${bottom + 44}`, width: 840, role: "img", "aria-label": `${measure.title} of every split` });
    for (let tick = 0; tick <= 4; tick += 1) {
      const value = least + ((most - least) * tick) / 4, x = at(value).toFixed(1);
      if (tick && most === least) break;
      picture.append(makeDrawing("line", { x1: x, x2: x, y1: top, y2: bottom, class: "grid" }));
      picture.append(makeDrawing("text", { x, y: bottom + 17, class: "small", "text-anchor": "middle" }, shown(value)));
    }
    picture.append(makeDrawing("text", { x: (left + right) / 2, y: bottom + 36, class: "small", "text-anchor": "middle" }, measure.label));
    rows.forEach(([method, values], place) => {
      const y = top + step * (place + 0.5), sorted = [...values].sort((a, b) => a - b);
      picture.append(makeDrawing("text", { x: left - 12, y: y + 4, "text-anchor": "end" }, short(method)));
      if (sorted.length > 3) {
        const [first, middle, third] = [0.25, 0.5, 0.75].map((share) => at(quantile(sorted, share)));
        picture.append(makeDrawing("line", { x1: at(sorted[0]), x2: at(sorted[sorted.length - 1]), y1: y, y2: y, class: "whisker" }));
        picture.append(makeDrawing("rect", { x: first, y: y - 7, width: Math.max(1, third - first), height: 14, class: "box ours" }));
        picture.append(makeDrawing("line", { x1: middle, x2: middle, y1: y - 7, y2: y + 7, class: "median ours" }));
      }
      for (const value of sorted) {
        const dot = makeDrawing("circle", { cx: at(value), cy: y, r: 3, class: "ours", "fill-opacity": 0.6 });
        dot.append(makeDrawing("title", {}, `${method}: ${shown(value)}`));
        picture.append(dot);
      }
    });
    return picture;
  };
  const place = (dataset, method) => {
    // A method with missing splits has no mean and comes last.
    const mean = (measure.means[dataset] || {})[method];
    return mean === undefined ? -Infinity : measure.sign * mean;
  };
  let current = null;
  const open = (dataset) => {
    current = dataset;
    const values = measure.splits[dataset] || {};
    const methods = Object.entries(details[dataset]);
    methods.sort(([a], [b]) => (place(dataset, b) > place(dataset, a)) - (place(dataset, b) < place(dataset, a)));
    const drawn = methods.filter(([method]) => values[method]).map(([method]) => [method, values[method]]);
    const size = sizes[dataset];
    dialog.querySelector("h2").textContent = dataset;
    dialog.querySelector("p").textContent =
      (size ? `About ${size[0]} training and ${size[1]} test rows a split. ` : "") +
      (drawn.length ? "Dots are splits; boxes hold their middle half, the thick line is the median." : "");
    dialog.querySelector(".value").textContent = measure.label;
    dialog.querySelector("figure .scroll").replaceChildren(...(drawn.length ? [boxes(drawn)] : []));
    dialog.querySelector("figure").dataset.name = `${dataset} splits`;
    dialog.querySelector("table").dataset.name = `${dataset} methods`;
    const body = dialog.querySelector("tbody");
    body.replaceChildren();
    for (const [method, result] of methods) {
      const row = body.insertRow();
      row.append(makeElement("td", method));
      const mean = (measure.means[dataset] || {})[method];
      row.append(makeElement("td", mean === undefined ? "–" : shown(mean)));
      for (const seconds of [result.fit, result.predict]) row.append(makeElement("td", seconds === null ? "–" : String(seconds)));
      row.append(makeElement("td", result.failure || result.params, result.failure ? "left warn reason" : "left reason"));
    }
    if (!dialog.querySelector(".tools")) addDownloads(dialog);
    if (!dialog.open) dialog.showModal();
  };
  const step = (by) => {
    const names = Array.from(document.querySelectorAll("button[data-dataset]"), (button) => button.dataset.dataset);
    open(names[(names.indexOf(current) + by + names.length) % names.length]);
  };
  views.changed((view) => { measure = JSON.parse(view.querySelector("script.splits").textContent); });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-dataset]");
    if (button) open(button.dataset.dataset);
  });
  dialog.querySelector(".before").addEventListener("click", () => step(-1));
  dialog.querySelector(".after").addEventListener("click", () => step(1));
  dialog.querySelector(".close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });
})();
