// Source lines beside a finding, with those marked that its events are at.

const SOURCE_AROUND = 4;

// path -> Map of line number -> text; its `newer` says why there is none, and `full` is its whole path
function indexSources(data) {
  const files = new Map();
  files.editor = data.editor_url || "";
  files.leftOut = data.left_out || 0;
  for (const file of data.files) {
    const lines = new Map();
    lines.newer = Boolean(file.newer);
    lines.full = file.full || "";
    for (const part of file.parts)
      part.lines.forEach((text, index) => lines.set(part.first + index, text));
    files.set(file.path, lines);
  }
  return files;
}

// ---- Which lines, and what happened there ----

// The calls that led from the block to an event of it, the innermost first: {loc, calls: the function called}.
function callSites(finding, event) {
  const frames = event.thread === finding.thread ? event.stack || [] : [];
  const block = frames.findIndex((frame) => frame.function === finding.name);
  const own = frames.findIndex((frame) => frame.loc === event.loc);
  if (block < 0)
    return [];
  return frames.slice(0, block + 1).map((frame, index) => ({
    loc: frame.loc, calls: index ? frames[index - 1].function : "",
  })).filter((site, index) => index > Math.max(own, 0) && site.loc !== event.loc);
}

// The own events of a block between which another thread came: where it let go, and where it came back.
function turningPoints(finding) {
  const { edges } = finding;
  if (!edges.length || finding.name === "" || finding.unit === "step")
    return { left: null, back: null };
  const from = edges[0].from, to = edges[edges.length - 1].to;
  const whole = from.thread === finding.thread && to.thread === finding.thread;
  return { left: whole ? from : null, back: whole ? to : null };
}

// The locks that keep two events apart: one of the threads must have let go in between.
function commonLocks(one, other) {
  return (one.locks || []).filter((lock) => !lock.endsWith(" (read)") && (other.locks || []).includes(lock));
}

