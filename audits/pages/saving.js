// Where what is chosen is kept. A page that was opened as a file leaves it to the browser, to be downloaded. A page of a
// server sends each verdict to it, and the browser keeps it until the server has signed that it is saved. The server may
// come back at another port: the page asks at all ports of its sheet, and believes only what is signed with its key.
const server = payload.server;
const memory = "wordquarry-sheet-" + payload.header.sheet_id;
const drawer = "wordquarry-unsent-" + payload.header.sheet_id + "-";
const alarm = document.getElementById("alarm");
const strangers = document.getElementById("strangers");
const EVERY = 2000;
const PATIENCE = 5000;

function remember() {
  const state = payload.rows.map((row) => [row[field], row.note, row.gold_answer]);
  try { localStorage.setItem(memory, JSON.stringify(state)); } catch (error) { saved.textContent = "not kept by this browser: download before closing"; }
}

function recall() {
  try {
    const state = JSON.parse(localStorage.getItem(memory) || "[]");
    state.forEach(([value, note, answer], index) => {
      const row = payload.rows[index];
      if (!row || row[field] !== null || row.note || row.gold_answer) return;
      row[field] = value;
      row.note = whole(note);
      if (answer) row.gold_answer = answer;
    });
  } catch (error) { localStorage.removeItem(memory); }
}

const judged = server ? server.judged : {};
const waiting = [];
const unknown = [];
const places = new Map(payload.rows.map((row, index) => [row.post_id, index]));
let last = server ? server.last : 0;
let home = location.origin;
let given = "";
let there = true;
const told = { error: "", trouble: "", cut: false, stranger: false };
let busy = false;
let again = false;

function random() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function pageName() {
  try {
    const name = sessionStorage.getItem("wordquarry-page") || "page " + random();
    sessionStorage.setItem("wordquarry-page", name);
    return name;
  } catch (error) { return "page " + random(); }
}

const page = pageName();
const secret = server && crypto.subtle.importKey(
  "raw", Uint8Array.from(server.key.match(/../g), (two) => parseInt(two, 16)), { name: "HMAC", hash: "SHA-256" }, false, ["sign"],
);

