// What could happen in other schedules: the JSON of `seriatim predict` in the shape of a result of
// `check`, so that list, filters, lanes and sources need not know the difference. Findings have their
// events in the order of the foreseen schedule.

const PREDICT_SCHEMA = "seriatim-predict/1";

function isReported(block) {
  return block.verdict === "potential" || block.verdict === "violation";
}

function allReported(prediction) {
  return prediction.verdicts.potential + prediction.verdicts.violation;
}

// Deadlocks belong to no engine: they are shown with each.
function foreseenResult(prediction, deadlocks, moreDeadlocks) {
  return {
    foreseen: true, prediction, deadlocks, moreDeadlocks,
    engine: prediction.engine, serializable: prediction.atomic, first_bad_event: null,
    violation_count: allReported(prediction), violations: prediction.blocks.filter(isReported),
    blocks: prediction.names.map((row) => ({ ...row, violated: row.reported })),
    repairs: prediction.repairs || [], stopped: false, time_seconds: prediction.seconds,
  };
}

// ---- Findings ----

// Each event once: what the schedule has, or else the begin and the steps, and in any case both ends
// of each dependence.
function foreseenOrder(block) {
  const events = new Map();
  const add = (event) => {
    const key = `${event.event} ${event.thread}`;
    if (!events.has(key))
      events.set(key, event);
  };
  const known = new Map(block.steps.map((step) => [step.event, step]));
  const shown = block.schedule && block.schedule.length
    ? block.schedule.map((event) => known.get(event.event) || event) : block.steps;
  if (!shown.some((event) => event.event === block.begin))
    add(block.entry);
  shown.forEach(add);
  block.steps.forEach(add);
  for (const edge of block.path) {
    add(edge.from);
    add(edge.to);
  }
  return [...events.values()];
}

