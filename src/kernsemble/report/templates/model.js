"use strict";
(() => {
  const data = JSON.parse(document.getElementById("details").textContent);

  const dialog = document.getElementById("drill-down");
  for (const button of document.querySelectorAll("button[data-cell]")) {
    button.addEventListener("click", () => {
      const [truth, said] = button.dataset.cell.split(" ").map(Number);
      const rows = data.listed[button.dataset.cell] || [];
      dialog.querySelector("h2").textContent = `${data.classes[truth]} predicted as ${data.classes[said]}`;
      dialog.querySelector("p").textContent =
        `The ${rows.length} rows of least probability of their label, of ${button.textContent.trim()}.`;
      const body = dialog.querySelector("tbody");
      body.replaceChildren();
      for (const row of rows) {
        const line = body.insertRow();
        for (const value of row) line.append(makeElement("td", String(value)));
      }
      dialog.showModal();
    });
  }
  dialog.querySelector(".close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  const panel = document.getElementById("threshold-panel");
  if (!panel) return;
  const slider = document.getElementById("threshold");
  const chosen = document.getElementById("threshold-class");
  const [missCost, falseCost] = ["cost-missed", "cost-false"].map((id) => document.getElementById(id));
  const output = (name, text) => { document.getElementById(`out-${name}`).textContent = text; };
  const percent = (share) => (isFinite(share) ? `${(100 * share).toFixed(1)} %` : "–");
  const counts = () => data.thresholds[Number(chosen.value)];
  const steps = () => counts().inside.length - 1;
  const cost = (step) => {
    const { inside, outside } = counts();
    return (inside[0] - inside[step]) * Number(missCost.value) + outside[step] * Number(falseCost.value);
  };
  const frame = { left: 44, right: 386, top: 14, bottom: 256 };
  const across = (share) => frame.left + share * (frame.right - frame.left);
  const up = (share) => frame.bottom - share * (frame.bottom - frame.top);
  const draw = (id, points, marker) => {
    const picture = document.getElementById(id);
    for (const old of picture.querySelectorAll(".moving")) old.remove();
    const listed = points.map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`).join(" ");
    picture.append(makeDrawing("polyline", { points: listed, class: "ours-line moving" }));
    if (marker) picture.append(makeDrawing("circle", { cx: across(marker[0]), cy: up(marker[1]), r: 5, class: "marker moving" }));
  };
  const recall = (step) => counts().inside[step] / counts().inside[0];
  const precision = (step) => {
    const { inside, outside } = counts();
    return inside[step] / (inside[step] + outside[step]);
  };
  const share = (step) => {
    const { inside, outside } = counts();
    return (inside[step] + outside[step]) / (inside[0] + outside[0]);
  };
  const show = () => {
    const step = Math.round(Number(slider.value) * steps());
    const { inside, outside } = counts();
    slider.setAttribute("aria-valuetext", Number(slider.value).toFixed(3));
    output("threshold", Number(slider.value).toFixed(3));
    output("found", `${inside[step]} of ${inside[0]}`);
    output("missed", String(inside[0] - inside[step]));
    output("false", `${outside[step]} of ${outside[0]}`);
    output("precision", percent(precision(step)));
    output("recall", percent(recall(step)));
    output("cost", (cost(step) / (inside[0] + outside[0])).toFixed(4));
    const all = Array.from({ length: steps() + 1 }, (_, k) => k);
    const known = all.filter((k) => inside[k] + outside[k] > 0);
    draw("curve-precision", known.map((k) => [recall(k), precision(k)]),
      inside[step] + outside[step] ? [recall(step), precision(step)] : null);
    draw("curve-gain", all.map((k) => [share(k), recall(k)]), [share(step), recall(step)]);
  };
  const best = () => {
    let least = 0;
    for (let step = 0; step <= steps(); step += 1) if (cost(step) < cost(least)) least = step;
    slider.value = least / steps();
    show();
  };
  for (const input of [slider, chosen, missCost, falseCost]) input.addEventListener("input", show);
  document.getElementById("threshold-best").addEventListener("click", best);
  show();
})();
