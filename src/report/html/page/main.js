// Puts the parts together: what is chosen, what the keys do, what the address says.

const data = JSON.parse(byId("report-data").textContent);
const sources = indexSources(JSON.parse(byId("source-data").textContent));
const results = data.too_large ? [] : readResults(data);
const state = {
  result: null, findings: [], byEvent: new Map(), total: 0, known: null, groups: [], group: -1, position: 0,
};
const fields = {
  search: byId("search"), function: byId("filter-function"), file: byId("filter-file"),
  thread: byId("filter-thread"), kind: byId("filter-kind"), review: byId("filter-review"), sort: byId("sort"),
};
const list = new FindingList(byId("list"), byId("rows"), openGroup);

// ---- The finding that is shown ----

let frame = 0;

// With the next frame: who holds a key down passes many findings, and needs to see none of them.
function showSoon() {
  if (!frame)
    frame = requestAnimationFrame(showFinding);
}

function showFinding() {
  const group = state.groups[state.group];
  const section = byId("finding");
  cancelAnimationFrame(frame);
  frame = 0;
  if (!group) {
    drawNothing(section, state.result, state.findings.length > 0);
    return;
  }
  const finding = group[state.position];
  drawFinding(section, {
    finding, group, sources, position: state.position,
    byEvent: state.byEvent, turn: turnInGroup, open: openFinding,
    suppressions: data.suppressions || [], reviewed: showReviewed,
  });
  noteAddress(`#finding-${finding.index + 1}`);
}

let addressTimer = 0;

// Browsers let a page change its address so often and no more: wait until somebody stays.
function noteAddress(fragment) {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => history.replaceState(null, "", fragment), 300);
}

function focusFinding() {
  const title = byId("finding-title");
  title.focus({ preventScroll: true });
  byId("finding").scrollIntoView({ block: "start" });
}

function openGroup(index, focus) {
  const fresh = index !== state.group;
  state.group = index;
  if (fresh)
    state.position = 0;
  list.choose(index);
  if (fresh)
    showSoon();
  if (focus) {
    showFinding();
    focusFinding();
  }
}

function turnInGroup(step) {
  state.position += step;
  showFinding();
  focusFinding();
}

// Shows this very finding; the filters give way if they hide it.
function openFinding(finding) {
  if (!state.groups.some((group) => group.includes(finding)))
    clearFilters();
  state.group = state.groups.findIndex((group) => group.includes(finding));
  state.position = state.groups[state.group].indexOf(finding);
  list.choose(state.group);
  showFinding();
  focusFinding();
}

// ---- Filters ----

function clearFilters() {
  for (const name of ["search", "function", "file", "thread", "kind", "review"])
    fields[name].value = "";
  applyFilters();
}

// How many findings there are, and of how many blocks; what is not in the report, and what is not in the page.
function showCount(shown) {
  const rows = state.groups.length;
  const all = byId("merge").checked ? state.total : state.findings.length;
  const absent = leftOutOfPage(state.result);
  const hidden = allViolated(state.result) - state.result.violations.length - absent.blocks;
  let words = rows === all ? count(all, "finding") : `${digits(rows)} of ${count(all, "finding")}`;
  if (shown !== rows)
    words += `, ${count(shown, "block")}`;
  byId("count").textContent = words;
  if (hidden > 0 && !state.result.stopped)
    byId("count").append(`; ${count(hidden, "more block")} ${hidden === 1 ? "is" : "are"} not in this report (`, code("--limit 0"), " lists all)");
  if (absent.findings)
    byId("count").append(`; ${count(absent.findings, "finding")} left out, since this page has a limit (`,
      code("--format json"), " has all)");
}

// The suppressions of what was reviewed.
function showExports() {
  const lines = reviewedSuppressions(state.findings);
  byId("exports").hidden = lines.length === 0;
  byId("export-count").textContent = `${count(lines.length, "suppression")} of what is reviewed: `;
}

function exportedText() {
  return reviewedSuppressions(state.findings).map((line) => `${line}\n`).join("");
}

function showReviewed() {
  list.redraw();
  showExports();
  if (fields.review.value !== "")
    applyFilters();
  else
    showFinding();
}

// Keeps the finding that is shown, if it is still there.
function applyFilters() {
  const before = state.groups[state.group] && state.groups[state.group][state.position];
  const wish = {};
  for (const [name, field] of Object.entries(fields))
    wish[name] = field.value.trim();
  const chosen = chooseFindings(state.findings, wish, state.known);
  state.groups = groupFindings(chosen, byId("merge").checked);
  let group = before ? state.groups.findIndex((entries) => entries.includes(before)) : -1;
  const kept = group >= 0;
  if (!kept)
    group = state.groups.length ? 0 : -1;
  state.group = group;
  state.position = kept ? state.groups[group].indexOf(before) : 0;
  list.show(state.groups, group);
  showCount(chosen.length);
  showExports();
  showFinding();
}

