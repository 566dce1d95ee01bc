"""Where a crawl starts: the address of a site, or a file of addresses on one site."""

from pathlib import Path
from urllib.parse import urlsplit

from corpus.errors import CrawlError
from corpus.folders.open_files import read_file

MAX_ADDRESSES = 1_000_000
MAX_LINE = 4_000


def site_address(address: str) -> str:
    """Scheme, host and port of an address; CrawlError if it is none.

    >>> site_address("https://forum.example:8080/questions?page=2")
    'https://forum.example:8080'
    """
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise CrawlError(f"{address[:200]!r} is not a site address; give one such as https://forum.example")
    return f"{parts.scheme}://{parts.netloc}"


def start_path(address: str) -> str:
    """Path and query of an address, empty for a bare site.

    >>> start_path("https://forum.example/word/age/?page=2"), start_path("https://forum.example/")
    ('/word/age/?page=2', '')
    """
    path = path_of(address)
    return "" if path == "/" else path


def path_of(url: str) -> str:
    """Path and query of an address: a thread may name another host, or port, than it was found at.

    >>> path_of("https://forum.example/q/7?page=1#top"), path_of("https://forum.example")
    ('/q/7?page=1', '/')
    """
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def read_addresses(path: Path) -> tuple[str, ...]:
    """The addresses of a file, one a line, each once, in file order; ``#`` begins a remark.

    Raises CrawlError naming the line for an address that is none or of another site than the first: one crawl knows
    the rules of one site.
    """
    found: dict[str, None] = {}
    site = None
    for number, line in enumerate(_lines(path), 1):
        address = line.partition(" #")[0].strip()
        if not address or address.startswith("#"):
            continue
        if len(address) > MAX_LINE:
            raise CrawlError(f"{path}:{number}: address of {len(address)} characters; at most {MAX_LINE} are read")
        try:
            own = site_address(address)
        except CrawlError as error:
            raise CrawlError(f"{path}:{number}: {error}") from error
        site = site or own
        if own != site:
            raise CrawlError(f"{path}:{number}: {address[:200]!r} is not on {site}; give each site a file of its own")
        found[address] = None
        if len(found) > MAX_ADDRESSES:
            raise CrawlError(f"{path} holds more than {MAX_ADDRESSES} addresses; split it")
    if not found:
        raise CrawlError(f"{path} holds no address; expected one on each line")
    return tuple(found)


def _lines(path: Path) -> list[str]:
    try:
        return read_file(path).decode().splitlines()
    except OSError as error:
        raise CrawlError(f"cannot read {path}: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        raise CrawlError(f"{path} is not a text file in UTF-8; expected one address on each line") from error
