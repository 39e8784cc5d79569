// What is known about the whole: how often each block ran and was cut, and the trace itself.

const FIRST_BLOCKS = 25;
const MORE_BLOCKS = 500;

// ---- Blocks ----

// From a count to a share of the width. Small counts beside huge ones need a logarithmic scale.
function blockScale(blocks) {
  const largest = blocks.reduce((most, block) => Math.max(most, block.executed), 1);
  const smallest = blocks.reduce((least, block) => Math.min(least, block.executed || least), largest);
  if (largest < 50 * smallest) {
    const step = 10 ** Math.floor(Math.log10(largest));
    const every = largest / step < 2 ? step / 2 : largest / step < 5 ? step : 2 * step;
    const size = Math.max(1, every);
    const ticks = [];
    for (let tick = size; tick <= largest; tick += size)
      ticks.push(tick);
    return { at: (n) => n / largest, ticks, words: "linear scale" };
  }
  const ticks = [];
  for (let tick = 1; tick <= largest; tick *= 10)
    ticks.push(tick);
  const keep = Math.ceil(ticks.length / 6);
  return {
    at: (n) => Math.log10(1 + n) / Math.log10(1 + largest),
    ticks: ticks.filter((_, index) => index % keep === 0), words: "logarithmic scale",
  };
}

function shortCount(number) {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (number >= size)
      return `${Number((number / size).toFixed(1))}${unit}`;
  return String(number);
}

function drawAxis(scale) {
  const axis = el("div", { class: "axis", "aria-hidden": "true" });
  for (const tick of scale.ticks) {
    const label = el("span", { text: shortCount(tick) });
    label.style.left = `${100 * scale.at(tick)}%`;
    axis.append(label);
  }
  return axis;
}

function drawBar(name, share) {
  const bar = el("div", { class: `bar ${name}` });
  bar.style.width = `${100 * share}%`;
  return bar;
}

function percent(block) {
  if (block.violated === null || !block.executed)
    return "";
  const share = 100 * block.violated / block.executed;
  return share === 0 ? "" : share < 0.1 ? "< 0.1 %" : `${share.toFixed(share < 10 ? 1 : 0)} %`;
}

function drawBlockRow(block, scale, pick) {
  const name = code(blockName(block.name));
  return el("tr", { "data-block-row": block.name },
    el("th", { scope: "row" }, block.violated
      ? el("button", { type: "button", class: "link", title: "List its findings", onclick: () => pick(block.name) }, name)
      : name),
    el("td", { class: "plot" }, el("div", { class: "bars" },
      drawBar("executed", scale.at(block.executed)), drawBar("violated", scale.at(block.violated || 0)))),
    el("td", { class: "number", text: digits(block.executed) }),
    el("td", { class: "number", text: block.violated === null ? "\u2013" : digits(block.violated) }),
    el("td", { class: "number dim", text: percent(block) }));
}

function drawBlocks(section, result, pick) {
  const blocks = result.blocks;
  const title = el("h2", { id: "blocks-title", text: "Blocks" });
  if (!blocks.length) {
    section.replaceChildren(title, el("p", { class: "note", text: "The trace has no blocks." }));
    return;
  }
  const scale = blockScale(blocks);
  const body = el("tbody");
  const more = el("button", { type: "button" });
  const show = (to) => {
    body.append(...blocks.slice(body.children.length, to).map((b) => drawBlockRow(b, scale, pick)));
    const rest = blocks.length - body.children.length;
    more.hidden = rest === 0;
    more.textContent = `Show ${digits(Math.min(rest, MORE_BLOCKS))} more of ${count(rest, "other block")}`;
  };
  more.addEventListener("click", () => show(body.children.length + MORE_BLOCKS));
  const violated = result.foreseen ? "reported" : result.blames_closers ? "blamed" : "violated";
  section.replaceChildren(title,
    el("p", { class: "legend" },
      el("span", { class: "key executed" }), "executed ", el("span", { class: "key violated" }),
      `${violated} (${scale.words})`),
    el("table", { class: "blocks" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col", text: "block" }),
        el("th", { scope: "col", class: "plot" }, drawAxis(scale)),
        el("th", { scope: "col", class: "number", text: "executed" }),
        el("th", { scope: "col", class: "number", text: violated }),
        el("th", { scope: "col", class: "number", text: "share" }))),
      body),
    more);
  show(FIRST_BLOCKS);
}

