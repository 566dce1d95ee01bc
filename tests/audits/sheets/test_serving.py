"""The sheet's server: saves what its own pages send, signs that it did, and hears nobody else."""

import contextlib
import http.client
import json
import re
import shutil
import socket
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from audits.sheets.audit_sheets import read_sheet
from audits.sheets.serving import MAX_BODY, SheetServer, sheet_key, sheet_ports
from corpus.errors import CorpusError
from corpus.lines.sheet_lines import MAX_NOTE
from tests.audits.sheets.sheet_files import Command, edit, log_lines, serving, sheet_file, verdicts

OWN = "http://127.0.0.1:{port}"
Answer = tuple[int, str, Mapping[str, str]]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[SheetServer, Path]]:
    """A sheet's server and the sheet. Its application is asked without a socket (``ask``)."""
    path = sheet_file(tmp_path)
    with SheetServer(path) as server:
        yield server, path


def ask(server: SheetServer, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
    client = TestClient(server.application, base_url=OWN.format(port=server.port))
    answer = client.request(method, path, content=body, headers=headers)
    return answer.status_code, answer.text, answer.headers


NAMES = {"token": "X-Sheet-Token", "origin": "Origin", "host": "Host", "kind": "Content-Type"}


def post(server: SheetServer, message: object, path: str = "/verdict", **changed: str) -> tuple[int, str]:
    """What a script sends that has the token of the printed address."""
    headers = {"Content-Type": "application/json", "X-Sheet-Token": server.token}
    headers |= {"Origin": OWN.format(port=server.port)} | {NAMES[name]: value for name, value in changed.items()}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return ask(server, "POST", path, body, headers)[:2]


def signed(server: SheetServer, message: object, path: str = "/verdict", key: Any = None, **changed: str) -> Answer:
    """What a page sends that has the sheet's key, also of another port."""
    body = json.dumps(message).encode()
    headers = {"Content-Type": "application/json", "Origin": OWN.format(port=1)}
    headers |= {"X-Sheet-Signature": (key or server.key).signature(f"ask {path}", body)}
    headers |= {NAMES[name]: value for name, value in changed.items()}
    return ask(server, "POST", path, body, headers)


def verdict(row: int, said: str | None, note: str = "", **more: object) -> dict[str, object]:
    return {"post_id": f"site:{row}", "verdict": said, "note": note, **more}


def test_page_needs_the_token(served: tuple[SheetServer, Path]) -> None:
    server, _ = served
    status, page, headers = ask(server, "GET", f"/?token={server.token}", None, {})
    assert status == 200
    assert server.key.hex in page
    assert server.token not in page
    assert "Access-Control-Allow-Origin" not in headers
    assert ask(server, "GET", "/", None, {})[0] == 403
    status, text, _ = ask(server, "GET", f"/?token={server.token}x", None, {})
    assert (status, text.split("; ")[1]) == (403, "that of an earlier run is no longer good")
    assert ask(server, "GET", f"/?token={server.token}", None, {"Host": f"evil.example:{server.port}"})[0] == 403
    assert ask(server, "GET", f"/etc/passwd?token={server.token}", None, {})[0] == 404


def test_verdicts_are_saved_at_once(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    status, text = post(server, verdict(2, "right", "sure"))
    assert status == 200
    assert json.loads(text)["number"] == 1
    row = read_sheet(path).rows[2]
    assert (row.verdict, row.note) == ("right", "sure")
    assert post(server, verdict(2, None))[0] == 200
    assert read_sheet(path).rows[2].verdict is None
    assert [line["verdict"] for line in log_lines(path)] == ["right", None]


def test_only_the_sheets_own_pages_may_write(served: tuple[SheetServer, Path], tmp_path: Path) -> None:
    server, path = served
    message = verdict(0, "right", key="k", by="page", base=0)
    assert post(server, message, token="other")[0] == 403
    assert post(server, message, origin="https://evil.example")[0] == 403
    assert post(server, message, origin="null")[0] == 403
    assert post(server, message, origin=OWN.format(port=1))[0] == 403, "a token is for the server's own origin"
    assert post(server, message, host="evil.example")[0] == 403
    assert post(server, message, kind="text/plain")[0] == 415
    for origin in (
        "https://evil.example",
        "null",
        "",
        "http://127.0.0.1.evil.example",
        "http://127.0.0.1:1/",
        "file://",
    ):
        status, _, headers = signed(server, message, origin=origin)
        assert (status, headers.get("Access-Control-Allow-Origin")) == (403, None), origin
    assert signed(server, message, host=f"evil.example:{server.port}")[0] == 403
    assert signed(server, message, kind="text/plain")[0] == 415
    elsewhere = sheet_key(tmp_path / "elsewhere.jsonl", server.sheet.header.sheet_id)
    assert signed(server, message, key=elsewhere)[0] == 403
    assert log_lines(path) == []
    assert signed(server, message)[0] == 200


def test_a_signature_is_for_one_address_and_one_message(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    body = json.dumps(verdict(0, "right")).encode()
    headers = {"Content-Type": "application/json", "Origin": OWN.format(port=server.port)}
    for what, sent in (("ask /state", body), ("answer /verdict", body), ("ask /verdict", body + b" ")):
        wrong = headers | {"X-Sheet-Signature": server.key.signature(what, body)}
        assert ask(server, "POST", "/verdict", sent, wrong)[0] == 403, what
    assert log_lines(path) == []


def test_answers_are_signed_and_bound_to_the_question(served: tuple[SheetServer, Path]) -> None:
    server, _ = served
    for path, message in (
        ("/verdict", verdict(0, "right", key="k7")),
        ("/state", {"nonce": "n7", "after": 0}),
        ("/verdict", verdict(9, "right", key="k8")),
    ):
        _, text, headers = signed(server, message, path)
        assert server.key.signed(f"answer {path}", text.encode(), headers["X-Sheet-Signature"]), path
        assert not server.key.signed(f"ask {path}", text.encode(), headers["X-Sheet-Signature"])
        assert message.get("key", message.get("nonce")) in text or "site:9 is not on sheet" in text
    refused = post(server, verdict(0, "right"), token="other")
    assert "signature" not in refused[1].lower()


@pytest.mark.parametrize(
    ("origin", "path", "allowed"),
    [
        ("http://127.0.0.1:1234", "/verdict", True),
        ("http://localhost:1234", "/state", True),
        ("https://evil.example", "/verdict", False),
        ("http://evil.example:20000", "/verdict", False),
        ("null", "/verdict", False),
        ("http://127.0.0.1:1234", "/", False),
    ],
)
def test_browsers_are_told_which_pages_may_ask(
    served: tuple[SheetServer, Path], origin: str, path: str, allowed: bool
) -> None:
    server, _ = served
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    status, _, headers = ask(server, "OPTIONS", path, None, asked)
    assert (status == 200, headers.get("Access-Control-Allow-Origin")) == (allowed, origin if allowed else None)
    assert "Access-Control-Allow-Credentials" not in headers
    evil = ask(server, "OPTIONS", path, None, {**asked, "Host": f"evil.example:{server.port}"})
    assert (evil[0], evil[2].get("Access-Control-Allow-Origin")) == (403, None)


@pytest.mark.parametrize(
    ("message", "status", "said"),
    [
        (b"not json", 400, "not JSON"),
        (b"[1]", 400, "not a JSON object"),
        (b"[" * 9000, 400, "not JSON"),
        (b"\xff\xfe{}", 400, "not JSON"),
        ({"post_id": "nowhere:1", "verdict": "right", "note": ""}, 400, "nowhere:1 is not on sheet"),
        (verdict(0, "perhaps"), 400, "there are right, wrong, unsure and null"),
        ({"post_id": "site:0", "verdict": ["right"], "note": ""}, 400, "verdict: must be"),
        ({"post_id": 7, "verdict": "right", "note": ""}, 400, "row_id: must be a text"),
        ({"post_id": "site:0", "note": ""}, 400, "verdict: missing"),
        (b'{"post_id":"site:0","verdict":"right","note":"\\ud83d"}', 400, "note holds half a character"),
        (b'{"post_id":"site:0","verdict":"right","note":"\\ude00\\ud83d"}', 400, "note holds half a character"),
        (b'{"post_id":"site:0","verdict":"right","key":"\\ud83d"}', 400, "key holds half a character"),
        (verdict(0, "right", "x" * (MAX_NOTE + 1)), 400, "at most 2000 characters"),
        (verdict(0, "right", by="sheet"), 400, "by sheet is kept for what was written by hand"),
        (verdict(0, "right", base=-1), 400, "base: must be at least"),
        (verdict(0, "right", key="k" * 41), 400, "key: must have at most 40"),
        (verdict(0, "right", "x" * MAX_BODY), 413, "at most 32768 bytes"),
    ],
)
def test_other_messages_are_refused(served: tuple[SheetServer, Path], message: object, status: int, said: str) -> None:
    server, path = served
    before = path.read_bytes()
    found, text = post(server, message)
    assert found == status
    assert said in text
    assert path.read_bytes() == before
    assert log_lines(path) == []


def test_a_note_of_2000_characters_beyond_the_first_plane_is_kept(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    assert post(server, verdict(0, "right", "\U0001f600" * MAX_NOTE))[0] == 200
    assert read_sheet(path).rows[0].note == "\U0001f600" * MAX_NOTE


def test_questions_about_the_state(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    post(server, verdict(0, "right"))
    post(server, verdict(1, "wrong", "why"))
    edit(path, site_2="unsure")
    found = json.loads(post(server, {"nonce": "n", "after": 1}, "/state")[1])
    assert (found["nonce"], found["last"], found["trouble"]) == ("n", 3, None)
    assert [(row["row_id"], row["verdict"], row["note"], row["seq"], row["by"]) for row in found["rows"]] == [
        ("site:1", "wrong", "why", 2, "script"),
        ("site:2", "unsure", "", 3, "sheet"),
    ]
    for after in (None, -1, "1"):
        assert post(server, {"nonce": "n", "after": after}, "/state")[0] == 400


def test_two_pages_that_judge_one_row(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    signed(server, verdict(0, "right", "one", key="k1", by="page a", base=0))
    _, text, _ = signed(server, verdict(0, "wrong", key="k2", by="page b", base=0))
    assert json.loads(text)["row"]["unseen"] == {"verdict": "right", "note": "one", "by": "page a"}
    found = json.loads(signed(server, {"nonce": "", "after": 1}, "/state")[1])
    assert found["rows"][0]["unseen"]["verdict"] == "right", "the first page is told as well"
    assert [line["verdict"] for line in log_lines(path)] == ["right", "wrong"]
    _, text, _ = signed(server, verdict(0, "right", "one", key="k3", by="page a", base=2))
    assert json.loads(text)["row"]["unseen"] is None
    assert read_sheet(path).unseen == ()


def test_a_spoiled_sheet_is_told_to_the_page(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    path.write_text("spoiled\n", encoding="utf-8")
    status, text = post(server, verdict(0, "right"))
    assert status == 200
    assert "sheet.jsonl:1: not a JSON object" in json.loads(text)["trouble"]


def test_a_log_that_is_gone_is_no_saved_verdict(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    Path(f"{path}.log").unlink()
    status, text = post(server, verdict(0, "right"))
    assert status == 500
    assert "cannot write" in json.loads(text)["error"]


def over_http(server: SheetServer, message: object, path: str = "/verdict") -> tuple[int, dict[str, Any]]:
    """What a page gets that speaks to the server itself."""
    body = json.dumps(message).encode()
    headers = {"Content-Type": "application/json", "Origin": OWN.format(port=server.port)}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    with contextlib.closing(connection):
        connection.request(
            "POST", path, body, headers | {"X-Sheet-Signature": server.key.signature(f"ask {path}", body)}
        )
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def test_concurrent_verdicts_are_all_kept(tmp_path: Path) -> None:
    path = sheet_file(tmp_path)
    with serving(path) as server:
        threads = [threading.Thread(target=over_http, args=(server, verdict(row, "wrong"))) for row in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert over_http(server, {"nonce": "n", "after": 0}, "/state")[1]["last"] == 5
    assert set(verdicts(read_sheet(path)).values()) == {"wrong"}


def test_whoever_sends_half_a_request_keeps_nobody_waiting(tmp_path: Path) -> None:
    path = sheet_file(tmp_path)
    with contextlib.ExitStack() as stack, serving(path) as server:
        slow = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
        own = f"Host: 127.0.0.1:{server.port}\r\nOrigin: {OWN.format(port=server.port)}\r\n"
        kind = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        slow.sendall(f"POST /verdict HTTP/1.1\r\n{own}{kind}".encode())
        assert over_http(server, verdict(0, "right"))[0] == 200
    assert verdicts(read_sheet(path))["site:0"] == "right", "the server has ended by itself"


def test_more_than_was_announced_is_refused(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    headers = {"Content-Type": "application/json", "Origin": OWN.format(port=server.port), "Content-Length": "2"}
    assert ask(server, "POST", "/verdict", b" " * (MAX_BODY + 1), headers)[0] == 413
    assert log_lines(path) == []


def test_a_port_in_use_is_one_line(served: tuple[SheetServer, Path], tmp_path: Path) -> None:
    server, _ = served
    (tmp_path / "other").mkdir()
    with pytest.raises(CorpusError, match=rf"cannot listen on 127.0.0.1:{server.port}: .*--port") as raised:
        SheetServer(sheet_file(tmp_path / "other"), server.port)
    assert "\n" not in str(raised.value)


def test_a_sheet_has_ports_of_its_own(tmp_path: Path) -> None:
    path = sheet_file(tmp_path)
    ports = sheet_ports(read_sheet(path).header.sheet_id)
    assert len(set(ports)) == 8
    with serving(path) as server:
        copy = Path(shutil.copytree(tmp_path, tmp_path / "copy")) / path.name
        with serving(copy) as other:
            taken = (ports.index(server.port), ports.index(other.port))
            assert taken[0] < taken[1], "a copy that is served meanwhile moves on"
            assert Path(f"{copy}.key").read_bytes() == Path(f"{path}.key").read_bytes()
            assert server.key.hex != other.key.hex, "no page of the one is heard by the other"
    with serving(path) as server:
        assert ports.index(server.port) == taken[0]
    with SheetServer(path, 0) as server:
        assert server.port not in ports


def test_the_key_is_for_its_owner_and_outlives_the_server(tmp_path: Path) -> None:
    path = sheet_file(tmp_path)
    with serving(path) as server:
        first = server.key.hex
    key = Path(f"{path}.key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.chmod(0o644)
    with serving(path) as server:
        assert server.key.hex == first
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.write_bytes(b"\xffdamaged")
    with serving(path) as server:
        assert server.key.hex != first
    assert re.fullmatch("[0-9a-f]{64}\n", key.read_text(encoding="ascii"))


def test_missing_sheets_are_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"cannot read .*none.jsonl"):
        SheetServer(tmp_path / "none.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_what_a_person_sees_on_the_terminal(serve: Callable[..., Command], tmp_path: Path) -> None:
    path = sheet_file(tmp_path)
    edit(path, site_0="right")
    with Path(f"{path}.log").open("wb") as log:
        log.write(b'{"format":1,"kind":"verdicts","sheet_id":"%s"}\n{"seq":1,"ver' % _id(path))
    assert serve(path).said[:2] == [
        f"{path}.log: its last line was cut short by a kill (13 bytes, never saved); dropped",
        f"{path}: 1 rows that were changed by hand are now counted (site:0)",
    ]
    assert verdicts(read_sheet(path))["site:0"] == "right"


def _id(path: Path) -> bytes:
    return str(json.loads(path.read_text(encoding="utf-8").splitlines()[0])["sheet_id"]).encode()
