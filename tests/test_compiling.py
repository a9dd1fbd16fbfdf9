"""Compiled functions where numba may keep them, and where it may not."""

from numba.core.caching import CacheImpl
from pytest import mark

from agent_discovery.retrieval.compiling import njit


def twice(number):
    return number + number


@mark.parametrize("options", [{}, {"nogil": True}])
def test_they_are_kept_where_a_folder_can_be_written(tmp_path, monkeypatch, options):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    assert njit(cache=True, **options)(twice)(4) == 8
    assert list(tmp_path.rglob("*.nbi"))


@mark.parametrize("options", [{}, {"nogil": True}])
def test_they_work_where_none_can(monkeypatch, options):
    """As in a container with read-only code and no home."""
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    compiled = njit(cache=True, **options)(twice)
    assert compiled(4) == 8 and compiled.targetoptions.get("nogil", False) == bool(options)
