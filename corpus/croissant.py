"""Croissant metadata (mlcommons.org/croissant/1.0) of one version: its files, their digests and every column."""

import types
import typing
from collections.abc import Mapping
from typing import Any, TypeGuard

from pydantic.fields import FieldInfo

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

PARQUET = "application/x-parquet"
_TYPES: dict[object, str] = {str: "sc:Text", int: "sc:Integer", float: "sc:Float", bool: "sc:Boolean"}


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


def _record_set(split: str) -> dict[str, Any]:
    source = {"fileSet": {"@id": f"{split}-files"}}
    fields, left_out = [], []
    for name, part in Problem.model_fields.items():
        field = _field(f"{split}/{name}", part.annotation, {**source, "extract": {"column": name}})
        if field is None:
            left_out.append(name)
        else:
            fields.append({**field, **_described(part)})
    description = f"Problems of split {split}. Records within records ({', '.join(left_out)}) are in the parquet files."
    return {"@type": "cr:RecordSet", "@id": split, "name": split, "description": description, "field": fields}


def _described(part: FieldInfo) -> dict[str, str]:
    return {"description": part.description} if part.description else {}


def _file(path: str, sha256: str) -> dict[str, Any]:
    name = path.removeprefix("data/")
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": path,
        "encodingFormat": PARQUET,
        "sha256": sha256,
    }


def _file_set(split: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{split}-files",
        "name": f"{split}-files",
        "encodingFormat": PARQUET,
        "includes": f"data/{split}-*.parquet",
    }


def croissant(name: str, title: str, version: str, licenses: list[str], files: Mapping[str, str]) -> dict[str, Any]:
    """The JSON-LD of a version; ``files`` maps relative parquet paths to their SHA-256.

    One record set per split, over all files of the split.
    """
    splits = sorted({path.removeprefix("data/").partition("-")[0] for path in files})
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": f"{title}. Every value leads back to the characters of the post it came from.",
        "citeAs": f"{title}: {name}, version {version}, built with wordquarry",
        "license": licenses or ["unknown"],
        "url": f"https://wordquarry.example/datasets/{name}",
        "version": version,
        "distribution": [*(_file(path, files[path]) for path in sorted(files)), *map(_file_set, splits)],
        "recordSet": [_record_set(split) for split in splits],
    }
