// Everything about one finding: a sentence, the lanes, the source, the steps in words.

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

function share(finding, result) {
  const block = result.blocks.find((row) => row.name === finding.name);
  if (!block || !block.executed || !block.violated || result.stopped)
    return null;
  const cut = result.foreseen ? "reported" : finding.type === "blamed" ? "blamed" : "cut";
  if (finding.type === "race" || finding.type === "deadlock")
    return null;
  if (block.executed === 1)
    return `${cut} in its only run`;
  return block.violated === block.executed ? `${cut} in all of its ${digits(block.executed)} runs`
    : `${cut} in ${digits(block.violated)} of its ${digits(block.executed)} runs`;
}

function subject(finding) {
  return finding.name === "" ? "A block without a name" : code(finding.name);
}

function headline(finding) {
  if (finding.order)
    return foreseenHeadline(finding);
  if (finding.type === "cycle")
    return ["No serial order explains the trace: its transactions wait for each other in a cycle"];
  if (finding.type === "verdict")
    return [`Not serializable from event ${digits(finding.event)} on`];
  if (finding.type === "blamed")
    return [subject(finding), " closed a cycle of transactions in thread ", code(finding.thread)];
  const others = finding.others.slice(0, 3);
  if (finding.others.length > 3)
    others.push("others");
  return [subject(finding), " was not atomic in thread ", code(finding.thread), ": ",
    others.length ? enumerate(others) : "another thread", " came in between"];
}

function conclusion(finding, result) {
  const name = finding.name === "" ? "the block" : finding.name;
  if (finding.order)
    return foreseenConclusion(finding, result);
  if (finding.type === "cycle")
    return "No single block was cut, but no order of whole blocks has each of them before the next.";
  if (finding.type === "verdict")
    return "This engine gives a verdict only. The engine witness names the blocks that were cut, and how.";
  if (finding.type === "blamed")
    return `Whether ${name} itself was cut, this engine does not tell.`;
  if (finding.edges.length < 2 || finding.partial)
    return finding.others.length
      ? `No serial order has ${finding.others[0]}'s work both after and before ${name}.`
      : `No serial order has that work both after and before ${name}.`;
  return serialConclusion(finding);
}

function serialConclusion(finding) {
  const name = finding.name === "" ? "the block" : finding.name;
  const first = finding.edges[0].to.thread;
  const last = finding.edges[finding.edges.length - 1].from.thread;
  return first === last ? `No serial order has ${first}'s work both after and before ${name}.`
    : `No serial order has ${name} both before ${first} and after ${last}, which comes after ${first}.`;
}

// What the arrival at an event means.
function consequence(finding, event) {
  const name = finding.name === "" ? "the block" : finding.name;
  const index = finding.edges.findIndex((edge) => edge.to.event === event.event);
  const span = finding.spans.find((s) => s.begin === event.event && s.thread === event.thread);
  if (finding.type === "deadlock")
    return deadlockConsequence(finding, event);
  if (finding.order && finding.partial)
    return "";
  if (finding.order && index >= 0 && index + 1 === finding.edges.length)
    return `still in the block, so ${name} comes after ${finding.edges[index].from.thread}`;
  if (finding.type === "cycle")
    return index < 0 ? "" : `so ${event.thread} comes after ${finding.edges[index].from.thread}`;
  if (span && finding.end === null)
    return "and its end was not seen";
  if (finding.type === "blamed")
    return event.event === finding.event ? "which closed the cycle" : "";
  if (!finding.order && event.event === finding.event)
    return finding.others.length
      ? `still in the block, so ${name} comes after ${index < 0 ? finding.others[0] : finding.edges[index].from.thread}`
      : "still in the block, but after work that came after it";
  if (finding.order && index < 0)
    return "";
  if (finding.partial && event.thread !== finding.thread)
    return `after a step of the block, so ${event.thread} comes after ${name}`;
  if (index < 0)
    return "";
  return index === 0 ? `so ${event.thread} comes after ${name}`
    : `so ${event.thread} comes after ${finding.edges[index].from.thread}`;
}

function drawStack(event) {
  const frames = framesOf(event);
  if (frames.length < 2)
    return null;
  const callers = frames.slice(1, 4).map((frame) => frame.function);
  const more = frames.length > 4 ? ` and ${frames.length - 4} more` : "";
  return el("details", { class: "stack" },
    el("summary", {}, "called from ", code(callers.join(" \u2190 ")), more),
    el("ol", {}, ...frames.map((frame) =>
      el("li", {}, code(frame.function), el("span", { class: "at", text: frame.loc })))));
}

