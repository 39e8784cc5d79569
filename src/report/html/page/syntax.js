// Colours for C, C++ and Java: comments, strings, numbers, keywords and the preprocessor. What is unsure stays plain.

const KEYWORDS = new Set(`alignas alignof asm auto bool break case catch char class co_await co_return co_yield concept
  const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum
  explicit export extern false final float for friend goto if inline int long mutable namespace new noexcept nullptr
  operator override private protected public register reinterpret_cast requires restrict return short signed sizeof
  static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename
  union unsigned using virtual void volatile wchar_t while _Alignas _Alignof _Atomic _Bool _Generic _Noreturn
  _Static_assert _Thread_local size_t ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t
  uint16_t uint32_t uint64_t`.split(/\s+/));

const JAVA_KEYWORDS = new Set(`abstract assert boolean break byte case catch char class continue default do double else
  enum extends false final finally float for if implements import instanceof int interface long native new null package
  private protected public record return short static strictfp super switch synchronized this throw throws transient
  true try var void volatile while yield`.split(/\s+/));

// Each alternative is a token; of a comment or a string that a line does not end, there is the rest of the line.
const TOKEN = new RegExp([
  String.raw`(?<comment>//.*|/\*.*?(?:\*/|$))`,
  String.raw`(?<string>(?:\b(?:u8|[uUL]))?(?:R"(?<mark>[^()\\\s]{0,16})\(.*?\)\k<mark>"|` +
    String.raw`"(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)+'))`,
  String.raw`(?<number>(?:\b\d|\.\d)(?:[eEpP][+\-]|'(?=\w)|[\w.])*)`,
  String.raw`(?<word>[A-Za-z_$][\w$]*)`,
].join("|"), "gu");

// Is the first of these lines inside a comment that began above them?
function startsInComment(lines) {
  for (const line of lines) {
    const open = line.indexOf("/*"), close = line.indexOf("*/"), slashes = line.indexOf("//");
    if (close >= 0 && (open < 0 || close < open) && (slashes < 0 || close < slashes || close === slashes - 1))
      return true;
    if (open >= 0)
      return false;
  }
  return false;
}

// The kind of a token: "" is plain.
function tokenKind(groups, keywords) {
  return groups.comment !== undefined ? "comment" : groups.string !== undefined ? "string"
    : groups.number !== undefined ? "number" : keywords.has(groups.word) ? "keyword" : "";
}

// [kind, text] for each part of the line, and whether a comment goes on behind it.
function scanCode(text, parts, keywords) {
  let end = 0, open = false;
  for (const match of text.matchAll(TOKEN)) {
    const kind = tokenKind(match.groups, keywords);
    if (!kind)
      continue;
    parts.push(["", text.slice(end, match.index)], [kind, match[0]]);
    end = match.index + match[0].length;
    open = match[0].startsWith("/*") && !(match[0].length > 3 && match[0].endsWith("*/"));
  }
  parts.push(["", text.slice(end)]);
  return open;
}

function scanLine(text, inComment, keywords) {
  const parts = [];
  const close = inComment ? text.indexOf("*/") : -1;
  if (inComment && close < 0)
    return { parts: [["comment", text]], open: true };
  if (inComment)
    parts.push(["comment", text.slice(0, close + 2)]);
  const rest = inComment ? text.slice(close + 2) : text;
  const directive = inComment || keywords !== KEYWORDS ? null : /^\s*#\s*\w*(?:\s*<[^>]*>)?/.exec(rest);
  if (directive)
    parts.push(["directive", directive[0]]);
  const open = scanCode(directive ? rest.slice(directive[0].length) : rest, parts, keywords);
  return { parts: parts.filter(([, part]) => part !== ""), open };
}

// Other languages have other words: null, and their sources stay plain.
function keywordsOf(path) {
  if (/\.java$/.test(path))
    return JAVA_KEYWORDS;
  return /\.(?:c|h|cc|hh|cpp|hpp|cxx|hxx|c\+\+|h\+\+|C|H|inc|inl|ipp|tcc|tpp|ixx|cppm|cu|cuh|m|mm)$/.test(path) ? KEYWORDS : null;
}

// number -> [[kind, text], ...] for the lines that follow each other from the first on
function colourLines(lines, keywords = KEYWORDS) {
  let open = startsInComment(lines);
  return lines.map((text) => {
    const scanned = scanLine(text, open, keywords);
    open = scanned.open;
    return scanned.parts;
  });
}
