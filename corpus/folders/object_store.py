"""Files that are written only if they are as one has seen them: object stores with conditional requests.

A store answers a read with a tag (S3: the ETag) that changes with the content. A write names the tag it has seen, or
none for a file that is not there yet, and the store refuses it where another was faster. No clock is compared.
"""

import contextlib
import hashlib
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from corpus.errors import StoreError, store_failures

_CHANGED = ("PreconditionFailed", "ConditionalRequestConflict", "412", "409")
MOST_TRIES = 100
_memory = threading.Lock()


class Tagged(NamedTuple):
    """The bytes of a file and the tag the store gave with them."""

    content: bytes
    tag: str


def is_s3(fs: Any) -> bool:
    """Whether a filesystem is s3fs."""
    return "s3" in _protocols(fs)


def _protocols(fs: Any) -> tuple[str, ...]:
    return tuple(fs.protocol) if isinstance(fs.protocol, tuple | list) else (str(fs.protocol),)


def tagged(fs: Any, path: str) -> Tagged | None:
    """A file and its tag; None if it is not there. OSError as the store raises it, StoreError for one without tags."""
    if is_s3(fs):
        from fsspec.asyn import sync

        found: Tagged | None = sync(fs.loop, _get_s3, fs, path)
        return found
    if "memory" in _protocols(fs):
        content = bytes(fs.cat_file(path)) if fs.exists(path) else None
        return None if content is None else Tagged(content, _digest(content))
    raise _unknown(fs, path)


def put_if(fs: Any, path: str, content: bytes, tag: str | None) -> str | None:
    """Write a file that has this tag, or is not there if the tag is None; the new tag, None if it is otherwise.

    A write that the store refuses though its content is there has been done already: the answer to it was lost, and
    the client has asked again.
    """
    if is_s3(fs):
        from fsspec.asyn import sync

        made: str | None = sync(fs.loop, _put_s3, fs, path, content, tag)
    elif "memory" in _protocols(fs):
        made = _put_memory(fs, path, content, tag)
    else:
        raise _unknown(fs, path)
    if made is None:
        there = tagged(fs, path)
        made = there.tag if there is not None and there.content == content else None
    return made


def append_lines(fs: Any, path: str, lines: bytes) -> None:
    """Add lines to what a file holds, anew for as long as others add theirs meanwhile."""
    for _ in range(MOST_TRIES):
        there = tagged(fs, path)
        if put_if(fs, path, (there.content if there else b"") + lines, there.tag if there else None) is not None:
            return
    raise StoreError(f"cannot write {path}: others write it all the time; run the command again")


def commit_files(fs: Any, where: str, files: Mapping[str, bytes], mark: str, check: Callable[[], None]) -> None:
    """Write the files of a folder, the mark last and only if there is none: another may write the same one meanwhile.

    ``check`` fails where another took over; it is asked before anything is replaced or marked.
    """
    for stray in fs.find(where) if fs.exists(where) else []:
        if stray.removeprefix(where).lstrip("/") not in files:
            with contextlib.suppress(FileNotFoundError):
                fs.rm_file(stray)
    for file in sorted(set(files) - {mark}):
        _replace(fs, f"{where}/{file}", files[file], check)
    check()
    put_if(fs, f"{where}/{mark}", files[mark], None)


def _replace(fs: Any, path: str, content: bytes, check: Callable[[], None]) -> None:
    """Write a file, over another one only if that is still as it was seen before ``check``."""
    if put_if(fs, path, content, None) is not None:
        return
    there = tagged(fs, path)
    check()
    if put_if(fs, path, content, there.tag if there else None) is None:
        raise StoreError(f"cannot write {path}: another command writes it too; wait for it and run this one again")


def _unknown(fs: Any, path: str) -> StoreError:
    return StoreError(
        f"cannot write {path} safely: of {_protocols(fs)[0]}:// no write on condition is known, which keeps two "
        "writers apart; use a local folder or s3://"
    )


def _put_memory(fs: Any, path: str, content: bytes, tag: str | None) -> str | None:
    with _memory:
        there = tagged(fs, path)
        if (there.tag if there else None) != tag:
            return None
        fs.pipe_file(path, content)
        return _digest(content)


async def _get_s3(fs: Any, path: str) -> Tagged | None:
    bucket, key, _ = fs.split_path(path)
    for last in (False, True):  # a body that breaks off is asked for once more; all else the client repeats itself
        try:
            answer = await fs._call_s3("get_object", Bucket=bucket, Key=key)
            async with answer["Body"] as body:
                content = await body.read()
        except FileNotFoundError:
            return None
        except store_failures():
            if last:
                raise
            continue
        if len(content) == answer["ContentLength"]:
            return Tagged(content, answer["ETag"])
    raise OSError(f"the store sent {len(content)} bytes of {answer['ContentLength']}")


async def _put_s3(fs: Any, path: str, content: bytes, tag: str | None) -> str | None:
    bucket, key, _ = fs.split_path(path)
    condition = {"IfNoneMatch": "*"} if tag is None else {"IfMatch": tag}
    try:
        answer = await fs._call_s3("put_object", Bucket=bucket, Key=key, Body=content, **condition)
    except FileNotFoundError:  # another has removed it: it has no tag any more
        if tag is None:
            raise
        return None
    except store_failures() as error:
        if _code(error) in _CHANGED:
            return None
        raise
    return str(answer["ETag"])


def _code(error: BaseException) -> str:
    """The code with which the store refused, also where s3fs has made an OSError of it."""
    seen: BaseException | None = error
    while seen is not None:
        response = getattr(seen, "response", None)
        if isinstance(response, dict):
            return str(response.get("Error", {}).get("Code", ""))
        seen = seen.__cause__
    return ""


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
