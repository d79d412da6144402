"""A generator that draws from few finals, so that the same one comes again and again."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from pydantic import Field

from sudokumill.contracts import GenerateResult, GeneratorDescriptor, Options
from sudokumill.grids.batch import from_lines
from sudokumill.grids.isomorphisms import draw
from sudokumill.hookspecs import hookimpl
from sudokumill.streams import Seeds, Streams, position_seeds

FINAL = from_lines(["826495173759213864134786925978562341312974658645138792467851239291347586583629417"])


class FewOptions(Options):
    distinct: int = Field(7, ge=1, description="finals that there are")
    faults: str = Field("", description="invalid/N: what of these is no final")


class FewGenerator:
    def __init__(self, options: FewOptions) -> None:
        self.options = options

    def generate(self, seeds: Seeds) -> GenerateResult:
        numbers = (seeds % np.uint64(self.options.distinct)).astype(np.int64)
        finals = draw(Streams(position_seeds(78, numbers))).apply(np.repeat(FINAL, len(seeds), axis=0))
        if self.options.faults:
            step = int(self.options.faults.removeprefix("invalid/"))
            bad = numbers % step == step - 1
            finals[bad, 0] = finals[bad, 1]
        return GenerateResult(finals, np.zeros(len(seeds), dtype=np.uint8))


@hookimpl
def sudokumill_register_generators() -> Iterable[GeneratorDescriptor]:
    yield GeneratorDescriptor(
        name="few", version="1.0", summary="few finals", factory=FewGenerator, options=FewOptions, rate=1_000
    )
