"""A whole class graded by one command: taken in, graded side by side, kept, and shown."""

from typing import Literal

#: Of several attempts, which counts.
Counting = Literal["latest", "best"]

#: Who grades: this machine, or a Dask cluster.
EngineName = Literal["local", "dask"]
