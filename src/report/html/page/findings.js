// The findings of a result. Each has its story, which says everything in words, and the events and
// dependences that lanes and sources are drawn from.

// "a.c:21" and "a.c:21:5" are line 21 of a.c; anything else has no file.
function splitLocation(loc) {
  const match = /^(.+?):(\d{1,9})(?::\d{1,9})?$/.exec(loc || "");
  return match ? { file: match[1], line: Number(match[2]) } : null;
}

// The name of the file and the line, which stays when the name is too long.
function shortLocation(loc, most) {
  const name = loc.slice(loc.lastIndexOf("/") + 1);
  const place = splitLocation(name);
  const line = place ? `:${place.line}` : "";
  return line ? shorten(place.file, most - line.length) + line : shorten(name, most);
}

function blockName(name) {
  return name === "" ? "(no name)" : name;
}

// An event is known by its number and its thread: what only the thread is known of has no number.
function eventKey(event) {
  return `${event.event} ${event.thread}`;
}

// ---- The events of a finding ----

// Each event once.
function collect(events) {
  const known = new Map();
  for (const event of events)
    if (!known.has(eventKey(event)))
      known.set(eventKey(event), event);
  return [...known.values()];
}

function endsOf(edges) {
  return edges.flatMap((edge) => [edge.from, edge.to]);
}

function borderEvent(word, event, span, loc) {
  return { event, thread: span.thread, op: span.name === "" ? word : `${word}(${span.name})`, loc };
}

// In the order of time; a prediction has an order of its own. Blocks begin and end with events, too.
function collectEvents(finding) {
  if (finding.order)
    return finding.order;
  const borders = finding.spans.flatMap((span) => [borderEvent("begin", span.begin, span, span.loc),
    ...(span.end === null ? [] : [borderEvent("end", span.end, span, "")])]);
  const events = [...endsOf(finding.edges), ...(finding.proof ? [finding.proof] : []), ...borders];
  return collect(events).sort((a, b) => a.event - b.event);
}

// ---- What was found ----

function edgesOf(violation) {
  if (violation.path.length)
    return violation.path;
  return violation.closing ? [violation.closing] : [];
}

function violationFinding(violation, index) {
  const story = violation.story;
  return {
    story, index, edges: edgesOf(violation), kinds: [violation.depth ? "nested" : story.kind],
    state: violation.state || "", suppressedBy: violation.suppressed_by,
    fingerprint: violation.fingerprint || "", cause: violation.cause || null,
    executable: violation.executable, name: violation.block, thread: violation.thread, depth: violation.depth,
    others: violation.cut_by ? [violation.cut_by] : [],
    begin: violation.begin, end: violation.end, loc: violation.begin_loc || "",
    event: violation.event, proof: violation.proof, leftOut: violation.path_left_out || 0,
    partial: violation.path.length === 0 || Boolean(violation.path_left_out),
    spans: [{
      thread: violation.thread, name: violation.block, begin: violation.begin, end: violation.end,
      loc: violation.begin_loc || "", violated: story.kind === "violation",
    }],
  };
}

// The transactions of a cycle, as far as they are known: from their first event to the last one in the
// cycle.
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

// A cycle, or a mere verdict.
function cycleFinding(result) {
  const edges = result.cycle || [];
  const spans = cycleSpans(edges);
  const names = unique(spans.map((span) => blockName(span.name)));
  return {
    story: result.story, index: 0, edges, spans, kinds: [result.story.kind],
    state: result.cycle_state || "", suppressedBy: result.cycle_suppressed_by,
    fingerprint: result.cycle_fingerprint || "",
    name: names.join(", ") || result.story.kind, thread: edges.length ? edges[0].to.thread : "",
    depth: 0, others: [], begin: null, end: null, loc: "", event: result.first_bad_event,
    proof: null, partial: edges.length === 0,
  };
}

