"""The batch language: what a batch of grids is, and what can be said of it without solving it.

A batch of grids is a C-contiguous ``uint8`` array of shape (n, 81), row-major, 0 = blank::

    cell  0  1  2 | 3  4  5 | 6  7  8        r1c1 .. r1c9
          9 10 11 |12 13 14 |15 16 17        r2c1 .. r2c9
          ...

``batch`` has the type, the units and the text of 81 characters; ``clashes`` checks; ``isomorphisms`` and
``symmetries`` hold the algebra, ``canonical`` the form that isomorphs share; ``description`` the metadata that
needs no search.
"""

from __future__ import annotations
