"""The audit of a job: do its rows add up to what was ordered, and does nothing contradict itself?

It only reads, in one snapshot, and counts from the rows themselves: what the host keeps as counters is compared
with them. It holds for a job in progress too, at any moment.

    ordered    = delivered rows + what is left (to come, or not made by the end)
    positions  = delivered + surplus + repeated + off target + not new + item errors
                 + running + waiting + dropped, each position counted once
"""

from __future__ import annotations

from sudokumill.store.audit.account import Account, audit

__all__ = ["Account", "audit"]
