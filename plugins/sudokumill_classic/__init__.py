"""The methods of the project's sources as readable plugins, one method a file.

    generators   random_row, matrix_transform, las_vegas, template_permutation
    diggers      holes (its orders of cells: hole_orders)
    solvers      dfs, random_blank (their common search: backtracking)

``plugin`` registers them, ``options`` holds what each can be asked for.
"""

from __future__ import annotations
