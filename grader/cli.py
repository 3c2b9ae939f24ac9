"""The command line. A command reads its options, calls one function and chooses the exit code."""

import copy
import gettext
import os
import shutil
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from grader import __version__
from grader.batch import Counting, EngineName
from grader.errors import EnvironmentFault, GraderError, UsageError
from grader.exercise import Project
from grader.i18n import LANGUAGES, LOCALE, Translator, choose_language, language_option, printable
from grader.subject.device import WANTED, Wanted
from grader.subject.isolation import LEVELS, Level

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130

#: The path that stands for standard output.
STDOUT = "-"

#: Where hint pages are written.
SITE = "site"

_EXIT_CODES = {
    "passed": 0,
    "failed": EXIT_FAILED,
    "error": EXIT_FAILED,
    "ungraded": GraderError.exit_code,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        # What a console cannot print must never turn a pass into a failure.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    say = Translator(_language(arguments))
    _translate_click(say.language)
    try:
        code = _in_words(cli, say).main(arguments, "grader", standalone_mode=False, obj=say)
    except GraderError as error:
        sys.stderr.write(f"{_complaint(error, say)}\n")
        code = error.exit_code
    except click.ClickException as error:
        error.show()
        code = UsageError.exit_code
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write(f"{say('terminal.interrupted')}\n")
        code = EXIT_INTERRUPTED
    sys.exit(code)


class _Group(click.Group):
    """``grader p17`` is ``grader check p17``: what is no command is an exercise."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command meant, and what is left for it to read."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            args = ["check", *args]
        return super().resolve_command(ctx, args)


# Help texts are ids here; ``_in_words`` puts them into the reader's language.

_lang = click.option("--lang", type=click.Choice(LANGUAGES), expose_value=False, help="help.lang")
_project = click.option(
    "--project", envvar="GRADER_PROJECT", type=click.Path(path_type=Path), help="help.project"
)
_no_color = click.option("--no-color", is_flag=True, help="help.no_color")


@click.group(cls=_Group, help="help.grader")
@click.version_option(__version__, message="%(prog)s %(version)s", help="help.version")
def cli() -> None:
    """Everything is in the commands."""


@cli.command(help="help.check")
@click.argument("exercise")
@click.option("--file", type=click.Path(path_type=Path), help="help.file")
@click.option("--json", "json_path", metavar="PATH", help="help.json")
@click.option("--page", "page_path", metavar="PATH", help="help.page")
@click.option("--seed", type=click.IntRange(min=0), help="help.seed")
@click.option("--device", type=click.Choice(WANTED), default="auto", help="help.device")
@click.option("--isolation", type=click.Choice(LEVELS), default="best", help="help.isolation")
@_no_color
@_lang
@_project
@click.pass_obj
def check(
    say: Translator,
    *,
    exercise: str,
    file: Path | None,
    json_path: str | None,
    page_path: str | None,
    seed: int | None,
    device: Wanted,
    isolation: Level,
    no_color: bool,
    project: Path | None,
) -> int:
    """Grade one submission, or a student's own in every language."""
    from grader.session import draw_seed, grade_file, own_files  # noqa: PLC0415 - --help needs none

    if json_path == page_path == STDOUT:
        raise UsageError("usage.two_on_stdout")
    found = Project.find(project).exercise(exercise)
    say = Translator(say.language, found.folder)
    seed = draw_seed() if seed is None else seed
    files = [file] if file else own_files(found)
    if len(files) > 1 and (json_path or page_path):
        raise UsageError("usage.several", files=list(map(str, files)))
    hints, codes = found.manifest.pages is not None, []
    for number, one in enumerate(files):
        score = grade_file(found, one, seed=seed, level=isolation, wanted=device)
        codes.append(_EXIT_CODES[score.status])
        if json_path is not None:
            _write(json_path, score.localised(say).to_json())
        if page_path is not None:
            from grader.render.feedback import feedback_page  # noqa: PLC0415

            _write(page_path, feedback_page(score, say, hints=hints))
        if STDOUT not in (json_path, page_path):
            from grader.render.terminal import glyphs_for, render  # noqa: PLC0415

            color = not no_color and _wants_color()
            glyphs = glyphs_for(sys.stdout.encoding)
            text = render(score, say, color=color, glyphs=glyphs, hints=hints)
            # Not click.echo, which takes an ASCII console for a mistake and writes UTF-8 to it.
            sys.stdout.write("\n\n" * bool(number) + text)
            sys.stdout.flush()  # the next one takes its time
    return max(codes)


@cli.command("start", help="help.start")
@click.argument("exercise")
@click.argument("language", required=False)
@_lang
@_project
@click.pass_obj
def start_in(say: Translator, *, exercise: str, language: str | None, project: Path | None) -> int:
    """Begin in a language."""
    from grader.session import lacks, start  # noqa: PLC0415
    from grader.subject.languages import language as known  # noqa: PLC0415

    found = Project.find(project).exercise(exercise)
    if language is None:
        for one in found.languages():
            file = found.shown(found.mine(one))
            line = say("terminal.language", language=one, title=known(one).title, file=file)
            sys.stdout.write(f"{line}\n")
        return 0
    path, title = start(found, language), known(language).title
    lines = [say("terminal.started", file=str(path), language=title, exercise=found.id)]
    lines += [say("terminal.start_lacks", **one) for one in lacks(found, language)]
    sys.stdout.writelines(f"{printable(line)}\n" for line in lines)
    return 0


@cli.command(help="help.hint")
@click.argument("exercise")
@click.argument("level", type=click.IntRange(1, 3), default=1)
@click.option("--yes", is_flag=True, help="help.yes")
@click.option("--code", metavar="LANGUAGE", help="help.code")
@_no_color
@_lang
@_project
@click.pass_obj
def hint(
    say: Translator,
    *,
    exercise: str,
    level: int,
    yes: bool,
    code: str | None,
    no_color: bool,
    project: Path | None,
) -> int:
    """Show one level of the hints."""
    from grader.render.hint import fitted, render  # noqa: PLC0415 - check starts without it
    from grader.section import read_hint  # noqa: PLC0415
    from grader.session import own_files  # noqa: PLC0415

    found = Project.find(project).exercise(exercise)
    if code is None:
        code = found.language_of(own_files(found)[0])
    found.expect_language(code)
    sections = read_hint(found, say.language, level)
    grade = say(f"spoiler.l{level}")
    if level > 1 and not yes and not _agreed(say("spoiler.ask", grade=grade, level=level)):
        return 0
    color = not no_color and _wants_color()
    width = shutil.get_terminal_size().columns
    text = render(sections, level, say, exercise=found.id, code=code, color=color, width=width)
    sys.stdout.write(fitted(text, sys.stdout.encoding))
    return 0


@cli.command(help="help.validate")
@click.argument("exercise")
@click.option("--only", default="", metavar="TEXT", help="help.only")
@click.option("--language", "languages", multiple=True, help="help.validate_language")
@click.option("--seed", type=click.IntRange(min=0), help="help.seed")
@_lang
@_project
@click.pass_obj
def validate(
    say: Translator,
    *,
    exercise: str,
    only: str,
    languages: Sequence[str],
    seed: int | None,
    project: Path | None,
) -> int:
    """Prove that an exercise is sound."""
    from grader.render.validation import show  # noqa: PLC0415
    from grader.session import draw_seed, validate_exercise  # noqa: PLC0415

    found = Project.find(project).exercise(exercise)
    say = Translator(say.language, found.folder)
    seed = draw_seed() if seed is None else seed
    # Where nobody looks on, what was not looked at must not pass for sound.
    strict = bool(os.environ.get("CI"))
    findings = validate_exercise(found, seed=seed, only=only, languages=languages)
    sound = show(findings, say, sys.stdout, strict=strict)
    return 0 if sound else EXIT_FAILED


@cli.command(help="help.batch")
@click.argument("exercise")
@click.argument("submissions", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="help.batch_output"
)
@click.option("--jobs", type=click.IntRange(min=1), help="help.jobs")
@click.option("--roster", type=click.Path(path_type=Path), help="help.roster")
@click.option("--gradebook", type=click.Path(path_type=Path), help="help.gradebook")
@click.option("--column", help="help.column")
@click.option(
    "--attempt", type=click.Choice(get_args(Counting)), default="latest", help="help.attempt"
)
@click.option(
    "--engine", type=click.Choice(get_args(EngineName)), default="local", help="help.engine"
)
@click.option("--scheduler", metavar="ADDRESS", help="help.scheduler")
@click.option("--seed", type=click.IntRange(min=0), help="help.batch_seed")
@click.option("--device", type=click.Choice(WANTED), default="cpu", help="help.device")
@click.option("--isolation", type=click.Choice(LEVELS), default="require", help="help.isolation")
@_no_color
@_lang
@_project
@click.pass_obj
def batch(
    say: Translator,
    *,
    exercise: str,
    submissions: Sequence[Path],
    output: Path,
    jobs: int | None,
    roster: Path | None,
    gradebook: Path | None,
    column: str | None,
    attempt: Counting,
    engine: EngineName,
    scheduler: str | None,
    seed: int | None,
    device: Wanted,
    isolation: Level,
    no_color: bool,
    project: Path | None,
) -> int:
    """Grade a class."""
    from grader.batch.run import Order, run  # noqa: PLC0415 - check starts without it
    from grader.batch.summary import summary  # noqa: PLC0415
    from grader.render.progress import progress  # noqa: PLC0415

    found = Project.find(project).exercise(exercise)
    color = not no_color and _wants_color()
    order = Order(
        exercise=found, sources=submissions, output=output, language=say.language,
        jobs=jobs or _processors(),
        roster=roster, gradebook=gradebook, column=column, engine=engine, scheduler=scheduler,
        counting=attempt, seed=seed, level=isolation, wanted=device,
    )  # fmt: skip
    result = run(order, lambda total: progress(total, say, sys.stderr, color=color))
    sys.stdout.write(summary(result, output, say))
    return 0 if result.complete else EXIT_FAILED


@cli.command(help="help.pages")
@click.argument("exercises", nargs=-1)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path(SITE), help="help.output"
)
@_lang
@_project
def pages(*, exercises: Sequence[str], output: Path, project: Path | None) -> int:
    """Write the hint pages."""
    from grader.site import build  # noqa: PLC0415

    for path in build(Project.find(project), exercises, output):
        sys.stdout.write(f"{path}\n")
    return 0


