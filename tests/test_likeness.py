"""Look-alikes: what makes no difference to a fingerprint, and what does."""

import ast
import codecs
import subprocess
import sys
from collections import defaultdict
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT, TINY

from grader.cohort.likeness import Groups, fingerprint
from grader.cohort.likeness.fingerprint import ENOUGH

P17 = ROOT / "exercises" / "p17"
FILE = "p17_graph_runner.py"
STARTER = (P17 / "starter" / FILE).read_bytes()
REFERENCE = ROOT / "solutions" / FILE
RIGHT = [REFERENCE, *sorted(P17.glob("right/*.py"))]
CORPUS = [*RIGHT, *sorted(P17.glob("wrong/*.py"))]
SAMPLE = [*RIGHT, *CORPUS[len(RIGHT) :: 5]]


def name_of(path) -> str:
    """A file as the name of a case."""
    return path.stem


@cache
def tree_of(path) -> ast.Module:
    """A file's syntax tree, by way of Python's own decoding; not to be changed."""
    return ast.parse(path.read_bytes())


@cache
def prints(source: str | bytes) -> str:
    """The fingerprint of a Python source of which enough is a student's own."""
    source = source if isinstance(source, bytes) else source.encode()
    found = fingerprint(source, FILE)
    assert found
    return found


