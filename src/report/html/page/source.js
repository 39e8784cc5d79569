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

// file -> Map of line number -> events there; files in the order of the events.
function markedLines(events) {
  const files = new Map();
  for (const event of events) {
    const place = splitLocation(event.loc);
    if (!place)
      continue;
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

function drawTags(events) {
  return events.map((event) =>
    el("span", { class: "tag", title: eventWords(event) }, `${event.thread} ${event.event}`));
}

function drawLine(number, text, events, link) {
  const row = el("tr", { class: events ? "marked" : null, "data-line": number },
    el("td", { class: "tags" }, ...(events ? drawTags(events) : [])),
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

function drawFile(path, text, marked, link) {
  const rows = [];
  let before = 0;
  for (const number of shownLines(text, marked)) {
    if (before && number !== before + 1)
      rows.push(drawGap());
    rows.push(drawLine(number, text.get(number), marked.get(number), link));
    before = number;
  }
  return el("figure", { class: "source", "data-file": path },
    el("figcaption", {}, code(path)),
    rows.length ? el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Source of ${path}` },
      el("table", { role: "presentation" }, el("tbody", {}, ...rows)))
      : el("p", { class: "note", text: text.newer
        ? "This file is newer than what ran, so its lines are not shown."
        : "These lines are not in the file." }));
}

function drawSources(events, sources, link) {
  const files = markedLines(events);
  const missing = [...files.keys()].filter((path) => !sources.has(path));
  const shown = [...files.keys()].filter((path) => sources.has(path));
  return el("div", { class: "sources" },
    ...shown.map((path) => drawFile(path, sources.get(path), files.get(path), link)),
    missing.length ? el("p", { class: "note missing" },
      ...missing.flatMap((path, index) => [index ? ", " : "", code(path)]),
      `${missing.length > 1 ? " were" : " was"} not there as source text when this report was written, so no lines are shown.`) : null,
    files.size ? null : el("p", { class: "note", text: "The events have no place in a source file." }));
}
