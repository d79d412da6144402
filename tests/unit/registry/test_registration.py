"""Failure stays with the plugin, and with the descriptor, that it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sudokumill.contracts import API_VERSION, GraderDescriptor, Role
from sudokumill.errors import BrokenImplementationError, HiddenImplementationError, UnknownImplementationError
from sudokumill.registry import Plugin, PluginState, Registry, load_registry

Write = Callable[[str, str], Path]
Install = Callable[..., None]


def _load(folder: Path) -> tuple[Registry, Plugin]:
    """The registry of the folder's plugins, and the one named ``bad``."""
    names = ",".join(sorted(path.stem for path in folder.glob("*.py")))
    registry = load_registry(names, folder)
    (bad,) = (plugin for plugin in registry.plugins if plugin.name == "bad")
    return registry, bad


@pytest.fixture
def beside(write_plugin: Write) -> Callable[[str], tuple[Registry, Plugin]]:
    """Loads a bad plugin beside a good one, and sees that the good one works."""

    def load(text: str) -> tuple[Registry, Plugin]:
        write_plugin("good", "@hookimpl\ndef sudokumill_register_generators():\n    yield generator('good')\n")
        registry, bad = _load(write_plugin("bad", text))
        assert registry.generator("good") is not None
        return registry, bad

    return load


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import no_such_module_anywhere", "import failed: ModuleNotFoundError: No module named"),
        ("def broken(:\n    pass", "import failed: SyntaxError:"),
        ("1 / 0", "import failed: ZeroDivisionError: division by zero (bad.py:"),
        ("raise SystemExit(3)", "import failed: SystemExit: 3 (bad.py:"),
        ("class Odd(BaseException):\n    pass\nraise Odd('odd\\nand long')", "import failed: Odd: odd and long"),
        (
            "class Mute(Exception):\n    def __str__(self):\n        raise ValueError\nraise Mute",
            "import failed: Mute: its message cannot be shown",
        ),
        ("x = 1", "it implements no hook"),
    ],
)
def test_a_plugin_that_cannot_be_imported(
    beside: Callable[[str], tuple[Registry, Plugin]], text: str, reason: str
) -> None:
    _, bad = beside(text)
    assert bad.state is PluginState.FAILED
    assert bad.implementations == ()
    assert reason in bad.reason
    assert "\n" not in bad.reason


def test_keyboard_interrupt_is_not_caught(write_plugin: Write) -> None:
    folder = write_plugin("bad", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load_registry("bad", folder)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise RuntimeError('no luck')", "sudokumill_register_generators raised RuntimeError: no luck (bad.py:"),
        ("raise SystemExit", "sudokumill_register_generators raised SystemExit"),
        ("return None", "gave None; it must yield descriptors or return a list of them"),
        ("return 'images'", "gave a str; it must yield"),
        ("return generator('images')", "gave a GeneratorDescriptor; it must yield"),
        ("yield 'images'", "must give GeneratorDescriptor, not a str"),
        ("yield generator", "must give GeneratorDescriptor, not a function"),
        (
            "yield SolverDescriptor(name='s', version='1', summary='s', factory=Images, rate=1)",
            "must give GeneratorDescriptor, not a SolverDescriptor",
        ),
        ("yield generator('images', colour='red')", "TypeError"),
        ("yield generator('Big Name')", "its name must be lower-case letters, digits and single hyphens"),
        ("yield generator('')", "its name must be"),
        ("yield generator(7)", "its name must be"),
        ("yield generator('images', version='1 beta')", "its version must be text without spaces"),
        ("yield generator('images', version=1.0)", "its version must be text"),
        ("yield generator('images', summary='two\\nlines')", "its summary must be one line"),
        ("yield generator('images', factory=None)", "its factory must be callable, not None"),
        ("yield generator('images', factory=dict)", "dict has no method generate"),
        ("yield generator('images', options=dict)", "its options must be a subclass of"),
        ("yield generator('images', options=Options())", "its options must be a subclass of"),
        ("yield generator('images', rate=0)", "its rate must be a number of rows a second above 0"),
        ("yield generator('images', rate='fast')", "its rate must be"),
        ("yield generator('images', environment='SUDOKUMILL_X_Y')", "its environment must be a tuple of names"),
        (
            "yield generator('images', environment=('HOME',))",
            "its environment must be a tuple of names SUDOKUMILL_<P",
        ),
        ("yield generator('images', detail='fast')", "its detail must be a function that gives a line of text"),
        ("yield generator('images', size=81)", "its size must be a function of the options, not a int"),
        ("yield generator('images', options=NoSchema)", "its options have no JSON schema: PydanticInvalidForJson"),
        ("yield generator('images', options=OddSchema)", "its options have no JSON schema: SystemExit: no schema"),
        ("yield generator('images', api_version=0)", "api_version must be"),
        (
            f"yield generator('images', api_version={API_VERSION + 1})",
            f"built for API version {API_VERSION + 1}, this sudokumill has {API_VERSION}; update sudokumill",
        ),
        ("yield generator('images'); yield generator('images', version='2')", "registered 2 times"),
    ],
)
def test_a_hook_that_gives_what_it_must_not(
    beside: Callable[[str], tuple[Registry, Plugin]], body: str, reason: str
) -> None:
    _, bad = beside(f"@hookimpl\ndef sudokumill_register_generators():\n    {body}\n")
    assert bad.state is PluginState.FAILED
    assert reason in bad.reason


