"""The tables of the post classifier: which real posts are named."""

from corpus.records import ScopeOutcome
from evaluation.model_quality.post_quality import PostQuality
from models.label_split import LabelledThread
from models.post_training import HeldOut
from models.shipped import shipped_model
from tests.models.samples import label


def test_failures_name_posts_of_the_sets_that_may_be_read_and_of_no_other() -> None:
    def missed(post_id: str, family: str) -> HeldOut:
        thread = LabelledThread(post_id, "What is 3 + 4?", (), label(post_id, ScopeOutcome.OK, family=family))
        return HeldOut(thread, 0.2, ScopeOutcome.GENERAL)

    sets = {name: [missed(f"real:{name}-1", name)] for name in ("A", "B", "D")}
    said = PostQuality(sets, {}, [], "signature", shipped_model("posts")).markdown()
    assert "| real:A-1 | ok | general | 0.20 |" in said
    assert "| real:B-1 |" in said
    assert "real:D-1" not in said
