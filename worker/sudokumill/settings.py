"""Settings: environment variables with the prefix ``SUDOKUMILL_``.

They are read once, where a command or a process starts, and handed on; no module keeps them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from pydantic import ByteSize, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from sudokumill.errors import BadSettingError, EmptyDatabaseUrlError

_DATABASE_URL: Final = "SUDOKUMILL_DATABASE_URL"


class Settings(BaseSettings):
    """Every setting; ``sudokumill doctor`` lists them with their values."""

    model_config = SettingsConfigDict(env_prefix="SUDOKUMILL_", env_ignore_empty=True, extra="ignore", frozen=True)

    database_url: str = Field("sqlite:///sudokumill.db", description="SQLAlchemy URL of the store")
    broker_url: str | None = Field(None, description="Redis that wakes workers; none: jobs run here only")
    plugins: str = Field("all", description="plugins to load: all, none, or names parted by commas")
    plugin_dir: Path | None = Field(None, description="folder of one-file plugins")

    generator: str = Field("native", description="generator of orders that name none")
    digger: str = Field("native", description="digger of orders that name none")
    solver: str = Field("native", description="solver of orders that name none")
    checker: str = Field("exact-cover", description="solver that counts the solutions of every dug puzzle")

    grader: str = Field("explainer", description="grader of orders that name none")

    processes: int = Field(
        default_factory=lambda: len(os.sched_getaffinity(0)),
        ge=1,
        le=256,
        description="local processes of run; default: one a core",
    )
    chunk_seconds: float = Field(4.0, gt=0, le=60, description="work that a chunk is planned for, in seconds")
    chunk_attempts: int = Field(3, ge=1, le=20, description="attempts before a chunk is split")
    chunk_limit_seconds: float = Field(
        120.0, ge=1, description="a process that is at one chunk for so long is ended by the kernel"
    )
    chunk_memory: ByteSize = Field(
        ByteSize(2 << 30), ge=256 << 20, description="memory of a process that makes chunks, for example 2GiB"
    )
    lease_seconds: float = Field(
        60.0, ge=1, le=86_400, description="for how much longer than a chunk may take its lease holds"
    )
    reaper_seconds: float = Field(
        15.0, gt=0, le=3_600, description="a worker looks after jobs, and beats, so often"
    )
    dry_positions: int = Field(
        10_000, ge=1, description="a job ends when so many positions in a row delivered nothing"
    )
    licence: str = Field(
        "CC0-1.0", pattern=r"^[ -~]{1,40}$", description="licence that is written beside each level"
    )

    @property
    def names_database(self) -> bool:
        """Whether the database was chosen, and is not the default one."""
        return "database_url" in self.model_fields_set


def load_settings() -> Settings:
    """The settings of this process.

    Raises:
        EmptyDatabaseUrlError: the database's URL is set, and empty.
        BadSettingError: a variable that cannot be used; names it and says why.
    """
    # other settings are as good as unset when they are empty; with this one, a worker or an order would go to a
    # new database, which nobody else has
    if not os.environ.get(_DATABASE_URL, "unset").strip():
        raise EmptyDatabaseUrlError(
            name=_DATABASE_URL, reason="it is empty", default=Settings.model_fields["database_url"].default
        )
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = f"SUDOKUMILL_{str(first['loc'][0]).upper()}"
        raise BadSettingError(name=name, reason=first["msg"]) from None
