"""Commands that look and change no posts or versions: explain, diff, verify, push, export, prune, audit report."""

from collections import Counter
from itertools import islice
from pathlib import Path

from corpus.attestation import envelope, read_signing_key, statement
from corpus.canonical import canonical_json
from corpus.errors import ConfigError, VersionError
from corpus.integrity import faults
from corpus.push_places import place_of
from corpus.pushing import push
from corpus.result_files import result_text, write_results
from corpus.span_checks import lost_spans
from corpus.versions import NAME, Version
from corpus.workspace import Workspace
from curation.run_rows import NOTHING, BuildOutcome, unpublished, unpublished_names
from flows.console import Reporter

SHOWN = 5
MOST_LOST = 1_000
"""Spans that lead nowhere which are looked for before they are told."""


def last_build(workspace: Workspace, label: str | None) -> BuildOutcome:
    """The version named, or what the last build of a name came to; without a name that of the only one there is."""
    name = label
    if name is None:
        names = sorted({*workspace.versions.names(), *unpublished_names(workspace)})
        if len(names) != 1:
            known = f" ({', '.join(names)}); say which with --version" if names else "; run wordquarry build"
            raise VersionError(f"{workspace.folder} has {len(names) or 'no'} datasets{known}")
        name = names[0]
    bare = name.removesuffix(f"/{NOTHING}")
    return (unpublished(workspace, bare) if NAME.fullmatch(bare) else None) or workspace.versions.open(name)


def run_explain(data: str, post_id: str, label: str | None, as_json: bool) -> None:
    """The command ``explain``."""
    from audits.inspect.explain import explain, render_text

    workspace = Workspace(data)
    found = explain(workspace, last_build(workspace, label), post_id)
    if as_json:
        Reporter().data(found.as_dict())
    else:
        Reporter().text(render_text(found))


def run_diff(data: str, old: str, new: str, as_json: bool) -> None:
    """The command ``diff``."""
    from audits.inspect.differences import diff

    workspace = Workspace(data)
    found = diff(workspace, workspace.versions.open(old), workspace.versions.open(new))
    Reporter().show(found, as_json)


def run_verify(
    data: str, label: str, solve: bool, statement_to: tuple[Path | None, Path | None] = (None, None)
) -> None:
    """The command ``verify``: reads every file of a version against its manifest and follows every span in it.

    With ``solve`` SymPy solves every system once more; VersionError where it finds other solutions or answers. A
    statement about the version is written to the first path of ``statement_to``, signed with the key at the second.
    """
    out, key_file = statement_to
    if key_file and not out:
        raise ConfigError("--key signs a statement; say with --attest FILE where it goes")
    key = read_signing_key(key_file) if key_file else None
    version = Workspace(data).versions.open(label)
    found = faults(version.folder, version.manifest)
    found = found or list(islice(lost_spans(version.folder, version.manifest["files"]), MOST_LOST))
    if found:
        more = f" (and {len(found) - SHOWN} more)" if len(found) > SHOWN else ""
        raise VersionError(
            f"{version.label} is not what was published: {'; '.join(found[:SHOWN])}{more}; restore the files, or move "
            f"{version.folder} away and build again (rebuild --verify says where they differ)"
        )
    files = version.manifest["files"]
    size = sum(facts["bytes"] for facts in files.values())
    Reporter().text(
        f"{version.label}: {len(files) + 1} files as published, {version.manifest['rows']} rows, "
        f"{size} bytes beside the manifest; every span leads to its characters"
    )
    if solve or out:
        solved = _solve_again(version)
        if out:
            said = statement(version, solved)
            write_results([(out, (said if key is None else envelope(said, key)).decode())])


def _solve_again(version: Version) -> dict[str, int]:
    """How many systems SymPy solves as they are published, otherwise (none: VersionError), and not at all."""
    from evaluation.gold_corpora.solved_again import version_opinions
    from extractors.solve.second_solver import Opinion

    found = version_opinions(version.problems())
    counts = Counter(one.opinion for one in found.values())
    reasons = Counter(one.why for one in found.values() if one.opinion is Opinion.NOT_SOLVED)
    why = f" ({', '.join(f'{reason}: {count}' for reason, count in sorted(reasons.items()))})" if reasons else ""
    Reporter().text(
        f"{version.label}: {len(found)} systems solved once more by SymPy, {counts[Opinion.AGREES]} agree, "
        f"{counts[Opinion.DISAGREES]} disagree, {counts[Opinion.NOT_SOLVED]} it does not solve{why}"
    )
    other = [f"{id_}: {one.why}" for id_, one in found.items() if one.opinion is Opinion.DISAGREES]
    if other:
        more = f" (and {len(other) - SHOWN} more)" if len(other) > SHOWN else ""
        raise VersionError(
            f"{version.label} has systems that SymPy solves otherwise: {'; '.join(other[:SHOWN])}{more}; look at them "
            "with wordquarry explain, and report what our solver gets wrong"
        )
    return {str(opinion): counts[opinion] for opinion in Opinion}


def run_push(data: str, label: str, to: str, how: tuple[bool, bool, bool]) -> None:
    """The command ``push``; ``how``: whether to send, also a candidate, and into a public repository."""
    yes, candidate, public = how
    workspace = Workspace(data)
    version = workspace.versions.open(label)
    place = place_of(to, workspace, version, private=not public)
    plan, where = push(workspace, version, place, candidate=candidate, send=yes)
    reporter = Reporter()
    reporter.text("\n".join(plan.lines()))
    if where is not None:
        reporter.text(f"sent to {where}")
    elif plan.files or plan.gone:
        reporter.text("nothing was sent; --yes sends it")
    else:
        reporter.text(f"{to} has {version.label} already")


def run_export(data: str, what: str, out: Path | None) -> None:
    """The command ``export``: one canonical JSON line per post or problem, sorted by id."""
    workspace = Workspace(data)
    rows = list(workspace.posts.posts().values()) if what == "posts" else workspace.versions.open(what).problems()
    with result_text(out) as sink:
        for row in rows:
            sink.write(canonical_json(row.model_dump(mode="json")) + "\n")


def run_prune(data: str, dry_run: bool) -> None:
    """The command ``prune``."""
    from curation.pruning import prune

    done = prune(Workspace(data), dry_run=dry_run)
    reporter, what = Reporter(), "to be removed" if dry_run else "removed"
    reporter.text(f"kept for {done.versions} versions: {done.kept} stage outputs, {done.kept_bytes} bytes")
    reporter.text(f"{what}: {done.removed} stage outputs, {done.removed_bytes} bytes")


def run_audit_report(data: str, sheet: Path, as_json: bool) -> None:
    """The command ``audit report``: print the precision and attach it to the version.

    A sheet of variations, CSV, is of no version; its shares are printed.
    """
    from audits.sheets.audit_sheets import read_sheet
    from audits.sheets.precision import attach, report_of
    from evaluation.variations.variation_sheet import filled_sheet

    if sheet.suffix == ".csv":
        Reporter().show(filled_sheet(sheet), as_json)
        return
    report = report_of(read_sheet(sheet))
    version = attach(Workspace(data), report)
    reporter = Reporter()
    if as_json:
        reporter.data(report.as_audit())
        return
    reporter.text(report.text())
    reporter.text(f"attached to {version.folder}/manifest.json")
