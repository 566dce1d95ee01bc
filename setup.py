"""What the wheel holds: every package of the floors, the public face, and the data that travels with the code.

Everything else is in ``pyproject.toml``. The list of packages is found here, because ``data/`` holds no Python and
lies in the wheel as ``wordquarry/data`` (``corpus.code`` says where it is).
"""

from setuptools import find_packages, setup

FLOORS = ("extractors", "corpus", "models", "crawlers", "curation", "evaluation", "audits", "flows", "wordquarry")
DATA = "wordquarry.data"

setup(
    packages=[*find_packages(include=[pattern for floor in FLOORS for pattern in (floor, f"{floor}.*")]), DATA],
    package_dir={DATA: "data"},
    package_data={
        DATA: ["models/*.json", "labels/*.jsonl", "own/*", "samples/*", "site/**/*"],
        "audits": ["pages/*"],
        "evaluation": ["*.json", "gold_corpora/judged/*"],
        "wordquarry": ["py.typed"],
        "crawlers": ["wordlists/*.txt", "templates/*/*"],
        **{floor: ["wordlists/*.txt"] for floor in ("extractors", "models", "curation")},
    },
)
