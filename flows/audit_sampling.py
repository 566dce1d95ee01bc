"""The audit: a stratified sheet of one stage of a version, to be checked by hand."""

from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.artifacts import create_link_artifact
from prefect.cache_policies import NO_CACHE

from audits.sheets.drawing import write_sample
from audits.sheets.sampling import Draw
from corpus.workspace import Workspace
from flows.requests import AuditRequest


@task(cache_policy=NO_CACHE)
def sample(request: dict[str, Any]) -> dict[str, Any]:
    """Draw the sample and write the sheet and its page."""
    asked = AuditRequest.model_validate(request)
    workspace = Workspace(asked.data)
    version = workspace.versions.open(asked.version)
    folder = Path(asked.data) / "audits"
    written = write_sample(workspace, version, Draw(asked.stage, asked.n, asked.seed), folder)
    return {"sheet": str(written.sheet), "page": str(written.page), "rows": written.rows, "judged": written.judged}


@flow(name="audit", validate_parameters=False)
def audit(request: dict[str, Any]) -> dict[str, Any]:
    """Write an audit sheet; returns its path, its page and how many rows it has."""
    written = sample(request)
    create_link_artifact(key="audit-sheet", link=f"file://{Path(written['page']).resolve()}", link_text="audit sheet")
    return dict(written)
