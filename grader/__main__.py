"""``python -m grader``, and what ``check.sh`` starts."""

import os
import sys

if __name__ == "__main__":
    # Started by its path, Python puts this folder first, and with -P or PYTHONSAFEPATH it does
    # not; the package's parent is meant. pathlib is not used: it imports what could be shadowed.
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    if not sys.flags.safe_path:
        del sys.path[0]
    sys.path.insert(0, os.path.dirname(here))  # noqa: PTH120

    from grader.cli import main

    main()
