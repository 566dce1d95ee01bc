// The rows of every sheet's page; the part before says how a row's field is shown, picked and typed, the part behind
// where it is kept.
const payload = JSON.parse(document.getElementById("payload").textContent);
const articles = [...document.querySelectorAll("article")];
const progress = document.getElementById("progress");
const saved = document.getElementById("saved");
const bar = document.getElementById("bar");
const keys = document.getElementById("keys");
const nothing = document.getElementById("nothing");
const undoButton = document.getElementById("undo");
const byStratum = document.getElementById("by-stratum");
const bySaid = document.getElementById("by-said");
const field = payload.field;
const LONGEST_NOTE = 2000;
const steps = [];
let current = 0;

// Whole characters only, by code points: cut anywhere else, half an emoji would be left.
function whole(text) {
  return [...text].filter((one) => one.length > 1 || one < "\ud800" || one > "\udfff").slice(0, LONGEST_NOTE).join("");
}

function show() {
  const done = payload.rows.filter((row) => row[field] !== null).length;
  progress.textContent = done + " of " + payload.rows.length + " " + payload.done;
  bar.value = done;
  undoButton.disabled = steps.length === 0;
  articles.forEach((article, index) => {
    const row = payload.rows[index];
    paint(article, row);
    const note = article.querySelector("input[name=note]");
    if (note !== document.activeElement) note.value = row.note;
    showUnseen(article, row);
  });
  point();
}

function point() {
  articles.forEach((article, index) => { article.classList.toggle("current", index === current); });
}

function change(index, value, note) {
  const row = payload.rows[index];
  if (value !== row[field] || note !== row.note) steps.push({ index, value: row[field], note: row.note });
  set(index, value, note);
}

function set(index, value, note) {
  const row = payload.rows[index];
  row[field] = value;
  row.note = whole(note);
  keep(row, row.note !== note);
  show();
}

// What was last said on this page goes back to what the row held before: said anew, so that the log has both.
function undo() {
  const step = steps.pop();
  if (!step) return;
  goTo(step.index);
  set(step.index, step.value, step.note);
  progress.textContent += "; row " + payload.rows[step.index].row + " is as before";
}

function wanted(row) {
  const said = bySaid.value;
  const right = said === "" || (said === "open" && row[field] === null) || (said === "done" && row[field] !== null) || row[field] === said;
  return right && (!byStratum || !byStratum.value || row.stratum === byStratum.value);
}

// The row at hand stays until it is left, also where what was said of it takes it out of what is shown.
function filter() {
  articles.forEach((article, index) => { article.hidden = !wanted(payload.rows[index]) && index !== current; });
  nothing.hidden = articles.some((article) => !article.hidden);
}

function goTo(index) {
  current = index;
  filter();
  show();
  articles[current].scrollIntoView({ block: "start" });
  if (!keys.open) articles[current].focus({ preventScroll: true });
}

// The next row in a direction that is shown, or open where that is asked for; the row at hand where there is none.
function move(step, open) {
  let index = current + step;
  while (articles[index] && !(open ? payload.rows[index][field] === null && !articles[index].hidden : wanted(payload.rows[index]))) index += step;
  goTo(articles[index] ? index : current);
}

function chosen() {
  current = Math.max(0, payload.rows.findIndex(wanted));
  articles.forEach((article, index) => { article.hidden = !wanted(payload.rows[index]); });
  nothing.hidden = articles.some((article) => !article.hidden);
  show();
  window.scrollTo(0, 0);
}

// Who opens a sheet again goes on where they were.
function begin() {
  const open = payload.rows.findIndex((row) => row[field] === null);
  if (open > 0) goTo(open);
}

articles.forEach((article, index) => {
  // A click comes before the change of the input it hits: painting the old value here would undo the choice.
  article.addEventListener("click", () => { current = index; point(); });
  article.addEventListener("change", (event) => {
    const row = payload.rows[index];
    if (event.target.name === "note") change(index, row[field], event.target.value);
    else change(index, picked(row, event.target), row.note);
  });
});

document.addEventListener("keydown", (event) => {
  if (!articles.length || keys.open || event.altKey) return;
  if (event.target.type === "text") { if (event.key === "Escape") goTo(current); return; }
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !event.shiftKey) { event.preventDefault(); undo(); return; }
  if (event.ctrlKey || event.metaKey || event.target.tagName === "SELECT") return;
  if (event.key === "0") change(current, null, payload.rows[current].note);
  else if (event.key === "u") undo();
  else if (event.key === "?") keys.showModal();
  else if (event.key === "o") move(1, true);
  else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "n") articles[current].querySelector("input[name=note]").focus();
  else if (!pressed(event.key)) return;
  event.preventDefault();
});

undoButton.addEventListener("click", undo);
document.getElementById("help").addEventListener("click", () => keys.showModal());
document.getElementById("close-keys").addEventListener("click", () => keys.close());
[bySaid, byStratum].filter(Boolean).forEach((select) => select.addEventListener("change", chosen));

document.getElementById("download").addEventListener("click", () => {
  const records = payload.headless ? payload.rows : [payload.header, ...payload.rows];
  const lines = records.map((record) => JSON.stringify(record) + "\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  link.download = payload.header.sheet_id + ".jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
