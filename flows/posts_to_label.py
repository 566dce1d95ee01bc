"""What the commands of sheets do that ask for labels of posts, which models learn from."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from pathlib import Path

from audits.sheets.label_sheets import STUDIO_VIEW, LabelRow, label_page, merged, read_sheet_rows, sheet_text
from corpus.canonical import sha256_text
from corpus.errors import InputError
from corpus.folders.result_files import write_results
from corpus.lines.labels import label_lines, read_labels
from corpus.records import Post
from corpus.workspace import Workspace
from extractors.text.cleaning import clean_question
from flows.calibrating import Judges, posts_given
from flows.console import Reporter
from models.label_queue import CandidatePost, Queued, label_queue
from models.storage import load_model


def _candidates(posts: Iterable[Post]) -> list[CandidatePost]:
    return [
        CandidatePost(post.post_id, clean_question(post.question).text, tuple(answer.text for answer in post.answers))
        for post in posts
    ]


def _row(queued: Queued) -> LabelRow:
    post, scope = queued.candidate, queued.scope
    return LabelRow.model_validate(
        {
            "post_id": post.post_id,
            "question": post.question,
            "answers": post.answers,
            "probability": round(scope.probability, 6),
            "outcome": scope.outcome,
        }
    )


def run_labels(
    data: str, sources: tuple[Sequence[Path], Sequence[Path]], count: int, out: Path, drawn: bool = False
) -> None:
    """The command ``sheet labels``: the posts to label next, behind what is filled in on the sheet already.

    With ``drawn`` they are a sample by digest of those that a build may publish, as ``calibrate`` wants them, and not
    the most telling ones; the first of them are a sample, too.

    ``sources`` are files of posts (none: the post store) and files of labels; a file ``.json`` is for Label Studio.
    """
    found = list(posts_given(Workspace(data), sources[0]).values())
    held = read_sheet_rows(out) if out.exists() else []
    done = {row.post_id for row in held if row.scope_reason is not None}
    done |= {label.post_id for label in read_labels(sources[1])} if sources[1] else set()
    labelled = _candidates(post for post in found if post.post_id in done)
    model = load_model(str(Workspace(data).model_file("posts")))
    posts = _candidates(_drawn(data, found, done, count) if drawn else found)
    queue = label_queue(model, posts, labelled, count)
    if drawn:
        queue.sort(key=lambda queued: posts.index(queued.candidate))
    if not queue:
        raise InputError(f"nothing to label: {len(posts)} posts, {len(done)} labels; crawl or ingest more posts")
    rows = merged(held, [_row(queued) for queued in queue])
    studio = out.suffix == ".json"
    beside = out.with_suffix(".xml" if studio else ".html")
    said = STUDIO_VIEW if studio else label_page(rows)
    write_results([(out, sheet_text(rows, studio=studio)), (beside, said)], kept=[out])
    reporter = Reporter()
    reporter.text(f"{out}: {len(rows)} posts, {sum(row.scope_reason is not None for row in rows)} of them labelled")
    page = "the same as a page; what is chosen there is downloaded as the filled sheet"
    reporter.text(f"{beside}: {'the labelling interface for Label Studio' if studio else page}")


def _drawn(data: str, posts: Iterable[Post], done: Collection[str], count: int) -> list[Post]:
    """The first ``count`` by digest of the posts that are not labelled yet and that a build may publish."""
    judges = Judges(Workspace(data))
    ordered = sorted(posts, key=lambda post: sha256_text(f"drawn:{post.post_id}"))
    return list(islice((post for post in ordered if post.post_id not in done and judges.is_likely(post)), count))


def run_import(sheet: Path, out: Path) -> None:
    """The command ``sheet import``: the filled-in rows of a sheet or of a Label Studio export as a labels file."""
    rows = read_sheet_rows(sheet)
    labels = [label for row in rows if (label := row.label()) is not None]
    if not labels:
        raise InputError(f"{sheet}: none of its {len(rows)} rows is labelled; fill in scope_reason")
    write_results([(out, label_lines(labels))])
    counts = ", ".join(f"{name} {count}" for name, count in sorted(Counter(row.scope_reason for row in labels).items()))
    Reporter().text(f"{out}: {len(labels)} labels ({counts}), {len(rows) - len(labels)} rows are not labelled yet")