// The names that findings have, the most frequent first; a long list helps nobody to choose.
function fillNames(id, property) {
  const most = 200;
  const times = new Map();
  for (const finding of state.findings)
    for (const name of finding[property])
      times.set(name, (times.get(name) || 0) + 1);
  const names = [...times.keys()].sort((a, b) => times.get(b) - times.get(a) || compareText(a, b));
  byId(id).replaceChildren(...names.slice(0, most).map((name) => el("option", { value: name })));
  return new Set(names);
}

function fillKinds() {
  const present = new Set(state.findings.flatMap((finding) => finding.kinds));
  fields.kind.replaceChildren(el("option", { value: "", text: "any" }),
    ...Object.entries(KINDS).filter(([kind]) => present.has(kind)).map(([kind, words]) =>
      el("option", { value: kind, text: words })));
}

function pickBlock(name) {
  clearFilters();
  fields.function.value = name;
  byId("more").open = true;
  applyFilters();
  byId("list").focus();
  window.scrollTo(0, 0);
}

// ---- A result ----

function drawVerdict(result) {
  const failed = (result.failures || []).length > 0;
  const good = result.serializable === true && !allViolated(result) && !result.unchecked && !failed;
  const reasons = result.unchecked ? result.unchecked.reasons : [];
  byId("verdict").replaceChildren(el("span", { class: good ? "good" : "bad", text: result.summary }),
    ...reasons.map((text) => el("span", { class: "reason", text })));
}

function showResult(result) {
  state.result = result;
  state.findings = listFindings(result);
  state.byEvent = groupBy(state.findings, eventKey);
  state.total = groupFindings(state.findings, true).length;
  state.groups = [];
  state.group = -1;
  state.known = {
    functions: fillNames("functions", "functions"), files: fillNames("files", "files"),
    threads: fillNames("threads", "threads"),
  };
  fillKinds();
  byId("merge-choice").hidden = state.total === state.findings.length;
  for (const id of ["filters", "list", "keys"])
    byId(id).hidden = state.findings.length === 0;
  drawVerdict(result);
  drawBlocks(byId("blocks"), result, pickBlock);
  drawTrace(byId("trace"), data, results, result);
  applyFilters();
}

// ---- Keys ----

function isTyping(node) {
  return node instanceof Element && node.matches("input, select, textarea");
}

function onKey(press) {
  if (press.ctrlKey || press.metaKey || press.altKey || press.defaultPrevented)
    return;
  const typing = isTyping(press.target);
  if (press.key === "Escape") {
    leave(press.target);
  } else if (press.key === "Enter" && press.target === fields.search) {
    press.preventDefault();
    byId("list").focus();
  } else if (press.key === "/" && !typing) {
    press.preventDefault();
    fields.search.focus();
    fields.search.select();
  } else if ((press.key === "j" || press.key === "k") && !typing) {
    list.step(press.key === "j" ? 1 : -1);
  }
}

// A search is cleared first; from anywhere else one is back in the list.
function leave(node) {
  if (node === fields.search && node.value !== "") {
    node.value = "";
    applyFilters();
  } else {
    byId("list").focus();
  }
}

// ---- Paper ----

let closedDetails = [];

function openForPrint() {
  closedDetails = [...document.querySelectorAll("details:not([open])")];
  for (const details of closedDetails)
    details.open = true;
}

function closeAfterPrint() {
  for (const details of closedDetails)
    details.open = false;
}

// ---- Start ----

function start() {
  const wanted = /^#finding-(\d+)$/.exec(location.hash);
  document.title = `${data.trace.file} \u2013 seriatim`;
  byId("subject").textContent = data.trace.file;
  for (const [name, [words]] of Object.entries(ORDERS))
    fields.sort.append(el("option", { value: name, text: words }));
  results.forEach((result, index) =>
    byId("engine").append(el("option", { value: index, text: result.engine })));
  byId("engine-choice").hidden = results.length < 2;
  byId("engine").value = String(results.indexOf(bestResult(results)));
  byId("engine").addEventListener("change", (change) => showResult(results[change.target.value]));
  for (const field of Object.values(fields))
    field.addEventListener("input", applyFilters);
  byId("merge").addEventListener("change", applyFilters);
  byId("export-copy").addEventListener("click", () => copyText(exportedText()));
  byId("export-save").addEventListener("click", () => saveText("seriatim.supp", exportedText()));
  byId("filters").addEventListener("submit", (submit) => submit.preventDefault());
  document.addEventListener("keydown", onKey);
  window.addEventListener("beforeprint", openForPrint);
  window.addEventListener("afterprint", closeAfterPrint);
  new ResizeObserver(([head]) => document.documentElement.style.setProperty("--head",
    `${head.borderBoxSize[0].blockSize}px`)).observe(document.querySelector(".top"));
  showResult(bestResult(results));
  const finding = wanted && state.findings.find((f) => f.index + 1 === Number(wanted[1]));
  if (finding)
    openFinding(finding);
}

function startEmpty() {
  document.title = "seriatim";
  byId("side").hidden = true;
  byId("finding").replaceChildren(el("h2", { id: "finding-title", text: "This result is too large for a page" }),
    el("p", { class: "note", text: "Write it as text, JSON or SARIF, or list fewer findings with --limit." }));
}

if (data.too_large)
  startEmpty();
else
  start();
