"""Which few agents and tools, of hundreds to millions, should an LLM see for a request?"""

from importlib.metadata import version

__version__ = version("agent-discovery")
__all__ = ["Registry", "__version__"]


def __getattr__(name: str):
    """Import `Registry` on first use, so that light imports (signals, errors) stay light."""
    if name == "Registry":
        from agent_discovery.registry import Registry

        return Registry
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
