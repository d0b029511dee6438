"""The wheel: what is in it, what it declares, and that it works away from the repository."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from importlib import metadata
from pathlib import Path

import pytest

from tests.conftest import COMMAND_LINE, SECONDS, process

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "meeting_slot": ROOT / "meeting_slot",
    "meeting_slot_cli": ROOT / "cli/meeting_slot_cli",
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """Give the wheel, built from the repository."""
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        timeout=3 * SECONDS,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.iterdir()
    with zipfile.ZipFile(path) as archive:
        yield archive


@pytest.fixture(scope="module")
def stated(wheel: zipfile.ZipFile) -> Message:
    """Return the wheel's METADATA."""
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


def dist_info(wheel: zipfile.ZipFile, name: str) -> str:
    """Return the text of a file of the wheel's dist-info folder."""
    (path,) = (path for path in wheel.namelist() if path.endswith(f".dist-info/{name}"))
    return wheel.read(path).decode()


def test_wheel_holds_the_two_packages_and_nothing_else_at_its_top(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    assert len(tops) == len(PACKAGES) + 1


def test_wheel_holds_every_module_and_data_file(wheel: zipfile.ZipFile) -> None:
    in_repository = {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for package, folder in PACKAGES.items()
        for path in folder.rglob("*")
        if path.is_file() and not {"__pycache__", ".mypy_cache"} & set(path.parts)
    }
    in_wheel = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert in_wheel == in_repository
    assert {
        "meeting_slot/py.typed",
        "meeting_slot_cli/py.typed",
        "meeting_slot/data/curated.jsonl",
    } <= in_wheel
    assert not (ROOT / "cli" / "__init__.py").exists()


def test_wheel_holds_the_license(wheel: zipfile.ZipFile, stated: Message) -> None:
    assert stated["License-Expression"] == "MIT"
    text = dist_info(wheel, "licenses/LICENSE")
    assert text == (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith("MIT License")


def test_wheel_installs_the_command(wheel: zipfile.ZipFile) -> None:
    points = dist_info(wheel, "entry_points.txt").split()
    assert points == ["[console_scripts]", "meeting-slot", "=", "meeting_slot_cli.main:main"]


def test_wheel_states_what_the_project_declares(stated: Message) -> None:
    assert stated["Name"] == "meeting-slot"
    assert stated["Requires-Python"] == ">=3.11"
    needed = [line for line in stated.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert sorted(map(distribution, needed)) == sorted(map(distribution, PROJECT["dependencies"]))


def distribution(requirement: str) -> str:
    """Return the normalised name of a requirement such as `click>=8.1`."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match is not None
    return re.sub(r"[-_.]+", "-", match.group()).lower()


def imported(folder: Path) -> set[str]:
    """Return the top-level names that the modules of a folder import, wherever they do."""
    names: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module is not None
                names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_every_third_party_import_is_declared(package: str) -> None:
    declared = {distribution(requirement) for requirement in PROJECT["dependencies"]}
    for extra in ("ray", "report"):
        declared |= set(map(distribution, PROJECT["optional-dependencies"][extra]))
    providers = {"ray": ["ray"], **metadata.packages_distributions()}  # it may be missing here
    third_party = imported(PACKAGES[package]) - sys.stdlib_module_names - set(PACKAGES)
    for name in sorted(third_party):
        assert {distribution(found) for found in providers.get(name, [])} & declared, name


def test_package_does_not_import_its_command_line() -> None:
    assert "meeting_slot_cli" not in imported(PACKAGES["meeting_slot"])
    assert "click" not in imported(PACKAGES["meeting_slot"])


def test_tests_need_nothing_beyond_the_dev_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    assert "meeting-slot[report]" in extras["dev"]
    needed = [*PROJECT["dependencies"], *extras["dev"], *extras["report"]]
    declared = set(map(distribution, needed))
    providers = metadata.packages_distributions()
    third_party = imported(ROOT / "tests") - sys.stdlib_module_names - {*PACKAGES, "tests"}
    for name in sorted(third_party):
        assert {distribution(found) for found in providers.get(name, [])} & declared, name


def test_every_name_of_the_public_list_exists() -> None:
    package = importlib.import_module("meeting_slot")
    assert sorted(set(package.__all__)) == sorted(package.__all__)
    for name in package.__all__:
        assert hasattr(package, name), name


def test_wheel_works_away_from_the_repository(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    place = "import meeting_slot, meeting_slot_cli as c; print(meeting_slot.__file__, c.__file__)"
    here = {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    run = process(command_line=(sys.executable, "-c", place), env=here, cwd=tmp_path)
    assert run.out.split() == [str(tmp_path / package / "__init__.py") for package in PACKAGES]
    run = process("demo", command_line=COMMAND_LINE, env=here, cwd=tmp_path)
    assert (run.status, run.err) == (0, "")
    assert "weekend_skip_dst" in run.out


def test_v0_finds_its_defaults_in_the_modules_folder() -> None:
    in_module = tomllib.loads((PACKAGES["meeting_slot"] / "pyproject.toml").read_text("utf-8"))
    at_top = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found = in_module["tool"]["verifiers"]["eval"]
    assert found == at_top["tool"]["verifiers"]["eval"]
    assert found == {"num_examples": 15, "rollouts_per_example": 3}


def test_the_package_imports_no_module_before_it_is_asked_for() -> None:
    code = "import sys, meeting_slot; print(*(m for m in sys.modules if 'meeting_slot.' in m))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "\n"
