// The rows of every sheet's page; the part before says how a row's field is shown, picked and typed, the part behind
// where it is kept.
const payload = JSON.parse(document.getElementById("payload").textContent);
const articles = [...document.querySelectorAll("article")];
const progress = document.getElementById("progress");
const saved = document.getElementById("saved");
const field = payload.field;
const LONGEST_NOTE = 2000;
let current = 0;

// Whole characters only, by code points: cut anywhere else, half an emoji would be left.
function whole(text) {
  return [...text].filter((one) => one.length > 1 || one < "\ud800" || one > "\udfff").slice(0, LONGEST_NOTE).join("");
}

function show() {
  const done = payload.rows.filter((row) => row[field] !== null).length;
  progress.textContent = done + " of " + payload.rows.length + " " + payload.done;
  articles.forEach((article, index) => {
    const row = payload.rows[index];
    paint(article, row);
    const note = article.querySelector("input[type=text]");
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
  row[field] = value;
  row.note = whole(note);
  keep(row, row.note !== note);
  show();
}

function move(step) {
  current = Math.min(articles.length - 1, Math.max(0, current + step));
  show();
  articles[current].scrollIntoView({ block: "start" });
}

articles.forEach((article, index) => {
  // A click comes before the change of the input it hits: painting the old value here would undo the choice.
  article.addEventListener("click", () => { current = index; point(); });
  article.addEventListener("change", (event) => {
    const row = payload.rows[index];
    if (event.target.type === "text") change(index, row[field], event.target.value);
    else change(index, picked(row, event.target), row.note);
  });
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !articles.length) return;
  if (event.target.type === "text") { if (event.key === "Escape") event.target.blur(); return; }
  if (event.key === "0") change(current, null, payload.rows[current].note);
  else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "n") articles[current].querySelector("input[type=text]").focus();
  else if (!pressed(event.key)) return;
  event.preventDefault();
});

document.getElementById("download").addEventListener("click", () => {
  const lines = [payload.header, ...payload.rows].map((record) => JSON.stringify(record) + "\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  link.download = payload.header.sheet_id + ".jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
