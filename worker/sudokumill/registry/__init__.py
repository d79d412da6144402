"""The registry: which plugins are here, what they registered, and the object that a name stands for.

A plugin passes four stages, and its failure at any of them stays its own::

    discovery      what is installed, what lies in the folder of one-file plugins, what of that was chosen
    registration   its module is imported, its hooks are called, each descriptor is checked
    options        a person's options become a model, or one line that says what is wrong with them
    building       the factory makes the object that the production line calls

``selection`` holds ``Registry``, which joins them; ``plugins`` what it says of each plugin.
"""

from __future__ import annotations

from sudokumill.registry.plugins import Implementation, Plugin, PluginState
from sudokumill.registry.selection import Registry, load_registry

__all__ = ["Implementation", "Plugin", "PluginState", "Registry", "load_registry"]
