"""``--dry-run``: what an order would be, how long it would take, and what it would leave in stock."""

from __future__ import annotations

from sudokumill.cli.console import out, print_json
from sudokumill.cli.estimate import forecast, rounded
from sudokumill.cli.ordering import fleet_processes, propose
from sudokumill.cli.requests import Request
from sudokumill.cli.summary import items_of, shown_aim
from sudokumill.cli.tables import plain_list
from sudokumill.settings import Settings
from sudokumill.store.stock import count_stock


def tell_proposal(request: Request, settings: Settings, here: int) -> int:
    """Says what an order would come to, and orders nothing; returns the exit code.

    Args:
        request: what was typed.
        settings: where it would be ordered.
        here: processes of this machine that would work on it, beside the fleet's.
    """
    proposed = propose(request, settings)
    spec, database = proposed.spec, proposed.database
    stock = count_stock(database, spec) if spec.from_stock and database is not None else 0
    processes = here + (0 if database is None else fleet_processes(database, spec))
    about = forecast(database, spec, proposed.trial, spec.count - stock, processes)
    made_by = {part.value: f"{choice.name}=={choice.version}" for part, choice in spec.parts.items()}
    if request.wishes.as_json:
        print_json(
            {
                "job": None, "dry_run": True, "kind": spec.kind.value, "count": spec.count,
                "existing_job": proposed.before and proposed.before.id, "parts": made_by, "aim": spec.aim,
                "difficulty": spec.difficulty and spec.difficulty.model_dump(), "stock": stock,
                "about_seconds": about.seconds, "share": about.share, "beside": about.beside,
                "rare": about.warning(),
            }
        )  # fmt: skip
        return 0
    table = plain_list()
    table.add_row("to order", f"{spec.count:,} {items_of(spec.kind)}")
    if spec.difficulty is not None:
        table.add_row("asked for", str(spec.difficulty))
    if spec.from_stock:
        table.add_row("from stock", f"{stock:,}")
    table.add_row("made with", ", ".join(f"{part} {name}" for part, name in made_by.items()))
    aim = shown_aim(spec)
    if aim:
        table.add_row("aimed by", aim)
    table.add_row("it takes", str(about))
    if about.beside:
        table.add_row("to stock", f"about {rounded(about.beside)} other levels")
    out().print(table)
    job = "nothing was ordered" if proposed.before is None else f"its key is that of job {proposed.before.id}"
    out().print(f"\n{job}; without --dry-run it is")
    return 0
