// What somebody does about a finding: copies its suppression or the command that replays it, opens it in an editor,
// or marks it as reviewed. Marks are kept in the browser by fingerprint, so that pages of later runs have them, too.

const REVIEWED = "seriatim-reviewed:";
const reviewedHere = new Map(); // where the browser keeps nothing, they last as long as the page

function isReviewed(finding) {
  const { fingerprint } = finding.overview || finding;
  if (!fingerprint)
    return false;
  if (reviewedHere.has(fingerprint))
    return reviewedHere.get(fingerprint);
  let known = false;
  try {
    known = localStorage.getItem(REVIEWED + fingerprint) !== null;
  } catch {
    // As if nothing were there.
  }
  reviewedHere.set(fingerprint, known);
  return known;
}

function setReviewed(finding, done) {
  const { fingerprint } = finding.overview || finding;
  reviewedHere.set(fingerprint, done);
  try {
    if (done)
      localStorage.setItem(REVIEWED + fingerprint, new Date().toISOString());
    else
      localStorage.removeItem(REVIEWED + fingerprint);
  } catch {
    // It is known here, at least.
  }
}

// The lines that suppress what was reviewed, each once; of a finding, those of all of its blocks.
function reviewedSuppressions(findings) {
  return unique(findings.filter((finding) => finding.story.suppression && isReviewed(finding))
    .map((finding) => finding.story.suppression));
}

// The way that works in a file, too, where there may be no clipboard for scripts.
function copyText(text) {
  const field = el("textarea", { class: "copied" });
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

function saveText(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = el("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// "seriatim replay bank.schedule", from the note of a hunt.
function replayCommand(story) {
  for (const note of story.notes || []) {
    const found = /Replay it with: (seriatim replay .+?) \(/.exec(note);
    if (found)
      return found[1];
  }
  return "";
}

function copyButton(label, text) {
  return el("button", {
    type: "button", class: "copy", text: label, title: text, onclick: (click) => {
      copyText(text);
      click.target.textContent = "Copied";
    },
  });
}

function reviewButton(finding, changed) {
  const done = isReviewed(finding);
  return el("button", {
    type: "button", class: "review", "aria-pressed": done ? "true" : "false",
    text: done ? "Reviewed" : "Mark as reviewed", title: "Kept in this browser",
    onclick: () => {
      setReviewed(finding, !isReviewed(finding));
      changed();
    },
  });
}

// The address that opens a line in an editor; "" where nobody knows where the file is.
function editorAddress(sources, loc) {
  const place = splitLocation(loc);
  if (!place || !sources.editor)
    return "";
  const known = sources.get(place.file);
  const path = known && known.full ? known.full : place.file.startsWith("/") ? place.file : "";
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return path ? sources.editor.replaceAll("{line}", place.line).replaceAll("{file}", () => encoded) : "";
}

function editorButton(finding, sources) {
  const line = finding.cause && finding.cause.left || finding.loc || (finding.events[0] || {}).loc;
  const address = editorAddress(sources, line);
  return address ? el("a", { class: "button editor", href: address, text: "Open in editor", title: line }) : "";
}

function drawActions(finding, view) {
  const replay = replayCommand(finding.story);
  const actions = [
    finding.story.suppression ? copyButton("Copy suppression", finding.story.suppression) : "",
    replay ? copyButton("Copy replay command", replay) : "",
    editorButton(finding, view.sources),
    (finding.overview || finding).fingerprint ? reviewButton(finding, view.reviewed) : "",
  ].filter((action) => action);
  return actions.length ? el("p", { class: "copies" }, ...actions) : "";
}
