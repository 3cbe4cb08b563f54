"use strict";
// The report of a conversion: themes, folded lines, files by name.
const $ = (id) => document.getElementById(id);
const files = [...document.querySelectorAll(".file")];

const THEMES = ["auto", "light", "dark"];
let theme = 0;
$("theme").addEventListener("click", () => {
  theme = (theme + 1) % THEMES.length;
  document.documentElement.dataset.theme = THEMES[theme];
  $("theme").textContent = `Theme: ${THEMES[theme]}`;
});

document.querySelector("main").addEventListener("click", (event) => {
  const button = event.target.closest(".fold button");
  if (!button) return;
  const lines = button.closest("tbody").nextElementSibling;
  lines.hidden = !lines.hidden;
  button.setAttribute("aria-expanded", String(!lines.hidden));
});

function choose() {
  const text = $("file").value.toLowerCase();
  for (const file of files) file.hidden = !file.dataset.name.toLowerCase().includes(text);
  const shown = files.filter((file) => !file.hidden).length;
  $("count").textContent = `${shown} of ${files.length} changed files`;
}
$("file").addEventListener("input", choose);
for (const [name, open] of [["open", true], ["close", false]]) {
  $(name).addEventListener("click", () => {
    for (const file of files) if (!file.hidden) file.open = open;
  });
}
choose();
if (files.length === 1) files[0].open = true;
