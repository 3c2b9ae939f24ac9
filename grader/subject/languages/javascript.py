"""JavaScript: submissions are modules, which the host that the exercise gives evaluates in Node."""

from collections.abc import Sequence

from grader.subject.program.language import Language

_FLAGS = (
    "--no-warnings",
    "--unhandled-rejections=none",
    # The host evaluates submissions as modules in realms of their own. Its own realm has built-in
    # classes that nobody can change, and makes no code of texts: submissions can reach into it.
    "--experimental-vm-modules",
    "--frozen-intrinsics",
    "--disallow-code-generation-from-strings",
    "--no-addons",
    # Threads take address space, 64 MB each. A heap that is full ends soon enough to be told of.
    "--single-threaded",
    "--v8-pool-size=1",
    "--max-old-space-size=300",
)


def _run(kit: str) -> Sequence[str]:
    return ("node", *_FLAGS, f"{kit}/host/main.js")


LANGUAGE = Language(
    title="JavaScript",
    packages={"node": "nodejs"},
    version=("node", "--version"),
    run=_run,
    # Node ends at once where its settings are there and may not be read. Debian's has parts of its
    # own library in files.
    reads=("/etc/ssl/openssl.cnf", "/usr/lib/ssl/openssl.cnf", "/usr/share/nodejs"),
    anew=True,
    reserved_mb=850,
    out_of_memory="out of memory",
)