@cli.command("open", help="help.open")
@click.argument("exercise")
@_lang
@_project
@click.pass_obj
def open_page(say: Translator, *, exercise: str, project: Path | None) -> int:
    """Open an exercise's page in a browser."""
    from grader.site import build  # noqa: PLC0415

    found = Project.find(project)
    folder = found.root / SITE
    for _ in build(found, [exercise], folder):
        pass
    page = folder / say.language / f"{exercise}.html"
    if not webbrowser.open(page.as_uri()):
        raise EnvironmentFault("environment.no_browser", file=str(page))
    sys.stdout.write(f"{page}\n")
    return 0


@cli.command(help="help.doctor")
@click.option("--graphs", is_flag=True, help="help.graphs")
@click.option("--json", "json_path", metavar="PATH", help="help.doctor_json")
@_no_color
@_lang
@_project
@click.pass_obj
def doctor(
    say: Translator, *, graphs: bool, json_path: str | None, no_color: bool, project: Path | None
) -> int:
    """Look at the machine, and at what graphs do on it."""
    from grader.doctor import diagnose  # noqa: PLC0415 - check starts without it

    found = Project.find(project)
    diagnosis = diagnose(found, graphs=graphs)
    if json_path is not None:
        _write(json_path, f"{diagnosis.model_dump_json(indent=2)}\n")
    if json_path != STDOUT:
        from grader.render.doctor import render  # noqa: PLC0415
        from grader.render.terminal import glyphs_for  # noqa: PLC0415

        color = not no_color and _wants_color()
        glyphs = glyphs_for(sys.stdout.encoding)
        sys.stdout.write(render(diagnosis, found, say, color=color, glyphs=glyphs))
    return 0 if diagnosis.as_expected else EXIT_FAILED


