"""Describing an implementation's options in words: what each may be, and what holds when it is not given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from sudokumill.contracts import Options
from sudokumill.targets import ClueRange

Schema = Mapping[str, Any]

_BOUNDS: Final = (
    ("minimum", "{:,} or more"),
    ("exclusiveMinimum", "above {:,}"),
    ("maximum", "{:,} or less"),
    ("exclusiveMaximum", "below {:,}"),
    ("multipleOf", "a multiple of {:,}"),
)
_HUGE: Final = 2**53
"""Bounds beyond this are those of a machine's numbers, which say nothing to a person."""


@dataclass(frozen=True)
class DescribedOption:
    """One option in words."""

    name: str
    default: str
    values: str
    """What it may be."""
    description: str


def describe_options(model: type[Options]) -> list[DescribedOption]:
    """The options of a model, in its order."""
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    effective = _effective_defaults(model)
    described: list[DescribedOption] = []
    for name, about in model.model_fields.items():
        default = about.get_default(call_default_factory=True, validated_data={})
        values = _values(schema["properties"][about.alias or name], definitions)
        shown = "(required)" if default is PydanticUndefined else _shown(effective.get(name, default))
        described.append(DescribedOption(name, shown, values, about.description or ""))
    return described


def _effective_defaults(model: type[Options]) -> dict[str, object]:
    """What holds although the model's own default is None, which it uses for "not said"."""
    try:
        made = model()
    except ValidationError:
        return {}
    if not isinstance(made, ClueRange):
        return {}
    least, most = made.clue_range()
    return {"clues_min": least, "clues_max": most}


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value.value if isinstance(value, Enum) else value)


def _values(field: Schema, definitions: Mapping[str, Schema]) -> str:
    """What a field takes; empty for what the schema cannot say in a few words."""
    if "$ref" in field:
        return _values(definitions.get(str(field["$ref"]).rsplit("/", 1)[-1], {}), definitions)
    if "anyOf" in field:
        return " or ".join(filter(None, (_values(variant, definitions) for variant in field["anyOf"])))
    if "enum" in field:
        return ", ".join(map(str, field["enum"]))
    if "const" in field:
        return str(field["const"])
    kind = str(field.get("type"))
    if kind in {"integer", "number"}:
        return _range(field) or ("a whole number" if kind == "integer" else "a number")
    return {"boolean": "true, false", "null": "none", "string": "text"}.get(kind, kind if "type" in field else "")


def _range(field: Schema) -> str:
    """Bounds of a number: ``17 to 81``, ``1 or more``."""
    bounds = {name: field[name] for name, _ in _BOUNDS if name in field and abs(field[name]) < _HUGE}
    words: list[str] = []
    if "minimum" in bounds and "maximum" in bounds:
        words.append(f"{bounds.pop('minimum'):,} to {bounds.pop('maximum'):,}")
    words += [text.format(bounds[name]) for name, text in _BOUNDS if name in bounds]
    return ", ".join(words)
