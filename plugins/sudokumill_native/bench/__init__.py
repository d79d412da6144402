"""Measures the engine on this machine: ``python -m sudokumill_native.bench``."""
