"use strict";

function paint(article, row) {
  article.querySelectorAll("input[type=radio]").forEach((input) => { input.checked = input.value === row.scope_reason; });
}

function picked(row, input) { return input.value; }

function pressed(key) {
  const outcome = payload.outcomes[Number(key) - 1];
  if (!outcome) return false;
  change(current, outcome, payload.rows[current].note);
  move(1);
  return true;
}
