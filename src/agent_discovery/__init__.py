"""Which few agents and tools, of hundreds to millions, should an LLM see for a request?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from agent_discovery.errors import InputError

if TYPE_CHECKING:
    __version__: str
    from agent_discovery.registry import Hit, Registry
    from agent_discovery.retrieval.explain import Evidence
    from agent_discovery.retrieval.standing import Explanation

__all__ = ["Evidence", "Explanation", "Hit", "InputError", "Registry", "__version__"]


def __getattr__(name: str) -> Any:
    """Import what takes long on first use, so that light imports stay light."""
    if name == "__version__":
        from importlib.metadata import version

        return version("agent-discovery")
    if name in __all__:
        return getattr(import_module("agent_discovery.registry"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
