// How often each block ran and was cut.

const FIRST_BLOCKS = 25;
const MORE_BLOCKS = 500;

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
      ? el("button", {
        type: "button", class: "link", title: "List its findings", onclick: () => pick(block.name),
      }, name)
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
    section.replaceChildren(title, el("p", { class: "note", text: "none" }));
    return;
  }
  const scale = blockScale(blocks);
  const body = el("tbody");
  const more = el("button", { type: "button" });
  const show = (to) => {
    body.append(...blocks.slice(body.children.length, to).map((b) => drawBlockRow(b, scale, pick)));
    const rest = blocks.length - body.children.length;
    more.hidden = rest === 0;
    more.textContent = `Show ${digits(Math.min(rest, MORE_BLOCKS))} of ${count(rest, "other block")}`;
  };
  more.addEventListener("click", () => show(body.children.length + MORE_BLOCKS));
  const violated = result.prediction ? "reported" : result.blames_closers ? "blamed" : "violated";
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