def fill(source: str) -> str:
    """A source with enough behind it to tell."""
    more = "\n".join(f"print({i}, sum(range({i})))" for i in range(ENOUGH // 8))
    return f"{source}\n{more}\n"


def alike(one: str, other: str) -> bool:
    """Whether two short sources have one fingerprint."""
    return prints(fill(one)) == prints(fill(other))


# --- oracles: what a file binds, by its syntax tree ----------------------------------------------


def is_magic(name: str) -> bool:
    """Whether a name means something to Python."""
    return name.startswith("__") and name.endswith("__")


class Bound(ast.NodeVisitor):
    """What a file binds.

    Attributes:
        scopes: a function's node, or the module's -> the names that are its own.
        depths: a function's node, or the module's -> how many others it is in.
        attributes: what attributes of its classes are called.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.scopes: dict[ast.AST, set[str]] = defaultdict(set)
        self.depths: dict[ast.AST, int] = {tree: 0}
        self.attributes: set[str] = set()
        self._around: list[ast.AST] = [tree]
        self._receivers: list[str] = [""]
        self.generic_visit(tree)
        for scope in self.scopes.values():
            scope -= {name for name in scope if is_magic(name)}
        self.attributes = {name for name in self.attributes if not is_magic(name)}

    def bind(self, name: str) -> None:
        """Note a name of the scope around."""
        if isinstance(self._around[-1], ast.ClassDef):
            self.attributes.add(name)
        else:
            self.scopes[self._around[-1]].add(name)

    def visit_FunctionDef(self, node):
        """Its name is bound around it, its parameters within."""
        self.bind(node.name)
        for part in (*node.decorator_list, node.args, *filter(None, [node.returns])):
            self.visit(part)
        method = isinstance(self._around[-1], ast.ClassDef)
        parameters = [a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)]
        self.scopes[node] |= set(parameters)
        self.depths[node] = len(self._around)
        self._receivers.append(parameters[0] if method and parameters else self._receivers[-1])
        self._within(node, node.body)
        self._receivers.pop()

    def visit_ClassDef(self, node):
        """Its name is bound around it, its attributes within."""
        self.bind(node.name)
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        self._within(node, node.body)

    def _within(self, node, parts):
        self._around.append(node)
        for part in parts:
            self.visit(part)
        self._around.pop()

    def visit_Lambda(self, node):
        """Its parameters are taken for names of what is around it."""
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                self.bind(argument.arg)
        self.generic_visit(node)

    def visit_Name(self, node):
        """A name that is assigned to."""
        if isinstance(node.ctx, ast.Store):
            self.bind(node.id)

    def visit_ExceptHandler(self, node):
        """The name of an exception."""
        if node.name:
            self.bind(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node):
        """A name that a pattern captures."""
        if node.name:
            self.bind(node.name)
        self.generic_visit(node)

    def visit_alias(self, node):
        """A name that an import gives."""
        if node.asname:
            self.bind(node.asname)

    def visit_Attribute(self, node):
        """An attribute that a method gives its object."""
        receiver = getattr(node.value, "id", None)
        if isinstance(node.ctx, ast.Store) and receiver == self._receivers[-1]:
            self.attributes.add(node.attr)
        self.generic_visit(node)


class Renamed(ast.NodeTransformer):
    """A copy of a file with every name that it binds replaced.

    Args:
        tree: the file; it is changed.
        rename: what a name becomes, given its owner: the depth of a scope and a number of its
            own, or None for attributes.
    """

    def __init__(self, tree: ast.Module, rename) -> None:
        self._bound, self._rename = Bound(tree), rename
        self._around: list[ast.AST] = [tree]
        self._functions = dict(functions(tree))
        self.generic_visit(tree)

    def _new(self, name: str) -> str:
        """What a name is to be called, as seen from here."""
        if isinstance(self._around[-1], ast.ClassDef) and name in self._bound.attributes:
            return self._attribute(name)
        for scope in reversed(self._around):
            if name in self._bound.scopes.get(scope, ()):
                return self._rename(self._owner(scope), name)
        return name

    def _owner(self, scope: ast.AST) -> tuple[int, int]:
        return self._bound.depths[scope], [*self._bound.depths].index(scope)

    def _attribute(self, name: str) -> str:
        return self._rename(None, name) if name in self._bound.attributes else name

    def visit_FunctionDef(self, node):
        """Its name is that of what is around it, its parameters are its own."""
        name = self._new(node.name)
        self._around.append(node)
        self.generic_visit(node)
        self._around.pop()
        node.name = name
        return node

    def visit_ClassDef(self, node):
        """As of a function."""
        name = self._new(node.name)
        self._around.append(node)
        self.generic_visit(node)
        self._around.pop()
        node.name = name
        return node

    def visit_arg(self, node):
        """A parameter."""
        node.arg = self._new(node.arg)
        return self.generic_visit(node)

    def visit_Name(self, node):
        """A variable."""
        node.id = self._new(node.id)
        return node

    def visit_ExceptHandler(self, node):
        """The name of an exception."""
        node.name = node.name and self._new(node.name)
        return self.generic_visit(node)

    def visit_MatchAs(self, node):
        """A name that a pattern captures."""
        node.name = node.name and self._new(node.name)
        return self.generic_visit(node)

    def visit_alias(self, node):
        """A name that an import gives."""
        node.asname = node.asname and self._new(node.asname)
        return node

    def visit_Attribute(self, node):
        """An attribute."""
        node.attr = self._attribute(node.attr)
        return self.generic_visit(node)

    def visit_Call(self, node):
        """A call: its arguments are called what the function's parameters are."""
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        function = self._functions.get(name)
        for keyword in node.keywords:
            if function and keyword.arg in self._bound.scopes[function]:
                keyword.arg = self._rename(self._owner(function), keyword.arg)
        return self.generic_visit(node)


def functions(tree: ast.Module):
    """What can be called by a name: a function, or a class by its constructor."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not is_magic(node.name):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from (
                (node.name, member)
                for member in node.body
                if getattr(member, "name", "") == "__init__"
            )


def renamed(source: str, rename) -> str:
    """A source with its own names replaced."""
    tree = ast.parse(source)
    Renamed(tree, rename)
    return ast.unparse(tree)


def anonymous(tree: ast.Module) -> str:
    """A syntax tree as text, with names numbered by their first place, and no documentation."""
    tree = ast.parse(ast.unparse(tree))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not is_text(line)]
    numbers: dict[tuple[object, str], str] = {}
    Renamed(tree, lambda owner, name: numbers.setdefault((owner, name), f"_{len(numbers)}"))
    return ast.dump(tree)


def is_text(statement: ast.stmt) -> bool:
    """Whether a statement is but a string."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SAMPLE, ids=name_of)
def test_names_make_no_difference(path):
    """Whatever a file's own names are, function by function, the fingerprint is the same."""
    source = ast.unparse(tree_of(path))
    other = renamed(source, lambda owner, name: f"x{hash(owner) % 97}_{name[::-1]}")
    assert other != source
    assert prints(other) == prints(source)
    # All functions have the same few names, as far as they can: only places count.
    names: dict[object, list[str]] = defaultdict(list)

    def number(owner, name):
        if name not in names[owner]:
            names[owner].append(name)
        return f"{'abcdef'[owner[0]] if owner else 'z'}{names[owner].index(name)}"

    assert prints(renamed(source, number)) == prints(source)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(a, b=1): return a + b", "def g(x, y=1): return x + y"),
        ("def f(*a, **k): return a, k", "def f(*b, **c): return b, c"),
        ("def f(a: int = 1, /, *, b) -> str: ...", "def f(c: int = 1, /, *, d) -> str: ..."),
        ("for i, (j, *k) in z(): print(i, j, k)", "for a, (b, *c) in z(): print(a, b, c)"),
        ("with o() as f, o() as g: f(g)", "with o() as a, o() as b: a(b)"),
        ("try: f()\nexcept E as e: g(e)", "try: f()\nexcept E as x: g(x)"),
        ("x = [i for i in y if i]", "z = [k for k in y if k]"),
        ("x = {i: j for i, j in y}", "x = {a: b for a, b in y}"),
        ("f = lambda a, *b: a(b)", "g = lambda x, *y: x(y)"),
        ("print((n := 10), n)", "print((m := 10), m)"),
        ("import torch as t\nt.ones(1)", "import torch as th\nth.ones(1)"),
        ("from torch import ones as o\no(1)", "from torch import ones as p\np(1)"),
        ("match f():\n  case (a, _): g(a)", "match f():\n  case (b, _): g(b)"),
        ("match f():\n  case A(x=a) | [a, *r]: g(a, r)", "match f():\n  case A(x=b) | [b, *s]: g(b, s)"),
        ("def f():\n  global a\n  a = 1\nprint(a)", "def f():\n  global b\n  b = 1\nprint(b)"),
        ("x: int = 1\nprint(x)", "y: int = 1\nprint(y)"),
        ("x = y = 1\nx += y", "a = b = 1\na += b"),
        ("a, b[c], d.e = f()\nprint(a)", "z, b[c], d.e = f()\nprint(z)"),
        ("class A:\n  n = 1\n  def f(self): return self.n", "class B:\n  m = 1\n  def g(this): return this.m"),
        ("class A:\n  def f(self): self.x = 1; g(self.x)", "class A:\n  def f(self): self.y = 1; g(self.y)"),
        ("class A:\n  def f(self):\n    def g(): self.x = 1\nA().x", "class A:\n  def f(self):\n    def g(): self.y = 1\nA().y"),
        ("class A(B):\n  @property\n  def f(self): ...\nA().f", "class C(B):\n  @property\n  def g(self): ...\nC().g"),
        ("def f(a): ...\nf(a=1)", "def g(b): ...\ng(b=1)"),
        ("class A:\n  def __init__(self, a): ...\nA(a=1)", "class A:\n  def __init__(self, b): ...\nA(b=1)"),
        ("@dataclass\nclass A:\n  a: int\nA(a=1).a", "@dataclass\nclass A:\n  b: int\nA(b=1).b"),
        ("def f():\n  a = 1\n  def g():\n    nonlocal a\n    a = 2", "def f():\n  b = 1\n  def g():\n    nonlocal b\n    b = 2"),
        ("def f(a): return a\ndef g(a): return a", "def f(a): return a\ndef g(b): return b"),
        ("x = 1\ndef f(x): return x", "y = 1\ndef f(x): return x"),
        ("b = 1\nf(b for b in z)", "b = 1\nf(c for c in z)"),
        ("x = 1\nf(lambda x: x, x)", "y = 1\nf(lambda x: x, y)"),
        ("list = f()\nprint(list)", "items = f()\nprint(items)"),
        ("async def f(a):\n  async for i in a: await i", "async def g(b):\n  async for j in b: await j"),
        ("桶 = f()\nprint(桶)", "bucket = f()\nprint(bucket)"),
        ("def f(x):\n  print(f'{x!r:>{x}} {x[0]}')", "def f(y):\n  print(f'{y!r:>{y}} {y[0]}')"),
        ("b = 1\nx = (b for b in z)", "b = 1\nx = (c for c in z)"),
        ("print([(n := i) for i in x])\nprint(n)", "print([(m := i) for i in x])\nprint(m)"),
        ("ones = 0\ndef f():\n  from m import ones\n  ones()", "x = 0\ndef f():\n  from m import ones\n  ones()"),
        ("import torch.nn\nnn = 1\nprint(nn)", "import torch.nn\nmm = 1\nprint(mm)"),
        ("import torch.nn\nclass A:\n  def f(self): self.nn = 1", "import torch.nn\nclass A:\n  def f(self): self.mm = 1"),
        ("x = lambda a=1: a\na()", "x = lambda b=1: b\na()"),
        ("global a\na = 1", "global b\nb = 1"),
        ("class A:\n  def f(self): self.dtype = 1\nones(dtype=2)", "class A:\n  def f(self): self.kind = 1\nones(dtype=2)"),
    ],
)  # fmt: skip
def test_own_names(one, other):
    """All that binds a name in Python binds one that may be another."""
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("import torch\ntorch.ones(1)", "import torch\ntorch.zeros(1)"),
        ("from torch import ones\nones(1)", "from torch import zeros\nzeros(1)"),
        ("from torch import *\nones(1)", "from torch import *\nzeros(1)"),
        ("import torch as t\nt.ones(1)", "import numpy as t\nt.ones(1)"),
        ("x = f()\nx.clone()", "x = f()\nx.detach()"),
        ("x = f()\nx.data = 1", "x = f()\nx.grad = 1"),
        ("class A:\n  def f(self): self.a.data = 1", "class A:\n  def f(self): self.a.grad = 1"),
        ("import torch\ntorch.a.b = True", "import torch\ntorch.a.c = True"),
        ("x = ones(1, dtype=y)", "x = ones(1, device=y)"),
        ("def f(dtype): ones(dtype=dtype)", "def f(device): ones(device=device)"),
        ("def f(a, b): ...\nf(a=1)", "def f(a, b): ...\nf(b=1)"),
        ("x = sum(y)", "x = max(y)"),
        ("class A:\n  def __enter__(self): ...", "class A:\n  def __exit__(self): ..."),
        ("raise ValueError", "raise TypeError"),
        ("match f():\n  case _: g()", "match f():\n  case a: g()"),
        ("match f():\n  case A.b: g()", "match f():\n  case A.c: g()"),
        ("match f():\n  case A(x=1): g()", "match f():\n  case A(y=1): g()"),
        ("def f(a, b): return a", "def f(a, b): return b"),
        ("x = 1\ndef f(y): return x", "x = 1\ndef f(y): return y"),
        ("a = 1\nb = 2\ndef f(): return a", "a = 1\nb = 2\ndef f(): return b"),
        ("class A:\n  def f(self): self.a = self.b = 1; g(self.a)", "class A:\n  def f(self): self.a = self.b = 1; g(self.b)"),
        ("class A:\n  n = 1\n  def f(self): return n", "class A:\n  m = 1\n  def f(self): return m"),
        ("@staticmethod\ndef f(): ...", "@classmethod\ndef f(): ..."),
        ("a = b = 0\ndef f():\n  global a\n  a = 1", "a = b = 0\ndef f():\n  global b\n  b = 1"),
        ("def f():\n  a = b = 0\n  def g():\n    nonlocal a\n    a = 1", "def f():\n  a = b = 0\n  def g():\n    nonlocal b\n    b = 1"),
        ("a.b = 1", "c.b = 1"), ("a[0] = 1", "b[0] = 1"), ("x[a] = 1", "x[b] = 1"), ("x.y[a.b()] = 1", "x.y[c.b()] = 1"),
        ("match f():\n  case (_, _): g()", "match f():\n  case (_, a): g()"),
        ("match f():\n  case 1 if a: g()", "match f():\n  case 1 if b: g()"),
        ("with a as x, b as y: f()", "with a as x, c as y: f()"),
        ("class A:\n  def f(self): self.dtype = 1\nones(dtype=2)", "class A:\n  def f(self): self.kind = 1\nones(kind=2)"),
        ("class A:\n  n = 1\n  m = 2\n  def f(self): return self.n", "class A:\n  n = 1\n  m = 2\n  def f(self): return self.m"),
        ("class A(ABC): ...", "class A(Enum): ..."),
        ("class A(metaclass=B): ...", "class A(other=B): ..."),
    ],
)  # fmt: skip
def test_names_from_elsewhere(one, other):
    """Another function, module, attribute, argument or variable is another program."""
    assert not alike(one, other)


