# attack: text
# base: wrong_all
# outcome: error: exception or failed: parity, bucket_choice, clone, padding, no_recapture or error: timeout
"""Right-to-left marks, HTML, Markdown, rich and ANSI markup and format fields in a message, for
whatever renders it."""

import torch


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = list(buckets)
        self.static_in = torch.zeros(1, hidden, dtype=dtype)
        self.static_out = self.static_in
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        self.stats["last_bucket"] = 0

    def run(self, x, force_eager=False):
        raise ValueError("\u202e001/001 erocs\u202c <script>alert(1)</script> [bold green]passed[/] {0} {params} %s %n $HOME `id`")
        self.stats["replays"] += 1
        return torch.zeros_like(x)
