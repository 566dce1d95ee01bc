"""How fast a crawl asks its site: never faster than configured or than robots.txt asks for, slower as the site slows.

A plain clockwork of moments, in seconds of any steady clock, so that it can be looked at without waiting.
"""

from dataclasses import dataclass, field

NOT_BEFORE, CRAWL_DELAY = "not_before", "crawl_delay"
"""What a request may carry in its meta: the moment before which it is not sent, and the pause of its robots.txt."""

_UNNOTICEABLE = 0.02
"""Pauses below this are not made: a site that answers so fast is not held up by anyone."""


@dataclass
class Pace:
    """When the next request may begin.

    ``least`` is the configured pause between the beginnings of two requests, ``most`` what the throttle goes up to by
    itself, ``target`` how many requests it wants to be under way at a time, ``start`` its first pause.

    The throttle is that of Scrapy: it goes halfway to the pause at which ``target`` requests are under way, at once
    where that is longer, and never down on an answer other than 200, for errors come fast. The pause that robots.txt
    asks for counts from the answer, so that no two requests arrive with less between them.
    """

    least: float
    most: float
    target: float
    start: float = 0.0
    crawl_delay: float = 0.0
    _throttle: float = field(init=False)
    _next: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._throttle = self.start

    @property
    def pause(self) -> float:
        """Seconds between the beginnings of two requests as things stand.

        >>> Pace(0.5, 60, 1, start=1).pause, Pace(0.5, 60, 1, crawl_delay=10).pause, Pace(0, 60, 8).pause
        (1, 10, 0)
        """
        throttle = self._throttle if self._throttle >= _UNNOTICEABLE else 0
        return max(self.least, throttle, self.crawl_delay)

    def wait(self, now: float) -> float:
        """Seconds to wait from ``now`` until a request may begin; 0 if it may."""
        return max(0.0, self._next - now)

    def begin(self, now: float) -> None:
        """A request begins."""
        self._next = max(self._next, now + self.pause)

    def answered(self, now: float, latency: float | None, good: bool) -> None:
        """An answer came, ``latency`` seconds after it was asked for, or None came; ``good`` is status 200.

        >>> pace = Pace(0.0, 60, 2)
        >>> pace.answered(0, 1.0, True); pace.pause
        0.5
        >>> pace.answered(0, 0.1, False); pace.pause
        0.5
        >>> pace.answered(0, 0.1, True); pace.pause
        0.275
        """
        if self.crawl_delay:
            self._next = max(self._next, now + self.crawl_delay)
        if latency is None:
            return
        aim = latency / self.target
        adapted = min(max(aim, (self._throttle + aim) / 2), self.most)
        if good or adapted > self._throttle:
            self._throttle = adapted

    def hold(self, now: float, seconds: float) -> None:
        """The site asks for a pause."""
        self._next = max(self._next, now + seconds)
