"""``plugins``: what is here and what it registers."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from sudokumill.cli.console import out, print_json
from sudokumill.cli.strict import StrictGroup

if TYPE_CHECKING:
    from sudokumill.contracts import GraderDescriptor, Role
    from sudokumill.registry import Implementation, Plugin, Registry

    Sharers = Mapping[tuple[Role, str], list[str]]
    """By role and name: the plugins that registered it, where these are several."""

ROLE_NAMES: Final = ("generator", "digger", "solver", "grader")
"""Names of the roles, for --help, which does not load the contracts."""


@click.group(cls=StrictGroup, invoke_without_command=True)
@click.pass_context
def plugins(ctx: click.Context) -> None:
    """Lists plugins, and shows the options of what they register.

    \b
    Examples:
      sudokumill plugins
      sudokumill plugins list --json
      sudokumill plugins show digger holes
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_)


@plugins.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def list_(ctx: click.Context, as_json: bool = False) -> None:
    """Lists every plugin with its state, and what it registers.

    Ends with 1 if one failed, or if two have registered the same name.

    \b
    Example:
      sudokumill plugins list --json
    """
    from sudokumill.registry import PluginState, load_registry
    from sudokumill.settings import load_settings

    settings = load_settings()
    found = load_registry(settings.plugins, settings.plugin_dir).probed().plugins
    sharers = _sharers(found)
    if as_json:
        print_json([_plugin_object(plugin, sharers) for plugin in found])
    else:
        _print_plugins(found, sharers)
    failed = any(plugin.state in {PluginState.FAILED, PluginState.PARTLY} for plugin in found)
    ctx.exit(1 if failed or sharers else 0)


