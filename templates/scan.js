"use strict";
// The report's list and source pane. All text of the scanned project comes in as data and is only
// ever set as textContent.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const HEIGHT = 28; // of a row, as in the style sheet
const SPARE = 20; // rows drawn beyond what is seen
const WINDOW = 3000; // lines of a file shown around the chosen one
const total = data.line.length;
const state = { verdicts: new Set(), file: "", text: "", sort: "place", down: false, open: -1 };
let shown = [];
let drawnFile = -1;
let drawnFrom = 0;

const texts = (column) => (i) => data.strings[column[i]];
const fileOf = (i) => data.files[data.file[i]];
const apiOf = texts(data.api);
const noteOf = texts(data.note);
const verdictOf = (i) => data.verdicts[data.verdict[i]];

function ranks(values) {
  const order = [...values.keys()].sort((a, b) => (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0));
  const rank = new Uint32Array(values.length);
  order.forEach((value, place) => { rank[value] = place; });
  return rank;
}
const stringRank = ranks(data.strings);
const place = (i) => data.file[i] * 1e9 + data.cell[i] * 1e6 + data.line[i];
const KEYS = {
  place,
  verdict: (i) => data.verdict[i],
  api: (i) => stringRank[data.api[i]],
  note: (i) => stringRank[data.note[i]],
};

function make(tag, options = {}, ...children) {
  const node = Object.assign(document.createElement(tag), options);
  node.append(...children);
  return node;
}

function paint(node, verdict) {
  node.style.setProperty("--c", `var(--${verdict.style})`);
  return node;
}

// ---- filter and sort

function choose() {
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  const file = state.file.toLowerCase();
  const inFile = data.files.map((name) => name.toLowerCase().includes(file));
  const inText = data.strings.map((text) => words.map((word) => text.toLowerCase().includes(word)));
  const found = [];
  for (let i = 0; i < total; i++) {
    if (state.verdicts.size && !state.verdicts.has(data.verdict[i])) continue;
    if (!inFile[data.file[i]]) continue;
    const api = inText[data.api[i]], note = inText[data.note[i]];
    if (words.every((_, w) => api[w] || note[w])) found.push(i);
  }
  const key = KEYS[state.sort] ?? place, sign = state.down ? -1 : 1;
  const keys = new Float64Array(total);
  for (const i of found) keys[i] = key(i);
  shown = found.sort((a, b) => sign * (keys[a] - keys[b]) || place(a) - place(b) || a - b);
}

