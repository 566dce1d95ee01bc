"""Croissant metadata (mlcommons.org/croissant/1.0) of one version: its files, their digests and every column."""

import types
import typing
from collections.abc import Mapping
from typing import Any

from corpus.records import Problem, Record

CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}

_TYPES: dict[object, str] = {str: "sc:Text", int: "sc:Integer", float: "sc:Float", bool: "sc:Boolean"}


def _field(identifier: str, annotation: Any, description: str, source: dict[str, Any] | None) -> dict[str, Any]:
    """One field; a nested record becomes sub-fields, a tuple is repeated."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        annotation = next(part for part in arguments if part is not type(None))
        return _field(identifier, annotation, description, source)
    if origin is tuple:
        return {**_field(identifier, arguments[0], description, source), "repeated": True}
    field: dict[str, Any] = {"@type": "cr:Field", "@id": identifier, "name": identifier}
    if description:
        field["description"] = description
    if source is not None:
        field["source"] = source
    if isinstance(annotation, type) and issubclass(annotation, Record):
        field["subField"] = [
            _field(f"{identifier}/{name}", inner.annotation, inner.description or "", _nested(source, name))
            for name, inner in annotation.model_fields.items()
        ]
    else:
        field["dataType"] = _TYPES.get(annotation, "sc:Text")
    return field


def _nested(source: dict[str, Any] | None, name: str) -> dict[str, Any] | None:
    if source is None:
        return None
    return {**source, "transform": [*source.get("transform", []), {"jsonPath": name}]}


def _record_set(split: str, file_id: str) -> dict[str, Any]:
    fields = [
        _field(
            f"{split}/{name}",
            inner.annotation,
            inner.description or "",
            {"fileObject": {"@id": file_id}, "extract": {"column": name}},
        )
        for name, inner in Problem.model_fields.items()
    ]
    return {"@type": "cr:RecordSet", "@id": split, "name": split, "field": fields}


def croissant(name: str, title: str, version: str, licenses: list[str], files: Mapping[str, str]) -> dict[str, Any]:
    """The JSON-LD of a version; ``files`` maps relative parquet paths to their SHA-256.

    One record set per data file, named by its split (and number, where a split has several files).
    """
    distribution, record_sets = [], []
    for path in sorted(files):
        file_id = path.removeprefix("data/").removesuffix(".parquet")
        split, _, number = file_id.partition("-")
        distribution.append(
            {
                "@type": "cr:FileObject",
                "@id": file_id,
                "name": file_id,
                "contentUrl": path,
                "encodingFormat": "application/x-parquet",
                "sha256": files[path],
            }
        )
        record_sets.append(_record_set(split if number.startswith("00000-") else file_id, file_id))
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": f"{title}. Every value leads back to the characters of the post it came from.",
        "license": licenses or ["unknown"],
        "url": f"https://wordquarry.example/datasets/{name}",
        "version": version,
        "distribution": distribution,
        "recordSet": record_sets,
    }
