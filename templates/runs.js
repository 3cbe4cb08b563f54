"use strict";
// A run's lines are hidden and shown by its box.
for (const box of document.querySelectorAll("input[data-run]")) {
  box.addEventListener("change", () => {
    for (const line of document.querySelectorAll(`polyline[data-run="${box.dataset.run}"]`)) {
      line.toggleAttribute("hidden", !box.checked);
    }
  });
}
