"""Commands and crawls in a process of their own that do not import everything anew.

``serve`` imports once what the command line and crawls import and forks for each caller. The fork has the caller's
arguments, environment, folder and three streams, runs ``python -m MODULE`` from there and ends with a status of its
own. A caller is a small process (``python -I -S warm.py SOCKET MODULE ARGUMENTS...``) that hands its streams over and
ends as the fork does; who kills it kills the fork. Linux only.
"""

import contextlib
import json
import os
import signal
import socket
import sys
from typing import Any, NoReturn

COMMANDS = "flows.cli"
IMPORTED = (
    "audits.report.report_page", "crawlers.spiders.process", "curation.building.running", "audits.sheets.drawing",
    "flows.command_line.build_commands", "flows.command_line.commands", "flows.corpora", "flows.ingesting",
    "flows.command_line.judge_commands", "flows.posts_to_label", "flows.command_line.look_commands",
    "flows.command_line.measure_commands",
    "flows.pipelines.prefect_flows", "flows.quality", "flows.stage_command", "flows.training",
    # What these import when they first need it; nothing here may start a thread or install a reactor.
    "aiohttp.web", "anyio._backends._asyncio", "fastapi", "graphviz", "pandas", "prefect.engine",
    "prefect.flow_engine", "prefect.task_engine", "pyarrow.pandas_compat", "queuelib", "rich._emoji_codes",
    "scrapy.core.downloader.handlers.http11", "scrapy.downloadermiddlewares.cookies", "scrapy.extensions.feedexport",
    "scrapy.extensions.remote_control", "scrapy.extensions.telnet", "scrapy.extensions.throttle", "tldextract",
    "typer.rich_utils",
)  # fmt: skip
"""All but ``COMMANDS``, which each command runs as its main module."""
LENGTH = 1_000_000
LOST = 71


def caller(address: str, module: str, *arguments: str) -> list[str]:
    """The command line of a caller."""
    return [sys.executable, "-I", "-S", __file__, address, module, *arguments]


def call(address: str, words: list[str]) -> NoReturn:
    """Have a module run with the streams of this process, and end as it does."""
    request = {"words": words, "environment": dict(os.environ), "folder": os.getcwd()}  # noqa: PTH109
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.connect(address)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LENGTH)
        socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
        for stream in (0, 1, 2):
            os.close(stream)  # the other side of a pipe is to see the fork's end of it alone
        status = int(server.recv(100) or LOST)
    if status < 0:
        signal.signal(-status, signal.SIG_DFL) if -status not in (signal.SIGKILL, signal.SIGSTOP) else None
        os.kill(os.getpid(), -status)
    os._exit(status)


def serve(address: str) -> NoReturn:
    """Fork for each caller at this socket; says on standard output when it can. Ends with its standard input."""
    import gc
    import importlib
    import select

    from corpus.code import code_digest
    from curation.near_texts.profiles import normalise, profile_named
    from curation.stages.registry import STAGES

    for name in IMPORTED:
        importlib.import_module(name)
    for stage in STAGES:
        code_digest(stage.module)
    normalise("words", profile_named("default"))  # reads the lemmas of a language
    assert "twisted.internet.reactor" not in sys.modules, "a crawl chooses its reactor"
    assert len(os.listdir("/proc/self/task")) == 1, "a process with threads must not fork"  # noqa: PTH208
    gc.freeze()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen(16)
        os.write(1, b"ready\n")
        while 0 not in select.select([0, listener.fileno()], [], [])[0]:
            caller = listener.accept()[0]
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if not os.fork():
                listener.close()
                _answer(caller, address)
            caller.close()
    os._exit(0)


def _answer(caller: socket.socket, address: str) -> NoReturn:
    """Fork what is to run, tell the caller how it ends, and kill it if the caller ends before."""
    import threading

    content, streams, _, _ = socket.recv_fds(caller, LENGTH, 3)
    command = os.fork()
    if not command:
        caller.close()
        _run(json.loads(content), streams, address)
    for stream in (*streams, 0, 1, 2):
        os.close(stream)

    def kill_without_caller() -> None:
        caller.recv(1)
        with contextlib.suppress(ProcessLookupError):
            os.kill(command, signal.SIGKILL)

    threading.Thread(target=kill_without_caller, daemon=True).start()
    status = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    with contextlib.suppress(OSError):
        caller.send(b"%d" % status)
    os._exit(0)


def _run(request: dict[str, Any], streams: list[int], address: str) -> NoReturn:
    """Become what the caller wants, with its streams and environment; then end as the interpreter does."""
    import atexit
    import runpy
    import threading
    import traceback

    from corpus.folders.lifeline import end_with_parent

    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    module, *arguments = request["words"]
    sys.argv = ["-m", *arguments]
    if module == COMMANDS:
        _settings_when_needed()
        _crawl_from(address)
    else:
        end_with_parent()
    status: object = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        status = ended.code
        if not isinstance(status, int | None):
            sys.stderr.write(f"{status}\n")
            status = 1
    except BaseException:  # noqa: BLE001 - as the interpreter itself
        traceback.print_exc()
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
        sys.stdout.flush()
    os._exit(status if isinstance(status, int) else 0)


def _settings_when_needed() -> None:
    """Have Prefect read its settings from the environment that a command has made, as if it was imported then."""
    from prefect.context import refresh_global_settings_context

    from flows.processes import server

    unchanged = server._explained_failures

    def explained_failures(url: str, remedy: str) -> contextlib.AbstractContextManager[None]:
        refresh_global_settings_context()
        return unchanged(url, remedy)

    server._explained_failures = explained_failures  # type: ignore[assignment]  # another kind of context manager


def _crawl_from(address: str) -> None:
    """Have the crawls of this process run in forks as well."""
    from crawlers.crawling import crawl_run

    crawl_run.helper = lambda *words: caller(address, *words)  # type: ignore[attr-defined]  # an import there


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    call(sys.argv[1], sys.argv[2:])
