"""What a graph saves on a GPU: many small kernels, launched one by one or replayed at one go."""

from grader.checks import Message, expect

BUCKETS = (1, 4, 16)
KERNELS = 100
HIDDEN = 64
ROUNDS = 50


def test_ratio(subject, show):
    """How many times a replay's time calling the function takes, for each bucket."""
    measure = subject.function(
        "launch_ratio", buckets=list(BUCKETS), hidden=HIDDEN, kernels=KERNELS, rounds=ROUNDS
    )
    ratios = measure()
    expect(
        len(ratios) == len(BUCKETS) and all(ratio > 0 for ratio in ratios), "launches.none",
        seen=ratios, expected=BUCKETS,
    )  # fmt: skip
    rows = [
        (Message("launches.bucket", {"bucket": bucket}), [f"{ratio:.1f}×"])
        for bucket, ratio in zip(BUCKETS, ratios, strict=True)
    ]
    show("launches.shown", rows, kernels=KERNELS, least=f"{min(ratios):.1f}",
         most=f"{max(ratios):.1f}")  # fmt: skip
