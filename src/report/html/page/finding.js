// Everything about one finding: its headline, the lanes, the source, what follows, and the steps.

// Pointing at one of the things that stand for an event (a dot, a line, a step) lights up all.
function makeLinks() {
  const nodes = new Map();
  const all = (event) => nodes.get(event.event) || [];
  const light = (event, on) => {
    for (const node of all(event))
      node.classList.toggle("linked", on);
  };
  const show = (event, from) => {
    const line = all(event).find((node) => node !== from && node.matches("tr, li"));
    if (line)
      line.scrollIntoView({ block: "nearest", behavior: "auto" });
  };
  return (node, event) => {
    nodes.set(event.event, [...all(event), node]);
    node.addEventListener("mouseenter", () => light(event, true));
    node.addEventListener("mouseleave", () => light(event, false));
    node.addEventListener("focus", () => light(event, true));
    node.addEventListener("blur", () => light(event, false));
    if (node.matches(".event")) {
      node.addEventListener("click", () => show(event, node));
      node.addEventListener("keydown", (press) => {
        if (press.key === "Enter" || press.key === " ") {
          press.preventDefault();
          show(event, node);
        }
      });
    }
  };
}

// "cut in 1 of its 2 runs · events 15 to 32 · bank.c:21"
function drawFacts(finding) {
  const facts = [finding.story.frequency];
  if (finding.begin !== null)
    facts.push(finding.end === null ? `event ${digits(finding.begin)} \u2013`
      : `events ${digits(finding.begin)} \u2013 ${digits(finding.end)}`);
  if (finding.begin !== null)
    facts.push(finding.loc);
  if (finding.depth)
    facts.push(`depth ${finding.depth}`);
  return el("p", { class: "facts", text: facts.filter((fact) => fact).join(" \u00b7 ") });
}

// Why a finding does not count.
function drawState(finding, lines) {
  if (finding.state !== "known" && finding.state !== "suppressed")
    return "";
  const line = finding.state === "suppressed" ? lines[finding.suppressedBy] : null;
  return el("p", { class: "state" }, el("strong", { text: KINDS[finding.state] }),
    line ? ": " : "", line ? el("span", { class: "reason", text: line.reason }) : "",
    line ? " " : "", line ? code(`${line.file}:${line.line}`) : "");
}

// Why it stands where it does in the list.
function drawReason(finding) {
  const { overview } = finding;
  if (!overview || !overview.why_here)
    return "";
  return el("p", { class: "why-here" }, overview.by_design ? el("strong", { text: "By design? " }) : "",
    el("span", { text: overview.why_here }));
}

function drawTurns(group, position, turn) {
  if (group.length < 2)
    return "";
  const button = (text, step) => el("button", {
    type: "button", text, disabled: !group[position + step], onclick: () => turn(step),
  });
  return el("p", { class: "turns" }, "Blocks of this finding: ", button("Previous", -1),
    ` ${digits(position + 1)} of ${digits(group.length)} `, button("Next", 1));
}

// Blocks that the same event cut, one inside the other; `byEvent` has those of each event.
function drawAround(finding, byEvent, open) {
  const most = 8;
  const same = finding.proof ? byEvent.get(eventKey(finding)).filter((other) => other !== finding) : [];
  if (!same.length)
    return "";
  return el("p", { class: "around" }, "Same event: ",
    ...same.slice(0, most).flatMap((other, index) => [index ? ", " : "",
      el("button", { type: "button", class: "link", onclick: () => open(other) },
        code(blockName(other.name)))]),
    same.length > most ? ` +${same.length - most}` : "");
}

// The lanes, in part at first where there is much to draw.
function drawPicture(finding, link) {
  const holder = el("div", { class: "picture", tabindex: "-1" });
  const draw = (most, drawn) => {
    const rest = drawn.edges.length - most;
    const more = (text, act) => el("button", { type: "button", text, onclick: act });
    holder.replaceChildren(drawLanes(drawn, link, most));
    if (rest > 0)
      holder.append(more(`Draw the other ${count(rest, "dependence")}`, () => draw(drawn.edges.length, drawn)));
    if (rest <= 0 && drawn.leftOut)
      holder.append(el("p", {
        class: "note", text: `${count(drawn.leftOut, "more dependence")} left out of this page; JSON has all.`,
      }));
    if (drawn.schedule)
      holder.append(more("Draw the whole schedule",
        () => draw(most, { ...drawn, order: drawn.schedule, schedule: null })));
  };
  if (finding.edges.length || finding.spans.length || finding.unit === "step")
    draw(LANES.most, finding);
  return holder;
}

function drawFinding(section, view) {
  const { finding, sources } = view;
  const link = makeLinks();
  const events = collectEvents(finding);
  section.replaceChildren(
    drawHeadline(finding),
    drawFacts(finding),
    drawState(finding, view.suppressions),
    drawReason(finding),
    drawActions(finding, view),
    drawTurns(view.group, view.position, view.turn),
    el("div", { class: "evidence" },
      el("div", { class: "why" }, events.length ? drawPicture(finding, link) : "",
        drawEnding(finding.story), drawAround(finding, view.byEvent, view.open)),
      events.length ? drawSources(finding, events, sources, link) : ""),
    drawSteps(finding, link),
    drawSchedule(finding));
}

function drawNothing(section, result, filtered) {
  section.replaceChildren(el("h2", {
    id: "finding-title", tabindex: "-1", text: filtered ? "No finding matches the filters" : "No findings",
  }), filtered ? "" : el("p", { class: "note", text: result.summary }),
    result.gave_up ? el("p", { class: "note", text: result.gave_up }) : "");
}