# --- layout, comments, documentation -------------------------------------------------------------

STYLES = {
    "narrow": ["--line-length=40"],
    "wide": ["--line-length=200", "--config", "format.quote-style='single'"],
}


@pytest.fixture(scope="module", params=STYLES.values(), ids=STYLES)
def formatted(request, tmp_path_factory):
    """Solutions as a formatter lays them out: path -> source."""
    folder = tmp_path_factory.mktemp("formatted")
    for i, path in enumerate(SAMPLE):
        source = path.read_bytes()
        encoding = "gb18030" if b"gbk" in source[:200] else "utf-8-sig"
        (folder / f"{i}.py").write_text(source.decode(encoding), encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff", "format", "--isolated", "--quiet", *request.param]
    subprocess.run([*ruff, str(folder)], check=True)
    return {path: (folder / f"{i}.py").read_bytes() for i, path in enumerate(SAMPLE)}


def test_layout_makes_no_difference(formatted):
    """A formatter's line breaks, brackets, commas and quotes change nothing."""
    changed = [path for path, source in formatted.items() if source != path.read_bytes()]
    assert len(changed) > len(SAMPLE) / 2
    different = [
        path.name for path in SAMPLE if prints(formatted[path]) != prints(path.read_bytes())
    ]
    assert not different


@pytest.mark.parametrize("path", RIGHT, ids=name_of)
def test_comments_make_no_difference(path):
    """Neither do comments, blank lines, documentation, other indentation and line ends."""
    source = ast.unparse(tree_of(path))
    lines = source.split("\n")
    noisy = ["# -*- coding: utf-8 -*-", "'mine'"]
    for i, line in enumerate(lines):
        noisy += [f"{line}  # copied {i}", "", " " * (i % 7) + "# not at all"]
        if line.endswith(":") and line.lstrip().startswith(("def ", "class ")):
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            noisy += [f'{indent}"""My own work,', "", '  all of it."""', f"{indent}'so' 'there'"]
    text = "\n".join(noisy)
    ast.parse(text)
    assert prints(text) == prints(source)
    tabs = [
        "\t" * ((len(line) - len(line.lstrip())) // 4) + line.lstrip() + "  \t" for line in lines
    ]
    assert prints(codecs.BOM_UTF8 + "\r\n".join(tabs).encode()) == prints(source)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("if a: f(); g()", "if a:\n  f()\n  g()"), ("x = (1 +\n2)", "x = 1 + 2"), ("x = 1 + \\\n2", "x = 1 + 2"),
        ("f(a, b,)", "f(a, b)"), ("x = [1,\n2,\n]", "x = [1, 2]"), ("x = (1, 2,)", "x = 1, 2"), ("f((x))", "f(x)"),
        ("x = ((a))", "x = a"), ("x = y[(1)] + ('a')", "x = y[1] + 'a'"), ("def f():\n ('doc')\n g()", "def f(): g()"), ("(a).b += 1", "a.b += 1"), ("from m import (a)", "from m import a"), ("from m import (a,)", "from m import a"),
        ("x = ((i for i in y))", "x = (i for i in y)"), ("x >>= (1 + 2)", "x >>= 1 + 2"), ("if (a and b): f()", "if a and b: f()"), ("f((i for i in x))", "f(i for i in x)"),
        ("for (i, j) in (x): f()", "for i, j in x: f()"), ("with (o() as f, p() as g,): f", "with o() as f, p() as g: f"),
        ("from m import (a, b,)", "from m import a, b"), ("class A(): f", "class A: f"), ("x += (1 + 2)", "x += 1 + 2"),
        ("match (a, b):\n case (1, 2): f", "match a, b:\n case 1, 2: f"), ("f(x = 1)", "f(x=1)"), ("x[ 1:2 ]", "x[1:2]"),
        ("x = 'a\"b'", 'x = "a\\"b"'), ("x = 'a'", 'x = """a"""'), ("x = u'a'", "x = 'a'"), ("x = Rb'a'", "x = bR'a'"),
        ("x = 'a' 'b'", "x = 'ab'"), ("x = ('a'\n'b')", "x = 'ab'"), ('x = f(\n"""a"""\n)', "x = f('a')"), ("x = 'a'\n'doc'", "x = 'a'"),
        ("x = f'{a}' 'b' \"c\"", "x = f'{a}bc'"), ("x //= 1", "x//=1"), ("if a:\n\tf()\n        g()", "if a:\n f()\n g()"), ("x = 1_000", "x = 1000"), ("x = 0XFF", "x = 0xff"), ("x = 1E-6", "x = 1e-06"),
        ("x = .5", "x = 0.5"), ("x = f\"{y['a']}\"", "x = f'{y[\"a\"]}'"), ("x = (\n# why\n1)", "x = 1"),
        ("x=-1;y=a<-b", "x = - 1\ny = a < -b"), ("def f(): 'doc'; g()", "def f():\n\tg()"), ("x = (a if b else c)", "x = a if b else c"),
        ("@ a . b\ndef f(): ...", "@a.b\ndef f():\n ..."), ("x = a @ b", "x = a@b"), ("x = (yield)", "x = yield"),
        ("if f(lambda: 1): g()", "if f(lambda: 1):\n  g()"), ("if lambda: 1: g()", "if lambda: 1:\n  g()"),
    ],
)  # fmt: skip
def test_ways_to_write_the_same(one, other):
    """What a formatter or a habit would write otherwise is the same."""
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("if a:\n  f()\n  g()", "if a:\n  f()\ng()"), ("for i in a:\n  if i: f()\n  else: g()", "for i in a:\n  if i: f()\nelse: g()"),
        ("x = (1,)", "x = (1)"), ("x = y[1,]", "x = y[1]"), ("x = [(1, 2)]", "x = [1, 2]"), ("f((1, 2))", "f(1, 2)"),
        ("x = (a + b) * c", "x = a + b * c"), ("x = y\n(z)", "x = y(z)"), ("x = 'a'", "x = 'b'"), ("x = 'a'", "x = b'a'"),
        ("x = 'a'", "x = a"), ("f('a', 'b')", "f('a' 'b')"), ("x = 1", "x = 1.0"), ("x = 1", "x = 2"), ("x = 1e-6", "x = 1e-7"),
        ("x = y < 1", "x = y <= 1"), ("x = y + 1", "x = y - 1"), ("x += 1", "x = 1"), ("x = y == 1", "x = y != 1"),
        ("x = a and b", "x = a or b"), ("x = not a", "x = a"), ("x = a is b", "x = a is not b"), ("x = a in b", "x = a not in b"),
        ("x = y // 2", "x = y / 2"), ("x = y ** 2", "x = y * 2"), ("x[1:]", "x[:1]"), ("f(*a)", "f(**a)"), ("f(*a)", "f(a)"),
        ("f()\ng()", "g()\nf()"), ("x = f(\n'''a'''\n)", "x = f(\n'''b'''\n)"), ("x = f(\n'''a'''\n)", "x = f()"),
        ("break", "continue"), ("async def f(): ...", "def f(): ..."), ("x = f'{y}'", "x = f'{y!r}'"), ("x = f'{y}'", "x = '{y}'"),
        ("x = f'{y:.2f}'", "x = f'{y:.3f}'"), ("x = (1, 2) in y", "x = 1, 2 in y"), ("x = i in (1 or y)", "x = i in 1 or y"), ("if i in (1 or y): f()", "if i in 1 or y: f()"),
        ("try: f()\nexcept A: ...", "try: f()\nexcept B: ..."), ("x = r'\\n'", "x = '\\n'"), ("while a: f()", "if a: f()"),
        ("x = y or (z and w)", "x = (y or z) and w"), ("def f(a, *, b): ...", "def f(a, b): ..."), ("def f(a=1): ...", "def f(a): ..."),
        ("x: int = 1", "x: str = 1"), ("x: int = 1", "(x): int = 1"), ("x = {1}", "x = [1]"), ("x = {1: 2}", "x = {1, 2}"), ("f()", "f"), ("x = f(())", "x = f()"), ("x = 'a'\n'b'", "x = 'ab'"),
    ],
)  # fmt: skip
def test_what_makes_a_difference(one, other):
    """Another operator, constant, order, block or bracket is another program."""
    assert not alike(one, other)


