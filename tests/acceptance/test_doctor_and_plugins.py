from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudokumill import __version__
from sudokumill_native import _kernel
from sudokumill_native.builds import SETTING

Mill = Callable[..., subprocess.CompletedProcess[str]]
Outcome = Callable[..., dict[str, Any]]
Plugin = Callable[[str, str], dict[str, str]]

BROKEN = {
    "import": "import no_such_module_of_mine\n",
    "hook": """
        @hookimpl
        def sudokumill_register_generators():
            raise OSError("the template file is not here")
    """,
    "descriptor": """
        @hookimpl
        def sudokumill_register_generators():
            yield generator("UPPER CASE NAME")
    """,
}


def problems(text: str) -> list[str]:
    return [line.removeprefix("wrong: ") for line in text.splitlines() if line.startswith("wrong: ")]


def test_nothing_is_wrong(mill: Mill, outcome: Outcome, folder: Path) -> None:
    before = mill("doctor").stdout
    assert "nothing is wrong" in before
    assert list(folder.iterdir()) == []
    outcome("run", "levels", "--count", 3)
    after = outcome("doctor")
    assert after["problems"] == []
    assert after["versions"]["sudokumill"] == __version__
    assert {"python", "celery", "redis", "sqlalchemy", "alembic", "numpy"} <= set(after["versions"])
    assert (after["database"]["state"], after["database"]["jobs"], after["database"]["puzzles"]) == (
        "reachable", 1, 3,
    )  # fmt: skip
    assert {"classic", "native"} <= set(after["plugins"])
    assert after["settings"]["SUDOKUMILL_DATABASE_URL"] == "sqlite:///sudokumill.db"
    assert after["settings"]["SUDOKUMILL_DRY_POSITIONS"] == 10_000
    assert "10,000" in mill("doctor").stdout


def test_the_audit_of_a_job(mill: Mill, outcome: Outcome, folder: Path) -> None:
    job = outcome("run", "levels", "--count", 3)["job"]
    assert mill("doctor", "--job", job).stdout == (
        "job 1 (levels, done): 3 ordered = 3 delivered + 0 not made\n3 positions = 3 delivered\nit adds up\n"
    )
    assert outcome("doctor", "--job", job) == {
        "job": 1, "kind": "levels", "state": "done", "ordered": 3, "delivered": 3, "left": 0,
        "positions": {"delivered": 3}, "broken": [],
    }  # fmt: skip
    with sqlite3.connect(folder / "sudokumill.db") as database:
        database.execute("DELETE FROM puzzle WHERE position = 1")
    database.close()
    done = mill("doctor", "--job", job, code=1)
    assert "\nbroken: a chunk counts other rows than are stored: chunk " in done.stdout
    assert "\nbroken: the job says that it delivered 3, 2 rows are there\n" in done.stdout
    assert len(json.loads(mill("doctor", "--job", job, "--json", code=1).stdout)["broken"]) == 4
    assert "there is no job 4" in mill("doctor", "--job", 4, code=2).stderr
    assert "two questions" in mill("doctor", "--job", 1, "--worker", code=2).stderr


def test_a_password_is_never_shown(mill: Mill) -> None:
    env = {"SUDOKUMILL_DATABASE_URL": "postgresql://u:secret@nowhere.invalid/db"}
    for command in ("doctor", "doctor --json", "jobs list"):
        done = mill(*command.split(), code=1, env=env)
        assert "secret" not in done.stdout + done.stderr
    assert problems(mill("doctor", code=1, env=env).stdout)


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_plugin_stops_nobody_else(
    fault: str, one_file_plugin: Plugin, mill: Mill, fork: Mill, outcome: Outcome
) -> None:
    env = one_file_plugin("crooked", BROKEN[fault])
    env = one_file_plugin(
        "straight",
        """
        @hookimpl
        def sudokumill_register_generators():
            yield generator("straight")
        """,
    )
    listed = {
        plugin["name"]: plugin for plugin in json.loads(mill("plugins", "list", "--json", code=1, env=env).stdout)
    }
    assert {name: plugin["state"] for name, plugin in listed.items() if name != "crooked"} == {
        "classic": "loaded", "native": "loaded", "straight": "loaded",
    }  # fmt: skip
    crooked = listed["crooked"]
    assert crooked["state"] != "loaded"
    assert crooked["reason"]
    assert crooked["source"].endswith("crooked.py")
    text = fork("plugins", "list", code=1, env=env).stdout
    assert {"crooked", "straight", "las-vegas", "exact-cover"} <= set(text.split())
    assert mill("plugins", "list", code=1, env=env).stdout == text
    assert outcome("run", "levels", "--count", 2, "--generator", "straight", env=env)["delivered"] == 2
    [problem] = problems(fork("doctor", code=1, env=env).stdout)
    assert "crooked" in problem
    assert "mend" in problem


def test_commands_that_need_no_plugin_work_beside_a_broken_one(one_file_plugin: Plugin, mill: Mill) -> None:
    env = one_file_plugin("crooked", "raise SystemExit('I am out')")
    mill("run", "levels", "--count", 3, env=env)
    for command in ("jobs list", "show", "export", "plugins show digger holes", "db upgrade", "--help"):
        mill(*command.split(), env=env)
    mill("solve", "-", env=env, stdin="8" + "." * 80, code=1)