// ---- The trace ----

function seconds(value) {
  return value < 1e-3 ? `${(value * 1e6).toFixed(0)} \u00b5s`
    : value < 1 ? `${(value * 1e3).toFixed(value < 0.01 ? 2 : 1)} ms` : `${value.toFixed(2)} s`;
}

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1000 && unit + 1 < units.length; unit++)
    value /= 1024;
  return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

function foundFacts(result) {
  return [
    ["Verdict", verdictWords(result)],
    ["First bad event", result.first_bad_event === null ? "none" : digits(result.first_bad_event)],
    ["Violated blocks", result.violation_count === null ? "this engine names none" : digits(allViolated(result))],
  ];
}

function traceFacts(data, result) {
  const trace = data.trace;
  const number = (value) => value === undefined ? null : digits(value);
  return [
    ["Program or trace", trace.file],
    ...(result.foreseen ? foreseenFacts(result) : foundFacts(result)),
    ["Events", number(trace.events)],
    ["Threads", number(trace.threads)],
    ["Variables", number(trace.variables)],
    ["Locks", number(trace.locks)],
    ["Channels", number(trace.channels)],
    ["Blocks", number(trace.blocks)],
    ["Deepest nesting", number(trace.deepest)],
    ["Complete", trace.cut ? "no: the file is cut off"
      : trace.truncated && !result.stopped ? "no: it ends inside blocks or critical sections" : null],
    ["Reading", result.stopped ? "stopped at the first finding" : null],
    ["Engine", result.engine],
    ["Time in the engine", result.time_seconds === undefined ? null : seconds(result.time_seconds)],
    ["Largest state", result.peak_state_bytes === undefined ? null : bytes(result.peak_state_bytes)],
    ["Gave up", result.gave_up],
  ].filter(([, value]) => value !== null && value !== undefined);
}

function drawEngines(results) {
  const head = ["engine", "verdict", "first bad event", "violated blocks", "time", "peak state"];
  return el("table", { class: "engines" },
    el("thead", {}, el("tr", {}, ...head.map((text, index) =>
      el("th", { scope: "col", class: index > 1 ? "number" : null, text })))),
    el("tbody", {}, ...results.map((result) => el("tr", {},
      el("th", { scope: "row", text: result.engine }),
      el("td", { text: verdictWords(result) }),
      el("td", { class: "number", text: result.first_bad_event === null ? "\u2013" : digits(result.first_bad_event) }),
      el("td", { class: "number", text: result.violation_count === null ? "\u2013" : digits(allViolated(result)) }),
      el("td", { class: "number", text: result.time_seconds === undefined ? "" : seconds(result.time_seconds) }),
      el("td", { class: "number", text: result.peak_state_bytes === undefined ? "" : bytes(result.peak_state_bytes) })))));
}

function drawTrace(section, data, results, result) {
  const repairs = result.repairs || [];
  section.replaceChildren(
    el("h2", { id: "trace-title", text: "Trace" }),
    el("dl", {}, ...traceFacts(data, result).map(([name, value]) =>
      el("div", {}, el("dt", { text: name }), el("dd", { text: value })))),
    drawCaveats(result),
    repairs.length ? el("h3", { text: "Repairs" }) : "",
    repairs.length ? el("ul", {}, ...repairs.map((repair) => el("li", {
      text: `${repair.kind}: ${count(repair.count, "event")}, first event ${digits(repair.first_event)}`,
    }))) : "",
    results.length > 1 ? el("h3", { text: "Engines" }) : "",
    data.agree === false ? el("p", { class: "alarm", text: "The engines disagree about the verdict, so at least one of them is wrong." }) : "",
    results.length < 2 ? "" : result.foreseen ? drawForeseenEngines(results) : drawEngines(results));
}