# --- what a syntax tree says ---------------------------------------------------------------------

#: An operator -> one to put in its place.
OTHERS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


def changed(part):
    """A part of a program, changed a little; None where there is no telling how."""
    if type(part) in OTHERS:
        return OTHERS[type(part)]()
    if isinstance(part, ast.Constant) and isinstance(part.value, int):
        return ast.Constant(part.value + 1)
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        function = ast.Attribute(part.func.value, f"{part.func.attr}_", ast.Load())
        return ast.Call(function, part.args, part.keywords)
    return None


def changes(tree: ast.Module):
    """Make every small change to a program in turn; it is as it was in the end."""
    for node in list(ast.walk(tree)):
        for field, value in list(ast.iter_fields(node)):
            if not isinstance(value, list) and (new := changed(value)) is not None:
                setattr(node, field, new)
                yield
                setattr(node, field, value)
            for i, part in enumerate(value if isinstance(value, list) else ()):
                if (new := changed(part)) is not None:
                    value[i] = new
                    yield
                    value[i] = part
                if field == "body" and i:
                    value[i - 1 : i + 1] = value[i], value[i - 1]
                    yield
                    value[i - 1 : i + 1] = value[i], value[i - 1]


@pytest.mark.parametrize("path", RIGHT[:6], ids=name_of)
def test_changes_make_a_difference(path):
    """Of every small change, the fingerprint says what the syntax tree does: mostly, another."""
    tree = ast.parse(ast.unparse(tree_of(path)))
    was, oracle = prints(ast.unparse(tree)), anonymous(tree)
    seen = []
    for _ in changes(tree):
        same = prints(ast.unparse(tree)) == was
        assert same == (anonymous(tree) == oracle), ast.unparse(tree)
        seen.append(same)
    assert seen.count(False) > 20
    assert prints(ast.unparse(tree)) == was