@pytest.mark.parametrize(
    ("role", "field", "reason"),
    [
        ("solver", "engine=7", "its engine must be None, or lower-case letters"),
        ("solver", "engine='My Search'", "its engine must be None, or"),
        ("digger", "engine=''", "its engine must be None, or"),
        ("digger", "uses_solver='native'", "its uses_solver must be True or False, not a str"),
    ],
)
def test_what_a_solver_or_digger_declares_is_checked(
    beside: Callable[[str], tuple[Registry, Plugin]], role: str, field: str, reason: str
) -> None:
    kind = f"{role.capitalize()}Descriptor"
    made = f"{kind}(name='one', version='1', summary='s', factory=lambda options: 0, rate=1, {field})"
    _, bad = beside(f"@hookimpl\ndef sudokumill_register_{role}s():\n    yield {made}\n")
    assert bad.state is PluginState.FAILED
    assert reason in bad.reason


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("techniques=['x-wing']", "its techniques must be a tuple of Technique"),
        ("techniques=('x-wing',)", "its techniques must be a tuple of Technique"),
        ("techniques=(Technique('X-Wing', 3.2),)", "code 'X-Wing': lower-case letters, digits and single hyphens"),
        ("techniques=(Technique('x-' + 'y' * 60, 3.2),)", "60 at the most"),
        ("techniques=(Technique('x-wing', 3.2, 'X\\nwing'),)", "technique x-wing: its name must be one line"),
        (
            "techniques=(Technique('x-wing', float('nan')),)",
            "technique x-wing: its rating must be a number, not nan",
        ),
        ("techniques=(Technique('a', 1), Technique('b', 1), Technique('a', 2))", "technique a is declared twice"),
        ("scale=(2, 1)", "its scale must be None, or the least and the greatest rating, not (2, 1)"),
        ("scale=(1, float('inf'))", "its scale must be None, or the least"),
        ("scale=7", "its scale must be None, or the least"),
        ("scale=(1, 3), techniques=(Technique('x-wing', 3.2),)", "a technique has a rating outside its scale"),
        ("extras=('er', 'sum of ratings')", "its extras must be a tuple of names"),
        ("extras='er'", "its extras must be a tuple of names"),
        ("clue_limits=(7.0, 50)", "its clue_limits must be a tuple of (rating, clues)"),
        ("clue_limits=((7.0, 16),)", "its clue_limits must be a tuple of (rating, clues), with clues from 17"),
    ],
)
def test_what_a_grader_declares_is_checked(
    beside: Callable[[str], tuple[Registry, Plugin]], field: str, reason: str
) -> None:
    made = f"GraderDescriptor(name='one', version='1', summary='s', factory=lambda options: 0, rate=1, {field})"
    _, bad = beside(f"@hookimpl\ndef sudokumill_register_graders():\n    yield {made}\n")
    assert bad.state is PluginState.FAILED
    assert reason in bad.reason


def test_what_a_grader_declares_can_be_asked_without_building_it(write_plugin: Write) -> None:
    text = """
    class Stops(Options):
        ceiling: float | None = None

    def none(options):
        raise AssertionError("built")

    @hookimpl
    def sudokumill_register_graders():
        fish = Technique("x-wing", 3.2), Technique("swordfish", 3.8)
        more = {"techniques": fish, "scale": (3.2, 3.8), "extras": ("er",)}
        yield GraderDescriptor(name="fish", version="1", summary="s", factory=none, rate=1, options=Stops, **more)
        yield GraderDescriptor(name="plain", version="1", summary="s", factory=none, rate=1)
    """
    registry = load_registry("graders", write_plugin("graders", text))
    fish, plain = (registry.find(Role.GRADER, name).descriptor for name in ("fish", "plain"))
    assert isinstance(fish, GraderDescriptor)
    assert isinstance(plain, GraderDescriptor)
    assert (fish.codes, fish.scale, fish.has_ceiling) == (("x-wing", "swordfish"), (3.2, 3.8), True)
    assert (plain.codes, plain.scale, plain.has_ceiling) == ((), None, False)