// The steps of a course, which have numbers of their own; a gap stands before the step behind it.
function courseOrder(course) {
  const order = [];
  let gap = "";
  for (const step of course) {
    if (!step.gap)
      order.push({ ...step, event: order.length + 1, op: step.action, gap });
    gap = step.gap || "";
  }
  return order;
}

// What a hunt saw fail: there is nothing but its story. Results of earlier versions have no course.
function failureFinding(failure, index) {
  return {
    story: failure.story, index, edges: [], order: courseOrder(failure.story.course || []), spans: [],
    unit: "step", kinds: ["failure"], state: "", fingerprint: failure.fingerprint || "",
    name: failure.kind, others: failure.threads.map((stuck) => stuck.thread),
    thread: failure.thread || "", depth: 0, begin: null, end: null, loc: failure.where || "",
    event: null, proof: null, partial: true,
  };
}

// ---- What was predicted ----

// The begin and the steps, in the order of the schedule, and both ends of each dependence.
function predictedSteps(block) {
  return collect([block.entry, ...block.steps, ...endsOf(block.path)]);
}

// And the end of the block, which comes after all of them.
function predictedOrder(block, steps) {
  const end = { event: block.end, thread: block.thread, op: block.entry.op.replace(/^begin/, "end"), loc: "" };
  return block.end === null || steps.length < 2 ? steps : collect([...steps, end]);
}

// All that is known of the schedule, around them.
function wholeSchedule(block, steps) {
  const known = new Map(steps.map((step) => [eventKey(step), step]));
  const events = (block.schedule || []).map((event) => known.get(eventKey(event)) || event);
  const begin = events.some((event) => event.event === block.begin) ? [] : [block.entry];
  return events.length > steps.length ? collect([...begin, ...events, ...steps]) : null;
}

