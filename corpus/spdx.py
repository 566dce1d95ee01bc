"""Licenses by their SPDX identifiers (spdx.org/licenses), which hubs and metadata name them by."""

import re

_COMMONS = re.compile(r"cc[- ](by(?:[- ](?:sa|nd|nc|nc[- ]sa|nc[- ]nd))?)[- ]?v?(\d\.\d)")
_OTHERS = {
    "cc0": "CC0-1.0",
    "cc0 1.0": "CC0-1.0",
    "cc0-1.0": "CC0-1.0",
    "mit": "MIT",
    "mit license": "MIT",
    "apache 2.0": "Apache-2.0",
    "apache-2.0": "Apache-2.0",
}
_VERSIONS = ("1.0", "2.0", "2.5", "3.0", "4.0")


def spdx_id(license_name: str) -> str | None:
    """The SPDX identifier of a license as sites write it; None for other terms.

    >>> spdx_id("CC BY-SA 4.0"), spdx_id("cc-by-nc-sa-3.0"), spdx_id("all rights reserved")
    ('CC-BY-SA-4.0', 'CC-BY-NC-SA-3.0', None)
    """
    name = " ".join(license_name.lower().split())
    found = _COMMONS.fullmatch(name)
    if found and found[2] in _VERSIONS:
        return f"CC-{found[1].upper().replace(' ', '-')}-{found[2]}"
    return _OTHERS.get(name)


def spdx_address(license_name: str) -> str:
    """The address of a license's text where it has an SPDX identifier, else the license as it stands.

    >>> spdx_address("CC BY 4.0")
    'https://spdx.org/licenses/CC-BY-4.0.html'
    """
    found = spdx_id(license_name)
    return f"https://spdx.org/licenses/{found}.html" if found else license_name