@plugins.command(short_help="Shows an implementation and its options.")
@click.argument("named", metavar="[ROLE] NAME", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print the options' JSON schema.")
def show(named: tuple[str, ...], as_json: bool) -> None:
    """Shows an implementation and its options: what each may be, and what it is when it is not given.

    ROLE is generator, digger, solver or grader; it may be left out where only one role has the name. Of a grader
    it also lists the techniques, with the codes that --technique takes and the least rating of each.

    \b
    Examples:
      sudokumill plugins show digger holes
      sudokumill plugins show grader explainer
    """
    from sudokumill.cli.options import describe_options
    from sudokumill.cli.tables import plain_table
    from sudokumill.contracts import GraderDescriptor
    from sudokumill.registry import load_registry
    from sudokumill.settings import load_settings

    settings = load_settings()
    found = _named(load_registry(settings.plugins, settings.plugin_dir), named)
    role = found.role.value
    detail = _detail(found)
    if as_json:
        schema = found.descriptor.options.model_json_schema()
        print_json({**_implementation_object(found), "detail": detail, "schema": schema})
        return
    click.echo(f"{role} {found.reference} of {found.owner}\n{found.descriptor.summary}")
    if detail is not None:
        click.echo(f"here: {detail}")
    described = describe_options(found.descriptor.options)
    table = plain_table("option", "default", "values", "")
    for one in described:
        table.add_row(one.name, one.default, one.values, one.description)
    click.echo()
    out().print(table if described else "no options")
    if isinstance(found.descriptor, GraderDescriptor):
        _print_declared(found.descriptor)


def _named(registry: Registry, named: tuple[str, ...]) -> Implementation:
    """What ``[ROLE] NAME`` means.

    Raises:
        BadOrderError: no such role, too many words, no such name, or one of several roles.
        UnknownImplementationError: the role has none of this name.
    """
    from sudokumill.contracts import Role
    from sudokumill.errors import BadOrderError, near

    name = named[-1]
    if len(named) > 2:
        first = " ".join(named[:2])
        raise BadOrderError(reason=f"name one implementation, for example: sudokumill plugins show {first}")
    if len(named) == 2:
        if named[0] not in ROLE_NAMES:
            raise BadOrderError(reason=f"there is no role {named[0]!r}; {near(named[0], ROLE_NAMES)}")
        return registry.find(Role(named[0]), name)
    plain = name.partition("==")[0]
    roles = [role for role in Role if any(one.name == plain for one in registry.implementations(role))]
    if len(roles) > 1:
        shown = " and ".join(role.value for role in roles)
        raise BadOrderError(
            reason=f"{name} is the name of a {shown}; say which: sudokumill plugins show {roles[0].value} {name}"
        )
    if not roles:
        known = {one.name for role in Role for one in registry.implementations(role)}
        raise BadOrderError(reason=f"nothing is named {name!r}; {near(name, known, 'sudokumill plugins')}")
    return registry.find(roles[0], name)


def _print_declared(grader: GraderDescriptor) -> None:
    """What a grader can say: the codes and ratings that orders name."""
    from sudokumill.cli.tables import plain_table
    from sudokumill.contracts import KNOWN_EXTRAS

    scale = "not declared" if grader.scale is None else f"{grader.scale[0]:.1f} to {grader.scale[1]:.1f}"
    click.echo(f"\nratings: {scale}")
    if grader.extras:
        table = plain_table("figure", "")
        for name in grader.extras:
            table.add_row(name, KNOWN_EXTRAS.get(name, "its own"))
        click.echo()
        out().print(table)
    if grader.techniques:
        table = plain_table("technique", ">from", "")
        for one in grader.techniques:
            table.add_row(one.code, f"{one.rating:.1f}", one.name)
        click.echo()
        out().print(table)


def _detail(one: Implementation) -> str | None:
    """What it tells of this machine. That it cannot tell hides no option: doctor calls it a problem."""
    from sudokumill.errors import SudokumillError
    from sudokumill.registry.building import detail_of

    try:
        return detail_of(one)
    except SudokumillError as error:
        return f"not known: {error}"


def _sharers(found: Sequence[Plugin]) -> Sharers:
    names: dict[tuple[Role, str], list[str]] = {}
    for plugin in found:
        for one in plugin.implementations:
            names.setdefault((one.role, one.name), []).append(plugin.name)
    return {name: plugins for name, plugins in names.items() if len(plugins) > 1}


def _others(one: Implementation, sharers: Sharers) -> list[str]:
    """The other plugins that have registered the same name."""
    others = list(sharers.get((one.role, one.name), [one.plugin.name]))
    others.remove(one.plugin.name)
    return others


def _print_plugins(found: Sequence[Plugin], sharers: Sharers) -> None:
    from sudokumill.cli.tables import plain_table
    from sudokumill.contracts import Role

    console = out()
    table = plain_table("plugin", "distribution", "state", "reason")
    for plugin in found:
        owner = f"{plugin.distribution} {plugin.version}" if plugin.distribution else plugin.source
        table.add_row(plugin.name, owner, plugin.state.value, plugin.reason)
    console.print(table if found else "no plugin is here")
    rows = sorted(
        (one for plugin in found for one in plugin.implementations),
        key=lambda one: (list(Role).index(one.role), one.name),
    )
    if rows:
        table = plain_table("role", "name", "version", "plugin", ">rows/s", "")
        for one in rows:
            others = ", ".join(_others(one, sharers))
            summary = f"ambiguous with plugin {others}" if others else one.descriptor.summary
            table.add_row(
                one.role.value, one.name, one.descriptor.version, one.plugin.name, f"{one.descriptor.rate:,.0f}",
                summary,
            )  # fmt: skip
        console.print()
        console.print(table)


def _plugin_object(plugin: Plugin, sharers: Sharers) -> dict[str, Any]:
    return {
        "name": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "source": plugin.source,
        "state": plugin.state.value,
        "reason": plugin.reason or None,
        "implementations": [
            {**_implementation_object(one), "ambiguous_with": _others(one, sharers)}
            for one in plugin.implementations
        ],
    }


def _implementation_object(one: Implementation) -> dict[str, Any]:
    from sudokumill.contracts import GeneratorDescriptor, GraderDescriptor

    descriptor = one.descriptor
    declared: dict[str, Any] = {}
    if isinstance(descriptor, GraderDescriptor):
        declared = {
            "techniques": [
                {"code": one.code, "rating": one.rating, "name": one.name} for one in descriptor.techniques
            ],
            "scale": descriptor.scale,
            "extras": list(descriptor.extras),
        }
    return {
        "role": one.role.value,
        "name": one.name,
        "version": descriptor.version,
        "plugin": one.plugin.name,
        "summary": descriptor.summary,
        "rate": descriptor.rate,
        "enumerates": isinstance(descriptor, GeneratorDescriptor) and descriptor.size is not None,
        "options": list(descriptor.options.model_fields),
        **declared,
    }
