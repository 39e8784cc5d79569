// The interleaving of a finding: a lane for each thread, time downwards, an arrow for each
// dependence. Of a failure there are the steps of its course, with a line from each to the next.

const LANES = { gutter: 58, digit: 6.7, top: 62, row: 58, offset: 20, most: 300, line: 14, lines: 3 };

// A course has more words.
function laneWidth(threads, course) {
  return (threads <= 2 ? 210 : threads <= 4 ? 184 : 164) + (course ? 26 : 0);
}

// Where the lanes begin: no number is too long to be seen.
function laneGutter(events) {
  const longest = events.reduce((most, event) => Math.max(most, digits(event.event).length), 0);
  return Math.max(LANES.gutter, Math.ceil(longest * LANES.digit) + 22);
}

function edgeWords(finding, edge) {
  return (finding.racy && edge.race ? "race " : edge.kind === "conflict" ? "" : `${edge.kind} `) + edge.on;
}

function edgeLetters(width) {
  return Math.floor(width / 6.7) - 4;
}

// Where everything is. Coordinates of an event are those of its dot.
function layOut(finding, most) {
  const edges = finding.edges.slice(0, most);
  const events = collectEvents({ ...finding, edges });
  const first = finding.thread === "" ? [] : [finding.thread];
  const threads = unique([...first, ...events.map((event) => event.thread)]);
  const course = finding.unit === "step";
  const width = laneWidth(threads.length, course);
  const lane = new Map(threads.map((name, index) => [name, index]));
  const gutter = laneGutter(events);
  const x = (thread) => gutter + lane.get(thread) * width + LANES.offset;
  const dots = new Map();
  const titles = new Map(threads.map((thread) => [thread, wrapWords(thread, Math.floor(width / 9), LANES.lines)]));
  const headLines = Math.max(1, ...[...titles.values()].map((lines) => lines.length));
  const top = LANES.top + (headLines - 1) * LANES.line;
  const chars = Math.floor((width - 36) / 7.9);
  const space = LANES.row + (edges.some((edge) => edgeWords(finding, edge).length > edgeLetters(width)) ? 13 : 0);
  let y = top - space, above = 1;
  events.forEach((event, row) => {
    const lines = wrapWords(event.op, chars, LANES.lines);
    y += (event.gap ? 2 : 1) * space + (course ? 0 : (above - 1) * LANES.line);
    above = lines.length;
    dots.set(eventKey(event), { event, row, x: x(event.thread), y, lines });
  });
  const at = (event) => dots.get(eventKey(event));
  return {
    edges, events, threads, titles, width, gutter, top, chars, x, at, course, reordered: Boolean(finding.order),
    racy: finding.racy, dots: [...dots.values()],
    height: y + LANES.lines * LANES.line + 8,
    right: gutter + threads.length * width,
  };
}

function arrowHead() {
  const path = svg("path", { d: "M0 0 L9 4.5 L0 9 Z", class: "head" });
  return svg("defs", {}, svg("marker", {
    id: "head", viewBox: "0 0 9 9", refX: 8, refY: 4.5, markerWidth: 8, markerHeight: 8,
    orient: "auto", markerUnits: "userSpaceOnUse",
  }, path));
}

function drawLane(plan, thread) {
  const x = plan.x(thread);
  return svg("g", { class: "lane" },
    svg("line", { x1: x, x2: x, y1: plan.top - 28, y2: plan.height }),
    svg("text", { class: "thread" },
      ...plan.titles.get(thread).map((text, line) => svg("tspan", { x: x - 6, y: 22 + line * LANES.line, text })),
      svg("title", { text: `thread ${thread}` })));
}

// A block from its begin to its end; where the end is not known the bar fades out.
function drawSpan(plan, span) {
  const begin = plan.at({ event: span.begin, thread: span.thread });
  const end = span.end !== null ? plan.at({ event: span.end, thread: span.thread }) : null;
  const last = span.last ? plan.at({ event: span.last, thread: span.thread }) : null;
  const bottom = end ? end.y + 12 : last ? last.y + 14 : plan.height;
  if (!begin)
    return null;
  return svg("rect", {
    class: `block${span.violated ? " violated" : ""}${end ? "" : " open"}`, "data-block": span.name,
    x: begin.x - 11, y: begin.y - 12, width: 22, height: Math.max(24, bottom - begin.y + 12), rx: 11,
  }, svg("title", { text: `block ${blockName(span.name)}` }));
}