def test_groups_of_all_solutions():
    """Of all solutions there are, those are alike of which the syntax trees say so."""
    groups = Groups()
    for path in CORPUS:
        found = fingerprint(path.read_bytes(), FILE, STARTER)
        assert found  # whoever has written a solution has written enough
        groups.add([path.name], found)
    trees = {path.name: anonymous(tree_of(path)) for path in CORPUS}
    alike = {pair for group in groups.found() for pair in combinations(group, 2)}
    expected = {pair for pair in combinations(sorted(trees), 2) if trees[pair[0]] == trees[pair[1]]}
    assert alike == expected
    assert ("bom.py", "crlf.py") in alike


# --- too little to tell --------------------------------------------------------------------------


def test_starter():
    """The starter says nothing about who hands it in, however it was saved, or commented."""
    crlf, bom = STARTER.replace(b"\n", b"\r\n"), codecs.BOM_UTF8 + STARTER
    for source in (STARTER, crlf, bom, STARTER + b"# mine\n", STARTER.replace(b"dtype", b"kind")):
        assert fingerprint(source, FILE, STARTER) == ""


def test_short():
    """What anybody would write says nothing: a line in the starter, a stack's two methods."""
    source = STARTER.replace(b"raise NotImplementedError", b"return self.fn(x)")
    assert fingerprint(source, FILE, STARTER) == ""
    stack = (TINY / "exercises/stack/starter/stack.py").read_bytes()
    for path in [TINY / "solutions/stack.py", *TINY.glob("exercises/stack/[rw]*/*.py")]:
        assert fingerprint(path.read_bytes(), "stack.py", stack) == ""
    assert fingerprint(b"", FILE) == fingerprint(b"\n# nothing\n", FILE) == ""


