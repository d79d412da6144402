"""What sudokumill imports: the entry point ``example`` in ``pyproject.toml`` names this module."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from sudokumill.contracts import Generator, GeneratorDescriptor, Options
from sudokumill.hookspecs import hookimpl


class ShiftedRowsOptions(Options):
    """The options that a person may set, with what is shown of them and the bounds that are checked."""

    mix: bool = Field(True, description="turn and relabel each final at random; without it, only relabel")
    shift: int = Field(3, ge=3, le=6, multiple_of=3, description="cells by which a row is shifted in its band")


def build(options: ShiftedRowsOptions) -> Generator:
    """Makes the generator; what is heavy is imported here, not when sudokumill loads the plugin."""
    from sudokumill_example.shifted_rows import ShiftedRows  # noqa: PLC0415

    return ShiftedRows(mix=options.mix, shift=options.shift)


@hookimpl
def sudokumill_register_generators() -> Iterator[GeneratorDescriptor]:
    """One descriptor for each generator of this plugin."""
    yield GeneratorDescriptor(
        name="shifted-rows",
        version="1.0",
        summary="nine random digits, shifted from row to row, then turned and relabelled",
        factory=build,
        options=ShiftedRowsOptions,
        rate=100_000,
    )