def _language(arguments: Sequence[str]) -> str:
    """The reader's language, wanted before click has read a word.

    A console that cannot print Chinese gets English, unless Chinese was asked for.
    """
    option = language_option(arguments)
    language = choose_language(option, os.environ)
    asked = option in LANGUAGES or os.environ.get("GRADER_LANG") in LANGUAGES
    return language if asked or _can_print_chinese() else "en"


def _can_print_chinese() -> bool:
    try:
        "中".encode(sys.stdout.encoding)
    except (UnicodeEncodeError, LookupError, TypeError):
        return False
    return True


def _translate_click(language: str) -> None:
    """Have click say its own words in a language: it asks gettext's global domain."""
    os.environ["LANGUAGE"] = language
    gettext.bindtextdomain("messages", str(LOCALE))


def _in_words(group: click.Group, say: Translator) -> click.Group:
    """A copy of the commands whose help texts are in the reader's language."""
    group = copy.deepcopy(group)
    for command in (group, *group.commands.values()):
        command.help = say(command.help or "")
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.help:
                parameter.help = say(parameter.help)
    return group


def _complaint(error: GraderError, say: Translator) -> str:
    """An error as text: what was wrong, each problem of several, and what to do next."""
    lines = [say.text(error.message)]
    lines += [f"  - {say.text(problem)}" for problem in error.problems]
    lines += filter(None, [say.remedy(error.message.id, **error.message.params)])
    return printable("\n".join(lines))


def _processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _wants_color() -> bool:
    """Colours are for a person at a terminal who has not asked for none (https://no-color.org)."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def _agreed(question: str) -> bool:
    """Whether a person at a terminal says yes. Where there is none, nobody is asked."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    sys.stdout.write(f"{question} [y/N] ")
    sys.stdout.flush()
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        sys.stdout.write("\n")
    return answer.strip().lower() in ("y", "yes")


def _write(path: str, text: str) -> None:
    """Write a text to a file, or to stdout for ``-``.

    Raises:
        UsageError: the file cannot be written.
    """
    data = text.encode("utf-8", "backslashreplace")
    if path == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise UsageError("usage.cannot_write", file=path, detail=error.strerror) from None