// Where an engine gave no path, dependences between steps that follow each other.
function foreseenEdges(block) {
  if (block.path.length)
    return block.path;
  const edges = [];
  block.steps.slice(1).forEach((to, index) => {
    const from = block.steps[index];
    const [one, other] = [from.op, to.op];
    const target = one.slice(one.indexOf("("));
    const access = /^[rw]\(/.test(one) && /^[rw]\(/.test(other) && !(one[0] === "r" && other[0] === "r");
    if (access && from.thread !== to.thread && other.slice(1) === target)
      edges.push({ from, to, kind: "conflict", on: target.slice(1, -1) });
  });
  return edges;
}

function foreseenFinding(block, index, notion) {
  const order = foreseenOrder(block);
  const edges = foreseenEdges(block);
  const own = order.filter((event) => event.thread === block.thread);
  return {
    type: block.verdict === "violation" ? "foreseen" : "potential",
    state: block.state || "", suppressedBy: block.suppressed_by, index, edges, order,
    others: unique(block.steps.map((step) => step.thread)).filter((name) => name !== block.thread),
    name: block.block, thread: block.thread, depth: 0, begin: block.begin, end: block.end,
    loc: block.begin_loc || "", event: block.begin, proof: null, partial: edges.length < 2,
    pattern: block.pattern, on: block.on, why: block.why, witness: block.witness,
    ignoresReads: notion === "view", eventsOf: block.events_of,
    broken: block.broken_reads || [], shown: block.schedule ? block.schedule.length : 0,
    spans: [{
      thread: block.thread, name: block.block, begin: block.begin, end: null,
      last: own[own.length - 1].event, loc: block.begin_loc || "", violated: true,
    }],
  };
}

// A finding that is nothing but its steps.
function stepsFinding(type, name, steps, edges, index) {
  return {
    type, state: "", index, edges, order: steps, spans: [], name,
    others: unique(steps.slice(1).map((step) => step.thread)).filter((thread) => thread !== steps[0].thread),
    thread: steps[0].thread, depth: 0, begin: null, end: null, loc: steps[0].loc,
    event: steps[0].event, proof: null, partial: true, pattern: null, on: [], why: null,
    witness: [], broken: [], shown: 0,
  };
}

function raceFinding(race, index) {
  const edge = { from: race.first, to: race.second, kind: "conflict", on: race.on };
  return { ...stepsFinding("race", race.on, [race.first, race.second], [edge], index),
    suspected: race.suspected === true };
}

// All have taken a lock; then each waits for the next, and the last for the first.
function deadlockFinding(ring, index) {
  const edges = ring.map((wait, i) => {
    const next = ring[(i + 1) % ring.length];
    return { from: next.holds, to: wait.wants, kind: "lock", on: deed(wait.wants.op).target };
  });
  const locks = unique(ring.map((wait) => deed(wait.holds.op).target));
  const steps = [...ring.map((wait) => wait.holds), ...ring.map((wait) => wait.wants)];
  return stepsFinding("deadlock", enumerate(locks), steps, edges, index);
}

function deadlockConsequence(finding, event) {
  const edge = finding.edges.find((waiting) => waiting.to.event === event.event);
  return edge ? `waits for it while ${edge.from.thread} holds it` : "and holds it";
}

function foreseenFindings(result) {
  const findings = [];
  for (const block of result.violations)
    findings.push(foreseenFinding(block, findings.length, result.prediction.notion));
  for (const race of result.prediction.races || [])
    findings.push(raceFinding(race, findings.length));
  for (const ring of result.deadlocks)
    findings.push(deadlockFinding(ring, findings.length));
  return findings;
}

// ---- Words ----

function patternWords(finding) {
  const on = finding.on.length > 4 ? [...finding.on.slice(0, 3), `${finding.on.length - 3} more`]
    : finding.on;
  return [finding.pattern, on.length ? `on ${enumerate(on)}` : ""].filter((word) => word).join(" ");
}

function foreseenHeadline(finding) {
  if (finding.type === "race" && finding.suspected)
    return ["The locks held at accesses to ", code(finding.name), " do not all agree"];
  if (finding.type === "race")
    return [code(finding.thread), " and ", code(finding.others[0] || finding.thread), " may access ",
      code(finding.name), " at the same time"];
  if (finding.type === "deadlock")
    return [enumerate([finding.thread, ...finding.others]), " may wait for each other for ever"];
  const certain = finding.type === "foreseen";
  const others = finding.others.slice(0, 3);
  if (finding.others.length > 3)
    others.push("others");
  const between = !others.length ? [] : [": ", enumerate(others), certain
    ? others.length > 1 ? " come in between" : " comes in between" : " may come in between"];
  const what = !certain ? " may be cut"
    : finding.ignoresReads ? " is cut in an interleaving of this run's events"
      : " is cut in a schedule that the program could have taken";
  return [subject(finding), what, ", in thread ", code(finding.thread), ...between];
}

// Do the steps come in the order of the trace?
function isObserved(finding) {
  return finding.order.every((event, index) => !index || finding.order[index - 1].event < event.event);
}

// With a capital and a full stop if the analysis left that to us.
function sentence(words) {
  const text = words ? words[0].toUpperCase() + words.slice(1) : "";
  return text === "" || /[.:]$/.test(text) ? text : `${text}.`;
}

function foreseenConclusion(finding, result) {
  if (finding.type === "race")
    return finding.suspected ? "These are two of them; they need not be the ones that race."
      : "Neither a lock nor any other synchronisation keeps the two accesses apart.";
  if (finding.type === "deadlock")
    return "Each holds a lock that another one wants, and nothing keeps them from doing so at the same time.";
  const order = !finding.others.length ? "" : isObserved(finding)
    ? "In this run the steps came in this very order. "
    : "In this run the steps came in another order. ";
  const source = finding.eventsOf ? `But for its begin, the steps of ${finding.thread} are those of the `
    + `equal block that begins with event ${digits(finding.eventsOf)}. ` : "";
  if (finding.partial)
    return (order + source + sentence(finding.why)).trim();
  const conclusion = result.prediction.notion === "view"
    ? "No serial order lets every read see the same write and leaves the same last writes."
    : serialConclusion(finding);
  return `${order}${source}${finding.why ? `${sentence(finding.why)} ` : ""}${conclusion}`;
}

// "events 1 to 4, 9, 5 to 7"
function witnessWords(finding) {
  const most = 40;
  const runs = [];
  for (const number of finding.witness) {
    const last = runs[runs.length - 1];
    if (last && last.to + 1 === number)
      last.to = number;
    else
      runs.push({ from: number, to: number });
  }
  const words = runs.slice(-most).map(({ from, to }) => from === to ? digits(from)
    : `${digits(from)}${from + 1 === to ? ", " : " to "}${digits(to)}`);
  const before = runs.length > most ? "\u2026 " : "";
  const what = finding.ignoresReads
    ? "As a rule only synchronisation, initial reads and final writes of the interleaving"
    : "The whole schedule";
  return `${what}: ${before}${words.join(", ")} (${count(finding.witness.length, "event")}).`;
}

// The reads of the schedule that see something else than in the run, a sentence for each.
function brokenWords(finding) {
  const write = (number) => number ? `the write of event ${digits(number)}` : "the initial value";
  return finding.broken.map(({ event, sees, saw }) => `Event ${digits(event)} sees ${sees === undefined
    ? "what the broken operation before it left" : write(sees)} instead of ${write(saw)}.`);
}

// "1 block", "2 blocks"; what is a sum of several things stays as it is.
function storageWords(made) {
  const unit = made.storage === 1 && !made.storage_unit.includes(" and ")
    ? made.storage_unit.replace(/^(\S*)s(?= |$)/, "$1") : made.storage_unit;
  return `${digits(made.storage)} ${unit}`;
}

function foreseenRow(finding) {
  if (finding.type === "race")
    return `${finding.suspected ? "suspected " : ""}data race, ${enumerate([finding.thread, ...finding.others])}`;
  if (finding.type === "deadlock")
    return `deadlock potential of ${count(1 + finding.others.length, "thread")}`;
  const others = finding.others.length > 2 ? count(finding.others.length, "thread")
    : enumerate(finding.others);
  const how = finding.type === "foreseen" ? "cut" : "may be cut";
  return `${finding.thread}, ${how}${others ? ` by ${others}` : ""}`;
}

// As the text report says it.
function nothingForeseen(prediction) {
  if (prediction.may_miss)
    return "no block was found that another schedule could cut";
  return prediction.notion === "avp" ? "no block is cut in any schedule in which reads see what they saw"
    : "no block can be cut in any schedule of this run";
}

function foreseenVerdict(result) {
  const { verdicts, block_count: all } = result.prediction;
  const reported = allReported(result.prediction);
  const late = verdicts.timeout ? `, ${digits(verdicts.timeout)} took too long` : "";
  const rings = result.deadlocks.length
    ? `, ${result.moreDeadlocks ? "at least " : ""}${count(result.deadlocks.length, "deadlock potential")}` : "";
  const words = !all ? "no block that could be cut"
    : !reported ? (verdicts.timeout ? "undecided" : nothingForeseen(result.prediction))
      : verdicts.potential ? `${digits(reported)} of ${count(all, "block")} may be cut in other schedules`
        : `${digits(reported)} of ${count(all, "block")} cut in ${result.prediction.notion === "view"
          ? "interleavings of this run's events" : "schedules that the program could have taken"}`;
  return [words, late + rings];
}

// ---- The trace ----

function foreseenFacts(result) {
  const made = result.prediction;
  return [
    ["Blocks reported", `${digits(allReported(made))} of ${digits(made.block_count)}`],
    ["Violations", digits(made.verdicts.violation)],
    ["Potential", digits(made.verdicts.potential)],
    ["Not decided in time", made.verdicts.timeout ? digits(made.verdicts.timeout) : null],
    ["Atomic by the static check", made.static_proofs === undefined ? null : digits(made.static_proofs)],
    ["Atomic means", made.notion],
    ["Method", made.method],
    ["Storage", made.storage === undefined ? null : storageWords(made)],
  ];
}

function drawForeseenEngines(results) {
  const head = ["engine", "notion", "reported", "violation", "potential", "timeout", "time", "storage"];
  const number = (value) => el("td", { class: "number", text: value });
  return el("table", { class: "engines" },
    el("thead", {}, el("tr", {}, ...head.map((text, index) =>
      el("th", { scope: "col", class: index > 1 ? "number" : null, text })))),
    el("tbody", {}, ...results.map((result) => {
      const made = result.prediction;
      return el("tr", {}, el("th", { scope: "row", text: made.engine }),
        el("td", { text: made.notion || "" }),
        number(`${digits(allReported(made))} of ${digits(made.block_count)}`),
        number(digits(made.verdicts.violation)), number(digits(made.verdicts.potential)),
        number(digits(made.verdicts.timeout)), number(seconds(made.seconds)),
        number(made.storage === undefined ? "" : storageWords(made)));
    })));
}

function drawCaveats(result) {
  const caveats = result.foreseen ? result.prediction.caveats : [];
  return caveats.length ? el("ul", { class: "caveats" }, ...caveats.map((text) => el("li", { text }))) : "";
}
