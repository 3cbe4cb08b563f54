"use strict";
// The report's list and its figures. All text of the compared files comes in as data and is only
// ever set as textContent.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const HEIGHT = 28; // of a row, as in the style sheet
const SPARE = 20; // rows drawn beyond what is seen
const rows = data.rows;
const state = { statuses: new Set(), text: "", sort: "gravity", down: false, open: -1 };
const words = rows.map((row) => `${row.name}\n${row.remarks.join("\n")}`.toLowerCase());
let shown = [];

const NOT_FINITE = { inf: Infinity, "-inf": -Infinity, nan: NaN };
const number = (value) => (typeof value === "string" ? NOT_FINITE[value] : value ?? -Infinity);
const KEYS = {
  gravity: (i) => i,
  status: (i) => rows[i].status,
  name: (i) => rows[i].name,
  shape: (i) => rows[i].shape,
};
const keyOf = (sort) => KEYS[sort] ?? ((i) => number(rows[i].numbers?.[Number(sort)]));
const SORTS = [...Object.keys(KEYS), "0", "1", "2", "3", "4"];

function make(tag, options = {}, ...children) {
  const node = Object.assign(document.createElement(tag), options);
  node.append(...children);
  return node;
}

function paint(node, status) {
  node.style.setProperty("--c", `var(--${data.statuses[status].style})`);
  return node;
}

function choose() {
  const wanted = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  shown = [];
  rows.forEach((row, i) => {
    if (state.statuses.size && !state.statuses.has(row.status)) return;
    if (wanted.every((word) => words[i].includes(word))) shown.push(i);
  });
  const key = keyOf(state.sort), sign = state.down ? -1 : 1;
  const keys = rows.map((_, i) => key(i));
  shown.sort((a, b) => (keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : a - b));
}

function update() {
  choose();
  $("count").textContent = `${shown.length.toLocaleString("en")} of ${(rows.length + data.left_out).toLocaleString("en")}`;
  for (const chip of document.querySelectorAll(".chip")) {
    chip.setAttribute("aria-pressed", state.statuses.has(Number(chip.dataset.status)));
  }
  for (const head of document.querySelectorAll("#list th")) {
    const mine = head.dataset.sort === state.sort;
    head.setAttribute("aria-sort", !mine ? "none" : state.down ? "descending" : "ascending");
    head.querySelector("span").textContent = !mine ? "" : state.down ? " ▼" : " ▲";
  }
  $("list").scrollTop = 0;
  draw();
  remember();
}

function draw() {
  const list = $("list");
  const from = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - SPARE);
  const to = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + SPARE);
  $("rows").replaceChildren(edge(from), ...shown.slice(from, to).map(drawn), edge(shown.length - to));
}

function edge(count) {
  const cell = make("td", { className: "gap", colSpan: 8 });
  cell.style.height = `${count * HEIGHT}px`;
  const node = make("tr", { className: "edge" }, cell);
  node.setAttribute("aria-hidden", "true");
  return node;
}

function figures(row) {
  if (!row.numbers) return ["", "", "", "", ""];
  const [error, largest, l2, cosine, share] = row.numbers.map((value) => (value === null ? null : number(value)));
  const short = (value) => (value === 0 ? "0" : Number.isFinite(value) ? value.toExponential(2) : String(value));
  const close = share === null ? "-" : share === 1 ? "100 %" : `${Math.min(99.99, 100 * share).toFixed(2)} %`;
  return [short(error), short(largest), short(l2), cosine.toFixed(6), close];
}

function drawn(i) {
  const row = rows[i];
  const node = make("tr", { tabIndex: 0 },
    paint(make("td", { className: "verdict", textContent: data.statuses[row.status].name }), row.status),
    make("td", { className: "mono", textContent: row.name, title: row.name }),
    make("td", { className: "mono", textContent: row.shape, title: `${row.shape} ${row.dtype}` }),
    ...figures(row).map((text) => make("td", { textContent: text })));
  node.dataset.row = i;
  node.setAttribute("aria-selected", i === state.open);
  return node;
}

