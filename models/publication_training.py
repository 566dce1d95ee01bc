"""Training of the publication model from labelled threads that reach it, with out-of-fold scores."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from corpus.errors import ConfigError, InputError
from models.fits import fit_logistic
from models.label_split import Report, ValidationRow
from models.linear import Logistic
from models.publication import SIGNS, CalibrationPost, Judged, PublicationModel, rows_of

COST: Final = 0.1
FOLDS: Final = 5
MIN_LABELS: Final = 30
PROMISES: Final = (0.97, 0.95, 0.9, 0.85)


def fit_publication(judged: Sequence[Judged], notes: Mapping[str, str]) -> PublicationModel:
    """Fit the head, and score every thread by a head of the other folds; InputError for labels of one class or few.

    The result does not depend on the order of ``judged``.
    """
    right = sum(one.right for one in judged)
    if len(judged) < MIN_LABELS or right in (0, len(judged)):
        raise InputError(
            f"{len(judged)} labelled posts reach the stage agree, {right} of them right; at least {MIN_LABELS} are "
            "needed, right ones and wrong ones: add labels"
        )
    ordered = sorted(judged, key=lambda one: (one.fold, one.group, repr(one)))
    scored = []
    for fold in range(FOLDS):
        held = [one for one in ordered if one.fold == fold]
        head = _fit([one for one in ordered if one.fold != fold])
        scores = head.probability(rows_of([one.facts for one in held]))
        scored += [
            CalibrationPost(float(score), one.right, one.group, one.source)
            for score, one in zip(scores, held, strict=True)
        ]
    posts = tuple(sorted(scored, key=lambda one: (-one.score, one)))
    return PublicationModel(_fit(ordered), posts, notes)


def _fit(judged: Sequence[Judged]) -> Logistic:
    rows, right = rows_of([one.facts for one in judged]), [one.right for one in judged]
    return fit_logistic(rows, right, np.ones(len(rows)), COST, SIGNS)


def publication_report(model: PublicationModel) -> Report:
    """What promises would publish of the calibration posts, by out-of-fold scores."""
    posts, rows, notes = model.calibration, [], []
    for precision in PROMISES:
        try:
            kept = model.promise(precision)
        except ConfigError as error:
            notes.append(str(error))
            continue
        rows.append(ValidationRow(f"promise of {100 * precision:g} %", kept.right, kept.posts, len(posts)))
    floor = ValidationRow("floor: publish all", sum(post.right for post in posts), len(posts), len(posts))
    signature = f"publication:1|folds:{FOLDS}|c:{COST:g}|posts:{len(posts)}"
    return Report("publication, out of fold", (*rows, floor), signature, tuple(notes))
