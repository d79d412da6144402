"""Fleets for the tests of this folder (see ``servers.fleet``)."""

from servers.fleet import crowd, empty_database, fleet, new_fleet

__all__ = ["crowd", "empty_database", "fleet", "new_fleet"]
