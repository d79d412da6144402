#!/usr/bin/env python3
"""Asks an advisory service about every distribution that sudokumill needs, in the versions that are installed.

    .ci/advisories.py [--service URL]

Run by the Python of an environment with sudokumill in it. The service is OSV's (https://osv.dev), or one that
takes the same questions. Ends with 1 if it knows of an advisory; if it cannot be reached, it says "not checked".
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import urllib.error
import urllib.request
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

SERVICE = "https://api.osv.dev"
ROOT = "sudokumill"
SECONDS = 20
GREATEST_ANSWER = 10_000_000


def needed() -> dict[str, str]:
    """Name to version of all that is needed, by what the installed distributions say of themselves."""
    found: dict[str, str] = {}
    left = [ROOT]
    while left:
        name = re.sub(r"[-_.]+", "-", left.pop()).lower()
        try:
            here = distribution(name)
        except PackageNotFoundError:
            continue  # for another system, or an extra that nobody asked for
        if name not in found:
            found[name] = here.version
            left += [
                re.split(r"[ ;<>=!~\[(]", line, maxsplit=1)[0]
                for line in here.requires or ()
                if "extra ==" not in line
            ]
            # what celery[redis] and psycopg[binary] bring
            left += [match for match in ("redis", "psycopg-binary") if name in {"celery", "psycopg"}]
    del found[ROOT]
    return dict(sorted(found.items()))


def ask(service: str, versions: dict[str, str]) -> dict[str, list[str]]:
    """Name to ids of advisories.

    Raises:
        OSError, ValueError: the service cannot be reached, or answers something else.
    """
    queries = [
        {"package": {"ecosystem": "PyPI", "name": name}, "version": version} for name, version in versions.items()
    ]
    request = urllib.request.Request(  # noqa: S310 - https by default; another service is the caller's own choice
        f"{service}/v1/querybatch",
        json.dumps({"queries": queries}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
        results: list[dict[str, Any]] = json.loads(answer.read(GREATEST_ANSWER))["results"]
    if len(results) != len(versions):
        raise ValueError(f"{len(results)} answers to {len(versions)} questions")
    return {
        name: [known["id"] for known in result.get("vulns", ())]
        for name, result in zip(versions, results, strict=True)
        if result.get("vulns")
    }


def main() -> int:
    """Asks, prints, and returns the exit code."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--service", default=SERVICE)
    service = arguments.parse_args().service
    versions = needed()
    try:
        known = ask(service, versions)
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = getattr(error, "reason", None) or error
        print(f"advisories: not checked, {service} cannot be used ({' '.join(str(reason).split())})")
        return 0
    for name, ids in known.items():
        print(f"advisories: {name} {versions[name]}: {', '.join(ids)}")
    if not known:
        print(f"advisories: none known of {len(versions)} distributions")
    return 1 if known else 0


if __name__ == "__main__":
    sys.exit(main())