// What a line is to the finding: [class, words]. What others did without the lock does not show that it was let go.
function turnWords(finding, points, side, called) {
  const here = called ? " in this call" : "";
  const { left, back } = points;
  const released = commonLocks(left, finding.edges[0].to);
  const again = commonLocks(back, finding.edges[finding.edges.length - 1].from);
  const say = (words) => [`turn ${side}`, words];
  if (side === "left" ? /^rel\(/.test(left.op) : /^acq\(/.test(back.op))
    return say((side === "left" ? "let go of the lock" : targetOf(left.op) === targetOf(back.op)
      ? "took the lock again" : "took another lock") + here);
  if (side === "left" && released.length)
    return say(`held the lock${here}, then let go`);
  if (side === "back" && again.some((lock) => released.includes(lock)))
    return say(`took the lock again${here}`);
  return say((side === "left" ? "first access" : released.length ? "went on" : "second access") + here);
}

function sameLine(one, other) {
  const a = splitLocation(one), b = splitLocation(other);
  return Boolean(a && b && a.file === b.file && a.line === b.line);
}

// What the lines of a finding are to it, in the order of its events: {loc, event, kind, words}. `event` is null where a
// line has none of its own.
function lineNotes(finding, events) {
  const points = turningPoints(finding);
  const cause = points.left && finding.cause ? finding.cause : {};
  const notes = [];
  const add = (loc, event, [kind, words]) => notes.push({ loc, event, kind, words });
  const sideOf = (loc, event) => ["left", "back"].find((side) => points[side] &&
    (cause[side] ? sameLine(loc, cause[side]) : loc === event.loc) && eventKey(event) === eventKey(points[side]));
  for (const event of events) {
    const side = sideOf(event.loc, event);
    const own = event.thread === finding.thread;
    add(event.loc, event, side ? turnWords(finding, points, side, false)
      : points.left && !own ? ["between", "came in between"] : ["", ""]);
    for (const site of callSites(finding, event)) {
      const turn = sideOf(site.loc, event);
      add(site.loc, event, turn ? turnWords(finding, points, turn, true) : ["call", `call of ${site.calls}`]);
    }
  }
  for (const side of ["left", "back"])
    if (cause[side] && !notes.some((note) => note.kind === `turn ${side}`))
      add(cause[side], points[side], turnWords(finding, points, side, false));
  return notes;
}

// file -> Map of line number -> notes there; files in the order of the events.
function markedLines(finding, events) {
  const files = new Map();
  for (const note of lineNotes(finding, events)) {
    const place = splitLocation(note.loc);
    if (!place)
      continue;
    if (!files.has(place.file))
      files.set(place.file, new Map());
    const lines = files.get(place.file);
    lines.set(place.line, [...(lines.get(place.line) || []), note]);
  }
  return files;
}

function shownLines(text, marked) {
  const numbers = new Set();
  for (const line of marked.keys())
    for (let number = line - SOURCE_AROUND; number <= line + SOURCE_AROUND; number++)
      if (text.has(number))
        numbers.add(number);
  return [...numbers].sort((a, b) => a - b);
}

// ---- How they look ----

function drawTags(finding, notes) {
  const events = new Map(notes.map((note) => [eventKey(note.event), note.event]));
  return [...events.values()].map((event) =>
    el("span", { class: "tag", title: eventLabel(finding, event) }, `${event.thread} ${event.event}`));
}

function drawCode(parts) {
  return parts.map(([kind, text]) => kind ? el("span", { class: `code-${kind}`, text }) : text);
}

// The number leads to an editor where there is something to look at.
function drawNumberCell(number, address) {
  return el("td", { class: "line-number" }, address
    ? el("a", { href: address, title: "Open in editor", text: String(number) }) : String(number));
}

function drawLine(view, number, parts, notes) {
  const address = notes ? editorAddress(view.sources, `${view.path}:${number}`) : "";
  const kinds = (notes || []).map((note) => note.kind);
  const turns = kinds.filter((kind) => kind.startsWith("turn"));
  const kind = turns[0] || (kinds.length && kinds.every((word) => word === "call") ? "call" : kinds[0] || "");
  const row = el("tr", { class: notes ? `marked ${kind}`.trim() : null, "data-line": number },
    el("td", { class: "tags" }, ...(notes ? drawTags(view.finding, notes) : [])),
    drawNumberCell(number, address),
    el("td", { class: "text" }, el(notes ? "mark" : "span", {}, ...drawCode(parts))));
  for (const note of notes || [])
    view.link(row, note.event);
  return row;
}

// Below the line, as compilers do it: "^ T3: took the lock again in this call"
function drawLineNotes(text, notes) {
  const words = unique((notes || []).filter((note) => note.words)
    .map((note) => `${note.kind}\n${note.event.thread}: ${note.words}`));
  const indent = /^\s*/.exec(text)[0];
  return words.map((entry) => {
    const [kind, said] = entry.split("\n");
    return el("tr", { class: `line-note ${kind}` }, el("td", { class: "tags" }), el("td"),
      el("td", { class: "said" }, el("span", { class: "indent", text: indent }), "\u2514 ", el("span", { text: said })));
  });
}

function drawGap() {
  return el("tr", { class: "gap" }, el("td"), el("td", { text: "\u22ef" }), el("td"));
}

// The lines in parts of lines that follow each other, each line as [kind, text] parts.
function colouredLines(path, text, numbers) {
  const coloured = new Map();
  for (let start = 0; start < numbers.length;) {
    let end = start + 1;
    while (end < numbers.length && numbers[end] === numbers[end - 1] + 1)
      end++;
    const part = numbers.slice(start, end);
    const lines = part.map((number) => text.get(number));
    const keywords = keywordsOf(path);
    const drawn = keywords ? colourLines(lines, keywords) : lines.map((line) => [["", line]]);
    part.forEach((number, index) => coloured.set(number, drawn[index]));
    start = end;
  }
  return coloured;
}

function drawFile(view, text, marked) {
  const rows = [];
  const numbers = shownLines(text, marked);
  const coloured = colouredLines(view.path, text, numbers);
  numbers.forEach((number, index) => {
    if (index && number !== numbers[index - 1] + 1)
      rows.push(drawGap());
    rows.push(drawLine(view, number, coloured.get(number), marked.get(number)),
      ...drawLineNotes(text.get(number), marked.get(number)));
  });
  return el("figure", { class: "source", "data-file": view.path },
    el("figcaption", {}, code(view.path)),
    rows.length ? el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Source of ${view.path}` },
      el("table", { role: "presentation" }, el("tbody", {}, ...rows)))
      : el("p", { class: "note", text: text.newer ? "newer than what ran: not shown" : "no such lines" }));
}

function drawSources(finding, events, sources, link) {
  const files = markedLines(finding, events);
  const missing = [...files.keys()].filter((path) => !sources.has(path));
  const shown = [...files.keys()].filter((path) => sources.has(path));
  return el("div", { class: "sources" },
    ...shown.map((path) => drawFile({ finding, path, sources, link }, sources.get(path), files.get(path))),
    missing.length ? el("p", { class: "note missing" }, 
      sources.leftOut ? "Source not found, or left out of this page, which has a limit: " : "Source not found: ",
      ...missing.flatMap((path, index) => [index ? ", " : "", code(path)])) : null,
    files.size ? null : el("p", { class: "note", text: "No source: these events have no line of a file." }));
}
