"""From option values to a checked model, or to one line that says what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from pydantic import ValidationError
from pydantic_core.core_schema import ErrorType

from sudokumill.contracts import Options
from sudokumill.errors import (
    BadOptionError,
    RefusedOptionsError,
    SudokumillError,
    UnknownOptionError,
    near,
)
from sudokumill.registry.faults import fault_text
from sudokumill.registry.plugins import Implementation

Schema = Mapping[str, Any]

_OWN_WORDS: Final = frozenset({"value_error", "assertion_error"})
"""Error types that carry the exception of the author's own validator."""

_LONGEST: Final = 60


def parse_options(implementation: Implementation, values: Mapping[str, object]) -> Options:
    """The options model of an implementation from names and values.

    Values may be texts, as they come from a command line: pydantic reads ``"11"`` as a number where one is
    wanted, and ``"true"`` as true.

    Raises:
        UnknownOptionError: a name that the implementation does not have.
        BadOptionError: a value of wrong type or range, or a required option that is missing.
        RefusedOptionsError: each option is right by itself, but not all of them together.
        BrokenImplementationError: the model's own code failed.
    """
    try:
        return implementation.descriptor.options.model_validate(dict(values))
    except ValidationError as error:
        raise _translated(implementation, error) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise implementation.broken(f"checking its options raised {fault_text(error)}") from error


def stored_options(implementation: Implementation, options: Options) -> dict[str, Any]:
    """What a job keeps of the options: those that were set, as JSON has them. Defaults belong to the version.

    Raises:
        BrokenImplementationError: the model's own code failed.
    """
    try:
        return options.model_dump(mode="json", exclude_unset=True)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise implementation.broken(f"storing its options raised {fault_text(error)}") from error


def _translated(implementation: Implementation, error: ValidationError) -> SudokumillError:
    """The first unknown name, else the first bad value, else the first objection to the whole."""
    owner = f"{implementation.role} {implementation.name}"
    schema = implementation.descriptor.options.model_json_schema()
    # A reason of pydantic's with the place ("n", "int") is about option n.
    faults = sorted(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
    fault = faults[0]
    if not fault["loc"]:
        return RefusedOptionsError(owner=owner, reason=_own_words(fault) or fault["msg"])
    option = str(fault["loc"][0])
    properties = schema.get("properties", {})
    if fault["type"] == "extra_forbidden" and len(fault["loc"]) == 1:
        return UnknownOptionError(owner=owner, option=option, near=near(option, properties))
    return BadOptionError(owner=owner, option=option, reason=_reason(fault, properties.get(option, {}), schema))


def _reason(fault: Mapping[str, Any], field: Schema, schema: Schema) -> str:
    own = _own_words(fault)
    if own is not None:
        return own
    wanted = _wanted(field, schema)
    if fault["type"] == "missing":
        return f"it is required: {wanted}" if wanted else "it is required"
    shown = _shown(fault["input"])
    return f"{shown} is not {wanted}" if wanted else f"{shown}: {fault['msg']}"


def _own_words(fault: Mapping[str, Any]) -> str | None:
    """What the author's validator said, without pydantic's words before it."""
    if fault["type"] in _OWN_WORDS:
        return " ".join(str(fault["ctx"]["error"]).split()) or "it is refused"
    return None if fault["type"] in get_args(ErrorType) else str(fault["msg"])


def _shown(value: object) -> str:
    text = " ".join((value if isinstance(value, str) and value.strip() else repr(value)).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _wanted(field: Schema, schema: Schema) -> str:
    """What a field takes, in words; empty for what has none here."""
    if "$ref" in field:
        return _wanted(schema.get("$defs", {}).get(str(field["$ref"]).rsplit("/", 1)[-1], {}), schema)
    if "anyOf" in field:
        variants = [_wanted(variant, schema) for variant in field["anyOf"] if variant.get("type") != "null"]
        return " or ".join(variants) if all(variants) else ""
    if "enum" in field:
        return f"one of {', '.join(map(str, field['enum']))}"
    kind = field.get("type")
    if kind in ("integer", "number"):
        return f"a {'whole number' if kind == 'integer' else 'number'}{_bounds(field)}"
    return {"boolean": "true or false", "string": f"text{_text_bounds(field)}"}.get(str(kind), "")


def _bounds(field: Schema) -> str:
    least, most = field.get("minimum"), field.get("maximum")
    parts: list[str] = []
    if least is not None and most is not None:
        parts.append(f"from {least:,} to {most:,}")
    elif least is not None:
        parts.append(f"of at least {least:,}")
    elif most is not None:
        parts.append(f"of at most {most:,}")
    words = {"exclusiveMinimum": "above", "exclusiveMaximum": "below", "multipleOf": "that is a multiple of"}
    parts += [f"{word} {field[key]:,}" for key, word in words.items() if key in field]
    return f" {' and '.join(parts)}" if parts else ""


def _text_bounds(field: Schema) -> str:
    words = {"minLength": "at least {:,}", "maxLength": "at most {:,}"}
    lengths = " and ".join(word.format(field[key]) for key, word in words.items() if key in field)
    pattern = f" that matches {field['pattern']}" if "pattern" in field else ""
    return f" of {lengths} characters{pattern}" if lengths else pattern