def test_two_plugins_with_one_name(one_file_plugin: Plugin, mill: Mill) -> None:
    text = """
        @hookimpl
        def sudokumill_register_generators():
            yield generator("stripes")
    """
    one_file_plugin("first", text)
    env = one_file_plugin("second", text)
    done = mill("run", "generate", "--count", 1, "--generator", "stripes", code=2, env=env)
    assert "first.py" in done.stderr
    assert "second.py" in done.stderr
    listed = mill("plugins", "list", code=1, env=env).stdout
    assert "ambiguous with plugin first" in listed
    assert "ambiguous with plugin second" in listed
    found = json.loads(mill("plugins", "list", "--json", code=1, env=env).stdout)
    shared = {
        plugin["name"]: one["ambiguous_with"] for plugin in found for one in plugin["implementations"]
        if one["name"] == "stripes"
    }  # fmt: skip
    assert shared == {"first": ["second"], "second": ["first"]}
    mill("run", "generate", "--count", 1, env=env)


def table_of(text: str) -> dict[str, str]:
    """The lines below the headings, by their first word."""
    lines = text.split("option ", 1)[1].splitlines()[1:]
    return {line.split()[0]: " ".join(line.split()) for line in lines if not line.startswith(" ")}


def test_options_are_shown(mill: Mill, outcome: Outcome) -> None:
    holes = table_of(mill("plugins", "show", "digger", "holes", env={"COLUMNS": "200"}).stdout)
    for name, shown in {
        "clues_min": "clues_min 22 17 to 80",
        "clues_max": "clues_max 30 17 to 80",
        "level": "level 1 to 5",
        "order": "order random, jump, snake, rows",
        "row_min": "row_min 0 to 9",
        "symmetry": "symmetry none none, rot180, rot90, horizontal, vertical, diagonal, antidiagonal, full",
        "minimal": "minimal false true, false",
    }.items():
        assert holes[name].startswith(shown)
    native = table_of(mill("plugins", "show", "digger", "native").stdout)
    assert native["clues"].startswith("clues 17 to 80")
    template = table_of(mill("plugins", "show", "generator", "matrix-transform").stdout)
    assert template["template"].startswith("template 1 to 8")
    schema = outcome("plugins", "show", "generator", "las-vegas")["schema"]
    assert schema["properties"]["n"]["maximum"] == 28


def test_a_grader_is_shown_with_what_it_can_say(outcome: Outcome, mill: Mill) -> None:
    shown = mill("plugins", "show", "grader", "explainer", env={"COLUMNS": "200"}).stdout
    assert "\nratings: 1.0 to 12.0\n" in shown
    rows = [line.split(maxsplit=2) for line in shown[shown.index("technique  ") :].splitlines()[1:]]
    assert len(rows) == 67
    assert ["x-wing", "3.2", "X-wing"] in rows
    assert ["xyz-wing", "4.4", "XYZ-wing"] in rows
    assert all(len(row) == 3 for row in rows)
    declared = outcome("plugins", "show", "grader", "explainer")
    assert [[one["code"], f"{one['rating']:.1f}", one["name"]] for one in declared["techniques"]] == rows
    assert declared["scale"] == [1.0, 12.0]
    simple = mill("plugins", "show", "grader", "singles-and-pairs").stdout
    assert "hidden-pair" in simple
    assert "swordfish" not in simple


def test_mistyped_settings(mill: Mill) -> None:
    env = {"SUDOKUMILL_PROCESS": "3", "SUDOKUMILL_LEASE_SECONDS": "70"}
    done = mill("doctor", code=1, env=env)
    [problem] = problems(done.stdout)
    assert problem.startswith("SUDOKUMILL_PROCESS is not a setting; did you mean SUDOKUMILL_PROCESSES")


def test_a_plugin_may_have_settings_of_its_own(one_file_plugin: Plugin, outcome: Outcome) -> None:
    env = one_file_plugin("my_own", "@hookimpl\ndef sudokumill_register_generators():\n    return []\n")
    assert outcome("doctor", env={**env, "SUDOKUMILL_MY_OWN_SHOVEL": "long"})["problems"] == []
    [problem] = outcome("doctor", code=1, env={**env, "SUDOKUMILL_MY_OWNSHOVEL": "long"})["problems"]
    assert problem.startswith("SUDOKUMILL_MY_OWNSHOVEL is not a setting")


