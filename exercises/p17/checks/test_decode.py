"""A model that decodes through the runner: the second act. It is worth no points."""

from grader.checks import Message, Tensor, expect, expect_equal

#: How many tokens each request gets, the first rows the longest, for those live longest.
LENGTHS = (12, 11, 9, 8, 5, 2)
BUCKETS = (8, 2, 4)
VOCABULARY = 32
COLUMNS = 3


def test_token_for_token(oracle, rng, new_rig, show):
    """Requests that end one after the other, each step a batch: the tokens are those of eager."""
    seed = rng.randrange(10**6)
    model = {
        "seed": seed, "requests": max(BUCKETS), "positions": max(LENGTHS), "vocabulary": VOCABULARY,
    }  # fmt: skip
    rig = new_rig(("decode_step", model), buckets=BUCKETS, hidden=COLUMNS)
    eager = oracle.function("decode_step", **model)
    rows = [[float(rng.randrange(VOCABULARY)), 0.0] for _ in LENGTHS]
    tokens = [[int(row[0])] for row in rows]
    replays, buckets = 0, set()
    for step in range(max(LENGTHS)):
        live = sum(length > step for length in LENGTHS)
        chances = [rng.randrange(2**20) / 2**20 for _ in range(live)]
        rows = [[*row, chance] for row, chance in zip(rows, chances, strict=False)]
        x = Tensor.of(rows, "float32")
        seen = rig.run(x).value
        expect_equal(list(seen.shape), [live, COLUMNS], "decode.shape", step=step)
        wanted = eager(x).value
        for request, (mine, theirs) in enumerate(zip(seen.rows(), wanted.rows(), strict=True)):
            expect(
                mine[0] == theirs[0], "decode.token", seen=int(mine[0]), expected=int(theirs[0]),
                request=request, step=step, bs=live,
            )  # fmt: skip
            tokens[request].append(int(theirs[0]))
        rows = [[float(row[0]), float(step + 1)] for row in wanted.rows()]
        done = rig.seen("replay")
        replays += len(done)
        buckets |= {len(replay.input.value) for replay in done}
    expect_equal(replays, max(LENGTHS), "decode.replays")
    show(
        "decode.shown",
        [(Message("decode.request", {"request": i}), row) for i, row in enumerate(tokens)],
        requests=len(LENGTHS), tokens=sum(LENGTHS), replays=replays,
        buckets=", ".join(map(str, sorted(buckets))),
    )  # fmt: skip