// The way inside a thread from where one dependence arrives to where the next leaves.
function drawStays(plan, finding) {
  const stays = [];
  plan.edges.forEach((edge, index) => {
    const closes = index + 1 === plan.edges.length;
    const next = closes ? plan.edges[0] : plan.edges[index + 1];
    const from = plan.at(edge.to), to = plan.at(next.from);
    if (from.x === to.x && from.y !== to.y && !(closes && finding.partial))
      stays.push(svg("line", { class: "stay", x1: from.x, x2: to.x, y1: from.y, y2: to.y }));
  });
  return stays;
}

// The four points of a Bezier curve from below one dot to above the other.
function edgeCurve(from, to) {
  const start = from.y + 7, end = to.y - 8;
  const bend = Math.max(34, (end - start) * 0.75);
  const aside = from.x === to.x ? 50 : 0;
  return [[from.x, start], [from.x + aside, start + bend], [to.x + aside, end - bend], [to.x, end]];
}

function curvePoint(curve, t) {
  const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
  const sum = (axis) => curve.reduce((total, point, i) => total + weights[i] * point[axis], 0);
  return { x: sum(0), y: sum(1) };
}

// Where the story marks races, those of the dependences that it leaves out are marked, too.
function isRace(plan, edge) {
  return plan.racy && edge.race;
}

function drawEdge(plan, edge, index) {
  const from = plan.at(edge.from), to = plan.at(edge.to);
  const [start, ...bends] = edgeCurve(from, to).map((point) => point.join(" "));
  const label = `${edge.kind} ${edge.on}: ${edge.from.thread} ${edge.from.event} \u2192 ` +
    `${edge.to.thread} ${edge.to.event}`;
  return svg("path", {
    class: `edge ${edge.kind}${isRace(plan, edge) ? " race" : ""}`, "data-edge": index,
    "marker-end": "url(#head)",
    d: `M${start} C${bends.join(" ")}`,
  }, svg("title", { text: label }));
}

// In the middle of its curve, or elsewhere on it where there is no other text, and no lane if possible.
function placeLabel(plan, curve, width, height, taken) {
  const free = (at) => taken.every((other) => Math.abs(at.y - other.y) > (height + other.height) / 2 ||
    Math.abs(at.x - other.x) > (width + other.width) / 2);
  const clear = (at) => plan.threads.every((thread) => Math.abs(at.x - plan.x(thread)) > width / 2);
  const points = [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.2, 0.8].map((t) => curvePoint(curve, t));
  return points.find((at) => free(at) && clear(at)) || points.find(free) || points[0];
}

// The texts beside the dots between two rows.
function textsBetween(plan, one, other) {
  return plan.dots.slice(Math.min(one, other), Math.max(one, other) + 1).map((dot) => {
    const longest = dot.lines.reduce((most, line) => Math.max(most, line.length), 10);
    const width = Math.min(plan.width - 36, 7.6 * longest);
    const height = 14 + LANES.line * dot.lines.length;
    return { x: dot.x + 18 + width / 2, y: dot.y - 11 + height / 2, width, height };
  });
}

function drawEdgeLabels(plan) {
  const taken = [];
  return plan.edges.map((edge) => {
    const lines = wrapWords(edgeWords(plan, edge), edgeLetters(plan.width), 2);
    const width = lines.reduce((most, line) => Math.max(most, line.length), 0) * 6.7 + 8;
    const height = 3 + 13 * lines.length;
    const from = plan.at(edge.from), to = plan.at(edge.to);
    const { x, y } = placeLabel(plan, edgeCurve(from, to), width, height,
      [...taken.slice(-8), ...textsBetween(plan, from.row, to.row)]);
    taken.push({ x, y, width, height });
    return svg("g", { class: "edge-label" },
      svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 4 }),
      ...lines.map((text, line) => svg("text", { x, y: y + 16.5 - height / 2 - 5 + 13 * line, text })));
  });
}

