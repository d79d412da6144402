"""What the guides say of the product is so: the query for games, the settings, the view's columns."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import ByteSize

from sudokumill.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ROOT = Path(__file__).parents[2]


def table_under(page: str, heading: str) -> list[list[str]]:
    """The rows of the first table after a heading, without its head."""
    after = page.split(f"\n## {heading}\n", 1)[1]
    lines = re.search(r"(?:^\|.*\n)+", after, re.MULTILINE)
    assert lines is not None
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in lines[0].splitlines()[2:]]


def test_the_query_for_ten_levels_gives_ten(mill: Callable[..., Any], folder: Path) -> None:
    query = re.search(r"```sql\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert query is not None
    mill("run", "levels", "--count", "1000", "--seed", "1")
    with closing(sqlite3.connect(folder / "sudokumill.db")) as connection:
        rows = connection.execute(query[1]).fetchall()
    assert len(rows) == 10
    for level_id, clues, solution, clue_count, symmetry in rows:
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", level_id)
        assert clue_count == sum(clue != "0" for clue in clues)
        assert all(clue in {"0", digit} for clue, digit in zip(clues, solution, strict=True))
        assert symmetry == "none"


def test_every_setting_is_in_the_guide() -> None:
    rows = table_under((ROOT / "worker/README.md").read_text(), "Settings")
    described = {name.strip("`"): (default.strip("`"), meaning) for name, default, meaning in rows}
    for name, field in Settings.model_fields.items():
        default, meaning = described.pop(f"SUDOKUMILL_{name.upper()}")
        assert meaning == field.description
        if name == "processes":
            assert default == "cores"
        else:
            wanted = field.default.human_readable() if isinstance(field.default, ByteSize) else field.default
            assert default == ("" if wanted is None else str(wanted))
    assert not described


def test_every_column_of_the_view_is_in_the_guide(mill: Callable[..., Any], folder: Path) -> None:
    rows = table_under((ROOT / "worker/README.md").read_text(), "The view `level`")
    described = [name for row in rows for name in re.findall(r"`(\w+)`", row[0])]
    mill("db", "upgrade")
    with closing(sqlite3.connect(folder / "sudokumill.db")) as connection:
        columns = [column[0] for column in connection.execute("SELECT * FROM level").description]
    assert sorted(described) == sorted(columns)


@pytest.mark.parametrize("name", ["README.md", "worker/README.md", "plugins/README.md", "tests/README.md"])
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target
