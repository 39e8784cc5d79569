// Source lines beside a finding, with those marked that its events are at.

const SOURCE_AROUND = 4;

// path -> Map of line number -> text; its `newer` says why there is none
function indexSources(data) {
  const files = new Map();
  for (const file of data.files) {
    const lines = new Map();
    lines.newer = Boolean(file.newer);
    for (const part of file.parts)
      part.lines.forEach((text, index) => lines.set(part.first + index, text));
    files.set(file.path, lines);
  }
  return files;
}

// Where an event is, and the line in the block itself from which the block got there.
function linesOf(finding, event) {
  const frames = event.thread === finding.thread ? event.stack || [] : [];
  return unique([event.loc, ...frames.filter((frame) => frame.function === finding.name)
    .map((frame) => frame.loc).slice(0, 1)]);
}

// file -> Map of line number -> events there; files in the order of the events.
function markedLines(finding, events) {
  const files = new Map();
  for (const event of events)
    for (const place of linesOf(finding, event).map(splitLocation).filter((split) => split)) {
      if (!files.has(place.file))
        files.set(place.file, new Map());
      const lines = files.get(place.file);
      lines.set(place.line, [...(lines.get(place.line) || []), event]);
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

function drawTags(finding, events) {
  return events.map((event) =>
    el("span", { class: "tag", title: eventLabel(finding, event) }, `${event.thread} ${event.event}`));
}

function drawLine(finding, number, text, events, link) {
  const row = el("tr", { class: events ? "marked" : null, "data-line": number },
    el("td", { class: "tags" }, ...(events ? drawTags(finding, events) : [])),
    el("td", { class: "line-number", text: String(number) }),
    el("td", { class: "text" }, events ? el("mark", { text }) : el("span", { text })));
  if (events)
    for (const event of events)
      link(row, event);
  return row;
}

function drawGap() {
  return el("tr", { class: "gap" }, el("td"), el("td", { text: "\u22ef" }), el("td"));
}

function drawFile(finding, path, text, marked, link) {
  const rows = [];
  let before = 0;
  for (const number of shownLines(text, marked)) {
    if (before && number !== before + 1)
      rows.push(drawGap());
    rows.push(drawLine(finding, number, text.get(number), marked.get(number), link));
    before = number;
  }
  return el("figure", { class: "source", "data-file": path },
    el("figcaption", {}, code(path)),
    rows.length ? el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Source of ${path}` },
      el("table", { role: "presentation" }, el("tbody", {}, ...rows)))
      : el("p", { class: "note", text: text.newer ? "newer than what ran: not shown" : "no such lines" }));
}

function drawSources(finding, events, sources, link) {
  const files = markedLines(finding, events);
  const missing = [...files.keys()].filter((path) => !sources.has(path));
  const shown = [...files.keys()].filter((path) => sources.has(path));
  return el("div", { class: "sources" },
    ...shown.map((path) => drawFile(finding, path, sources.get(path), files.get(path), link)),
    missing.length ? el("p", { class: "note missing" }, "Source not found: ",
      ...missing.flatMap((path, index) => [index ? ", " : "", code(path)])) : null,
    files.size ? null : el("p", { class: "note", text: "No source: these events have no line of a file." }));
}