// Where an engine gave no path, dependences between steps that follow each other.
function predictedEdges(block) {
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

function predictedFinding(block, index) {
  const steps = predictedSteps(block);
  const order = predictedOrder(block, steps);
  const edges = predictedEdges(block);
  const last = steps.filter((event) => event.thread === block.thread).pop().event;
  return {
    story: block.story, index, edges, order, schedule: wholeSchedule(block, steps),
    fingerprint: block.fingerprint || "", cause: block.cause || null, subject: block.on.join(", "),
    kinds: [block.story.kind], state: block.state || "", suppressedBy: block.suppressed_by,
    name: block.block, thread: block.thread, depth: 0, others: [],
    begin: block.begin, end: block.end, loc: block.begin_loc || "", event: block.begin, proof: null,
    partial: edges.length < 2 || Boolean(block.path_left_out), leftOut: block.path_left_out || 0,
    spans: [{
      thread: block.thread, name: block.block, begin: block.begin, end: order === steps ? null : block.end,
      last, loc: block.begin_loc || "", violated: true,
    }],
  };
}

// A finding that is nothing but its steps.
function stepsFinding(story, name, order, edges, index) {
  return {
    story, index, edges, order, spans: [], kinds: [story.kind], state: "", fingerprint: "", name, others: [],
    thread: order[0].thread, depth: 0, begin: null, end: null, loc: order[0].loc,
    event: order[0].event, proof: null, partial: true,
  };
}

function raceFinding(race, index) {
  const edge = { from: race.first, to: race.second, kind: "conflict", on: race.on };
  return stepsFinding(race.story, race.on, [race.first, race.second], [edge], index);
}

function targetOf(op) {
  return op.slice(op.indexOf("(") + 1, -1);
}

// All have taken a lock; then each waits for the next, and the last for the first.
function deadlockFinding(ring, story, index) {
  const edges = ring.map((wait, i) => {
    const next = ring[(i + 1) % ring.length];
    return { from: next.holds, to: wait.wants, kind: "lock", on: targetOf(wait.wants.op) };
  });
  const locks = unique(ring.map((wait) => targetOf(wait.holds.op)));
  const steps = [...ring.map((wait) => wait.holds), ...ring.map((wait) => wait.wants)];
  return stepsFinding(story, locks.join(", "), steps, edges, index);
}

function predictedFindings(result) {
  const findings = [];
  for (const block of result.violations)
    findings.push(predictedFinding(block, findings.length));
  for (const race of result.prediction.races || [])
    findings.push(raceFinding(race, findings.length));
  result.deadlocks.forEach((ring, i) =>
    findings.push(deadlockFinding(ring, result.deadlockStories[i], findings.length)));
  return findings;
}

// ---- All ----

function namesOf(values) {
  const names = new Set(values);
  names.delete("");
  return [...names];
}

function fileOf(loc) {
  const place = splitLocation(loc);
  return place ? place.file : "";
}

// The order of the text: what failed, then findings by their rank, then what has none by that of its block; of
// predictions the better proof first.
function rankOf(finding, rank) {
  const usual = rank.has(finding.name) ? rank.get(finding.name) : rank.size;
  return finding.story.kind === "failure" ? -Infinity : finding.overview ? finding.overview.rank - 1e9
    : finding.story.kind === "predicted" ? usual - rank.size - 1 : usual;
}

function overviewKey(state, fingerprint, executable) {
  return `finding ${state || "new"} ${fingerprint} ${executable || ""}`;
}

// Each violation belongs to a finding, be it as a variant of it or as a block around one. What two findings cut
// belongs to the first.
function addOverviews(findings, overviews, violations) {
  const byKey = new Map();
  for (const overview of overviews) {
    const { executable } = violations[overview.violation];
    overview.key = overviewKey(overview.state, overview.fingerprint, executable);
    byKey.set(overview.key, overview);
  }
  const byEvent = new Map();
  for (const finding of findings) {
    const overview = byKey.get(overviewKey(finding.state, finding.fingerprint, finding.executable));
    const key = eventKey(finding);
    finding.overview = overview || null;
    if (overview && (!byEvent.has(key) || byEvent.get(key).rank > overview.rank))
      byEvent.set(key, overview);
  }
  for (const finding of findings)
    if (!finding.overview && finding.proof)
      finding.overview = byEvent.get(eventKey(finding)) || null;
}

// Adds what filtering and sorting look at.
function indexFinding(finding, rank) {
  const events = finding.order || endsOf(finding.edges);
  if (finding.proof && finding.partial)
    events.push(finding.proof); // otherwise the path ends with it
  finding.events = events;
  finding.racy = finding.story.steps.some((step) => step.race);
  finding.rank = rankOf(finding, rank);
  finding.functions = namesOf([finding.name, ...events.map((event) => event.function || "")]);
  finding.files = namesOf([fileOf(finding.loc), ...events.map((event) => fileOf(event.loc))]);
  finding.threads = namesOf([finding.thread, ...events.map((event) => event.thread), ...finding.others]);
  finding.kinds = namesOf([finding.state, ...finding.kinds, ...finding.edges.map((edge) => edge.kind),
    finding.racy ? "racy" : "", finding.overview && finding.overview.by_design ? "design" : ""]);
  finding.place = finding.overview ? finding.overview.key
    : finding.order && finding.fingerprint ? `${finding.state} ${finding.story.kind} ${finding.fingerprint}` : [finding.state, finding.story.kind, finding.name, finding.depth, finding.loc,
    ...(finding.order || []).map((event) => event.loc),
    ...finding.edges.flatMap((edge) => [edge.kind, edge.from.loc, edge.to.loc])].join("\n");
}

// In the order of the text: what failed comes first.
function listFindings(result) {
  const rank = new Map(result.blocks.map((block, index) => [block.name, index]));
  const findings = (result.failures || []).map(failureFinding);
  const found = result.prediction ? predictedFindings(result) : result.violations.map(violationFinding);
  addOverviews(found, result.findings || [], result.violations);
  for (const finding of found)
    findings.push(finding);
  if (result.story)
    findings.push(cycleFinding(result));
  findings.forEach((finding, index) => {
    finding.index = index;
    indexFinding(finding, rank);
  });
  return findings;
}
