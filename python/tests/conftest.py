import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture(scope="session")
def block_scan() -> str:
    return os.fspath(ROOT / "examples" / "ptx" / "block_scan.ptx")
