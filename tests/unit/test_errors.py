from __future__ import annotations

import copy
import inspect
import pickle
from string import Formatter

import pytest

from sudokumill import errors
from sudokumill.errors import NothingToGradeError, SudokumillError, UnknownImplementationError, UsageError, near

ALL = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]

every = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)


def sample_fields(kind: type[SudokumillError]) -> dict[str, object]:
    """A value for each field of the template: a number where it is shown as one, else text that shows faults."""
    fields: dict[str, object] = {}
    for _, name, spec, _ in Formatter().parse(inspect.cleandoc(kind.__doc__ or "")):
        if name is not None:
            fields[name] = 1234 if spec else f"the {{{name}}} 'value' %s"
    return fields


def test_all_are_of_one_tree() -> None:
    assert all(issubclass(kind, SudokumillError) for kind in ALL)
    assert len(ALL) > 20


@every
def test_the_docstring_is_a_template_of_one_line(kind: type[SudokumillError]) -> None:
    template = kind.__dict__.get("__doc__")
    assert template, "each error has a docstring of its own"
    assert "\n" not in template
    assert template == template.strip()
    assert not template.endswith(".")
    for _, name, spec, conversion in Formatter().parse(template):
        assert name is None or name.isidentifier()
        assert spec in (None, "", ",")
        assert conversion in (None, "r")


@every
def test_the_message_is_the_template_with_its_fields(kind: type[SudokumillError]) -> None:
    fields = sample_fields(kind)
    error = kind(**fields)
    assert str(error) == (kind.__doc__ or "").format(**fields)
    assert "\n" not in str(error)
    assert error.fields == fields
    assert error.args == (str(error),)


@every
def test_a_field_that_is_left_out_is_a_mistake_in_the_code(kind: type[SudokumillError]) -> None:
    for name in sample_fields(kind):
        fields = sample_fields(kind)
        del fields[name]
        with pytest.raises(KeyError, match=name):
            kind(**fields)


@every
def test_errors_pass_between_processes(kind: type[SudokumillError]) -> None:
    error = kind(**sample_fields(kind))
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301 - our own bytes
        assert type(other) is kind
        assert str(other) == str(error)
        assert other.fields == error.fields


@every
def test_exit_codes(kind: type[SudokumillError]) -> None:
    wanted = 2 if issubclass(kind, UsageError) else 1
    assert kind.exit_code == (0 if kind is NothingToGradeError else wanted)


def test_the_example_of_the_module() -> None:
    error = UnknownImplementationError(
        role="generator", name="las-vega", near=near("las-vega", ["las-vegas", "x"])
    )
    assert str(error) == (
        "no generator is named 'las-vega'; did you mean las-vegas? (sudokumill plugins lists them all)"
    )
    assert error.fields["name"] == "las-vega"


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("las-vega", ["random-row", "las-vegas"], "did you mean las-vegas?"),
        ("hole", ["holes", "hollow"], "did you mean holes or hollow?"),
        ("zzz", ["holes", "dfs", "dfs"], "known: dfs, holes"),
        ("zzz", [], "there is none"),
    ],
)
def test_near_names(name: str, known: list[str], said: str) -> None:
    assert near(name, known) == said
    assert near(name, reversed(known)) == said
