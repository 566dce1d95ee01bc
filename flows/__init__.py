"""What chains the floors below into commands and Prefect flows.

A process that multiprocessing starts for a flow imports this first, long before Prefect: from here on it ends with its
parent.
"""

from corpus.lifeline import end_with_parent_if_spawned

end_with_parent_if_spawned()
