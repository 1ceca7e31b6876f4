"use strict";
const makeSortable = (root) => {
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim() : cell.dataset.value;
  };
  const sortBy = (table, column, direction) => {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const numeric = rows.every((row) => value(row, column) === "" || !isNaN(value(row, column)));
    rows.sort((a, b) => {
      const [x, y] = [value(a, column), value(b, column)];
      // An empty cell comes last, whichever way the table is sorted.
      if (x === "" || y === "") return (x === "") - (y === "");
      return direction * (numeric ? x - y : x.localeCompare(y, undefined, { numeric: true }));
    });
    body.append(...rows);
  };
  for (const table of root.querySelectorAll("table.sortable")) {
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      if (!head.hasAttribute("aria-sort")) head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const first = head.dataset.first === "descending" ? "descending" : "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const order = head.getAttribute("aria-sort") === first ? other : first;
        for (const cell of table.tHead.rows[0].cells) cell.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", order);
        sortBy(table, column, order === "ascending" ? 1 : -1);
      });
    });
  }
};
makeSortable(document);
