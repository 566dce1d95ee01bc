"use strict";

function gold(article) { return article.querySelector("input[name=gold]"); }

function paint(article, row) {
  article.querySelectorAll("input[type=radio]").forEach((input) => { input.checked = input.value === row.scope_reason; });
  if (gold(article) !== document.activeElement) gold(article).value = (row.gold_answer || []).join("; ");
}

// The values of the answer are a column of their own: writing them changes no label.
function picked(row, input) {
  if (input.type !== "text") return input.value;
  const values = input.value.split(";").map((value) => whole(value.trim())).filter(Boolean);
  row.gold_answer = values.length ? values : null;
  return row.scope_reason;
}

// A problem waits for its answer; of anything else the label is all there is to say.
function pressed(key) {
  const outcome = payload.outcomes[Number(key) - 1];
  if (outcome) {
    change(current, outcome, payload.rows[current].note);
    if (outcome !== "ok") move(1);
  } else if (key === "a") gold(articles[current]).focus();
  else return false;
  return true;
}
