"""The form of ``exercise.toml``."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from grader.errors import ExerciseError
from grader.i18n import DEFAULT, LANGUAGES
from grader.message import Message
from grader.model import Model
from grader.subject.allowance import Allowance
from grader.subject.device import DEVICES, DeviceName

Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
HintId = Annotated[str, StringConstraints(pattern=r"^l[123](-[a-z0-9]+)?$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[^/\\]+$")]
Seconds = Annotated[float, Field(gt=0, le=3600)]
ReaderLanguage = Annotated[str, StringConstraints(pattern=f"^({'|'.join(LANGUAGES)})$")]

#: The paragraph below a page's title.
SUMMARY = "summary"
#: The place of the step diagrams among the sections.
EXAMPLES = "examples"


class Limits(Model):
    """What a submission may take.

    Attributes:
        load_s: seconds to be loaded.
        call_s: seconds for each call.
        grading_s: seconds for one whole grading.
        output_mb: megabytes of output in one whole grading.
        memory_mb: megabytes of address space beyond what the process starts with.
        scratch_mb: megabytes in its scratch folder.
        threads: threads at once.
        open_files: files, pipes and the like at once.
        compile_s: seconds to be built, in a language where it has to be.
        compile_mb: megabytes of address space of each program that builds it.
    """

    load_s: Seconds = 10.0
    call_s: Seconds = 5.0
    grading_s: Seconds = 60.0
    output_mb: Annotated[float, Field(gt=0, le=1000)] = 10.0
    memory_mb: Annotated[int, Field(ge=100, le=10**6)] = Allowance.memory_mb
    scratch_mb: Annotated[int, Field(ge=1, le=10**4)] = Allowance.scratch_mb
    threads: Annotated[int, Field(ge=4, le=10**4)] = Allowance.threads
    open_files: Annotated[int, Field(ge=32, le=10**4)] = Allowance.open_files
    compile_s: Seconds = Allowance.compile_s
    compile_mb: Annotated[int, Field(ge=100, le=10**6)] = Allowance.compile_mb


class Language(Model):
    """What a submission in one language is, and what it is given.

    Attributes:
        file: the file's name: in ``mine/``, in ``solutions/`` and in the exercise's ``starter/``.
        preload: libraries to import before any submission is seen.
        subject: the exercise's module for the subject's side: its functions, and what is observed.
        given: the modules that a submission may import by these names.
        devices: what it is graded on, besides the CPU, where it is there.
        kit: where submissions become programs: the folder of what they are given, and of the host
            program.
        dtypes: the dtypes that it has, where it has not all. A case that needs another one does
            not apply, and costs nothing.
    """

    file: FileName
    preload: Sequence[str] = ()
    subject: FileName | None = None
    given: Mapping[str, FileName] = Field(default_factory=dict)
    devices: Sequence[DeviceName] = ()
    kit: FileName | None = None
    dtypes: Sequence[str] | None = None


class Class(Model):
    """A class that a submission must have.

    Attributes:
        methods: method -> parameters; those with a default end in ``?``.
        returns: method -> the kind of value it must return.
        watch: attributes recorded after every call on an object of the class.
    """

    methods: Mapping[str, Sequence[str]]
    returns: Mapping[str, Literal["tensor"]] = Field(default_factory=dict)
    watch: Sequence[str] = ()


class Check(Model):
    """An acceptance point: the cases of ``checks/test_<id>.py``, all of which must pass.

    Attributes:
        id: its name.
        points: what it is worth.
        hint: where to read on.
    """

    id: Id
    points: Annotated[int, Field(gt=0, le=1000)]
    hint: HintId


class Demonstration(Model):
    """Something that every submission is shown to do, for no points: ``checks/test_<id>.py``.

    Attributes:
        id: its name.
        devices: where it is shown.
        languages: in which; in all, unless said otherwise.
    """

    id: Id
    languages: Sequence[Id] | None = None
    devices: Annotated[Sequence[DeviceName], Field(min_length=1)] = DEVICES


class Pages(Model):
    """What a hint page shows, as one text a section and language.

    Attributes:
        source: the language that the others are translated from.
        sections: in the order of the page; ``examples`` is the place of the step diagrams.
    """

    source: ReaderLanguage = DEFAULT
    sections: Annotated[Sequence[Id], Field(min_length=1)]


class Example(Model):
    """The calls behind a step diagram: ``examples/<id>.py``.

    Attributes:
        id: its name, and that of its text.
        variants: name -> the file in ``wrong/`` that the same calls are made on.
        phases: whether its last call is shown in slow motion, instead of each step as a whole.
    """

    id: Id
    phases: bool = False
    variants: Mapping[Id, FileName] = Field(default_factory=dict)


class Manifest(Model):
    """``exercise.toml``, whole. Texts for people are in the exercise's catalogs and pages.

    Attributes:
        course: the course that the exercise belongs to.
        book_hints: where the course's book has its hints.
        book_solution: where it has its solution.
        conformance: a program that says how the given graphs behave on each device, as JSON.
    """

    id: Id
    order: int
    track: str
    course: str | None = None
    book_page: int | None = None
    book_hints: str | None = None
    book_solution: str | None = None
    minutes: Annotated[int, Field(gt=0)]
    difficulty: Literal["easy", "medium", "hard"]
    previous: Id | None = None
    next: Id | None = None
    sources: Sequence[str] = ()
    limits: Limits = Limits()
    languages: Annotated[Mapping[Id, Language], Field(min_length=1)]
    interface: Mapping[str, Class]
    checks: Annotated[Sequence[Check], Field(min_length=1)]
    demonstrations: Sequence[Demonstration] = ()
    pages: Pages | None = None
    examples: Sequence[Example] = ()
    conformance: FileName | None = None

    def texts(self) -> list[str]:
        """The names of a page's texts, in the order of the page; none where it has no page."""
        if self.pages is None:
            return []
        examples = [example.id for example in self.examples]
        named = [examples if id == EXAMPLES else [id] for id in self.pages.sections]
        return [SUMMARY, *(id for ids in named for id in ids)]


