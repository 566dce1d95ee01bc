"""An S3 server of the usual kind on loopback, with a bucket for each test."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest

BUCKETS = count()
KEYS = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing", "AWS_DEFAULT_REGION": "us-east-1"}


@contextmanager
def s3_server() -> Iterator[str]:
    """Serve S3 inside this block; yields its address. The test is skipped, by name, where it is not installed."""
    for module in ("moto", "flask", "flask_cors", "s3fs"):
        pytest.importorskip(module, reason=f"needs {module}: pip install 'wordquarry[dev]'", exc_type=ImportError)
    import s3fs
    from moto.server import ThreadedMotoServer

    s3fs.S3FileSystem.clear_instance_cache()  # one of an earlier server
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**KEYS, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
            patch.setenv(name, value)
        patch.delenv("AWS_PROFILE", raising=False)
        yield os.environ["AWS_ENDPOINT_URL"]
    server.stop()


def new_bucket() -> str:
    """A bucket of its own on the server in use; its URL."""
    import s3fs

    name = f"quarry-{next(BUCKETS)}"
    s3fs.S3FileSystem(use_listings_cache=False).mkdir(name)
    return f"s3://{name}"
