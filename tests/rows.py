"""``@pytest.mark.rows``: a table of cases as one test, which names every row that fails.

It takes what ``parametrize`` takes. A row is no test of its own, so that a thousand of them cost no more than their
calls; but with ``-k``, or with ``test_file.py::test_name[ID]``, each row is one and can be run alone.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import pytest

WHOLE = "all rows"


class Row(NamedTuple):
    """The arguments of one call, what it is called in a report, and whether it is known to fail."""

    arguments: dict[str, Any]
    name: str
    known_failure: bool


def single_rows(config: pytest.Config) -> bool:
    """Whether rows are tests of their own: somebody asks for some of them by name."""
    return bool(config.getoption("keyword")) or any("[" in word for word in config.args)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make each table one test, or each of its rows."""
    for mark in metafunc.definition.iter_markers("rows"):
        if single_rows(metafunc.config):
            metafunc.parametrize(*mark.args, **mark.kwargs)
        else:
            names = _names(mark.args[0])
            blank = pytest.param(*[None] * len(names), id=WHOLE)
            metafunc.parametrize(names, [blank])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Call the test with one row after the other; fail with the reports of all rows that failed."""
    tables = [_rows(mark) for mark in pyfuncitem.iter_markers("rows")]
    if not tables or single_rows(pyfuncitem.config):
        return None
    wanted = pyfuncitem._fixtureinfo.argnames
    rest = {name: pyfuncitem.funcargs[name] for name in wanted}
    failures = []
    for rows in product(*reversed(tables)):
        arguments = {name: value for row in rows for name, value in row.arguments.items()}
        wrong = _failure(pyfuncitem.obj, rest | arguments, any(row.known_failure for row in rows))
        if wrong is not None:
            failures.append(f"[{'-'.join(row.name for row in rows)}]\n{wrong}")
    if failures:
        pytest.fail(f"{len(failures)} rows fail\n\n" + "\n\n".join(failures), pytrace=False)
    return True


def _failure(test: Callable[..., object], arguments: dict[str, Any], known_failure: bool) -> str | None:
    """How a call fails, if it does otherwise than is known of it."""
    try:
        test(**arguments)
    except Exception as error:  # noqa: BLE001 - a test may fail with any
        if known_failure:
            return None
        found = pytest.ExceptionInfo.from_exception(error)
        return str(found.getrepr(style="short", chain=False))
    return "passes, but is marked as a known failure" if known_failure else None


def _names(argument: str | Sequence[str]) -> list[str]:
    return [name.strip() for name in argument.split(",")] if isinstance(argument, str) else list(argument)


def _rows(mark: pytest.Mark) -> list[Row]:
    names = _names(mark.args[0])
    several = not isinstance(mark.args[0], str) or "," in mark.args[0]
    given = mark.kwargs.get("ids")
    return [_row(names, value, several, label) for value, label in zip(mark.args[1], _labels(mark, given), strict=True)]


def _labels(mark: pytest.Mark, ids: Any) -> Iterator[str | None]:
    """What the mark calls its rows."""
    if ids is None:
        return iter([None] * len(mark.args[1]))
    return (ids(value) for value in mark.args[1]) if callable(ids) else iter(ids)


def _row(names: list[str], value: Any, several: bool, label: str | None) -> Row:
    marks: Sequence[pytest.MarkDecorator | pytest.Mark] = getattr(value, "marks", ())
    if isinstance(value, type(pytest.param())):
        values, label = value.values, str(value.id) if value.id else label
    else:
        values = tuple(value) if several else (value,)
    failing = any(mark.name == "xfail" for mark in marks)
    arguments = dict(zip(names, values, strict=True))
    return Row(arguments, str(label or ", ".join(repr(one)[:60] for one in values)), failing)
