"""What a person looks for in a grid, one technique or two that are alike a module.

A technique is a generator function: it gets the grid as it stands, changes nothing, and yields a ``Found`` for
everything that it sees. ``singles_and_pairs`` has the table of them, with names and ratings, and applies what they
find. What each of them rules out is wrong in every solution of the grid, whether it has one, several or none.
"""

from __future__ import annotations
