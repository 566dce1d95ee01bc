"use strict";
const payload = JSON.parse(document.getElementById("payload").textContent);
const articles = [...document.querySelectorAll("article")];
const progress = document.getElementById("progress");
const saved = document.getElementById("saved");
const memory = "wordquarry-sheet-" + payload.header.sheet_id;
let current = 0;

function remember() {
  if (payload.token) return;
  const state = payload.rows.map((row) => [row.verdict, row.note]);
  try { localStorage.setItem(memory, JSON.stringify(state)); } catch (error) { saved.textContent = "not kept by this browser: download before closing"; }
}

function recall() {
  if (payload.token) return;
  try {
    const state = JSON.parse(localStorage.getItem(memory) || "[]");
    state.forEach(([verdict, note], index) => {
      const row = payload.rows[index];
      if (row && row.verdict === null && !row.note) { row.verdict = verdict; row.note = note; }
    });
  } catch (error) { localStorage.removeItem(memory); }
}

async function save(row) {
  if (!payload.token) return;
  saved.textContent = "saving";
  try {
    const answer = await fetch("verdict", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Sheet-Token": payload.token },
      body: JSON.stringify({ post_id: row.post_id, verdict: row.verdict, note: row.note }),
    });
    saved.textContent = answer.ok ? "saved" : "not saved: " + (await answer.text());
  } catch (error) { saved.textContent = "not saved: the server is gone; download the sheet"; }
}

function show() {
  const judged = payload.rows.filter((row) => row.verdict !== null).length;
  progress.textContent = judged + " of " + payload.rows.length + " judged";
  articles.forEach((article, index) => {
    const row = payload.rows[index];
    article.classList.toggle("current", index === current);
    article.querySelectorAll("input[type=radio]").forEach((input) => { input.checked = input.value === row.verdict; });
    const note = article.querySelector("input[type=text]");
    if (note !== document.activeElement) note.value = row.note;
  });
}

function change(index, verdict, note) {
  const row = payload.rows[index];
  row.verdict = verdict;
  row.note = note.slice(0, 2000);
  remember();
  show();
  save(row);
}

function move(step) {
  current = Math.min(articles.length - 1, Math.max(0, current + step));
  show();
  articles[current].scrollIntoView({ block: "start" });
}

articles.forEach((article, index) => {
  article.addEventListener("click", () => { current = index; show(); });
  article.addEventListener("change", (event) => {
    const row = payload.rows[index];
    if (event.target.type === "radio") change(index, event.target.value, row.note);
    else change(index, row.verdict, event.target.value);
  });
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.type === "text") { if (event.key === "Escape") event.target.blur(); return; }
  const verdicts = { 1: "right", 2: "wrong", 3: "unsure", 0: null };
  if (event.key in verdicts) {
    change(current, verdicts[event.key], payload.rows[current].note);
    if (event.key !== "0") move(1);
  } else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "n") articles[current].querySelector("input[type=text]").focus();
  else return;
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

recall();
show();
