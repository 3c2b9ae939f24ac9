"""``python -m grader``, and what ``check.sh`` starts."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # Started by its path, Python puts this folder first; the package's parent is meant.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from grader.cli import main

    main()
