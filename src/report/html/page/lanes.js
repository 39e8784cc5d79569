// The interleaving of a finding: a lane for each thread, time downwards, an arrow for each
// dependence. Of a failure there are the steps of its course, with a line from each to the next.

const LANES = { gutter: 58, top: 62, row: 58, offset: 20, most: 300, line: 14, lines: 3 };

// A course has more words.
function laneWidth(threads, course) {
  return (threads <= 2 ? 210 : threads <= 4 ? 184 : 164) + (course ? 26 : 0);
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
  const x = (thread) => LANES.gutter + lane.get(thread) * width + LANES.offset;
  const dots = new Map();
  let y = LANES.top - LANES.row;
  events.forEach((event, row) => {
    y += event.gap ? 2 * LANES.row : LANES.row;
    dots.set(eventKey(event), { event, row, x: x(event.thread), y });
  });
  const at = (event) => dots.get(eventKey(event));
  return {
    edges, events, threads, width, reordered: Boolean(finding.order), racy: finding.racy, x, at, course,
    dots: [...dots.values()],
    height: y + (course ? LANES.lines * LANES.line + 8 : 30),
    right: LANES.gutter + threads.length * width,
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
    svg("line", { x1: x, x2: x, y1: 34, y2: plan.height }),
    svg("text", { x: x - 6, y: 22, class: "thread", text: shorten(thread, Math.floor(plan.width / 9)) },
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
function placeLabel(plan, curve, width, taken) {
  const free = (at) => taken.every((other) => Math.abs(at.y - other.y) > 8 + other.height / 2 ||
    Math.abs(at.x - other.x) > (width + other.width) / 2);
  const clear = (at) => plan.threads.every((thread) => Math.abs(at.x - plan.x(thread)) > width / 2);
  const points = [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.2, 0.8].map((t) => curvePoint(curve, t));
  return points.find((at) => free(at) && clear(at)) || points.find(free) || points[0];
}

// The texts beside the dots between two rows.
function textsBetween(plan, one, other) {
  return plan.dots.slice(Math.min(one, other), Math.max(one, other) + 1).map((dot) => {
    const width = Math.min(plan.width - 36, 7.6 * Math.max(dot.event.op.length, 10));
    return { x: dot.x + 18 + width / 2, y: dot.y + 3, width, height: 28 };
  });
}

function drawEdgeLabels(plan) {
  const taken = [];
  return plan.edges.map((edge) => {
    const kind = isRace(plan, edge) ? "race " : edge.kind === "conflict" ? "" : `${edge.kind} `;
    const what = kind + edge.on;
    const text = shorten(what, Math.floor(plan.width / 6.7) - 4);
    const width = text.length * 6.7 + 8;
    const from = plan.at(edge.from), to = plan.at(edge.to);
    const { x, y } = placeLabel(plan, edgeCurve(from, to), width,
      [...taken.slice(-8), ...textsBetween(plan, from.row, to.row)]);
    taken.push({ x, y, width, height: 16 });
    return svg("g", { class: "edge-label" },
      svg("rect", { x: x - width / 2, y: y - 8, width, height: 16, rx: 4 }),
      svg("text", { x, y: y + 3.5, text }));
  });
}

// The words in lines of so many characters; the last of so many lines is cut short.
function wrapWords(text, chars, most) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line === "" || line.length + 1 + word.length <= chars || lines.length === most)
      lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
    else
      lines.push(word);
  }
  return lines.map((line) => shorten(line, chars));
}

function drawEvent(plan, dot, finding, link) {
  const { event } = dot;
  const chars = Math.floor((plan.width - 36) / (plan.course ? 7.9 : 7.3));
  const lines = plan.course ? wrapWords(event.op, chars, LANES.lines) : [shorten(event.op, chars)];
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
      ? svg("text", { x: 40, y: dot.y - LANES.row / 2 + 4, text: "\u22ee" }) : null,
    svg("text", { x: 44, y: dot.y + 4, text: digits(dot.event.event) }));
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
  return svg("text", { class: "course-gap", x: LANES.gutter + LANES.offset + 18, y: dot.y - LANES.row + 4,
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
    svg("text", { class: "number-title", x: 44, y: 22, text: plan.course ? "step" : "event" }));
  return picture;
}