function update() {
  choose();
  $("count").textContent = `${shown.length.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  for (const chip of document.querySelectorAll(".chip")) {
    chip.setAttribute("aria-pressed", state.verdicts.has(Number(chip.dataset.verdict)));
  }
  for (const button of document.querySelectorAll("#effort button")) {
    button.addEventListener("click", () => {
      state.file = $("file").value = button.dataset.file;
      update();
    });
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

// ---- the list: only the rows that are seen are in the page

function draw() {
  const list = $("list");
  const from = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - SPARE);
  const to = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + SPARE);
  const rows = shown.slice(from, to).map(row);
  $("rows").replaceChildren(edge(from), ...rows, edge(shown.length - to));
}

function edge(count) {
  const cell = make("td", { className: "gap", colSpan: 4 });
  cell.style.height = `${count * HEIGHT}px`;
  const node = make("tr", { className: "edge" }, cell);
  node.setAttribute("aria-hidden", "true");
  return node;
}

function where(i) {
  return data.cell[i] ? `cell ${data.cell[i]}:${data.line[i]}` : `${data.line[i]}`;
}

function row(i) {
  const verdict = verdictOf(i);
  const at = `${fileOf(i)}:${where(i)}`;
  const node = make("tr", { tabIndex: 0 },
    paint(make("td", { className: "verdict", textContent: verdict.name }), verdict),
    make("td", { className: "mono", textContent: apiOf(i), title: apiOf(i) }),
    make("td", { className: "mono", textContent: at, title: at }),
    make("td", { textContent: noteOf(i), title: noteOf(i) }));
  node.dataset.row = i;
  node.setAttribute("aria-selected", i === state.open);
  return node;
}

// ---- the source

async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return (await new Response(stream).text()).split("\n");
}

async function open(i) {
  state.open = i;
  for (const node of document.querySelectorAll("#rows tr[data-row]")) {
    node.setAttribute("aria-selected", Number(node.dataset.row) === i);
  }
  $("where").textContent = `${fileOf(i)}:${where(i)}`;
  tell(i);
  remember();
  const packed = data.sources[data.file[i]];
  if (packed === undefined) {
    $("code").replaceChildren(make("div", { textContent: "The source is not in the report." }));
    drawnFile = -1;
    return;
  }
  const at = data.line[i] + data.shift[i];
  const isDrawn = drawnFile === data.file[i] && at > drawnFrom && at <= drawnFrom + WINDOW;
  if (!isDrawn) drawSource(data.file[i], await unpacked(packed), at);
  jump(i, at);
}

function tell(i) {
  const edit = data.strings[data.edit[i]], verdict = verdictOf(i);
  const title = make("b", { className: "verdict", textContent: verdict.name });
  const code = data.code[i] && data.code[i] !== apiOf(i) ? ` ${data.code[i]} ` : " ";
  const parts = [make("p", {}, paint(title, verdict), code, make("code", { textContent: apiOf(i) }))];
  if (noteOf(i)) parts.push(make("p", { textContent: noteOf(i) }));
  if (edit) parts.push(make("pre", { className: "mono", textContent: edit }));
  $("note").replaceChildren(...parts);
}

function drawSource(file, lines, at) {
  const marked = new Map();
  for (let i = 0; i < total; i++) {
    if (data.file[i] !== file || !data.told[i]) continue;
    const line = data.line[i] + data.shift[i];
    marked.set(line, [...(marked.get(line) ?? []), i]);
  }
  drawnFile = file;
  drawnFrom = Math.max(0, at - WINDOW / 2);
  const nodes = lines.slice(drawnFrom, drawnFrom + WINDOW).map((text, n) => {
    const number = drawnFrom + n + 1;
    const node = make("div", { textContent: text });
    node.dataset.line = number;
    const found = marked.get(number);
    if (found) {
      const worst = found.reduce((a, b) => (data.grave[b] > data.grave[a] ? b : a));
      paint(node, verdictOf(worst)).classList.add("marked");
      node.title = found.map((i) => `${verdictOf(i).name}: ${noteOf(i) || apiOf(i)}`).join("\n");
      node.dataset.row = worst;
    }
    return node;
  });
  $("code").replaceChildren(...nodes);
}

function jump(i, at) {
  for (const node of document.querySelectorAll("#code .chosen")) {
    node.classList.remove("chosen");
    node.textContent = node.textContent;
  }
  const node = $("code").children[at - 1 - drawnFrom];
  if (!node) return;
  node.classList.add("chosen");
  underline(node, i);
  if (matchMedia("(max-width: 900px)").matches) $("source").scrollIntoView();
  const code = $("code"); // only it is scrolled, not the page around it
  code.scrollLeft = 0;
  code.scrollTop += node.getBoundingClientRect().top - code.getBoundingClientRect().top - code.clientHeight / 2;
}

function underline(node, i) {
  // Columns count characters, JavaScript's strings count UTF-16 units.
  const points = [...node.textContent];
  const from = data.column[i] - 1;
  const to = data.endLine[i] === data.line[i] ? data.endColumn[i] - 1 : points.length;
  if (from < 0 || to <= from) return;
  const part = (a, b) => points.slice(a, b).join("");
  node.replaceChildren(part(0, from), paint(make("mark", { textContent: part(from, to) }), verdictOf(i)), part(to));
}

// ---- the address has the state, so that a view can be handed on

function remember() {
  const parts = new URLSearchParams();
  const names = [...state.verdicts].map((v) => data.verdicts[v].name);
  if (names.length) parts.set("verdict", names.join(","));
  for (const name of ["file", "text"]) if (state[name]) parts.set(name, state[name]);
  if (state.sort !== "place") parts.set("sort", state.sort);
  if (state.down) parts.set("down", "1");
  if (state.open >= 0) parts.set("open", state.open);
  history.replaceState(null, "", `#${parts}`);
}

function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const names = (parts.get("verdict") ?? "").split(",");
  state.verdicts = new Set(data.verdicts.flatMap((v, i) => (names.includes(v.name) ? [i] : [])));
  state.file = $("file").value = parts.get("file") ?? "";
  state.text = $("text").value = parts.get("text") ?? "";
  state.sort = Object.hasOwn(KEYS, parts.get("sort")) ? parts.get("sort") : "place";
  state.down = parts.get("down") === "1";
  const chosen = Number(parts.get("open") ?? -1);
  update();
  if (Number.isInteger(chosen) && chosen >= 0 && chosen < total) {
    const at = shown.indexOf(chosen);
    if (at >= 0) $("list").scrollTop = Math.max(0, at * HEIGHT - $("list").clientHeight / 2);
    draw();
    open(chosen);
  }
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

function toggle(verdict) {
  if (!state.verdicts.delete(verdict)) state.verdicts.add(verdict);
  update();
}

function sortBy(column) {
  state.down = state.sort === column && !state.down;
  state.sort = column;
  update();
}

function onTheme() {
  const next = { "": "light", light: "dark", dark: "" }[document.documentElement.dataset.theme ?? ""];
  document.documentElement.dataset.theme = next;
  $("theme").textContent = `Theme: ${next || "auto"}`;
}

function start() {
  const used = new Uint32Array(data.verdicts.length);
  for (const verdict of data.verdict) used[verdict]++;
  data.verdicts.forEach((verdict, i) => {
    if (!used[i]) return;
    const chip = make("button", { className: "chip", type: "button" }, `${verdict.name} ${used[i].toLocaleString("en")}`);
    chip.dataset.verdict = i;
    chip.addEventListener("click", () => toggle(i));
    $("chips").append(paint(chip, verdict));
  });
  let timer = 0;
  for (const name of ["file", "text"]) {
    $(name).addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => { state[name] = $(name).value; update(); }, 120);
    });
  }
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
  $("code").addEventListener("click", (event) => { const i = rowOf(event); if (i >= 0) open(i); });
  $("theme").addEventListener("click", onTheme);
  addEventListener("hashchange", recall);
  recall();
}

start();
