// Facts of the trace and of what analysed it, as names and values.

function seconds(value) {
  return value < 1e-3 ? `${(value * 1e6).toFixed(0)} \u00b5s`
    : value < 1 ? `${(value * 1e3).toFixed(value < 0.01 ? 2 : 1)} ms` : `${value.toFixed(2)} s`;
}

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1000 && unit + 1 < units.length; unit++)
    value /= 1024;
  return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

function verdictOf(result) {
  return result.serializable === true ? "serializable"
    : result.serializable === false ? "not serializable" : "undecided";
}

function foundFacts(result) {
  return [
    ["Verdict", verdictOf(result)],
    ["First bad event", result.first_bad_event === null ? "none" : digits(result.first_bad_event)],
    ["Violated blocks", result.violation_count === null ? "\u2013" : digits(allViolated(result))],
  ];
}

// "1 block", "2 blocks"; what is a sum of several things stays as it is.
function storageText(made) {
  const unit = made.storage === 1 && !made.storage_unit.includes(" and ")
    ? made.storage_unit.replace(/^(\S*)s(?= |$)/, "$1") : made.storage_unit;
  return `${digits(made.storage)} ${unit}`;
}

function predictedFacts(made) {
  return [
    ["Blocks reported", `${digits(allReported(made))} of ${digits(made.block_count)}`],
    ["Violations", digits(made.verdicts.violation)],
    ["Potential", digits(made.verdicts.potential)],
    ["Not decided in time", made.verdicts.timeout ? digits(made.verdicts.timeout) : null],
    ["Atomic by the static check", made.static_proofs === undefined ? null : digits(made.static_proofs)],
    ["Atomic means", made.notion],
    ["Method", made.method],
    ["Storage", made.storage === undefined ? null : storageText(made)],
  ];
}

// A page has a few blocks of each finding, and as many findings as it has room for. JSON has all.
function leftOutWords({ findings, blocks, dependences }) {
  const parts = [findings ? count(findings, "finding") : "", blocks ? count(blocks, "block") : "",
    dependences ? count(dependences, "dependence") : ""].filter((part) => part);
  return parts.length ? `${parts.join(", ")}; --format json has all` : null;
}

function traceFacts(data, result) {
  const trace = data.trace;
  const number = (value) => value === undefined ? null : digits(value);
  return [
    ["Program or trace", trace.file],
    ...(result.prediction ? predictedFacts(result.prediction) : foundFacts(result)),
    ["Events", number(trace.events)],
    ["Threads", number(trace.threads)],
    ["Variables", number(trace.variables)],
    ["Locks", number(trace.locks)],
    ["Channels", number(trace.channels)],
    ["Blocks", number(trace.blocks)],
    ["Deepest nesting", number(trace.deepest)],
    ["Left out of this page", leftOutWords(leftOutOfPage(result))],
    ["Complete", trace.cut ? "no: the file is truncated"
      : trace.truncated && !result.stopped ? "no: it ends inside blocks or critical sections" : null],
    ["Reading", result.stopped ? "stopped at the first finding" : null],
    ["Engine", result.engine],
    ["Relation", { data: "data: lock order does not count", locks: "locks: lock order counts" }[result.relation]],
    ["Time in the engine", result.time_seconds === undefined ? null : seconds(result.time_seconds)],
    ["Largest state", result.peak_state_bytes === undefined ? null : bytes(result.peak_state_bytes)],
    ["Gave up", result.gave_up],
  ].filter(([, value]) => value !== null && value !== undefined);
}

function drawTable(head, left, rows) {
  return el("table", { class: "engines" },
    el("thead", {}, el("tr", {}, ...head.map((text, index) =>
      el("th", { scope: "col", class: index < left ? null : "number", text })))),
    el("tbody", {}, ...rows.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row", text: first }),
      ...rest.map((text, index) => el("td", { class: index + 1 < left ? null : "number", text }))))));
}

function drawEngines(results) {
  return drawTable(["engine", "verdict", "first bad event", "violated blocks", "time", "peak state"], 2,
    results.map((result) => [result.engine, verdictOf(result),
      result.first_bad_event === null ? "\u2013" : digits(result.first_bad_event),
      result.violation_count === null ? "\u2013" : digits(allViolated(result)),
      result.time_seconds === undefined ? "" : seconds(result.time_seconds),
      result.peak_state_bytes === undefined ? "" : bytes(result.peak_state_bytes)]));
}

function drawAnalyses(results) {
  return drawTable(
    ["engine", "notion", "reported", "violation", "potential", "timeout", "time", "storage"], 2,
    results.map(({ prediction: made }) => [made.engine, made.notion || "",
      `${digits(allReported(made))} of ${digits(made.block_count)}`, digits(made.verdicts.violation),
      digits(made.verdicts.potential), digits(made.verdicts.timeout), seconds(made.seconds),
      made.storage === undefined ? "" : storageText(made)]));
}

function drawList(title, items) {
  return items.length ? el("div", { class: "trace-list" }, el("h3", { text: title }),
    el("ul", {}, ...items.map((text) => el("li", { text })))) : "";
}

function drawTrace(section, data, results, result) {
  section.replaceChildren(
    el("h2", { id: "trace-title", text: "Trace" }),
    el("dl", {}, ...traceFacts(data, result).map(([name, value]) =>
      el("div", {}, el("dt", { text: name }), el("dd", { text: value })))),
    drawList("Caveats", result.prediction ? result.prediction.caveats : []),
    drawList("Predictions", (result.predictions || []).filter((prediction) => !prediction.folded)
      .map((prediction) => prediction.sentence)),
    drawList("Repairs", (result.repairs || []).map((repair) =>
      `${repair.kind}: ${count(repair.count, "event")}, first event ${digits(repair.first_event)}`)),
    results.length > 1 ? el("h3", { text: "Engines" }) : "",
    data.agree === false ? el("p", { class: "alarm", text: "The engines disagree about the verdict." }) : "",
    results.length < 2 ? "" : result.prediction ? drawAnalyses(results) : drawEngines(results));
}
