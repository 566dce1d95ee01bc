"""The base of every configuration, and that of crawls; a stage's stands in its file, a build's in the registry."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class StageConfig(BaseModel):
    """Base of every stage configuration: immutable; unknown keys, other types and NaN refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


Seconds = Annotated[float, Field(ge=0, le=3600)]
Pattern = Annotated[str, Field(max_length=500, pattern=r"^[/*$]")]
Patterns = Annotated[tuple[Pattern, ...], Field(max_length=200, strict=False)]


class HostConfig(StageConfig):
    """What a crawl of one host may do otherwise; None is as for every host."""

    delay: Seconds | None = None
    concurrency: int | None = Field(None, ge=1, le=64)


class CrawlConfig(StageConfig):
    """A crawl: its budgets, its pace, and what it may ask for.

    ``delay`` are seconds between the beginnings of two requests at least, ``max_delay`` what the throttle goes up to by
    itself, ``concurrency`` requests under way at a time; None are the crawler's own. ``hosts`` says so for one host.
    ``allow`` and ``deny`` are patterns as in robots.txt. ``resume_hours`` is how long pages of a killed crawl serve.
    """

    max_pages: int = Field(50_000, ge=1)
    max_bytes: int = Field(10**10, ge=1)
    max_hours: float = Field(6, gt=0, le=24 * 366)
    max_revisits: int | None = Field(None, ge=0)
    delay: Seconds | None = None
    max_delay: Seconds = 60
    concurrency: int | None = Field(None, ge=1, le=64)
    hosts: dict[str, HostConfig] = {}
    allow: Patterns = ()
    deny: Patterns = ()
    private_addresses: bool = False
    resume_hours: float = Field(168, ge=0, le=24 * 366)
    contact: str = Field("https://wordquarry.example/bot", pattern=r"^[!-'*-~]{3,200}$")

    def host(self, name: str) -> HostConfig:
        """Delay and concurrency of one host, ``www.`` or not, filled in from those of every host."""
        bare = name.lower().removeprefix("www.")
        own = next((one for host, one in self.hosts.items() if host.lower().removeprefix("www.") == bare), HostConfig())
        return HostConfig(
            delay=self.delay if own.delay is None else own.delay, concurrency=own.concurrency or self.concurrency
        )
