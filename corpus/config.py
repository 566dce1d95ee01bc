"""One frozen configuration per stage; unknown keys are refused and defaults change nothing."""

from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from extractors.extraction_errors import MAX_TEXT
from extractors.questions.question_types import QuestionType


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


class CleanConfig(StageConfig):
    """Stage clean: what is too long to be one elementary problem."""

    max_characters: int = Field(4000, ge=1, le=MAX_TEXT)


class ClassifyConfig(StageConfig):
    """Stage classify: posts below ``min_probability`` are dropped; None takes the model's own threshold.

    0.5 only spares the stages behind it what is likelier out of scope: ``publish.precision`` decides about the others.
    Two keyword filters of DRAW may be switched on. Questions of the types in ``drop_types`` are left out.
    """

    min_probability: float | None = Field(0.5, ge=0, le=1)
    drop_non_linear_wording: bool = False
    require_unknown_in_answers: bool = False
    drop_types: tuple[Annotated[QuestionType, Field(strict=False)], ...] = Field((), strict=False)


class ReadConfig(StageConfig):
    """Stage read: the answer and the equation system of a thread.

    Posts whose best answer is below ``min_confidence`` are dropped; None takes the model's own threshold. 0.3 is far
    less than that: in a build ``publish.precision`` decides about what is returned.

    ``min_votes`` answers have to give the system: 2 is the rule of Dolphin18K, with 1 its probability decides alone.
    Systems that are less likely than ``min_probability`` are not returned; None takes the model's own threshold.
    ``require`` drops posts without a system.
    """

    min_confidence: float | None = Field(0.3, ge=0, le=1)
    min_votes: int = Field(1, ge=1, le=100)
    min_probability: float | None = Field(None, ge=0, le=1)
    require: bool = False


class PublishConfig(StageConfig):
    """Stage agree: what is published holds the ``precision`` that is promised, with confidence 95 %.

    The publication model turns it into the least probability that scope, answer and system are right; 0 promises
    nothing and publishes all that comes so far.
    """

    precision: float = Field(0.9, ge=0, lt=1)


class DiversityConfig(StageConfig):
    """Stage diversity: a post is rejected when its lexicon diversity to an accepted one is below ``ld_min``.

    ``by_day``: posts that were retrieved on an earlier day come first, so that later ones never push them out.
    """

    profile: str = "default"
    ld_min: float = Field(0.3, ge=0, le=1)
    by_day: bool = False


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
BenchmarkName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]


class DecontaminateConfig(StageConfig):
    """Stage decontaminate: posts that repeat a problem of a benchmark are dropped; without ``benchmarks`` none is.

    ``benchmarks`` are digests by name, of benchmarks that the data folder holds (``build --against``). At most
    ``share`` of the words may differ. Posts with the words of a benchmark problem and other numbers or names are
    flagged (``variant_of``), or dropped as well. ``unread`` says of how many records of a benchmark the question could
    not be read, which a build accepts by ``--incomplete-benchmark`` only: what they ask may stand in the version.
    """

    benchmarks: dict[BenchmarkName, Digest] = Field({}, max_length=100)
    share: float = Field(0.3, ge=0, lt=1)
    variants: Literal["flag", "drop"] = "flag"
    unread: dict[BenchmarkName, int] = Field({}, max_length=100)


class TemplatesConfig(StageConfig):
    """Stage templates: how solutions are compared, and whether every slot must stand in the question."""

    semantics: Literal["multiset", "set"] = "set"
    require_alignment: bool = False


class SplitConfig(StageConfig):
    """Stage split: shares of train, validation and test; groups are hashed with ``salt``.

    Validation and test hold no problem but those that keep ``held_out_precision``, or that two answers confirm; 0 asks
    for neither.

    With the scheme ``development-evaluation`` (Dolphin18K, section 3: 3,728 and 14,732 problems) ``development`` is the
    share of the first part, and ``train`` and ``validation`` mean nothing.
    """

    scheme: Literal["train-validation-test", "development-evaluation"] = "train-validation-test"
    development: float = Field(0.2, ge=0, le=1)
    train: float = Field(0.8, ge=0, le=1)
    validation: float = Field(0.1, ge=0, le=1)
    held_out_precision: float = Field(0.99, ge=0, lt=1)
    salt: str = "wordquarry-1"

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        if self.train + self.validation > 1 + 1e-9:
            raise ValueError("train and validation together are more than 1")
        return self


class ReleaseConfig(StageConfig):
    """Stage release: licenses let through (empty: all), and the fields of the dataset card.

    ``tags`` is the digest of the model of the data folder that fills in problem type, grade and difficulty, as
    ``wordquarry train tags`` prints it; without one these columns are empty.
    """

    allowed_licenses: tuple[str, ...] = Field((), strict=False)
    title: str = "Math word problems quarried by wordquarry"
    tags: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None


TABLES: Final = {"agree": "publish"}
"""The tables that are not called as their stage."""
GONE: Final = {
    "agree": "[publish] precision = 0.95 says what is published; remove it",
    "equations": "move what it says to [read]",
    "answers": "move what it says to [read]",
}
"""Tables of earlier versions, and what to do with one."""


class BuildConfig(StageConfig):
    """The whole build: one table a stage, of its name; that of the stage agree is ``publish``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    clean: CleanConfig = CleanConfig()
    classify: ClassifyConfig = ClassifyConfig()
    read: ReadConfig = ReadConfig()
    publish: PublishConfig = PublishConfig()
    diversity: DiversityConfig = DiversityConfig()
    decontaminate: DecontaminateConfig = DecontaminateConfig()
    templates: TemplatesConfig = TemplatesConfig()
    split: SplitConfig = SplitConfig()
    release: ReleaseConfig = ReleaseConfig()

    @model_validator(mode="before")
    @classmethod
    def _known_tables(cls, given: Any) -> Any:
        gone = [name for name in GONE if isinstance(given, dict) and name in given]
        if gone:
            raise ValueError(f"the table {gone[0]} is gone: {GONE[gone[0]]}")
        return given

    def of_stage(self, stage: str) -> StageConfig:
        """The table of a stage."""
        found: StageConfig = getattr(self, TABLES.get(stage, stage))
        return found


class ConfigFile(BuildConfig):
    """What a configuration file may hold: the build, and the crawls before it."""

    crawl: CrawlConfig = CrawlConfig()