# --- groups --------------------------------------------------------------------------------------


def groups(submissions):
    """Groups of submissions, each of students by their letters, with a fingerprint."""
    found = Groups()
    for students, digest in submissions:
        found.add([*students], digest)
    return found.found()


@pytest.mark.parametrize(
    ("submissions", "expected"),
    [
        ([], []),
        ([("a", "1"), ("b", "2")], []),
        ([("a", "1"), ("b", "1")], ["ab"]),
        ([("b", "1"), ("c", "2"), ("a", "1")], ["ab"]),
        ([("d", "2"), ("c", "1"), ("b", "2"), ("a", "1"), ("e", "2")], ["ac", "bde"]),
        ([("a", ""), ("b", "")], []),  # too little to tell
        ([("ab", "1")], []),  # one submission of two
        ([("ab", "1"), ("c", "1")], ["abc"]),
        ([("a", "1"), ("a", "1")], []),  # again
        ([("ab", "1"), ("b", "1")], []),
        ([("ab", "1"), ("bc", "1")], []),
        ([("a", "1"), ("a", "2"), ("b", "2")], ["ab"]),
    ],
)
def test_groups(submissions, expected):
    """Groups are of two submissions or more that different people handed in."""
    assert groups(submissions) == [tuple(group) for group in expected]


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("123"))), st.randoms())
def test_groups_in_any_order(submissions, random):
    """The order of adding, which is that in which gradings come to an end, says nothing."""
    shuffled = random.sample(submissions, len(submissions))
    assert groups(submissions) == groups(shuffled)


