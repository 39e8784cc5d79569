// The list of findings. Only the rows in sight are in the document, however many there are.

const ROW_HEIGHT = 62;
const ROWS_BEYOND = 6;
const ROW_NAME = 30; // characters that fit

class FindingList {
  // open(index, focus): somebody chose the entry with this index; `focus`: and wants to read it.
  constructor(list, rows, open) {
    this.list = list;
    this.rows = rows;
    this.open = open;
    this.groups = [];
    this.chosen = -1;
    list.addEventListener("scroll", () => this.draw(), { passive: true });
    list.addEventListener("keydown", (press) => this.onKey(press));
    new ResizeObserver(() => this.draw()).observe(list);
  }

  show(groups, chosen) {
    this.groups = groups;
    this.rows.style.height = `${groups.length * ROW_HEIGHT}px`;
    this.choose(chosen);
  }

  // Makes it the chosen one, in sight.
  choose(index) {
    const top = index * ROW_HEIGHT;
    this.chosen = index;
    if (index >= 0 && top < this.list.scrollTop)
      this.list.scrollTop = top;
    else if (index >= 0 && top + ROW_HEIGHT > this.list.scrollTop + this.list.clientHeight)
      this.list.scrollTop = top + ROW_HEIGHT - this.list.clientHeight;
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW_HEIGHT) - ROWS_BEYOND);
    const fit = Math.ceil(this.list.clientHeight / ROW_HEIGHT) + 2 * ROWS_BEYOND;
    const last = Math.min(this.groups.length, first + fit);
    const rows = [];
    for (let index = first; index < last; index++)
      rows.push(this.drawRow(index));
    this.rows.replaceChildren(...rows);
    if (this.chosen >= first && this.chosen < last)
      this.list.setAttribute("aria-activedescendant", `row-${this.chosen}`);
    else
      this.list.removeAttribute("aria-activedescendant");
  }

  drawRow(index) {
    const group = this.groups[index];
    const finding = group[0];
    const row = el("div", {
      class: finding.state === "known" || finding.state === "suppressed" ? "row old" : "row",
      role: "option", id: `row-${index}`, "aria-selected": index === this.chosen ? "true" : "false",
      "aria-setsize": this.groups.length, "aria-posinset": index + 1,
      onclick: () => this.open(index, false),
    },
      el("span", { class: "row-name", title: finding.name }, code(shortenStart(blockName(finding.name), ROW_NAME))),
      el("span", { class: "row-times", text: group.length > 1 ? `\u00d7\u2009${digits(group.length)}` : "" }),
      el("span", { class: "row-who", text: rowThreads(finding) }),
      el("span", { class: "row-where", text: rowPlace(finding) }));
    row.style.top = `${index * ROW_HEIGHT}px`;
    return row;
  }

  step(by) {
    const next = Math.max(0, Math.min(this.groups.length - 1, this.chosen + by));
    if (this.groups.length && next !== this.chosen)
      this.open(next, false);
  }

  onKey(press) {
    const page = Math.max(1, Math.floor(this.list.clientHeight / ROW_HEIGHT) - 1);
    const steps = {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.groups.length,
      End: this.groups.length,
    };
    if (press.ctrlKey || press.metaKey || press.altKey)
      return;
    if (Object.hasOwn(steps, press.key)) {
      press.preventDefault();
      this.step(steps[press.key]);
    } else if (press.key === "Enter" && this.chosen >= 0) {
      press.preventDefault();
      this.open(this.chosen, true);
    }
  }
}

// "known, bank.c:21"
function rowPlace(finding) {
  const state = finding.state === "new" ? "" : finding.state;
  return [state, finding.loc ? shortLocation(finding.loc, 24) : ""].filter((word) => word).join(", ");
}

// "teller, auditor", "potential: T1, T2"
function rowThreads(finding) {
  const most = 4;
  const { kind } = finding.story;
  const shown = finding.threads.slice(0, most).join(", ");
  const more = finding.threads.length > most ? ` +${finding.threads.length - most}` : "";
  return [kind === "violation" ? "" : kind, shown + more].filter((word) => word).join(": ");
}
