// The list of findings. Only the rows in sight are in the document, however many there are, and a row that stays in
// sight stays as it is: going from one finding to the next is the same work in any list.

const ROW_HEIGHT = 62;
const ROWS_BEYOND = 6;
const ROW_LETTER = 8.5; // width of a letter of a name, and of what is beside the names
const ROW_EDGES = 46;

class FindingList {
  // open(index, focus): somebody chose the entry with this index; `focus`: and wants to read it.
  constructor(list, rows, open) {
    this.list = list;
    this.rows = rows;
    this.open = open;
    this.groups = [];
    this.chosen = -1;
    this.drawn = new Map(); // index -> row, of those in the document
    this.height = list.clientHeight;
    this.letters = this.countLetters(list.clientWidth);
    list.addEventListener("scroll", () => this.draw(list.scrollTop), { passive: true });
    list.addEventListener("keydown", (press) => this.onKey(press));
    new ResizeObserver(() => this.resize()).observe(list);
  }

  countLetters(width) {
    return Math.max(30, Math.floor((width - ROW_EDGES) / ROW_LETTER));
  }

  // How many letters of the smaller text fit beside a place.
  lettersBeside(place) {
    return Math.max(10, Math.floor((this.letters * ROW_LETTER - 7 * place.length) / 7.6) - 2);
  }

  resize() {
    const letters = this.countLetters(this.list.clientWidth);
    const other = letters !== this.letters;
    this.height = this.list.clientHeight;
    this.letters = letters;
    if (other)
      this.redraw();
    else
      this.draw(this.list.scrollTop);
  }

  show(groups, chosen) {
    this.groups = groups;
    this.rows.style.height = `${groups.length * ROW_HEIGHT}px`;
    this.height = this.list.clientHeight;
    this.clear();
    this.choose(chosen);
  }

  clear() {
    this.drawn.clear();
    this.rows.replaceChildren();
  }

  // All rows anew: what they say has changed.
  redraw() {
    this.clear();
    this.draw(this.list.scrollTop);
  }

  // Makes it the chosen one, in sight.
  choose(index) {
    const top = index * ROW_HEIGHT, now = this.list.scrollTop;
    const wanted = index < 0 ? now : top < now ? top : Math.max(now, top + ROW_HEIGHT - this.height);
    this.chosen = index;
    if (wanted !== now)
      this.list.scrollTop = wanted;
    this.draw(wanted);
  }

  draw(from) {
    const first = Math.max(0, Math.floor(from / ROW_HEIGHT) - ROWS_BEYOND);
    const fit = Math.ceil(this.height / ROW_HEIGHT) + 2 * ROWS_BEYOND;
    const last = Math.min(this.groups.length, first + fit);
    for (const [index, row] of this.drawn)
      if (index < first || index >= last) {
        row.remove();
        this.drawn.delete(index);
      }
    for (let index = first; index < last; index++)
      this.keepRow(index);
    if (this.chosen >= first && this.chosen < last)
      this.list.setAttribute("aria-activedescendant", `row-${this.chosen}`);
    else
      this.list.removeAttribute("aria-activedescendant");
  }

  keepRow(index) {
    const selected = index === this.chosen ? "true" : "false";
    const row = this.drawn.get(index);
    if (!row)
      this.addRow(index);
    else if (row.getAttribute("aria-selected") !== selected)
      row.setAttribute("aria-selected", selected);
  }

  // In the order of the list, for those who hear it.
  addRow(index) {
    const row = this.drawRow(index);
    const next = [...this.drawn.keys()].filter((other) => other > index);
    this.rows.insertBefore(row, next.length ? this.drawn.get(Math.min(...next)) : null);
    this.drawn.set(index, row);
  }

  drawRow(index) {
    const group = this.groups[index];
    const finding = group[0];
    const old = finding.state === "known" || finding.state === "suppressed";
    const cuts = finding.overview ? finding.overview.count : finding.story.count || group.length;
    const times = cuts > 1 ? `\u00d7\u2009${digits(cuts)}` : "";
    const place = rowPlace(finding);
    const row = el("div", {
      class: `row${old ? " old" : ""}${isReviewed(finding) ? " reviewed" : ""}`,
      role: "option", id: `row-${index}`, "aria-selected": index === this.chosen ? "true" : "false",
      "aria-setsize": this.groups.length, "aria-posinset": index + 1,
      onclick: () => this.open(index, false),
    },
      el("div", {}, el("span", { class: "row-name", title: finding.name },
        code(shortenStart(blockName(finding.name), this.letters - (times ? times.length + 1 : 0)))),
      el("span", { class: "row-times", text: times })),
      el("div", {}, el("span", { class: "row-who", text: rowSubject(finding, this.lettersBeside(place)) }),
        el("span", { class: "row-where", text: place })));
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

// The lines between which a predicted block can be cut, as an overview says it: "bank.c:21 and 24".
function causePlace(cause) {
  const left = cause ? splitLocation(cause.left) : null, back = cause ? splitLocation(cause.back) : null;
  if (!left || !back)
    return "";
  return left.file !== back.file || left.line === back.line ? cause.left : `${cause.left} and ${back.line}`;
}

// "known, bank.c:21 and 24": the lines to look at
function rowPlace(finding) {
  const state = finding.state === "new" ? "" : finding.state;
  const look = finding.overview ? finding.overview.look_at : causePlace(finding.cause);
  const place = look ? look.slice(look.lastIndexOf("/") + 1) : finding.loc ? shortLocation(finding.loc, 24) : "";
  return [isReviewed(finding) ? "reviewed" : "", state, place].filter((word) => word).join(", ");
}

// What was cut, or is in another schedule: "balance", "potential: balance"; where that is not known, who was there: "deadlock: T1, T2"
function rowSubject(finding, letters) {
  const most = 4;
  const { kind } = finding.story;
  const shown = finding.threads.slice(0, most).join(", ");
  const more = finding.threads.length > most ? ` +${finding.threads.length - most}` : "";
  const { what, by_design: design } = finding.overview || { what: finding.subject, by_design: false };
  const usual = kind === "violation" || kind === "predicted";
  const subject = what && !/ and |, /.test(what) ? shortenStart(what, letters) : what;
  return [design ? "by design?" : usual ? "" : kind, subject || shown + more]
    .filter((word) => word).join(": ");
}
