// The findings of one result, and what is said about them. The data is the JSON of `seriatim check`
// and `run`, and is only ever read.

const KINDS = {
  new: "new",
  known: "known from the baseline",
  suppressed: "suppressed",
  violated: "violated block",
  nested: "violated block inside another",
  blamed: "blamed block",
  cycle: "cycle of transactions",
  verdict: "verdict only",
  foreseen: "cut in another schedule",
  potential: "may be cut in another schedule",
  race: "data race",
  deadlock: "deadlock potential",
  conflict: "through data",
  lock: "through a lock",
  fork: "through a fork",
  join: "through a join",
  sync: "through a channel",
};

// What a thread did, or would do in another schedule.
const DEEDS = {
  r: ["read", "reads"], w: ["wrote", "writes"], acq: ["acquired lock", "acquires lock"],
  rel: ["released lock", "releases lock"], fork: ["forked", "forks"], join: ["joined", "joins"],
  begin: ["began", "begins"], end: ["ended", "ends"],
  snd: ["sent on channel", "sends on channel"], rcv: ["received from channel", "receives from channel"],
};

const page = { foreseen: false };

// "r(x)" -> "read x"
function deed(op) {
  const open = op.indexOf("(");
  const word = open < 0 ? op : op.slice(0, open);
  const target = open < 0 ? "a block" : op.slice(open + 1, -1);
  return { verb: Object.hasOwn(DEEDS, word) ? DEEDS[word][page.foreseen ? 1 : 0] : word, target };
}

// "a.c:21" and "a.c:21:5" are line 21 of a.c; anything else has no file.
function splitLocation(loc) {
  const match = /^(.+?):(\d{1,9})(?::\d{1,9})?$/.exec(loc || "");
  return match ? { file: match[1], line: Number(match[2]) } : null;
}

function shortLocation(loc) {
  return loc.slice(loc.lastIndexOf("/") + 1);
}

function blockName(name) {
  return name === "" ? "(no name)" : name;
}

// ---- The events of a finding ----

function edgesOf(violation) {
  if (violation.path.length)
    return violation.path;
  return violation.closing ? [violation.closing] : [];
}

// Each event once, in the order of time. Begin and end of blocks come from what is said about them.
// What is foreseen has an order of its own.
function collectEvents(finding) {
  if (finding.order)
    return finding.order;
  const events = new Map();
  const add = (event) => {
    const key = `${event.event} ${event.thread}`;
    if (!events.has(key))
      events.set(key, event);
  };
  for (const edge of finding.edges) {
    add(edge.from);
    add(edge.to);
  }
  if (finding.proof)
    add(finding.proof);
  for (const span of finding.spans) {
    add({ event: span.begin, thread: span.thread, op: beginOp("begin", span.name), loc: span.loc });
    if (span.end !== null)
      add({ event: span.end, thread: span.thread, op: beginOp("end", span.name), loc: "" });
  }
  return [...events.values()].sort((a, b) => a.event - b.event);
}

function beginOp(word, name) {
  return name === "" ? word : `${word}(${name})`;
}

// ---- Findings ----

function violationFinding(result, violation, index) {
  const edges = edgesOf(violation);
  const blamed = Boolean(result.blames_closers) && violation.path.length === 0;
  const others = unique(edges.slice(0, -1).map((edge) => edge.to.thread));
  if (!others.length && violation.cut_by)
    others.push(violation.cut_by);
  else if (!others.length && violation.closing)
    others.push(violation.closing.from.thread);
  return {
    type: blamed ? "blamed" : violation.depth ? "nested" : "violated",
    state: violation.state || "", suppressedBy: violation.suppressed_by,
    index, edges, others,
    name: violation.block, thread: violation.thread, depth: violation.depth,
    begin: violation.begin, end: violation.end, loc: violation.begin_loc || "",
    event: violation.event, proof: violation.proof, partial: violation.path.length === 0,
    spans: [{
      thread: violation.thread, name: violation.block, begin: violation.begin, end: violation.end,
      loc: violation.begin_loc || "", violated: !blamed,
    }],
  };
}

// The transactions of a cycle, as far as they are known: from their first event to the last that is
// spoken of.
function cycleSpans(edges) {
  const spans = new Map();
  for (const edge of edges)
    for (const side of ["from", "to"]) {
      const transaction = edge[side + "_transaction"];
      if (!transaction || transaction.unary)
        continue;
      const known = spans.get(transaction.first);
      const last = Math.max(edge[side].event, known ? known.last : 0);
      spans.set(transaction.first, {
        thread: edge[side].thread, name: transaction.block, begin: transaction.first, end: null,
        last, loc: "", violated: true,
      });
    }
  return [...spans.values()];
}

