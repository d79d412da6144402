"""What a plugin gives and gets: descriptors, the Protocols of the four roles, their results.

Everything works on batches. Row ``i`` of a result depends on row ``i`` of the inputs and on ``seeds[i]`` alone:
never on the batch's size or order, on threads or processes, on ``PYTHONHASHSEED`` or on a global random
generator (*row invariance*). A wrong shape or dtype raises; what is wrong with one row is that row's status, and
the others go on.
"""

from __future__ import annotations

from sudokumill.contracts.descriptors import (
    API_VERSION,
    Descriptor,
    DiggerDescriptor,
    GeneratorDescriptor,
    GraderDescriptor,
    Options,
    SolverDescriptor,
    Technique,
)
from sudokumill.contracts.results import (
    KNOWN_EXTRAS,
    LINK_REASONS,
    DigResult,
    DigStatus,
    GenerateResult,
    GenerateStatus,
    GradeResult,
    GradeStatus,
    Link,
    Report,
    Reports,
    SolveResult,
    SolveStatus,
    Step,
)
from sudokumill.contracts.roles import (
    Canonicaliser,
    Digger,
    Explainer,
    Generator,
    Grader,
    MinimalityTester,
    Role,
    Solver,
)

__all__ = [
    "API_VERSION",
    "KNOWN_EXTRAS",
    "LINK_REASONS",
    "Canonicaliser",
    "Descriptor",
    "DigResult",
    "DigStatus",
    "Digger",
    "DiggerDescriptor",
    "Explainer",
    "GenerateResult",
    "GenerateStatus",
    "Generator",
    "GeneratorDescriptor",
    "GradeResult",
    "GradeStatus",
    "Grader",
    "GraderDescriptor",
    "Link",
    "MinimalityTester",
    "Options",
    "Report",
    "Reports",
    "Role",
    "SolveResult",
    "SolveStatus",
    "Solver",
    "SolverDescriptor",
    "Step",
    "Technique",
]
