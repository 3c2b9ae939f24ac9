# attack: pipe
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: timeout or error: protocol or error: hung_up
"""Never returns from its import: takes the protocol's socket and answers all requests itself, as a
host with a perfect runner would, made-up events included. Who speaks for the graph must not
live in the submission's process, or be proof against it."""

import base64
import json
import os
import stat

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
        self.stats["replays"] += 1
        return torch.zeros_like(x)


DTYPES = {"float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16}


class Pretended:
    """What a host knows of one object."""

    def __init__(self, **fields):
        self.__dict__.update(fields)


class OwnHost:
    def __init__(self, fd):
        self.fd, self.things = fd, []

    def keep(self, thing):
        if thing not in self.things:
            self.things.append(thing)
        return self.things.index(thing)

    def show(self, tensor, home, offset=0, **same):
        thing = Pretended(tensor=tensor, home=home, **same)
        return self.shown(thing, offset)

    def shown(self, thing, offset=0):
        tensor = thing.tensor.contiguous()
        raw = bytes(tensor.view(torch.uint8).flatten().tolist()) if tensor.numel() else b""
        return {"$": "tensor", "ref": self.keep(thing), "dtype": str(tensor.dtype)[6:],
                "shape": list(tensor.shape), "strides": list(tensor.stride()), "offset": offset,
                "data": base64.b64encode(raw).decode()}

    def build(self, wire):
        if isinstance(wire, list):
            return [self.build(item) for item in wire]
        if not isinstance(wire, dict):
            return wire
        if wire["$"] == "ref":
            return self.things[wire["ref"]]
        if wire["$"] == "dtype":
            return DTYPES[wire["name"]]
        if wire["$"] == "float":
            return float(wire["value"])
        raw = bytearray(base64.b64decode(wire["data"]))
        tensor = torch.frombuffer(raw, dtype=DTYPES[wire["dtype"]]).reshape(wire["shape"]).clone()
        return Pretended(tensor=tensor, home=object())

    def function(self, name, params):
        known = {key: self.build(value) for key, value in params.items()}
        if name == "affine":
            return lambda x: x * known["scale"] + known["shift"]
        if name == "linear":
            matrix = torch.tensor(known["weights"], dtype=known["dtype"])
            return lambda x: x @ matrix
        if name == "batch_sum":
            return lambda x: x + x.sum(dim=0, keepdim=True)
        return torch.reciprocal

    def run(self, runner, batch, events, force_eager=False):
        x, rows = batch.tensor, len(batch.tensor)
        size = next((b for b in runner.buckets if b >= rows), None)
        if force_eager or size not in runner.graphs:
            runner.stats["eager"] += 1
            events.append({"event": "function", "within": None})
            return self.show(runner.fn.call(x), object())
        runner.buffers[0].tensor[:rows] = x
        runner.buffers[0].tensor[rows:size] = 0
        runner.buffers[1].tensor[:size] = runner.fn.call(runner.buffers[0].tensor[:size])
        runner.stats["replays"] += 1
        runner.stats["last_bucket"] = size
        events.append(self.event("replay", runner, size))
        return self.show(runner.buffers[1].tensor[:rows].clone(), object())

    def event(self, name, runner, size):
        sides = [self.show(b.tensor[:size].clone(), b.home) for b in runner.buffers]
        graph = {"$": "object", "ref": self.keep(runner.all_graphs[size]), "type": "CpuGraph"}
        return {"event": name, "within": None, "graph": graph, "input": sides[0], "output": sides[1]}

    def attribute(self, runner, name):
        if name in ("static_in", "static_out"):
            return self.shown(runner.buffers[name == "static_out"])
        if name == "buckets":
            return runner.buckets
        if name == "stats":
            return {"$": "map", "items": [list(item) for item in runner.stats.items()]}
        return {"$": "map", "items": [
            [size, {"$": "object", "ref": self.keep(graph), "type": "CpuGraph"}]
            for size, graph in runner.graphs.items()]}

    def answer(self, request, events):
        op = request["op"]
        if op == "function":
            fn = Pretended(call=self.function(request["name"], request["params"]))
            return {"$": "object", "ref": self.keep(fn), "type": "function"}
        if op == "tensor":
            return self.shown(self.build(request["value"]))
        if op == "new":
            fn, buckets, hidden = (self.build(value) for value in request["args"])
            dtype = self.build(request["kwargs"].get("dtype")) or torch.float32
            buffers = [Pretended(tensor=torch.zeros(max(buckets), hidden, dtype=dtype), home=object())
                       for _ in range(2)]
            runner = Pretended(fn=fn, buckets=sorted(buckets), buffers=buffers, graphs={},
                               all_graphs={size: Pretended() for size in buckets},
                               stats={"replays": 0, "eager": 0, "last_bucket": None})
            return {"$": "object", "ref": self.keep(runner), "type": "GraphRunner"}
        if op == "call":
            runner = self.things[request["ref"]]
            if request["method"] == "run":
                batch = self.build(request["args"][0])
                return self.run(runner, batch, events, **request["kwargs"])
            for size in runner.buckets[::-1]:
                runner.graphs[size] = runner.all_graphs[size]
                events.append(self.event("capture", runner, size))
            return None
        if op == "get":
            return self.attribute(self.things[request["ref"]], request["name"])
        if op == "read":
            return self.shown(self.things[request["ref"]])
        if op == "write":
            self.things[request["ref"]].tensor = self.build(request["value"]).tensor
        if op == "shares_storage":
            return self.things[request["a"]].home is self.things[request["b"]].home
        return None

    def serve(self):
        self.send({"id": 1, "value": None, "events": []})
        data = b""
        while True:
            more = os.read(self.fd, 1 << 16)
            if not more:
                return
            data += more
            while b"\n" in data:
                line, _, data = data.partition(b"\n")
                request, events = json.loads(line), []
                reply = {"id": request["id"], "value": self.answer(request, events), "events": events}
                if request["op"] == "call":
                    runner = self.things[request["ref"]]
                    reply["after"] = {name: self.attribute(runner, name)
                                      for name in ("static_in", "static_out", "stats")}
                self.send(reply)

    def send(self, reply):
        data = json.dumps(reply).encode() + b"\n"
        while data:
            data = data[os.write(self.fd, data):]


try:
    for number in range(3, 64):
        try:
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
        except OSError:
            continue
        OwnHost(number).serve()
except BaseException:
    pass
