"""Croissant metadata (mlcommons.org/croissant/1.1) of one version: its files, their digests and every column.

When a version was published is when the last of its posts was retrieved: a rebuild says the same.
"""

import types
import typing
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeGuard

from corpus.records import Record
from corpus.shown_text import spdx_address
from corpus.strict_json import load_json
from corpus.versioning.manifest import last_retrieval, pretty_json
from corpus.versioning.manifest_record import Manifest
from corpus.versioning.version_tables import BESIDE, DATA, MEANINGS, PROBLEMS, PROVENANCE, config_name, splits_of

_TERMS = """arrayShape citeAs column containedIn equivalentProperty extract field fileProperty fileObject fileSet format
includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace
samplingRate separator source subField transform"""
CONTEXT: dict[str, Any] = {
    **{term: f"cr:{term}" for term in _TERMS.split()},
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "sc": "https://schema.org/",
}

RESPONSIBLE_AI: Final[dict[str, Any]] = {
    "rai:dataCollection": "Questions and answers that people posted in public forums, fetched from the sites or read "
    "from their archives. provenance.parquet names the address, time and parser of each.",
    "rai:dataCollectionType": ["Web Scraping"],
    "rai:dataCollectionMissingData": "Posts that the build was not sure of are left out; the funnel of the card "
    "counts them by stage and reason.",
    "rai:dataPreprocessingProtocol": [
        "Names of people, handles, mail addresses, phone and account numbers are replaced by marks.",
        "Greetings and other chatter are cut from questions; cleaning_steps names every edit.",
    ],
    "rai:dataAnnotationProtocol": [
        "No person labelled these problems: answers and equation systems are read out of what answerers wrote, and "
        "published where a calibrated model is sure enough. Audits by people, if any, stand in the card."
    ],
    "rai:machineAnnotationTools": ["wordquarry; manifest.json names the code and the model of each stage"],
    "rai:dataBiases": ["English alone; topics, names and styles are those of the sites that were crawled."],
    "rai:dataLimitations": ["Some answers are wrong; the card states the precision that was promised and on what."],
    "rai:dataUseCases": ["Training and evaluation of models that solve elementary math word problems."],
    "rai:personalSensitiveInformation": [
        "Texts can hold personal data that the replacement missed; authors can ask to have a post taken down."
    ],
    "rai:dataReleaseMaintenancePlan": "A post that is taken down is removed from all versions; new versions get new "
    "ids.",
}
"""What holds for every version (Croissant RAI 1.0)."""

PARQUET = "application/x-parquet"
_TYPES: dict[object, str] = {
    str: "sc:Text",
    int: "sc:Integer",
    float: "sc:Float",
    bool: "sc:Boolean",
    datetime: "sc:DateTime",
}


def _plain(annotation: Any) -> tuple[Any, bool]:
    """What an annotation holds, without None and tuples, and whether it holds several of it."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return _plain(next(part for part in arguments if part is not type(None)))
    return (_plain(arguments[0])[0], True) if origin is tuple else (annotation, False)


def _is_record(annotation: Any) -> TypeGuard[type[Record]]:
    return isinstance(annotation, type) and issubclass(annotation, Record)


def _field(identifier: str, annotation: Any, source: dict[str, Any]) -> dict[str, Any] | None:
    """One field, a record with its sub-fields; None for a record that holds nothing but records.

    mlcroissant reads one level of sub-fields and fails on deeper ones, so deeper ones are left to the parquet schema.
    """
    kind, repeated = _plain(annotation)
    field: dict[str, Any] = {"@type": "cr:Field", "@id": identifier, "name": identifier, "source": source}
    field |= {"repeated": True} if repeated else {}
    if not _is_record(kind):
        return {**field, "dataType": _TYPES.get(kind, "sc:Text")}
    inner = {
        name: part.annotation for name, part in kind.model_fields.items() if not _is_record(_plain(part.annotation)[0])
    }
    within = {name: {**source, "transform": {"jsonPath": name}} for name in inner}
    subfields = [_field(f"{identifier}/{name}", inner[name], within[name]) for name in inner]
    return {**field, "subField": subfields} if subfields else None


def _record_set(name: str, record: type[Record], source: dict[str, Any], described: str) -> dict[str, Any]:
    fields, left_out = [], []
    for column, part in record.model_fields.items():
        field = _field(f"{name}/{column}", part.annotation, {**source, "extract": {"column": column}})
        if field is None:
            left_out.append(column)
        else:
            fields.append({**field, "description": MEANINGS[record][column]})
    note = f" Records within records ({', '.join(left_out)}) are in the parquet files." if left_out else ""
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "description": described + note, "field": fields}


def _file(path: str, sha256: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "encodingFormat": PARQUET,
        "sha256": sha256,
    }


def _set_name(folder: str, split: str) -> str:
    """The name of a split in a configuration."""
    return split if folder == DATA else f"{folder}-{split}"


def _file_set(folder: str, split: str) -> dict[str, Any]:
    name = f"{_set_name(folder, split)}-files"
    return {
        "@type": "cr:FileSet",
        "@id": name,
        "name": name,
        "encodingFormat": PARQUET,
        "includes": f"{folder}/{split}-*.parquet",
    }


def croissant(
    names: tuple[str, str], version: str, licenses: Sequence[str], files: Mapping[str, str], published: str | None
) -> dict[str, Any]:
    """The JSON-LD of a version.

    ``names`` are the dataset's name and title, ``files`` maps the relative path of every table to its SHA-256, and
    ``published`` is a time in ISO 8601 or None where no post has one. One record set per configuration and split,
    over all its files, and one for each table beside the problems.
    """
    name, title = names
    tables = [(folder, split) for folder in PROBLEMS for split in splits_of(files)]
    sets = [
        _record_set(
            _set_name(folder, split),
            PROBLEMS[folder],
            {"fileSet": {"@id": f"{_set_name(folder, split)}-files"}},
            f"Problems of split {split}.",
        )
        for folder, split in tables
    ]
    beside = [
        _record_set(config_name(path), record, {"fileObject": {"@id": path}}, f"Rows of {path}.")
        for path, record in BESIDE.items()
    ]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        **RESPONSIBLE_AI,
        "name": name,
        "description": f"{title}. Every value leads back to the characters of the post it came from.",
        "citeAs": f"{title}: {name}, version {version}, built with wordquarry",
        "license": [spdx_address(one) for one in licenses] or ["unknown"],
        "url": f"https://wordquarry.example/datasets/{name}",
        "version": version,
        "distribution": [
            *(_file(path, files[path]) for path in sorted(files)),
            *(_file_set(*table) for table in tables),
        ],
        "recordSet": [*sets, *beside],
        **({"datePublished": published} if published else {}),
    }


def with_retrieval(metadata: bytes, manifest: Manifest) -> bytes:
    """The metadata of a version as it is where the posts were read when those of a manifest were."""
    found, published = dict(load_json(metadata)), last_retrieval(manifest)
    found.pop("datePublished", None)
    sha256 = manifest["files"][PROVENANCE]["sha256"]
    found["distribution"] = [
        {**entry, "sha256": sha256} if entry["@id"] == PROVENANCE else entry for entry in found["distribution"]
    ]
    return pretty_json(found | ({"datePublished": published} if published else {}))
