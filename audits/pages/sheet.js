"use strict";
const verdicts = { 1: "right", 2: "wrong", 3: "unsure" };

function paint(article, row) {
  article.querySelectorAll("input[type=radio]").forEach((input) => { input.checked = input.value === row.verdict; });
}

function picked(row, input) { return input.value; }

function pressed(key) {
  if (!(key in verdicts)) return false;
  change(current, verdicts[key], payload.rows[current].note);
  move(1);
  return true;
}
