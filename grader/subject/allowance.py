"""What a subject may take of the machine."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Allowance:
    """What a subject may take, besides the time that ``subject.Limits`` give it.

    Attributes:
        memory_mb: megabytes of address space beyond what it starts with.
        scratch_mb: megabytes in its scratch folder.
        threads: threads at once.
        open_files: files, pipes and the like at once.
        grading_s: seconds of a grading; its processor time, of all threads together, may be
            as long.
        compile_s: seconds that it may take to be built, where it has to be.
        compile_mb: megabytes of address space that each program may take that builds it.
    """

    memory_mb: int = 1500
    scratch_mb: int = 16
    threads: int = 200
    open_files: int = 128
    grading_s: float = 60.0
    compile_s: float = 60.0
    compile_mb: int = 4000
