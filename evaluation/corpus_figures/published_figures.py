"""What papers print of the corpora we can read, to stand beside our figures with the reason where they differ."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluation.corpus_figures.paper_figures import CorpusFigures


class _Known(NamedTuple):
    origin: str
    label: str
    printed: str
    source: str
    here: Callable[[CorpusFigures], float | int | None]
    why: str
    part: Callable[[CorpusFigures], bool] = lambda _: True


@dataclass(frozen=True)
class PublishedFigure:
    """A published figure beside ours, and why the two differ."""

    label: str
    here: str
    printed: str
    source: str
    why: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return vars(self)


def _cld(figures: CorpusFigures) -> float | None:
    return figures.diversity.cld


def _identical(figures: CorpusFigures) -> float | None:
    return 100 * figures.diversity.identical_share if figures.with_text else None


def _ambiguous(figures: CorpusFigures) -> float | None:
    return None if figures.ambiguous.value is None else 100 * figures.ambiguous.value


def _contradicting(figures: CorpusFigures) -> float | None:
    return None if figures.consistent.value is None else 100 - 100 * figures.consistent.value


def _is_asdiv_a(figures: CorpusFigures) -> bool:
    return figures.records == 1218


_VARIANT = (
    "the paper's normaliser is not released and none of 260 variants of token BLEU-4 gives its value (0.67 to 0.97); "
    "token BLEU-1 gives 0.51"
)
_PROFILE = "the normaliser profile here is not the paper's, which is not released"
_SMALLER = "the paper measures all of MathQA; the fewer problems, the fewer are alike"
_ALIGNED = "people aligned the paper's; here a number is ambiguous if the text states its value more than once"
_DEV = "the paper counts the whole corpus, of which a part is here"
_DEV_TEMPLATES = f"{_DEV}; its texts are not public, so that a number that does not stand in them is a slot here too"
_KNOWN = (
    _Known("asdiv", "CLD", "0.49", "ASDiv section 3", _cld, _VARIANT, lambda f: not _is_asdiv_a(f)),
    _Known("asdiv", "CLD", "0.50", "ASDiv section 3 (ASDiv-A)", _cld, _VARIANT, _is_asdiv_a),
    _Known(
        "asdiv",
        "identical texts, %",
        "0",
        "ASDiv section 3",
        _identical,
        "with numbers and names masked a few problems are the same, fewer of them inside a type",
    ),
    _Known("mathqa", "CLD", "0.05", "ASDiv section 3", _cld, _SMALLER),
    _Known("mathqa", "identical texts, %", "85", "ASDiv section 3", _identical, _SMALLER),
    _Known(
        "mathqa",
        "formulas that contradict the answer, %",
        "27",
        "ASDiv section 3.2",
        _contradicting,
        "the paper checks an arithmetic subset; here every program with a numeric option counts. In the development "
        "part those of the four operations alone contradict as often",
    ),
    _Known("mawps", "CLD", "0.26", "ASDiv section 3", _cld, _PROFILE),
    _Known("svamp", "CLD", "0.22", "SVAMP Table 9", _cld, _PROFILE),
    _Known(
        "draw",
        "templates before reconciliation",
        "329",
        "Annotating Derivations Table 2",
        lambda f: f.templates_before,
        "1,000 problems before people reconciled them; the released file holds reconciled templates",
    ),
    _Known(
        "draw",
        "templates after reconciliation",
        "224",
        "Annotating Derivations Table 2",
        lambda f: f.templates,
        "1,000 problems; train and development part hold 800 of them",
    ),
    _Known("draw", "ambiguous alignment, %", "21", "Annotating Derivations Table 2", _ambiguous, _ALIGNED),
    _Known(
        "alg514",
        "templates before reconciliation",
        "30",
        "Annotating Derivations Table 2",
        lambda f: f.templates_before,
        "the released file holds reconciled templates, one of them in two spellings",
    ),
    _Known(
        "alg514", "templates after reconciliation", "24", "Annotating Derivations Table 2", lambda f: f.templates, ""
    ),
    _Known("alg514", "ambiguous alignment, %", "23", "Annotating Derivations Table 2", _ambiguous, _ALIGNED),
    _Known("dolphin", "problems", "18460", "Dolphin18K Table 2", lambda f: f.problems, _DEV),
    _Known("dolphin", "templates", "5871", "Dolphin18K Table 2", lambda f: f.templates, _DEV_TEMPLATES),
    _Known("dolphin", "linear problems", "10644", "Dolphin18K Table 4", lambda f: f.linear.hits, _DEV),
    _Known(
        "dolphin",
        "templates of linear problems",
        "3158",
        "Dolphin18K Table 4",
        lambda f: f.linear_templates,
        _DEV_TEMPLATES,
    ),
)


def published_for(figures: CorpusFigures) -> tuple[PublishedFigure, ...]:
    """The published figures of the corpus that these figures are of."""
    found = [known for known in _KNOWN if known.origin == figures.origin and known.part(figures)]
    return tuple(
        PublishedFigure(known.label, _number(known.here(figures)), known.printed, known.source, known.why)
        for known in found
    )


def _number(value: float | int | None) -> str:
    if value is None:
        return "n/a"
    return str(value) if isinstance(value, int) else f"{value:.3f}".rstrip("0").rstrip(".")
