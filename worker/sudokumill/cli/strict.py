"""Options that are taken at their word: none that says one thing is given twice, and numbers are digits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import click

from sudokumill.errors import BadOrderError

_GROUPED: Final = re.compile(r"\d{1,3}(?:[,_' .]\d{3})+")
_POWER: Final = re.compile(r"(\d+)(?:\.0*)?[eE]\+?(\d{1,2})")


class _Strict(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the arguments.

        Raises:
            BadOrderError: an option is given twice that may be given once.
        """
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
            _refuse_repeated(given)
        return super().parse_args(ctx, args)


class StrictCommand(_Strict):
    """A command that refuses an option with one value if it is given twice: the first would be forgotten."""


class StrictGroup(_Strict, click.Group):
    """A group that does the same, and so do its commands."""

    command_class = StrictCommand


def _refuse_repeated(given: Iterable[click.Parameter]) -> None:
    seen: set[click.Parameter] = set()
    for one in given:
        if isinstance(one, click.Option) and not (one.multiple or one.is_flag or one.count):
            if one in seen:
                raise BadOrderError(reason=f"{one.opts[0]} is given twice; it takes one value")
            seen.add(one)


class WholeNumber(click.ParamType):  # type: ignore[type-arg] # older versions of click take none
    """A whole number, written in digits."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """What was typed as a number.

        Raises:
            BadOrderError: it is a number in another form, which is named with its digits; or none.
        """
        if isinstance(value, int):
            return value
        text = str(value).strip()
        if re.fullmatch(r"[+-]?\d{1,30}", text, re.ASCII):
            return int(text)
        name = param.opts[0] if param is not None else "a number"
        power = _POWER.fullmatch(text)
        if power is not None:
            meant = f"; for {text} type {int(power[1]) * 10 ** int(power[2])}"
        elif _GROUPED.fullmatch(text):
            meant = f"; for {text} type {re.sub(r'[^0-9]', '', text)}"
        else:
            meant = ""
        raise BadOrderError(reason=f"{name} {text!r}: write a whole number in digits alone{meant}")


WHOLE: Final = WholeNumber()