async function sign(what, text) {
  const sum = await crypto.subtle.sign("HMAC", await secret, new TextEncoder().encode(what + "\n" + text));
  return [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function ask(place, path, text, signature) {
  const answer = await fetch(place + path, {
    method: "POST", body: text, credentials: "omit", redirect: "error", cache: "no-store",
    headers: { "Content-Type": "application/json", "X-Sheet-Signature": signature },
    signal: AbortSignal.timeout(PATIENCE),
  });
  const said = await answer.text();
  if (answer.headers.get("X-Sheet-Signature") !== await sign("answer " + path, said)) {
    if (place === location.origin) told.stranger = true;
    throw new Error("another program, or a server with another key");
  }
  return { ...JSON.parse(said), later: answer.status >= 500 };
}

// The browser keeps a verdict at once, and its signature as soon as there is one.
function store(one) {
  try { localStorage.setItem(drawer + one.key, JSON.stringify({ text: one.text, signature: one.signature, at: one.at })); one.kept = true; }
  catch (error) { one.kept = false; }
}

function drop(one) {
  const place = waiting.indexOf(one);
  if (place >= 0) waiting.splice(place, 1);
  try { localStorage.removeItem(drawer + one.key); } catch (error) { /* it was not kept there */ }
}

function keep(row, cut) {
  if (!server) { remember(); return; }
  const known = judged[row.post_id];
  waiting.filter((one) => one.refused && one.post_id === row.post_id).forEach(drop);
  const message = { post_id: row.post_id, verdict: row[field], note: row.note, key: random(), by: page, base: known ? known.seq : 0 };
  if (known) known.unseen = null;
  const one = { ...message, text: JSON.stringify(message), signature: "", at: Date.now() };
  waiting.push(one);
  told.cut = cut;
  store(one);
  one.signing = sign("ask /verdict", one.text).then((signature) => { one.signature = signature; store(one); });
  work();
}

// What the server says of a row counts, unless a newer verdict on it is still on its way.
function take(state) {
  judged[state.row_id] = state;
  const row = payload.rows[places.get(state.row_id)];
  if (!row || waiting.some((one) => one.post_id === state.row_id)) return;
  row[field] = state.verdict;
  row.note = state.note;
}

async function meet(place) {
  const nonce = random();
  const text = JSON.stringify({ nonce, after: last });
  const found = await ask(place, "/state", text, await sign("ask /state", text));
  if (found.nonce !== nonce) throw new Error("an old answer");
  found.rows.forEach(take);
  last = found.last < last ? 0 : found.last;
  home = place;
  told.stranger = false;
  told.trouble = found.trouble || "";
}

async function find() {
  told.stranger = false;
  try { await meet(home); return; } catch (error) { /* it may be elsewhere by now */ }
  const ports = server.ports.map((port) => "http://127.0.0.1:" + port);
  await Promise.any([...new Set([location.origin, given, ...ports])].filter(Boolean).map(meet));
}

async function deliver() {
  told.error = "";
  for (const one of [...waiting]) {
    if (one.refused) continue;
    await one.signing;
    const found = await ask(home, "/verdict", one.text, one.signature);
    told.trouble = found.trouble || "";
    if (found.key === one.key) { drop(one); take(found.row); tell(); }
    else if (found.later) { told.error = found.error; return; }
    else one.refused = found.error || "another answer than to this verdict";
  }
}

async function work(beat) {
  again = true;
  if (busy) return;
  busy = true;
  while (again) {
    again = false;
    try {
      if (beat || !there) await find();
      there = true;
      tell();
      await deliver();
    } catch (error) { there = false; again = false; }
    beat = false;
    tell();
    show();
  }
  busy = false;
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function unsaved() { return waiting.length === 1 ? "1 verdict is not saved" : waiting.length + " verdicts are not saved"; }

function tell() {
  const refused = waiting.filter((one) => one.refused);
  const kept = waiting.every((one) => one.kept) ? "This browser keeps what is not saved." : "This browser keeps nothing: do not close the page.";
  const lines = [];
  if (!there) lines.push("The server of this sheet is gone. " + (waiting.length ? unsaved() + ". " : "") + kept + " It is sent when the server is back.");
  if (!there && told.stranger) lines.push("What answers at its address does not know this page. If it is wordquarry, open the address that it printed.");
  if (there && told.error) lines.push(unsaved() + ": " + told.error + ". " + kept);
  refused.forEach((one) => lines.push(one.post_id + " was not saved: " + one.refused + ". Judge it again."));
  if (told.trouble) lines.push(told.trouble);
  say(document.getElementById("alarm-text"), lines.join("\n"));
  alarm.hidden = lines.length === 0;
  document.getElementById("alarm-gone").hidden = there;
  say(saved, waiting.length ? waiting.length + " not saved" : (told.cut ? "saved; the note was cut at " + LONGEST_NOTE + " characters" : "saved"));
  document.title = (waiting.length || !there ? "(" + waiting.length + " not saved) " : "") + heading;
}

// Two who judged a row without sight of each other: both are told, and whoever judges it again has settled it.
function showUnseen(article, row) {
  const box = article.querySelector(".unseen");
  const other = (judged[row.post_id] || {}).unseen;
  box.hidden = !other;
  if (!other) return;
  const who = other.by === "sheet" ? "in the sheet, by hand" : (other.by === page ? "on this page" : "on another page");
  const said = (other.verdict || "no verdict") + (other.note ? ", “" + other.note + "”" : "");
  say(box.querySelector("span"), "Judged otherwise " + who + ": " + said + ". The later one counts: " + (row[field] || "no verdict") + ".");
}

function settle(event) {
  const article = event.target.closest("article");
  const row = payload.rows[articles.indexOf(article)];
  const other = judged[row.post_id].unseen;
  const wanted = event.target.name === "other" ? other : { verdict: row[field], note: row.note };
  change(articles.indexOf(article), wanted.verdict, wanted.note);
}

// What this browser kept of earlier pages of this sheet. Only what this sheet's key has signed is sent without asking:
// another program may have had the port meanwhile and left something here.
async function reopen() {
  const found = [];
  for (const name of keptNames()) {
    try {
      const { text, signature, at } = JSON.parse(localStorage.getItem(name));
      const one = { ...JSON.parse(text), text, signature, at, kept: true };
      const genuine = signature === await sign("ask /verdict", text);
      if (!waiting.some((other) => other.key === one.key)) (genuine ? found : unknown).push({ ...one, name });
    } catch (error) { console.warn("not read: " + name); }
  }
  found.sort((one, other) => one.at - other.at);
  waiting.unshift(...found);
  found.forEach(showKept);
  askAbout();
  work(true);
}

function keptNames() {
  try { return Object.keys(localStorage).filter((name) => name.startsWith(drawer)); } catch (error) { return []; }
}

function showKept(one) {
  const row = payload.rows[places.get(one.post_id)];
  if (row) { row[field] = one.verdict; row.note = one.note; }
}

function askAbout() {
  const lines = unknown.map((one) => one.post_id + ": " + one.verdict + (one.note ? ", “" + one.note + "”" : ""));
  say(document.getElementById("strangers-text"), "This browser kept verdicts that this sheet's key did not sign:\n" + lines.join("\n"));
  strangers.hidden = unknown.length === 0;
}

function answerAbout(wanted) {
  unknown.splice(0).forEach((one) => {
    try { localStorage.removeItem(one.name); } catch (error) { /* nothing is kept then */ }
    const row = payload.rows[places.get(one.post_id)];
    if (wanted && row) { row[field] = one.verdict; row.note = whole(String(one.note)); keep(row, false); }
  });
  askAbout();
  show();
}

function useAddress() {
  const written = document.getElementById("address").value.match(/^\s*http:\/\/(?:127\.0\.0\.1|localhost):(\d{1,5})(?:\/|\s*$)/);
  given = written ? "http://127.0.0.1:" + written[1] : "";
  say(document.getElementById("address-said"), written ? "" : "That is no address of a server on this machine.");
  work(true);
}

const heading = document.title;
if (server) {
  document.querySelectorAll(".unseen button").forEach((button) => button.addEventListener("click", settle));
  document.getElementById("reach").addEventListener("click", useAddress);
  document.getElementById("send-strangers").addEventListener("click", () => answerAbout(true));
  document.getElementById("forget-strangers").addEventListener("click", () => answerAbout(false));
  window.addEventListener("beforeunload", (event) => { if (waiting.length) event.preventDefault(); });
  setInterval(() => work(true), EVERY);
  reopen();
} else recall();
show();
begin();
