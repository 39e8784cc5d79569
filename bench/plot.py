"""Draws the growth of cost as an SVG: one panel for each growing size, one line for each engine; and the cost of
watching programs: one line for each program, one mark for each way in which it ran."""

import math
from xml.sax.saxutils import escape

# Okabe and Ito's colours, which remain distinct for colour-blind readers.
COLOURS = {
    "witness": "#0072b2",
    "regiontrack": "#009e73",
    "aerodrome": "#e69f00",
    "doublechecker": "#cc79a7",
    "velodrome": "#d55e00",
}
OTHER_COLOUR = "#56b4e9"
GREP_COLOUR = "#6b7280"
INK, FAINT, GRID = "#1f2937", "#6b7280", "#e5e7eb"

PANEL_WIDTH, PANEL_HEIGHT = 250, 230
LEFT, TOP, GAP, BOTTOM = 64, 70, 76, 92
LEGEND_ITEM, LEGEND_LINE = 136, 22

# title, unit of the vertical axis, label of the horizontal axis, and whether the value is the
# whole time in seconds (else nanoseconds an event)
PANELS = {
    "events": ("Time by length of the trace", "seconds", "events", True),
    "threads": ("Cost by threads", "ns an event", "threads", False),
    "variables": ("Cost by variables", "ns an event", "variables", False),
}


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def text(x, y, words, anchor="middle", size=12, colour=INK, more=""):
    return (
        f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" font-size="{size}" '
        f'fill="{colour}"{more}>{words}</text>'
    )


def power_label(value):
    """10^6 with a raised exponent, other numbers in full."""
    exponent = round(math.log10(value))
    if value >= 1000 and value == 10**exponent:
        return f'10<tspan dy="-5" font-size="8">{exponent}</tspan>'
    return plain_label(value)


