"""What chains the floors below into commands and Prefect flows.

A process that multiprocessing starts for a flow imports this first, long before Prefect: from here on it ends with its
parent. Before Arrow is imported it is told to take its memory from the system, which an ingest then gives back: that
is a quarter less of it, and no slower. An allocator that the environment names stays.
"""

import os

from corpus.folders.lifeline import end_with_parent_if_spawned

os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
end_with_parent_if_spawned()
