"use strict";
// The report of a comparison: themes, and which modules are shown.
const $ = (id) => document.getElementById(id);

const THEMES = ["auto", "light", "dark"];
let theme = 0;
$("theme").addEventListener("click", () => {
  theme = (theme + 1) % THEMES.length;
  document.documentElement.dataset.theme = THEMES[theme];
  $("theme").textContent = `Theme: ${THEMES[theme]}`;
});

const nodes = [...document.querySelectorAll(".tree li")];
function choose() {
  const text = $("text").value.toLowerCase();
  const only = $("only").checked;
  const kept = new Set();
  for (const node of nodes) {
    const named = node.dataset.path.toLowerCase().includes(text);
    if (!named || (only && node.dataset.wrong !== "1")) continue;
    for (let at = node; at; at = at.parentElement.closest("li")) kept.add(at);
  }
  for (const node of nodes) node.hidden = !kept.has(node);
  $("count").textContent = `${kept.size} of ${nodes.length} modules`;
}
$("text").addEventListener("input", choose);
$("only").addEventListener("change", choose);
for (const [name, open] of [["open", true], ["close", false]]) {
  $(name).addEventListener("click", () => {
    for (const node of document.querySelectorAll(".tree details")) node.open = open;
  });
}
choose();
