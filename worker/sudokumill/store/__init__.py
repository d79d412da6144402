"""The store: jobs, chunks, leases and what they made, in a SQL database.

``database`` opens it, ``models`` says what is in it, ``migrations`` brings it up to date. A job's life:

    orders.place  ->  leases.claim  ->  keeping.finish  ->  advance.advance  ->  ... until it ends
                      (or leases.give_back, leases.reap)

What a chunk made becomes rows in ``packing``: ``tuple_rows`` for SQLite, ``binary_rows`` for PostgreSQL.
``reading`` answers questions, ``steering`` pauses, cancels and retries. The store knows no plugin.
"""

from __future__ import annotations
