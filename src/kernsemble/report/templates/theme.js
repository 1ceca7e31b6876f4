"use strict";
// Before the page is drawn: the theme that a reader chose here earlier.
try {
  const chosen = localStorage.getItem("kernsemble-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* a browser may keep nothing of a file */ }