function open(i) {
  state.open = i;
  for (const node of document.querySelectorAll("#rows tr[data-row]")) {
    node.setAttribute("aria-selected", Number(node.dataset.row) === i);
  }
  const row = rows[i];
  const title = make("b", { className: "verdict", textContent: data.statuses[row.status].name });
  $("which").replaceChildren(paint(title, row.status), ` ${row.name} ${row.shape} ${row.dtype}`);
  $("remarks").replaceChildren(...row.remarks.map((text) => make("p", { textContent: text })));
  $("figures").replaceChildren(...row.details.flatMap(([label, text]) =>
    [make("dt", { textContent: label }), make("dd", { textContent: text })]));
  remember();
}

// ---- the address has the state, so that a view can be handed on

function remember() {
  const parts = new URLSearchParams();
  const names = [...state.statuses].map((s) => data.statuses[s].name);
  if (names.length) parts.set("status", names.join(","));
  if (state.text) parts.set("text", state.text);
  if (state.sort !== "gravity") parts.set("sort", state.sort);
  if (state.down) parts.set("down", "1");
  if (state.open >= 0) parts.set("open", state.open);
  history.replaceState(null, "", `#${parts}`);
}

function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const names = (parts.get("status") ?? "").split(",");
  state.statuses = new Set(data.statuses.flatMap((s, i) => (names.includes(s.name) ? [i] : [])));
  state.text = $("text").value = parts.get("text") ?? "";
  state.sort = SORTS.includes(parts.get("sort")) ? parts.get("sort") : "gravity";
  state.down = parts.get("down") === "1";
  const chosen = Number(parts.get("open") ?? -1);
  update();
  if (Number.isInteger(chosen) && chosen >= 0 && chosen < rows.length) open(chosen);
}

// ---- what the reader does

function rowOf(event) {
  const node = event.target.closest("[data-row]");
  return node ? Number(node.dataset.row) : -1;
}

function onKey(event) {
  const i = rowOf(event);
  if (i < 0) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Enter" || event.key === " ") open(i);
  else if (step) focusRow(shown.indexOf(i) + step);
  else return;
  event.preventDefault();
}

function focusRow(at) {
  if (at < 0 || at >= shown.length) return;
  const list = $("list"), top = at * HEIGHT, room = list.clientHeight - 2 * HEIGHT;
  if (top < list.scrollTop) list.scrollTop = top;
  if (top > list.scrollTop + room) list.scrollTop = top - room;
  draw();
  document.querySelector(`#rows tr[data-row="${shown[at]}"]`)?.focus();
}

function sortBy(column) {
  state.down = state.sort === column ? !state.down : !Object.hasOwn(KEYS, column);
  state.sort = column;
  update();
}

function toggle(status) {
  if (!state.statuses.delete(status)) state.statuses.add(status);
  update();
}

function onTheme() {
  const next = { "": "light", light: "dark", dark: "" }[document.documentElement.dataset.theme ?? ""];
  document.documentElement.dataset.theme = next;
  $("theme").textContent = `Theme: ${next || "auto"}`;
}

function start() {
  data.statuses.forEach((status, i) => {
    const used = rows.filter((row) => row.status === i).length;
    if (!used) return;
    const chip = make("button", { className: "chip", type: "button" }, `${status.name} ${used.toLocaleString("en")}`);
    chip.dataset.status = i;
    chip.addEventListener("click", () => toggle(i));
    $("chips").append(paint(chip, i));
  });
  let timer = 0;
  $("text").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { state.text = $("text").value; update(); }, 120);
  });
  for (const head of document.querySelectorAll("#list th")) {
    head.querySelector("button").addEventListener("click", () => sortBy(head.dataset.sort));
  }
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  $("list").addEventListener("scroll", later);
  addEventListener("resize", later);
  $("list").addEventListener("click", (event) => { const i = rowOf(event); if (i >= 0) open(i); });
  $("list").addEventListener("keydown", onKey);
  $("theme").addEventListener("click", onTheme);
  addEventListener("hashchange", recall);
  recall();
}

start();