# --- other languages, and what is no language at all ---------------------------------------------

CPP = """
#include <vector>
/* Sums up. */
float total(const float* values, int count) {
    float sum = 0.0f; // so far
    for (int i = 0; i < count; ++i) { sum += values[i]; }
    auto result = std::min(sum, 1e9f);
    return result;
}
int main() { float some[3]; total(some, 3); memcpy(some, some, sizeof(some)); return 0; }
"""
JAVASCRIPT = """
/** Sums up. */
function total(values) {
  let sum = 0; // so far
  for (const value of values) { sum += value; }
  const result = Math.min(sum, 1e9);
  console.log("total", result);
  return result === 0 ? null : result;
}
const answer = total([1, 2, 3]); console.log(answer);
const log = answer + 1; console.log(log);
"""
RUST = """
/// Sums up.
fn total(values: &[f32]) -> f32 {
    let mut sum = 0.0; // so far
    for value in values.iter() { sum += value; }
    if sum.is_nan() { return 0.0; }
    sum.min(1.0e9)
}
fn main() { let answer = total(&[1.0, 2.0]); println!("{}", answer); assert!(answer > 0.0); }
"""
KOTLIN = """
fun total(values: List<Int>): Int {
    var sum = 0
    for (value in values) { sum += value }
    return clamp(sum, low = 0, high = 9)
}
fun main() { val answer = total(listOf(1, 2, 3)); println(answer); println(answer + 1) }
"""


