"use strict";
const makeElement = (tag, text, kind) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};
const makeDrawing = (tag, attributes, text) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

const save = (text, kind, name) => {
  const link = makeElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-(?=\.)|-$/g, "");
  link.download = link.download.replace(/-(csv|svg)$/, ".$1");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

const tableAsCsv = (table) => {
  const quoted = (text) => {
    // A spreadsheet would take a text that starts like this for a formula.
    const safe = /^[=+\-@\t\r]/.test(text) && isNaN(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const rows = [...table.tHead.rows, ...table.tBodies[0].rows];
  const spread = new Set();
  for (const row of table.tBodies[0].rows) {
    Array.from(row.cells).forEach((cell, column) => { if (cell.dataset.sd) spread.add(column); });
  }
  // The sign of a t-test stands before its number; an empty cell says in words why it is.
  const plain = (cell) => cell.dataset.value || cell.innerText.trim().replace(/\s+/g, " ");
  return rows.map((row) => Array.from(row.cells).flatMap((cell, column) => {
    const text = quoted(plain(cell));
    if (!spread.has(column)) return [text];
    return [text, cell.tagName === "TH" ? quoted(`${plain(cell)}: standard deviation`) : cell.dataset.sd || ""];
  }).join(",")).join("\r\n") + "\r\n";
};

const pictureAsSvg = (picture) => {
  const copied = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "paint-order",
    "font-family", "font-size", "font-weight", "text-anchor"];
  const copy = picture.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const [, , width, height] = picture.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const made = copy.querySelectorAll("*");
  picture.querySelectorAll("*").forEach((element, place) => {
    const style = getComputedStyle(element);
    made[place].removeAttribute("class");
    if (element.tagName === "title" || element.tagName === "g") return;
    for (const name of copied) {
      if (name.startsWith("font") && element.tagName !== "text") continue;
      made[place].setAttribute(name, style.getPropertyValue(name));
    }
  });
  const paper = makeDrawing("rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor });
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
};

const addDownloads = (root) => {
  const button = (text, label, action) => {
    const made = makeElement("button", text, "tool");
    made.type = "button";
    made.setAttribute("aria-label", label);
    made.title = label;
    made.addEventListener("click", action);
    return made;
  };
  for (const table of root.querySelectorAll("table[data-name]")) {
    const name = () => table.dataset.name;
    const tools = makeElement("div", undefined, "tools");
    tools.append(button("↓ CSV", `Save the table “${name()}” as a CSV file`, () =>
      save(tableAsCsv(table), "text/csv;charset=utf-8", `${name()}.csv`)));
    table.parentElement.before(tools);
  }
  for (const figure of root.querySelectorAll("figure[data-name]")) {
    const name = () => figure.dataset.name;
    const tools = makeElement("div", undefined, "tools");
    tools.append(button("↓ SVG", `Save the picture “${name()}” as an SVG file`, () =>
      save(pictureAsSvg(figure.querySelector("svg")), "image/svg+xml", `${name()}.svg`)));
    figure.prepend(tools);
  }
};
addDownloads(document);

(() => {
  const names = { auto: "◐ Automatic", light: "☀ Light", dark: "☾ Dark" };
  const button = makeElement("button", undefined, "tool theme");
  button.type = "button";
  const current = () => document.documentElement.dataset.theme || "auto";
  const show = () => {
    button.textContent = names[current()];
    button.setAttribute("aria-label", `Colours: ${names[current()].slice(2)}. Change them.`);
  };
  button.addEventListener("click", () => {
    const order = Object.keys(names);
    const next = order[(order.indexOf(current()) + 1) % order.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try { localStorage.setItem("kernsemble-theme", next); } catch { /* nothing is kept */ }
    show();
  });
  show();
  (document.getElementById("bar") || document.querySelector("header")).append(button);
})();