def plain_label(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


class Axis:
    """A logarithmic axis from pixel `start` to pixel `end`."""

    def __init__(self, values, start, end):
        low, high = math.log10(min(values)), math.log10(max(values))
        self.low, self.high = low, max(high, low + 1e-9)
        self.start, self.end = start, end

    def place(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        """1, 10, 100, ..., with 2 and 5 in between if that would be too few."""
        first, last = math.floor(self.low), math.ceil(self.high)
        tens = [10.0**e for e in range(first, last + 1)]
        wide = self.high - self.low > 2.5
        ticks = tens if wide else [ten * step for ten in tens for step in (1, 2, 5)]
        return [t for t in ticks if self.low - 1e-6 <= math.log10(t) <= self.high + 1e-6]


def points_of(growth, key, whole):
    """(size, value, stopped) for each measurement; a stopped one is a lower bound."""
    points = []
    for size, events, runs in growth.points:
        run = runs.get(key)
        if run is not None and (run.stopped or run.status <= 1):
            value = run.seconds if whole else run.seconds * 1e9 / events
            points.append((size, value, run.stopped))
    return points


def chosen_series(growth, engines):
    """What is drawn, with the yardstick first, so that it is below the rest."""
    wanted = ["grep w"] + list(engines)
    return [key for name in wanted for key in growth.series() if key[0] == name]


def colour_of(name):
    return GREP_COLOUR if name.startswith("grep") else COLOURS.get(name, OTHER_COLOUR)


def dashes_of(name, form):
    if name.startswith("grep"):
        return ' stroke-dasharray="1.5 3.5"'
    return ' stroke-dasharray="6 3.5"' if form == "native" else ""


def marker(x, y, stopped, colour, form):
    fill = colour if form == "text" else "#ffffff"
    if stopped:
        path = f"M{number(x)} {number(y - 5)}l4.5 8h-9z"
        return f'<path d="{path}" fill="#ffffff" stroke="{colour}" stroke-width="1.4"/>'
    return (
        f'<circle cx="{number(x)}" cy="{number(y)}" r="2.6" fill="{fill}" stroke="{colour}" '
        'stroke-width="1.4"/>'
    )


def draw_series(key, points, across, up):
    name, form = key
    colour = colour_of(name)
    places = [(across.place(size), up.place(value)) for size, value, _ in points]
    path = " ".join(f"{number(x)},{number(y)}" for x, y in places)
    yield (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8" '
        f'stroke-linejoin="round" stroke-linecap="round"{dashes_of(name, form)}/>'
    )
    if not name.startswith("grep"):
        for (x, y), (_, _, stopped) in zip(places, points):
            yield marker(x, y, stopped, colour, form)


def draw_grid(across, up, sizes, left, right, bottom):
    for tick in up.ticks():
        y = up.place(tick)
        yield (
            f'<line x1="{left}" y1="{number(y)}" x2="{right}" y2="{number(y)}" stroke="{GRID}"/>'
        )
        yield text(left - 8, y + 4, plain_label(tick), "end", 11, FAINT)
    for size in sizes:
        x = across.place(size)
        yield (
            f'<line x1="{number(x)}" y1="{bottom}" x2="{number(x)}" y2="{bottom + 4}" '
            f'stroke="{FAINT}"/>'
        )
        yield text(x, bottom + 18, power_label(size), "middle", 11, FAINT)
    yield f'<line x1="{left}" y1="{bottom}" x2="{right}" y2="{bottom}" stroke="{FAINT}"/>'


def draw_panel(name, growth, engines, left):
    title, unit, label, whole = PANELS[name]
    right, bottom = left + PANEL_WIDTH, TOP + PANEL_HEIGHT
    series = {key: points_of(growth, key, whole) for key in chosen_series(growth, engines)}
    values = [value for points in series.values() for _, value, _ in points]
    if not values:
        return
    sizes = [size for size, _, _ in growth.points]
    across = Axis(sizes, left + 12, right - 12)
    up = Axis([min(values) / 1.2, max(values) * 1.2], bottom, TOP)
    yield text(left, TOP - 30, escape(title), "start", 14, INK, ' font-weight="600"')
    yield text(left, TOP - 13, escape(f"{unit}, logarithmic scale"), "start", 11, FAINT)
    yield from draw_grid(across, up, sizes, left, right, bottom)
    yield text((left + right) / 2, bottom + 36, label, "middle", 12, INK)
    for key, points in series.items():
        if points:
            yield from draw_series(key, points, across, up)


def sample(x, y, colour, dashes, words):
    line = (
        f'<line x1="{x}" y1="{y}" x2="{x + 24}" y2="{y}" stroke="{colour}" stroke-width="2.2" '
        f'stroke-linecap="round"{dashes}/>'
    )
    return line + text(x + 31, y + 4, escape(words), "start", 12)


def draw_legend(engines, stopped, left, top):
    items = [sample(left + i * LEGEND_ITEM, top, colour_of(name), "", name)
             for i, name in enumerate(engines)]  # fmt: skip
    below = top + LEGEND_LINE
    forms = [
        (INK, dashes_of("", "text"), "text"),
        (INK, dashes_of("", "native"), "native"),
        (GREP_COLOUR, dashes_of("grep", ""), "grep -c 'w('"),
    ]
    for i, (colour, dashes, words) in enumerate(forms):
        items.append(sample(left + i * LEGEND_ITEM, below, colour, dashes, words))
    if stopped:
        x = left + len(forms) * LEGEND_ITEM
        items.append(marker(x + 12, below, True, INK, "text"))
        items.append(text(x + 31, below + 4, "stopped there, so at least that", "start", 12))
    return items


def draw(growths, engines):
    """The SVG of all panels for which there are measurements. `growths` maps a name in PANELS to
    an object with `points` and `series()` as in run.py."""
    panels = [name for name in PANELS if name in growths]
    runs = [run for name in panels for point in growths[name].points for run in point[2].values()]
    count = max(len(panels), 1)
    width = LEFT + count * PANEL_WIDTH + (count - 1) * GAP + 28
    width = max(width, LEFT + len(engines) * LEGEND_ITEM, LEFT + 3 * LEGEND_ITEM + 240)
    height = TOP + PANEL_HEIGHT + BOTTOM + LEGEND_LINE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, -apple-system, \'Segoe UI\', Helvetica, Arial, '
        'sans-serif" role="img">',
        "<title>Cost of checking by events, threads and variables, for each engine</title>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="10" fill="#ffffff" '
        f'stroke="{GRID}"/>',
    ]
    for i, name in enumerate(panels):
        parts += draw_panel(name, growths[name], engines, LEFT + i * (PANEL_WIDTH + GAP))
    legend_top = TOP + PANEL_HEIGHT + 66
    parts += draw_legend(engines, any(run.stopped for run in runs), LEFT, legend_top)
    return "\n".join(parts + ["</svg>"]) + "\n"


# Real programs (real/cost.py): the ways, and how they are marked.
WAYS = {"native": GREP_COLOUR, "floor": "#56b4e9", "run": "#0072b2", "record": "#d55e00"}
NAME_WIDTH, LINE_HEIGHT, LINES_WIDTH = 170, 30, 560


def draw_programs(programs):
    """The SVG of what ways to run programs cost, compared with ThreadSanitizer. `programs` is a list of (name,
    {way: seconds}) in which every way and "tsan" occur."""
    ratios = [(name, {way: cpu[way] / cpu["tsan"] for way in WAYS}) for name, cpu in programs]
    values = [value for _, row in ratios for value in row.values()] + [1.0]
    left, top = NAME_WIDTH, 74
    bottom = top + LINE_HEIGHT * len(ratios)
    across = Axis([min(values) / 1.2, max(values) * 1.2], left, left + LINES_WIDTH)
    width, height = left + LINES_WIDTH + 28, bottom + 66
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, -apple-system, \'Segoe UI\', Helvetica, Arial, '
        'sans-serif" role="img">',
        "<title>CPU time of real programs, as multiples of ThreadSanitizer's</title>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="10" fill="#ffffff" '
        f'stroke="{GRID}"/>',
        text(24, 30, "CPU time of real programs", "start", 14, INK, ' font-weight="600"'),
        text(24, 48, "multiples of ThreadSanitizer's, logarithmic scale", "start", 11, FAINT),
    ]
    for tick in across.ticks():
        x = number(across.place(tick))
        colour = INK if tick == 1 else GRID
        parts.append(f'<line x1="{x}" y1="{top}" x2="{x}" y2="{bottom}" stroke="{colour}"/>')
        parts.append(text(across.place(tick), bottom + 16, plain_label(tick), "middle", 11, FAINT))
    for i, (name, row) in enumerate(ratios):
        y = top + LINE_HEIGHT * (i + 0.5)
        parts.append(text(left - 14, y + 4, escape(name), "end"))
        ends = (number(across.place(min(row.values()))), number(across.place(max(row.values()))))
        parts.append(f'<line x1="{ends[0]}" y1="{y}" x2="{ends[1]}" y2="{y}" stroke="{FAINT}"/>')
        for way, value in row.items():
            parts.append(f'<circle cx="{number(across.place(value))}" cy="{y}" r="5" '
                         f'fill="{WAYS[way]}"/>')
    for i, (way, colour) in enumerate(WAYS.items()):
        x = left + i * LEGEND_ITEM
        parts.append(f'<circle cx="{x + 5}" cy="{bottom + 40}" r="5" fill="{colour}"/>')
        parts.append(text(x + 17, bottom + 44, way, "start"))
    return "\n".join(parts + ["</svg>"]) + "\n"
