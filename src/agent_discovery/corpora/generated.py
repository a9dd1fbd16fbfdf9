"""The mark of a generated collection: a file beside it that says what is not a real download."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent_discovery.corpora.readers import parse_json, read_text
from agent_discovery.errors import InputError

MARK = "generated.json"


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class GeneratedFile(_Model):
    """A file of a generated collection."""

    bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class GeneratedMark(_Model):
    """What was generated; `statistics` are those of a sample of its own."""

    form: str
    generator_version: int
    seed: int
    passages: int = Field(ge=1)
    queries: int = Field(ge=1)
    judgments: int = Field(ge=1)
    files: dict[str, GeneratedFile]
    statistics: dict[str, float]

    @property
    def note(self) -> str:
        """What a reader of the results must know."""
        return (
            f"generated in {self.form}'s form (seed {self.seed}, {self.passages:,} passages): "
            "this is not the real collection"
        )


def read_mark(folder: Path) -> GeneratedMark | None:
    """The mark in a collection's folder, if there is one; InputError when it cannot be read."""
    path = folder / MARK
    if not path.exists():
        return None
    try:
        return GeneratedMark.model_validate(parse_json(read_text(path), str(path)))
    except (InputError, ValidationError):
        raise InputError(
            f"{path}: cannot be read: delete it and the files beside it, and generate the "
            "collection again"
        ) from None


def check_whole(mark: GeneratedMark, folder: Path) -> None:
    """Refuse a collection that lacks a file that its mark names, or has another in its place.

    Only sizes are compared, so that this takes no time.
    """
    for name, declared in mark.files.items():
        path = folder / name
        if not path.is_file():
            raise InputError(f"{path} is missing: generate the collection again")
        if path.stat().st_size != declared.bytes:
            raise InputError(
                f"{path} is not what {MARK} says: generate the collection again, or delete {MARK} "
                "if every file beside it is a real download"
            )