function drawStep(finding, event, link) {
  const { verb, target } = deed(event.op);
  const follows = consequence(finding, event);
  const step = el("li", { value: event.event, "data-step": event.event },
    el("span", { class: "step-number", text: `event ${digits(event.event)}` }),
    el("div", { class: "step-words" },
      el("p", {}, code(event.thread, { class: "thread" }), ` ${verb} `, code(target),
        event.loc ? el("span", { class: "at", text: ` at ${event.loc}` }) : null,
        event.function && event.function !== finding.name
          ? el("span", { class: "at", text: ` in ${event.function}` }) : null),
      follows ? el("p", { class: "follows", text: follows }) : null,
      event.locks && event.locks.length
        ? el("p", { class: "locks" }, "holding ", ...event.locks.flatMap((lock, index) =>
          index ? [", ", code(lock)] : [code(lock)])) : null,
      drawStack(event)));
  link(step, event);
  return step;
}

function drawFacts(finding, result) {
  const facts = [finding.order ? patternWords(finding) : "", share(finding, result)];
  if (finding.begin !== null)
    facts.push(finding.end === null ? `from event ${digits(finding.begin)}, its end was not seen`
      : `events ${digits(finding.begin)} to ${digits(finding.end)}`);
  if (finding.loc && finding.begin !== null)
    facts.push(`begins at ${finding.loc}`);
  if (finding.depth)
    facts.push(`nested ${finding.depth} deep`);
  return el("p", { class: "facts", text: facts.filter((fact) => fact).join(" \u00b7 ") });
}

// Why a finding does not count.
function drawState(finding, lines) {
  if (finding.state === "known")
    return el("p", { class: "state", text: "Known: it is in the baseline." });
  if (finding.state !== "suppressed")
    return null;
  const line = lines[finding.suppressedBy];
  return el("p", { class: "state" }, "Suppressed: ", el("span", { text: line.reason }),
    " (", code(`${line.file}:${line.line}`), ").");
}

function drawTurns(group, position, turn) {
  if (group.length < 2)
    return null;
  const button = (text, step) => el("button", {
    type: "button", text, disabled: !group[position + step], onclick: () => turn(step),
  });
  return el("p", { class: "turns" },
    group[0].order ? `The same holds for ${count(group.length, "finding")} in this place. `
      : `The same happened ${count(group.length, "time")} in this place. `,
    button("Previous", -1), ` ${digits(position + 1)} of ${digits(group.length)} `, button("Next", 1));
}

// Blocks that the same event cut, one inside the other.
function drawAround(finding, findings, open) {
  const most = 8;
  const same = finding.proof ? findings.filter((other) => other !== finding &&
    other.event === finding.event && other.thread === finding.thread) : [];
  if (!same.length)
    return null;
  return el("p", { class: "around" }, "The same event cut ",
    ...same.slice(0, most).flatMap((other, index) => [index ? ", " : "",
      el("button", { type: "button", class: "link", onclick: () => open(other) },
        code(blockName(other.name)))]),
    same.length > most ? ` and ${same.length - most} more` : "", ".");
}

function drawPicture(finding, link) {
  const holder = el("div", { class: "picture", tabindex: "-1" });
  const draw = (most) => {
    const rest = finding.edges.length - most;
    holder.replaceChildren(drawLanes(finding, link, most));
    if (rest > 0)
      holder.append(el("button", {
        type: "button", text: `Draw the other ${count(rest, "dependence")}`,
        onclick: () => draw(finding.edges.length),
      }));
  };
  if (finding.edges.length || finding.spans.length)
    draw(LANES.most);
  return holder;
}

function drawDetail(section, view) {
  const { finding, result, sources } = view;
  const link = makeLinks();
  const events = collectEvents(finding);
  const most = 2 * LANES.most;
  section.replaceChildren(
    el("h2", { id: "finding-title", tabindex: "-1" }, ...headline(finding), "."),
    drawFacts(finding, result),
    drawState(finding, view.suppressions) || "",
    drawTurns(view.group, view.position, view.turn) || "",
    events.length ? el("div", { class: "evidence" }, drawPicture(finding, link),
      drawSources(events, sources, link)) : "",
    el("p", { class: "conclusion", text: conclusion(finding, result) }),
    finding.witness && finding.witness.length
      ? el("p", { class: "witness", text: [witnessWords(finding), ...brokenWords(finding)].join(" ") }) : "",
    drawAround(finding, view.findings, view.open) || "",
    events.length ? el("h3", { text: "Step by step" }) : "",
    el("ol", { class: "steps" }, ...events.slice(0, most).map((event) =>
      drawStep(finding, event, link))),
    events.length > most ? el("p", { class: "note", text: `and ${count(events.length - most, "more step")}` }) : "");
}

function drawNothing(section, result, filtered) {
  const words = filtered ? "No finding matches the filters."
    : result.foreseen ? (result.serializable === null ? "Nothing was found, but not all blocks were decided."
      : `Nothing was found: ${nothingForeseen(result.prediction)}.`)
    : result.serializable === true ? "Nothing was found: every block was atomic."
      : "Nothing was found, but there is no verdict either.";
  section.replaceChildren(el("h2", { id: "finding-title", tabindex: "-1", text: words }),
    result.gave_up ? el("p", { class: "note", text: `The engine gave up: ${result.gave_up}.` }) : "");
}
