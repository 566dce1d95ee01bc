"""The models that ship decide as those that the command fits."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest

from extractors.equations.votes import ThreadSystems, read_systems
from models.counts import features
from tests.models.fits import FITS, fit_now, recorded, same_decisions
from tests.tiers import FULL


@pytest.fixture(scope="module", autouse=True)
def threads_are_read_once() -> Iterator[None]:
    """Both models read the same threads, the answer model twice, and each fit asks for the words of each question."""

    @cache
    def kept(question: str, answers: tuple[str, ...]) -> ThreadSystems:
        return read_systems(question, answers)

    def once(question: str, answers: Sequence[str]) -> ThreadSystems:
        return kept(question, tuple(answers))

    with (
        patch("models.system_training.read_systems", once),
        patch("models.system_model.read_systems", once),
        patch("models.counts.features", cache(features)),
    ):
        yield


@pytest.mark.rows("kind", FITS)
def test_the_shipped_model_is_what_the_command_fits(kind: str, shared_data: Path) -> None:
    """It learns from the real posts as well, so without the shared data there is nothing to compare.

    A fit takes minutes, so ``make test`` believes the record (``tests.models.fits``) where it is of these threads, this
    code and this model.
    """
    assert shared_data.is_dir()
    if FULL or fit_now(kind) != recorded()[kind]:
        assert same_decisions(kind, FITS[kind]()), (
            f"the fit decides otherwise than the model that ships; wordquarry train {kind}"
        )
