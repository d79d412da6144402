"""``run --no-store``: rows straight into a file."""

from __future__ import annotations

from pathlib import Path

from sudokumill.aiming import aimed
from sudokumill.cli.bars import Bar
from sudokumill.cli.console import err, out, print_json
from sudokumill.cli.delivery import format_for
from sudokumill.cli.ordering import difficulty_of
from sudokumill.cli.requests import Request, Wishes
from sudokumill.cli.summary import failure_objects, items_of, print_failures
from sudokumill.jobs import JobSpec
from sudokumill.orders import specify
from sudokumill.output import STANDARD_OUTPUT, shown
from sudokumill.queue.direct import DirectResult, run_direct
from sudokumill.registry import load_registry
from sudokumill.settings import Settings


def run_without_store(request: Request, settings: Settings) -> int:
    """Makes what was ordered and writes it; returns the exit code."""
    registry = load_registry(settings.plugins, settings.plugin_dir)
    spec = specify(request.order(settings, None, difficulty_of(request, settings)), registry)
    spec, _ = aimed(spec, registry, choose=not request.no_aim, others=request.digger is None)
    wishes = request.wishes
    path = Path(wishes.output or STANDARD_OUTPUT)
    text = format_for(str(path), wishes.text_format)
    with Bar(items_of(spec.kind), spec.count) as bar:
        result = run_direct(spec, settings, path, text, lambda made: bar.show(min(made, spec.count)))
    _tell_direct(spec, result, wishes)
    return 0


def _tell_direct(spec: JobSpec, result: DirectResult, wishes: Wishes) -> None:
    if wishes.as_json:
        outcome = {
            "kind": spec.kind.value,
            "count": spec.count,
            "seed": spec.seed,
            "delivered": result.written,
            "tried": result.tried,
            "repeated": result.repeated,
            "missed": result.missed,
            "failures": failure_objects(result.failures),
            "versions": result.versions,
            "output": wishes.output,
        }
        print_json(outcome, err=wishes.rows_on_stdout)
        return
    console = err() if wishes.rows_on_stdout else out()
    used = ", ".join(f"{part} {name}" for part, name in result.versions.items())
    where = shown(wishes.output or STANDARD_OUTPUT)
    console.print(f"{result.written:,} {items_of(spec.kind)} written to {where} ({used}, seed {spec.seed})")
    for number, name in ((result.missed, "off target"), (result.repeated, "repeated")):
        if number:
            console.print(f"{number:,} more were {name}")
    print_failures(console, result.failures)