def test_the_settings_of_plugins_are_listed_and_mistyped_ones_named(
    one_file_plugin: Plugin, mill: Mill, outcome: Outcome
) -> None:
    assert outcome("doctor")["settings"][SETTING] == "(not set)"
    assert outcome("doctor", env={SETTING: "portable"})["settings"][SETTING] == "portable"
    [problem] = problems(mill("doctor", code=1, env={"SUDOKUMILL_NATIVE_BULID": "portable"}).stdout)
    assert problem == f"SUDOKUMILL_NATIVE_BULID is not a setting; did you mean {SETTING}?"
    env = one_file_plugin(
        "far",
        """
        @hookimpl
        def sudokumill_register_generators():
            names = ("SUDOKUMILL_FAR_URL", "SUDOKUMILL_FAR_TOKEN", "SUDOKUMILL_NEAR_URL")
            yield generator("far", environment=names)
        """,
    )
    mine = {"SUDOKUMILL_FAR_URL": "https://me:s3cret@example.org/x", "SUDOKUMILL_FAR_TOKEN": "t0ken"}
    report = outcome("doctor", env=env | mine)
    shown = {name: value for name, value in report["settings"].items() if name.endswith(("_URL", "_TOKEN"))}
    assert shown == {
        "SUDOKUMILL_DATABASE_URL": "sqlite:///sudokumill.db",
        "SUDOKUMILL_FAR_URL": "https://me:***@example.org/x",
        "SUDOKUMILL_FAR_TOKEN": "(set)",
    }
    wrong = outcome("doctor", code=1, env=env | {"SUDOKUMILL_NEAR_URL": "x", "SUDOKUMILL_FAR_URI": "y"})
    assert [one.partition(";")[0] for one in wrong["problems"]] == [
        "SUDOKUMILL_FAR_URI is not a setting",
        "SUDOKUMILL_NEAR_URL is not a setting",
    ]


def test_the_engine_says_which_build_runs(mill: Mill, outcome: Outcome) -> None:
    native = ("generator", "digger", "solver")
    for env, expected in (({}, _kernel.builds[0]), ({SETTING: "portable"}, "portable")):
        report = outcome("doctor", env=env)
        assert report["problems"] == []
        told = report["implementations"]
        assert {name.partition("=")[0] for name in told} == {f"{role} native" for role in native}
        assert {line.split()[0] for line in told.values()} == {expected}
        for role in native:
            shown = outcome("plugins", "show", role, "native", env=env)
            assert shown["detail"] == told[f"{role} native=={shown['version']}"]
            assert f"\nhere: {shown['detail']}\n" in mill("plugins", "show", role, "native", env=env).stdout
        for build in _kernel.builds:
            assert build in shown["detail"]
    assert outcome("plugins", "show", "digger", "holes")["detail"] is None


def test_a_build_that_cannot_run_here(mill: Mill, outcome: Outcome) -> None:
    env = {SETTING: "avx1024"}
    [problem] = problems(mill("doctor", code=1, env=env).stdout)
    assert SETTING in problem
    assert f"'avx1024'; it can run {', '.join(_kernel.builds)}" in problem
    assert "portable" in problem
    shown = outcome("plugins", "show", "digger", "native", env=env)
    assert SETTING in shown["detail"]
    assert "clues" in shown["options"]


@pytest.mark.parametrize(
    ("detail", "reason"),
    [("lambda: 1 / 0", "ZeroDivisionError"), ("lambda: 'two\\nlines'", "one line"), ("lambda: 5", "one line")],
)
def test_a_detail_that_fails_hides_no_other(
    detail: str, reason: str, one_file_plugin: Plugin, mill: Mill, outcome: Outcome
) -> None:
    env = one_file_plugin(
        "crooked",
        f"""
        @hookimpl
        def sudokumill_register_generators():
            yield generator("silent", detail={detail})
            yield generator("talks", detail=lambda: "by hand")
        """,
    )
    report = outcome("doctor", code=1, env=env)
    [problem] = report["problems"]
    assert "'silent'" in problem
    assert reason in problem
    assert report["implementations"]["generator talks==1.0"] == "by hand"
    assert report["implementations"]["solver native==2"]
    assert reason in mill("plugins", "show", "generator", "silent", env=env).stdout
    listed = json.loads(mill("plugins", "list", "--json", env=env).stdout)
    assert {plugin["state"] for plugin in listed} == {"loaded"}


def test_the_default_digger_is_built_too(one_file_plugin: Plugin, outcome: Outcome) -> None:
    env = one_file_plugin(
        "crooked",
        """
        class Refuses:
            def __init__(self, options):
                raise OSError("the shovel is not here")

            def dig(self, finals, seeds):
                raise NotImplementedError

        @hookimpl
        def sudokumill_register_diggers():
            yield digger("refuses", Refuses)
        """,
    )
    found = outcome("doctor", code=1, env={**env, "SUDOKUMILL_DIGGER": "refuses"})
    [problem] = [each for each in found["problems"] if "digger of orders that name none" in each]
    assert "the shovel is not here" in problem
    assert found["plugins"]["crooked"].endswith(": loaded, 1 implementation")


@pytest.mark.parametrize("command", ["plugins list", "plugins show digger holes", "doctor"])
def test_tables_have_no_trailing_blanks_and_know_the_width(command: str, mill: Mill) -> None:
    wide = mill(*command.split()).stdout.splitlines()
    narrow = mill(*command.split(), env={"COLUMNS": "80"}).stdout.splitlines()
    for lines in (wide, narrow):
        assert lines == [line.rstrip() for line in lines]
    assert max(map(len, narrow)) <= 80
    if command != "doctor":
        assert max(map(len, wide)) > 100
