"""The command line. Commands are loaded when they are called, so that ``--help`` stays quick."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
from typing import Final

import click

import sudokumill
from sudokumill.errors import SudokumillError, UnknownCommandError, near

_COMMANDS: Final = {
    "run": ("Make what a job orders, on this machine.", "run:run"),
    "enqueue": ("Order what workers of a fleet then make.", "enqueue:enqueue"),
    "worker": ("Work on what was ordered, as one of a fleet.", "worker:worker"),
    "jobs": ("List, show, watch, pause, resume, cancel and retry jobs.", "jobs:jobs"),
    "show": ("Draw a level in the terminal.", "show:show"),
    "export": ("Write stored levels, or what a job delivered, as text.", "export:export"),
    "check": (
        "Say of each grid in a file what it is, and what is wrong with it.",
        "check:check",
    ),
    "solve": ("Solve each grid in a file.", "solve:solve"),
    "grade": ("Say how hard each puzzle in a file is, and why.", "grade:grade"),
    "bands": ("List and change bands: names for ranges of ratings.", "bands:bands"),
    "yields": ("Show what ways to dig have given in each band, and its cost.", "yields:yields"),
    "stock": ("Show what no job has delivered, and drop what nobody wants.", "stock:stock"),
    "classes": ("Count puzzles that are essentially different.", "classes:classes"),
    "plugins": ("List plugins and what they register.", "plugins:plugins"),
    "db": ("Bring the database up to date.", "db:db"),
    "doctor": ("Say what is reachable, which versions are here, and what is wrong.", "doctor:doctor"),
}

_KINDS: Final = ("generate", "levels", "dig")
"""Of jobs, that are no commands by themselves."""


class _LazyGroup(click.Group):
    """A group whose commands live in modules of their own, imported when needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in the order in which a person meets them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports a command's module; an unknown name is None."""
        if cmd_name in _KINDS:
            raise UnknownCommandError(name=cmd_name)
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][1].partition(":")
        command: click.Command = getattr(importlib.import_module(f"{__name__}.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; for an unknown name, the nearest ones are named."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            if args[0] in _COMMANDS or args[0].startswith("-"):
                raise
            raise click.UsageError(f"No such command {args[0]!r}; {near(args[0], _COMMANDS)}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (summary, _) in _COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(sudokumill.__version__, message="sudokumill %(version)s")
def sudokumill_command() -> None:
    """A factory for Sudoku levels.

    \b
    Examples:
      sudokumill run levels --count 1000
      sudokumill run levels --count 50 --digger holes --option level=5
      sudokumill run generate --count 10000 --output finals.txt --no-store
      sudokumill show
      sudokumill export --job 1 --output levels.txt
    """


def main() -> None:
    """The entry point: runs a command and turns errors into one line and an exit code."""
    # no part of this uses BLAS; its idle threads would only stand in the way of forking
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(_run())


def _run() -> int:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # the command was started without it
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the end
    try:
        _check_texts()
        result = sudokumill_command.main(prog_name="sudokumill", standalone_mode=False)
        sys.stdout.flush()
    except SudokumillError as error:
        with contextlib.suppress(OSError):
            click.echo(f"sudokumill: {error}", err=True)
        _settle_stdout()
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("sudokumill: interrupted", err=True)
        return 1
    except BrokenPipeError:
        # whoever read our output has seen enough
        _leave_stdout()
        return 1
    except OSError as error:
        _leave_stdout()
        where = error.filename or ("standard output" if error.errno == errno.ENOSPC else "the system")
        click.echo(f"sudokumill: {where}: {error.strerror or error}", err=True)
        return 1
    return result if isinstance(result, int) else 0


def _check_texts() -> None:
    """Refuses arguments and settings that are no text: neither a database nor a terminal could take them."""
    texts = [("an argument", text) for text in sys.argv[1:]]
    texts += [(name, text) for name, text in os.environ.items() if name.startswith("SUDOKUMILL_")]
    for what, text in texts:
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise click.UsageError(f"{what} is not UTF-8 text: {text!r}")


def _settle_stdout() -> None:
    """Writes what was printed before an error; where that was the error, it is given up."""
    try:
        sys.stdout.flush()
    except OSError:
        _leave_stdout()


def _leave_stdout() -> None:
    """What is still in its buffer has nowhere to go; writing it at exit would fail again, with a traceback."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