def parse(data: Mapping[str, object], file: str) -> Manifest:
    """The manifest from what its TOML says.

    Args:
        data: as ``tomllib`` read it.
        file: its path, for the message.

    Raises:
        ExerciseError: every mistake in it, each with its key and what to do.
    """
    try:
        manifest = Manifest.model_validate(data)
    except ValidationError as error:
        problems = [_problem(detail) for detail in error.errors()]
        raise ExerciseError("exercise.manifest", file=file, problems=problems) from None
    problems = list(_twice(manifest))
    if problems:
        raise ExerciseError("exercise.manifest", file=file, problems=problems)
    return manifest


def _twice(manifest: Manifest) -> Iterator[Message]:
    """Ids that there may be but one of. An example and a section of one id would share a text."""
    sections = [SUMMARY, *manifest.pages.sections] if manifest.pages else []
    examples = [example.id for example in manifest.examples]
    checks = [check.id for check in manifest.checks]
    demonstrations = [demonstration.id for demonstration in manifest.demonstrations]
    for key, ids, taken in (
        ("checks", checks, ()),
        ("demonstrations", demonstrations, set(checks) & set(demonstrations)),
        ("pages.sections", sections, ()),
        ("examples", examples, set(sections) & set(examples)),
    ):
        twice = sorted({id for id in ids if ids.count(id) > 1} | set(taken))
        if twice:
            params = {"key": key, "value": ", ".join(twice)}
            yield Message("exercise.problem.twice", params)


def _problem(detail: ErrorDetails) -> Message:
    key = ".".join(str(part) for part in detail["loc"])
    match detail["type"]:
        case "missing":
            return Message("exercise.problem.missing", {"key": key})
        case "extra_forbidden":
            return Message("exercise.problem.unknown", {"key": key})
    params = {"key": key, "value": repr(detail["input"]), "wanted": detail["msg"]}
    return Message("exercise.problem.value", params)