// A name in pieces that can stand alone at the begin of a line: "r(", "db::", "table->", "cache_".
function breakable(word, chars) {
  const pieces = word.match(/[^:.>_(,/-]+(?:::|->|[:.>_(,/-])?|::|->|[:.>_(,/-]/g) || [word];
  return pieces.flatMap((piece) => piece.match(new RegExp(`.{1,${chars}}`, "gu")));
}

// The text in lines of so many characters. Words stay whole where they fit, and names are broken where they have
// parts. Of what needs more lines the middle is left out: both ends matter.
function wrapWords(text, chars, most) {
  const lines = [""];
  const put = (piece, between) => {
    const line = lines[lines.length - 1];
    if (line === "" || line.length + between.length + piece.length <= chars)
      lines[lines.length - 1] = line === "" ? piece : line + between + piece;
    else
      lines.push(piece);
  };
  for (const word of text.split(" ").filter((part) => part !== ""))
    (word.length <= chars ? [word] : breakable(word, chars)).forEach((piece, index) => put(piece, index ? "" : " "));
  if (lines.length <= most)
    return lines;
  return wrapWords(shortenMiddle(text, Math.min(text.length, chars * most) - chars / 2 | 0, 8), chars, most);
}

function drawEvent(plan, dot, finding, link) {
  const { event } = dot;
  const { chars } = plan;
  const { lines } = dot;
  const proof = (finding.proof && finding.proof.event === event.event) || (plan.course && event.marked);
  const border = /^(begin|end)(\(|$)/.test(event.op);
  const node = svg("g", {
    class: `event${proof ? " proof" : ""}${border ? " border" : ""}`, "data-event": event.event,
    tabindex: dot.row === 0 ? 0 : -1, role: "button", "aria-label": eventLabel(finding, event),
  },
    svg("rect", {
      class: "hit", x: dot.x - 12, y: dot.y - 20, width: plan.width - 8,
      height: 40 + (lines.length - 1) * LANES.line, rx: 6,
    }),
    svg("circle", { cx: dot.x, cy: dot.y, r: border ? 4 : 6 }),
    ...lines.map((text, line) =>
      svg("text", { class: "op", x: dot.x + 18, y: dot.y - 1 + line * LANES.line, text })),
    svg("text", {
      class: "loc", x: dot.x + 18, y: dot.y - 1 + lines.length * LANES.line,
      text: shortLocation(event.loc || "", chars),
    }),
    svg("title", { text: eventLabel(finding, event) }));
  link(node, event);
  return node;
}

function drawNumber(plan, dot, index) {
  const before = index ? plan.dots[index - 1] : null;
  return svg("g", { class: "number" },
    before && !plan.reordered && dot.event.event - before.event.event > 1
      ? svg("text", { x: plan.gutter - 18, y: (before.y + dot.y) / 2 + 4, text: "\u22ee" }) : null,
    svg("text", { x: plan.gutter - 14, y: dot.y + 4, text: digits(dot.event.event) }));
}

// From each step of a course to the next one, which may be another thread's. Where the threads were in
// the end has no order: only the thread that ran last comes there from its last step.
function drawWay(plan) {
  const steps = plan.dots.filter((dot) => !dot.event.marked);
  const last = steps[steps.length - 1];
  const end = plan.dots.find((dot) => dot.event.marked && last && dot.x === last.x);
  const way = end ? [...steps, end] : steps;
  return way.slice(1).map((dot, index) => svg("line", {
    class: "way", x1: way[index].x, x2: dot.x, y1: way[index].y, y2: dot.y,
  }));
}

// What a course leaves out before the step.
function drawCourseGap(plan, dot) {
  return svg("text", { class: "course-gap", x: plan.gutter + LANES.offset + 18, y: dot.y - LANES.row + 4,
    text: dot.event.gap });
}

// Up and down go from event to event; only one of them is a stop for the tab key.
function moveInLanes(picture, key) {
  const events = [...picture.querySelectorAll(".event")];
  const here = events.indexOf(document.activeElement);
  const next = events[here + (key === "ArrowDown" ? 1 : -1)];
  if (here < 0 || !next)
    return;
  events[here].setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}

function drawLanes(finding, link, most = LANES.most) {
  const plan = layOut(finding, most);
  const picture = svg("svg", {
    class: "lanes", viewBox: `0 0 ${plan.right} ${plan.height}`, width: plan.right,
    height: plan.height, role: "group", "aria-label": "Interleaving, time downwards",
    onkeydown: (press) => {
      if (press.key !== "ArrowDown" && press.key !== "ArrowUp")
        return;
      press.preventDefault();
      press.stopPropagation();
      moveInLanes(picture, press.key);
    },
  },
    arrowHead(),
    ...plan.threads.map((thread) => drawLane(plan, thread)),
    ...finding.spans.map((span) => drawSpan(plan, span)),
    svg("g", { class: "cycle" }, ...drawStays(plan, finding),
      ...plan.edges.map((edge, index) => drawEdge(plan, edge, index))),
    ...(plan.course ? drawWay(plan) : []),
    ...plan.dots.filter((dot) => dot.event.gap).map((dot) => drawCourseGap(plan, dot)),
    ...plan.dots.map((dot, index) => drawNumber(plan, dot, index)),
    ...plan.dots.map((dot) => drawEvent(plan, dot, finding, link)),
    ...drawEdgeLabels(plan),
    svg("text", { class: "number-title", x: plan.gutter - 14, y: 22, text: plan.course ? "step" : "event" }));
  return picture;
}
