"use strict";
// The part of the page that depends on the measure is exchanged as a whole. Python has made it for
// every measure; those that are not shown are packed and opened when they are asked for.
const views = (() => {
  const view = document.getElementById("view");
  const select = document.getElementById("measure");
  const listeners = [];
  const chosen = select.value;
  const packed = (measure) => document.querySelector(`script[data-measure="${measure}"]`);
  const kept = new Map();
  let shown = chosen, wanted = chosen;
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const opened = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(opened).text();
  };
  // The section that is being read, and where it stands in the window.
  const place = () => {
    const read = Array.from(view.querySelectorAll("section[id]"))
      .filter((section) => section.getBoundingClientRect().top < innerHeight / 2).pop();
    return read && [read.id, read.getBoundingClientRect().top];
  };
  const show = async (measure) => {
    if (measure !== chosen && !packed(measure)) return;
    select.value = wanted = measure;
    if (measure === shown) return;
    const before = place();
    if (!kept.has(measure)) {
      const part = document.createElement("template");
      part.innerHTML = await unpack(packed(measure).textContent);
      makeSortable(part.content);
      if (!kept.has(measure)) kept.set(measure, Array.from(part.content.childNodes));
      // Who goes through the list quickly gets the last measure, whichever was opened last.
      if (measure !== wanted || measure === shown) return;
    }
    const fresh = !kept.get(measure).seen;
    if (!kept.has(shown)) kept.set(shown, Array.from(view.childNodes));
    kept.get(shown).seen = true;
    view.replaceChildren(...kept.get(measure));
    if (fresh) addDownloads(view);
    kept.get(measure).seen = true;
    shown = measure;
    for (const listener of listeners) listener(view);
    const again = before && document.getElementById(before[0]);
    if (again) scrollBy(0, again.getBoundingClientRect().top - before[1]);
  };
  // #ratings is a section, #ratings@log_loss the same section by another measure.
  const follow = async () => {
    const [section, measure] = decodeURIComponent(location.hash.slice(1)).split("@");
    await show(measure || chosen);
    const target = section && document.getElementById(section);
    if (target) target.scrollIntoView();
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.anchor, nav a");
    if (link && shown !== chosen) link.hash = `${link.hash.split("@")[0]}@${shown}`;
  }, true);
  if (typeof DecompressionStream === "function" && select.options.length > 1) {
    select.parentElement.hidden = false;
    select.addEventListener("change", async () => {
      await show(select.value);
      const section = location.hash.slice(1).split("@")[0];
      history.replaceState(null, "", shown === chosen ? `#${section}` : `#${section}@${shown}`);
    });
    addEventListener("hashchange", follow);
    if (location.hash.includes("@")) follow();
  }
  return { show, current: () => shown, changed: (listener) => { listeners.push(listener); listener(view); } };
})();
