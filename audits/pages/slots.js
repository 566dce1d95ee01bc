"use strict";

function paint(article, row) {
  const choice = row.choice || [];
  article.querySelectorAll("input[type=checkbox]").forEach((input) => {
    const place = choice.indexOf(Number(input.value));
    input.checked = place >= 0;
    input.closest("label").querySelector(".rank").textContent = place >= 0 && choice.length > 1 ? "taken " + (place + 1) + "." : "";
  });
}

function toggled(row, candidate) {
  const choice = (row.choice || []).filter((one) => one !== candidate);
  if (choice.length === (row.choice || []).length) choice.push(candidate);
  return choice.length ? choice : null;
}

function picked(row, input) { return toggled(row, Number(input.value)); }

function pressed(key) {
  const row = payload.rows[current];
  const candidate = row.candidates.find((one) => String(one.candidate) === key);
  if (!candidate) return false;
  change(current, toggled(row, candidate.candidate), row.note);
  return true;
}
