// Which findings are listed, and in which order.

const KINDS = {
  new: "new",
  known: "known from the baseline",
  suppressed: "suppressed",
  violation: "violated block",
  nested: "violated block inside another",
  blamed: "blamed block",
  cycle: "cycle of transactions",
  verdict: "verdict only",
  predicted: "violated in another schedule",
  potential: "potential violation",
  race: "data race",
  deadlock: "deadlock potential",
  failure: "failure",
  design: "by design?",
  racy: "rests on a data race",
  conflict: "through data",
  lock: "through a lock",
  fork: "through a fork",
  join: "through a join",
  sync: "through a channel",
};

// All that a search can hit. Made when it is first needed: most findings are never searched.
function haystack(finding) {
  if (finding.haystack === undefined) {
    const words = new Set([finding.name, finding.loc, finding.story.headline, ...finding.threads]);
    for (const kind of finding.kinds)
      words.add(KINDS[kind]);
    for (const event of finding.events) {
      words.add(event.op).add(event.loc).add(event.function || "");
      for (const frame of event.stack || [])
        words.add(frame.function).add(frame.loc);
    }
    finding.haystack = [...words].join("\n").toLowerCase();
  }
  return finding.haystack;
}

// New findings are what somebody looks for.
function byState(a, b) {
  const order = ["", "new", "known", "suppressed"];
  return order.indexOf(a.state) - order.indexOf(b.state);
}

function byRank(a, b) {
  return a.rank === b.rank ? 0 : a.rank < b.rank ? -1 : 1;
}

// Of the violations that are one finding, the one that stands for it comes first.
function standsFor(finding) {
  return finding.story.count ? 1 : 0;
}

const ORDERS = {
  importance: ["most important first",
    (a, b) => byState(a, b) || byRank(a, b) || standsFor(b) - standsFor(a) || a.event - b.event],
  event: ["in order of events", (a, b) => a.event - b.event || a.depth - b.depth],
  name: ["by function", (a, b) => compareText(a.name, b.name) || a.event - b.event],
  file: ["by file", (a, b) => compareText(a.loc, b.loc) || a.event - b.event],
  thread: ["by thread", (a, b) => compareText(a.thread, b.thread) || a.event - b.event],
};

const collator = new Intl.Collator("en", { numeric: true });

function compareText(a, b) {
  return collator.compare(a, b);
}

// What was typed is one of the names, or a part of them.
function matches(typed, names, known) {
  if (typed === "")
    return true;
  if (known.has(typed))
    return names.includes(typed);
  return names.some((name) => name.toLowerCase().includes(typed.toLowerCase()));
}

function chooseFindings(findings, wish, known) {
  const words = wish.search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return findings.filter((finding) =>
    words.every((word) => haystack(finding).includes(word)) &&
    matches(wish.function, finding.functions, known.functions) &&
    matches(wish.file, finding.files, known.files) &&
    matches(wish.thread, finding.threads, known.threads) &&
    (wish.kind === "" || finding.kinds.includes(wish.kind)) &&
    (wish.review === "" || isReviewed(finding) === (wish.review === "done"))
  ).sort(ORDERS[wish.sort][1]);
}

// One entry for each finding, with all blocks that it was seen in; or one for each block.
function groupFindings(findings, merge) {
  if (!merge)
    return findings.map((finding) => [finding]);
  return [...groupBy(findings, (finding) => finding.place).values()];
}
