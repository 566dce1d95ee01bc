"""Line charts and histograms as SVG text: small, self-contained, the same bytes for the same points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN, LEGEND = 560, 320, 52, 170
COLOURS: Final = ("#1f4e79", "#b5541c", "#3a7d44", "#7a3b8f", "#8a6d1d", "#555555")
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Chart:
    """A chart of shares over an axis: titles, the ends of both axes, and named lines of points."""

    title: str
    across: str
    up: str
    x_ends: tuple[float, float]
    y_ends: tuple[float, float]
    lines: Mapping[str, Points]

    def svg(self) -> str:
        """The picture; points outside the ends are drawn at the border."""
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + LEGEND}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH + LEGEND} {HEIGHT}" font-family="sans-serif" font-size="12" role="img">',
            f"<title>{escape(self.title)}</title>",
            f'<text x="{MARGIN}" y="20" font-size="14">{escape(self.title)}</text>',
            *self._axes(),
        ]
        for place, (name, points) in enumerate(self.lines.items()):
            parts += self._line(name, points, COLOURS[place % len(COLOURS)], place)
        return "\n".join([*parts, "</svg>", ""])

    def _x(self, value: float) -> float:
        low, high = self.x_ends
        return round(MARGIN + (WIDTH - 2 * MARGIN) * (min(max(value, low), high) - low) / (high - low), 1)

    def _y(self, value: float) -> float:
        low, high = self.y_ends
        return round(HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (min(max(value, low), high) - low) / (high - low), 1)

    def _axes(self) -> list[str]:
        parts = []
        for step in range(6):
            x = self.x_ends[0] + step * (self.x_ends[1] - self.x_ends[0]) / 5
            y = self.y_ends[0] + step * (self.y_ends[1] - self.y_ends[0]) / 5
            left, right = self._x(self.x_ends[0]), self._x(self.x_ends[1])
            parts += [
                f'<line x1="{left}" y1="{self._y(y)}" x2="{right}" y2="{self._y(y)}" stroke="#dddddd"/>',
                f'<text x="{left - 6}" y="{self._y(y) + 4}" text-anchor="end">{y:.2f}</text>',
                f'<text x="{self._x(x)}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{x:.2f}</text>',
            ]
        middle = WIDTH // 2
        return [
            *parts,
            f'<text x="{middle}" y="{HEIGHT - 12}" text-anchor="middle">{escape(self.across)}</text>',
            f'<text x="14" y="{HEIGHT // 2}" text-anchor="middle" '
            f'transform="rotate(-90 14 {HEIGHT // 2})">{escape(self.up)}</text>',
        ]

    def _line(self, name: str, points: Points, colour: str, place: int) -> list[str]:
        path = " ".join(f"{self._x(x)},{self._y(y)}" for x, y in points)
        height = MARGIN + 18 * place
        return [
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
            *(f'<circle cx="{self._x(x)}" cy="{self._y(y)}" r="2.5" fill="{colour}"/>' for x, y in points),
            f'<rect x="{WIDTH}" y="{height - 9}" width="12" height="4" fill="{colour}"/>',
            f'<text x="{WIDTH + 18}" y="{height - 3}">{escape(name)}</text>',
        ]


PANEL, BARS, BASE = 200, 480, 140
"""Pixels: height of a histogram with its title, width of its bars, and where they stand."""


def histograms_svg(panels: Sequence[tuple[str, Sequence[int]]]) -> str:
    """Counts in equal bins from 0 to 1, one panel below the other, each under its title and with its own scale."""
    height = PANEL * len(panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{BARS + 2 * MARGIN}" height="{height}" '
        f'viewBox="0 0 {BARS + 2 * MARGIN} {height}" font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape('; '.join(title for title, _ in panels))}</title>",
    ]
    for place, (title, counts) in enumerate(panels):
        parts += [f'<g transform="translate({MARGIN} {PANEL * place})">', *_panel(title, counts), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _panel(title: str, counts: Sequence[int]) -> list[str]:
    highest = max(counts, default=0)
    width = BARS / max(len(counts), 1)
    parts = [f'<text x="0" y="20" font-size="14">{escape(title)}</text>']
    for place, count in enumerate(counts):
        tall = round((BASE - 30) * count / (highest or 1), 1)
        parts.append(
            f'<rect x="{place * width + 1:.1f}" y="{BASE - tall:.1f}" width="{width - 2:.1f}" height="{tall}" '
            f'fill="{COLOURS[0]}"><title>{place / len(counts):.2f} to {(place + 1) / len(counts):.2f}: {count}</title>'
            "</rect>"
        )
    ticks = [(step / 5, round(BARS * step / 5)) for step in range(6)]
    return [
        *parts,
        f'<line x1="0" y1="{BASE}" x2="{BARS}" y2="{BASE}" stroke="#555555"/>',
        *(f'<text x="{x}" y="{BASE + 16}" text-anchor="middle">{value:.1f}</text>' for value, x in ticks),
        f'<text x="-6" y="34" text-anchor="end">{highest}</text>',
        f'<text x="-6" y="{BASE}" text-anchor="end">0</text>',
    ]