function cycleFinding(result) {
  const spans = cycleSpans(result.cycle);
  const names = unique(spans.map((span) => blockName(span.name)));
  return {
    type: "cycle", state: result.cycle_state || "", suppressedBy: result.cycle_suppressed_by,
    index: 0, edges: result.cycle, spans,
    name: names.length ? enumerate(names) : "cycle", thread: result.cycle[0].to.thread,
    others: unique(result.cycle.map((edge) => edge.from.thread)),
    depth: 0, begin: null, end: null, loc: "", event: result.first_bad_event, proof: null,
    partial: false,
  };
}

function verdictFinding(result) {
  return {
    type: "verdict", state: "", index: 0, edges: [], spans: [], name: "not serializable", thread: "",
    others: [], depth: 0, begin: null, end: null, loc: "", event: result.first_bad_event,
    proof: null, partial: true,
  };
}

function listFindings(result) {
  if (result.foreseen)
    return foreseenFindings(result);
  const findings = result.violations.map((v, index) => violationFinding(result, v, index));
  if (!findings.length && result.cycle && result.cycle.length)
    findings.push(cycleFinding(result));
  else if (!findings.length && result.serializable === false)
    findings.push(verdictFinding(result));
  return findings;
}

// ---- What to look for ----

function framesOf(event) {
  return event.stack || [];
}

function fileOf(loc) {
  const place = splitLocation(loc);
  return place ? place.file : "";
}

function namesOf(values) {
  const names = new Set(values);
  names.delete("");
  return [...names];
}

// All that a search can hit. Made when it is first asked for: most findings never are.
function haystack(finding) {
  if (finding.haystack === undefined) {
    const words = new Set([finding.name, finding.loc, ...finding.threads]);
    for (const kind of finding.kinds)
      words.add(KINDS[kind]);
    for (const event of finding.events) {
      words.add(event.op).add(event.loc).add(event.function || "");
      for (const frame of framesOf(event))
        words.add(frame.function).add(frame.loc);
    }
    finding.haystack = [...words].join("\n").toLowerCase();
  }
  return finding.haystack;
}

// Adds to each finding what filtering and sorting look at.
function indexFindings(findings, result) {
  const rank = new Map(result.blocks.map((block, index) => [block.name, index]));
  for (const finding of findings) {
    const events = finding.order || finding.edges.flatMap((edge) => [edge.from, edge.to]);
    if (finding.proof && finding.partial)
      events.push(finding.proof); // otherwise the path ends with it
    finding.events = events;
    finding.rank = rank.has(finding.name) ? rank.get(finding.name) : rank.size;
    finding.functions = namesOf([finding.name, ...events.map((event) => event.function || "")]);
    finding.files = namesOf([fileOf(finding.loc), ...events.map((event) => fileOf(event.loc))]);
    finding.threads = namesOf([finding.thread, ...events.map((event) => event.thread),
      ...finding.others]);
    finding.kinds = namesOf([finding.state, finding.type, ...finding.edges.map((edge) => edge.kind)]);
    finding.place = [finding.state, finding.type, finding.name, finding.depth, finding.loc,
      finding.pattern || "", ...(finding.order || []).map((event) => event.loc), ...finding.edges.flatMap((edge) => [edge.kind, edge.from.loc, edge.to.loc])].join("\n");
  }
  return findings;
}

// New findings are what somebody looks for.
function byState(a, b) {
  const order = ["", "new", "known", "suppressed"];
  return order.indexOf(a.state) - order.indexOf(b.state);
}

const ORDERS = {
  surprise: ["most surprising first",
    (a, b) => byState(a, b) || a.rank - b.rank || a.event - b.event],
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
    (wish.kind === "" || finding.kinds.includes(wish.kind))
  ).sort(ORDERS[wish.sort][1]);
}

// One entry for each place of the code, with all findings of that place; or for each finding.
function groupFindings(findings, merge) {
  if (!merge)
    return findings.map((finding) => [finding]);
  const groups = new Map();
  for (const finding of findings) {
    const group = groups.get(finding.place);
    if (group)
      group.push(finding);
    else
      groups.set(finding.place, [finding]);
  }
  return [...groups.values()];
}

// ---- Verdicts ----

function verdictWords(result) {
  return result.serializable === true ? "serializable"
    : result.serializable === false ? "not serializable" : "undecided";
}

function allViolated(result) {
  return result.blocks.reduce((sum, block) => sum + (block.violated || 0), 0);
}