def test_one_bad_descriptor_does_not_take_the_good_ones_with_it(
    beside: Callable[[str], tuple[Registry, Plugin]],
) -> None:
    registry, bad = beside(
        """
        @hookimpl
        def sudokumill_register_generators():
            yield generator("first")
            yield generator("newer", api_version=99)
            yield generator("last")
            raise RuntimeError("at the end")

        @hookimpl
        def sudokumill_register_solvers():
            return 5
        """
    )
    assert bad.state is PluginState.PARTLY
    assert [implementation.name for implementation in bad.implementations] == ["first", "last"]
    for reason in ("generator 'newer': it was built for API version 99", "at the end", "solvers gave a int"):
        assert reason in bad.reason
    with pytest.raises(BrokenImplementationError, match=r"'newer' of plugin bad .*API version 99"):
        registry.find(Role.GENERATOR, "newer")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "@hookimpl\ndef sudokumill_register_generator():\n    yield generator('images')",
            "there is no hook sudokumill_register_generator; did you mean sudokumill_register_generators",
        ),
        (
            "def sudokumill_register_generators():\n    yield generator('images')",
            "sudokumill_register_generators lacks @hookimpl",
        ),
        (
            "@hookimpl\ndef sudokumill_register_generators(job):\n    yield generator('images')",
            "its hooks are wrong",
        ),
        (
            "@hookimpl(wrapper=True)\ndef sudokumill_register_generators():\n    return (yield)",
            "is a wrapper; hooks only register",
        ),
    ],
)
def test_a_hook_that_is_none(beside: Callable[[str], tuple[Registry, Plugin]], text: str, reason: str) -> None:
    _, bad = beside(text)
    assert bad.state is PluginState.FAILED
    assert reason in bad.reason


def test_a_hook_that_has_nothing_to_give_is_no_failure(beside: Callable[[str], tuple[Registry, Plugin]]) -> None:
    _, bad = beside("@hookimpl\ndef sudokumill_register_generators():\n    return []\n")
    assert (bad.state, bad.reason) == (PluginState.LOADED, "")


def test_a_hook_for_newer_versions_may_be_marked_optional(
    beside: Callable[[str], tuple[Registry, Plugin]],
) -> None:
    _, bad = beside(
        """
        @hookimpl
        def sudokumill_register_generators():
            yield generator("images")

        @hookimpl(optionalhook=True)
        def sudokumill_register_painters():
            return []
        """
    )
    assert bad.state is PluginState.LOADED


def test_five_installed_plugins_three_of_them_bad(install: Install) -> None:
    """Case C105: import error, a digger without its method, a newer API; the other two work."""
    good = "@hookimpl\ndef sudokumill_register_generators():\n    yield generator('{}')\n"
    install("five-a", good.format("images-a"), version="1.1")
    install("five-b", "raise OSError('no such device')", version="1.2")
    install(
        "five-c",
        """
        @hookimpl
        def sudokumill_register_diggers():
            factory = lambda options: object()
            yield DiggerDescriptor(name="shovel", version="1", summary="s", factory=factory, rate=1)
        """,
        version="1.3",
    )
    newer = "@hookimpl\ndef sudokumill_register_generators():\n    yield generator('later', api_version=99)\n"
    install("five-d", newer, version="1.4")
    install("five-e", good.format("images-e"), version="1.5")
    names = "five-a,five-b,five-c,five-d,five-e"
    registry = load_registry(names)
    for name in ("images-a", "images-e"):
        assert registry.generator(name) is not None
    with pytest.raises(
        BrokenImplementationError, match=r"'shovel' of plugin five-c \(five-c 1.3\).*without method dig"
    ):
        registry.digger("shovel")
    lists = [
        [
            (plugin.distribution, plugin.version, plugin.state, plugin.reason)
            for plugin in again.probed().plugins
            if plugin.name.startswith("five-")
        ]
        for again in (registry, load_registry(names))
    ]
    assert lists[0] == lists[1]
    assert [line[:3] for line in lists[0]] == [
        ("five-a", "1.1", "loaded"),
        ("five-b", "1.2", "failed"),
        ("five-c", "1.3", "failed"),
        ("five-d", "1.4", "failed"),
        ("five-e", "1.5", "loaded"),
    ]
    reasons = [line[3] for line in lists[0]]
    assert reasons[0] == reasons[4] == ""
    assert "no such device" in reasons[1]
    assert "digger 'shovel': its factory gave a object without method dig" in reasons[2]
    assert "API version 99" in reasons[3]


def test_a_missing_name_tells_of_plugins_that_may_have_it(write_plugin: Write) -> None:
    folder = write_plugin("bad", "raise OSError('no such device')")
    with pytest.raises(
        HiddenImplementationError, match=r"plugin bad \(.*bad\.py\) failed to load \(import failed: OSE"
    ):
        load_registry("bad", folder).find(Role.SOLVER, "quick")
    with pytest.raises(UnknownImplementationError, match=r"plugin bad .* is left out by SUDOKUMILL_PLUGINS"):
        load_registry("none", folder).find(Role.SOLVER, "quick")