@pytest.mark.parametrize(
    ("source", "file", "same", "others"),
    [
        (CPP, "kernel.cu", {"sum": "acc", "result": "r", "some": "x", "// so far": "", "{ sum": "{\n  sum", "    ": "\t"},
         {"std::min": "std::max", "<vector>": "<array>", "memcpy": "memmove", "i < count": "i <= count", "0.0f": "1.0f"}),
        (CPP, "kernel.cpp", {"count": "n", "values": "v", "total": "f", "Sums up": "Adds"}, {"sum += ": "sum = ", "return 0": "return 1"}),
        (JAVASCRIPT, "total.js", {"sum": "acc", "result": "r", "answer": "a", '"total"': "'total'", "// so far": "/* x */",
          "total(": "f(", "log = answer + 1; console.log(log)": "x = answer + 1; console.log(x)"},
         {"Math.min": "Math.max", "console.log": "console.warn", "===": "!==", "total([1": "total([2", '"total"': '"sum"'}),
        (RUST, "total.rs", {"sum": "acc", "total": "f", "Sums up": "Adds", "// so far": "//"}, {"min": "max", "iter": "into_iter", "is_nan": "is_infinite"}),
        (KOTLIN, "total.kt", {"sum": "acc", "total": "f"}, {"low =": "least =", "clamp": "limit", "listOf": "setOf"}),
    ],
)  # fmt: skip
def test_other_languages(source, file, same, others):
    """Pygments reads other languages: names declared or assigned to may differ, no others."""
    base = fingerprint(source.encode(), file)
    assert base
    for old, new in same.items():
        assert (other := source.replace(old, new)) != source
        assert fingerprint(other.encode(), file) == base, old
    for old, new in others.items():
        assert (other := source.replace(old, new)) != source
        assert fingerprint(other.encode(), file) != base, old


@pytest.mark.parametrize("file", ["notes.txt", "answer.unheard-of", "answer"])
def test_no_known_language(file):
    """Where nobody knows the language, words count; blanks and line ends do not."""
    text = "some words of an answer " * ENOUGH
    base = fingerprint(text.encode(), file)
    assert base
    assert fingerprint(text.replace(" ", "\r\n  ").encode(), file) == base
    assert fingerprint(text.replace("answer", "reply").encode(), file) != base


def test_encodings():
    """A file's encoding makes no difference; bytes that are no text do not stop anything."""
    source = fill("名 = '桶'  # 评论\n")
    assert prints(source.encode("gb18030")) == prints(source)
    assert prints(codecs.BOM_UTF8 + source.encode()) == prints(source)
    broken = fill("x = 1  # \xff\xfe\x00").encode("latin-1")
    assert prints(broken) == prints(fill("x = 1"))


HOSTILE = {
    "blank_lines": " \n", "braces_in_text": "{a[\n", "escapes": "'\\N{", "brackets": "[", "lambdas": "lambda ",
    "comprehensions": "[x for ", "open_quotes": "'''\n", "decorators": "@", "cases": "case a_\n", "nul": "\0",
    "high": "\U0010ffff", "deeper": "".join(" " * i + "if x:\n" for i in range(200)), "digits": "9", "one_line": "x = 1;",
}  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("size", [15_000, 1024 * 1024])
def test_hostile(piece, size):
    """What would take hours to read is dealt with all the same, up to a submission's size."""
    line = piece * (900 // len(piece) or 1) + "\n"
    for unit in (piece, line):
        for begin in ("", "x = (", 'x = """'):
            text = (begin + unit * (size // len(unit) + 1)).encode()[:size]
            assert fingerprint(text, FILE) == fingerprint(text + b"\n", FILE)


WORDS = [
    "def", "class", "lambda", "for", "in", "as", "import", "from", "global", "case", "match", "if", "else", "async",
    ":", ":=", "=", "+=", "(", ")", "[", "]", "{", "}", ",", ".", "*", "@", ";", "\n", "\n  ", "\n    ", "'", '"""',
    "f'{", "}'", "x", "self", "__init__", "1.", "#", "\\",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_no_python_at_all(words):
    """A file that Python would not read has a fingerprint, and behind comments the same."""
    source = fill(" ".join(words))
    commented = f"# mine\n\n{source}"
    assert fingerprint(source.encode(), FILE) == fingerprint(commented.encode(), FILE)


@given(st.binary(max_size=300))
def test_any_bytes(source):
    """Any bytes have a fingerprint, or too little in them."""
    for file in (FILE, "kernel.cu", "answer"):
        assert fingerprint(source, file) == fingerprint(source, file)
