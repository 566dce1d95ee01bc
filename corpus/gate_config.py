"""What a version has to reach before it is the latest: table ``gate`` of a configuration, one table for each stage.

Apart from ``corpus.config``, so that no bound changes the key of a stage.
"""

from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from corpus.config import StageConfig


class StageGate(StageConfig):
    """The precision that a stage's decisions must have, and the probability of a wrong acceptance over all looks.

    ``expected`` is the precision that the first sheet's size is made for; None is half the errors the bound allows.
    """

    min_precision: float = Field(gt=0, lt=1)
    error: float = Field(0.05, gt=0, le=0.5)
    expected: float | None = Field(None, gt=0, le=1)

    @model_validator(mode="after")
    def _expects_more(self) -> Self:
        if self.expected is not None and self.expected <= self.min_precision:
            raise ValueError("expected must be more than min_precision")
        return self

    @property
    def planned(self) -> float:
        """The precision that the first sheet's size is made for."""
        return round((1 + self.min_precision) / 2, 12) if self.expected is None else self.expected


class GateConfig(StageConfig):
    """The gate of a version: every stage that is named must be accepted; a stage that is not named is not judged."""

    answers: StageGate | None = None
    equations: StageGate | None = None
    in_scope: StageGate | None = None

    def stages(self) -> Mapping[str, StageGate]:
        """The stages that are judged, by name."""
        named = {"answers": self.answers, "equations": self.equations, "in_scope": self.in_scope}
        return {stage: one for stage, one in named.items() if one is not None}

    def as_dict(self) -> dict[str, dict[str, float | None]]:
        """As a manifest says it."""
        return {stage: one.model_dump() for stage, one in self.stages().items()}
