// The story of a finding, the same in every format: sentences and steps are shown as they are in the data,
// and none is made here.

// The name that a headline starts with, which is the block's, stands out.
function drawHeadline(finding) {
  const { headline } = finding.story;
  const name = finding.name !== "" && headline.startsWith(`${finding.name} `) ? finding.name : "";
  return el("h2", { id: "finding-title", tabindex: "-1" }, name ? code(name) : "",
    el("span", { text: headline.slice(name.length) }), ".");
}

// What follows from the steps, and what to look at first.
function drawEnding(story) {
  return el("div", { class: "ending" },
    story.explanation ? el("p", { class: "explanation", text: story.explanation }) : "",
    story.conclusion ? el("p", { class: "conclusion", text: story.conclusion }) : "",
    story.hint ? el("p", { class: "hint" }, el("strong", { text: "Hint:" }), " ",
      el("span", { class: "hint-text", text: story.hint })) : "",
    ...story.notes.map((text) => el("p", { class: "story-note", text })));
}

// All frames; in short, the callers of the one that the step is shown with.
function drawFrames(frames, step) {
  if (!frames || frames.length < 2)
    return null;
  const own = frames.findIndex((frame) => frame.loc === step.loc && frame.function === step.function);
  const callers = frames.slice(own + 1);
  return el("details", { class: "stack" },
    el("summary", {}, callers.length ? "called from " : "stack",
      callers.length ? code(callers.slice(0, 3).map((frame) => frame.function).join(" \u2190 ")) : "",
      callers.length > 3 ? ` +${callers.length - 3}` : ""),
    el("ol", {}, ...frames.map((frame) =>
      el("li", {}, code(frame.function), el("span", { class: "at", text: frame.loc })))));
}

function drawGapStep(step) {
  return el("li", { class: "gap" }, el("span", { class: "step-number", text: "\u22ef" }),
    el("p", { class: "action", text: step.gap }));
}

// "bank.c:25 in withdraw"; the function of the block itself goes without saying.
function drawPlace(step, block) {
  const named = step.function && step.function !== block;
  return !step.loc && !named ? "" : el("span", { class: "at" },
    step.loc ? el("span", { class: "loc", text: step.loc }) : "",
    named ? el("span", { class: "function", text: step.function }) : "");
}

// `frames` are those of the event, where they are known.
function drawStep(step, block, frames) {
  if (step.gap)
    return drawGapStep(step);
  return el("li", { class: step.marked ? "marked" : null, "data-step": step.event },
    el("span", { class: "step-number", text: step.event === null ? "" : `event ${digits(step.event)}` }),
    el("div", { class: "step-words" },
      el("p", {}, code(step.thread, { class: "thread" }), " ",
        el("span", { class: "action", text: step.action }), " ", drawPlace(step, block)),
      step.follows ? el("p", { class: "follows", text: step.follows }) : null,
      step.race ? el("p", { class: "race", text: step.race }) : null,
      step.holding ? el("p", { class: "locks", text: step.holding }) : null,
      drawFrames(frames, step)));
}

function drawSteps(finding, link) {
  const { story } = finding;
  const frames = new Map(finding.events.map((event) => [eventKey(event), event.stack]));
  const introduction = story.introduction ? el("p", { class: "introduction", text: story.introduction }) : "";
  if (!story.steps.length)
    return introduction;
  return el("section", { class: "steps-part" }, el("h3", { text: "Step by step" }), introduction,
    el("ol", { class: "steps" }, ...story.steps.map((step) => {
      const node = drawStep(step, finding.name, frames.get(eventKey(step)));
      if (step.event)
        link(node, step);
      return node;
    })));
}

function drawSchedule(finding) {
  const { schedule } = finding.story;
  if (!schedule)
    return "";
  return el("details", { class: "schedule" },
    el("summary", {}, el("h3", { text: schedule.title })),
    el("ol", { class: "steps" }, ...schedule.steps.map((step) => drawStep(step, finding.name, null))));
}

// What happened at an event, in one line, for those who cannot see the lanes: the words of the story,
// or the operation where the story leaves it out.
function eventLabel(finding, event) {
  if (!finding.actions) {
    const { steps, schedule } = finding.story;
    finding.actions = new Map([...(schedule ? schedule.steps : []), ...steps]
      .filter((step) => step.event).map((step) => [eventKey(step), step.action]));
  }
  const action = finding.actions.get(eventKey(event)) || event.op;
  return `${finding.unit || "event"} ${event.event}: ${event.thread} ${action}${event.loc ? `, ${event.loc}` : ""}`;
}
