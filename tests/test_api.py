"""The Python API: what `import meeting_slot` gives and loads, and how a notebook shows it."""

import base64
import html.parser
import inspect
import json
import re
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

import meeting_slot as ms
from meeting_slot.pictures import notebook
from tests import oracle
from tests.conftest import ANSWER, a_world

HEAVY = {"altair", "click", "datasets", "openai", "ortools", "pydantic", "rich", "verifiers"}
HOSTILE = "<script>alert(1)</script>"
HEBREW = "\u05d0\u05d1\u05d2"


def loaded_after(code: str) -> set[str]:
    """Return the names of the modules that a new interpreter has loaded after some code."""
    run = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        input=json.dumps(a_world()),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


def tops(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def hostile_world() -> ms.World:
    first, second = a_world()["attendees"]
    people = [{**first, "name": HOSTILE}, {**second, "name": HEBREW}]
    return ms.parse_world(a_world(id='"><img src=x onerror=alert(1)>', attendees=people))


def test_importing_the_package_loads_nothing_heavy_and_none_of_its_modules() -> None:
    loaded = loaded_after("import meeting_slot")
    assert not tops(loaded) & (HEAVY | {"msgspec", "tzdata"})
    assert not {name for name in loaded if name.startswith("meeting_slot.")}


@pytest.mark.parametrize(
    ("asked", "heavy"),
    [
        ("ms.solve(world)", set()),
        ("ms.verify(world, 'NONE')._repr_html_()", set()),
        ("ms.panel(world)._repr_html_(), ms.hardness(world), ms.load(world)", set()),
        ("ms.Target(dst=ms.Dst.SPRING_AFTER, starts=ms.Starts.EXACTLY_ONE)", set()),
        ("ms.solve(world, ms.Solver.BOTH)", {"ortools"}),
        ("ms.certificate(world)", {"ortools"}),
        ("ms.synthesize", {"ortools"}),
    ],
)
def test_a_name_loads_what_it_needs_when_it_is_asked_for(asked: str, heavy: set[str]) -> None:
    code = "import json, meeting_slot as ms\nworld = ms.parse_world(json.load(sys.stdin))\n"
    assert tops(loaded_after(code + asked)) & HEAVY == heavy


def test_a_name_means_the_same_after_its_modules_were_loaded() -> None:
    """A submodule of the same name would take its place as soon as anything imports it."""
    code = (
        "import importlib, pkgutil, meeting_slot as ms\n"
        "for found in pkgutil.iter_modules(ms.__path__):\n"
        "    assert found.name not in ms.__all__, found.name\n"
    )
    loaded_after(code)


@pytest.mark.parametrize("name", ms.__all__)
def test_every_public_name_is_documented_and_listed(name: str) -> None:
    found = getattr(ms, name)
    assert name in dir(ms)
    if isinstance(found, str | tuple):  # a constant: its module says what it is
        return
    text = inspect.getdoc(found)
    assert text is not None
    assert text.splitlines()[0].endswith((".", ":"))
    if isinstance(found, type):
        assert "__doc__" in vars(found)


@pytest.mark.parametrize("name", ms.__all__)
def test_every_field_of_a_public_struct_is_described(name: str) -> None:
    found = getattr(ms, name)
    if isinstance(found, type) and issubclass(found, msgspec.Struct):
        described = inspect.getdoc(found) or ""
        for field in found.__struct_fields__:
            assert f"\n    {field}: " in described, field


def test_the_answer_is_the_same_by_each_solver() -> None:
    world = ms.parse_world(a_world())
    for solver in ms.Solver:
        assert ms.solve(world, solver) == ms.solve(world) == ANSWER
    never = ms.parse_world(a_world(request={**a_world()["request"], "window_days": 1}))
    for solver in ms.Solver:
        assert ms.solve(never, solver) == ms.NONE == "NONE"


def test_a_wish_needs_no_seed_and_a_number_is_a_text() -> None:
    target = ms.Target(dst=ms.Dst.SPRING_AFTER, starts=ms.Starts.EXACTLY_ONE)
    world = ms.synthesize(target)
    assert world == ms.synthesize(target, "0")
    assert ms.synthesize(target, 7) == ms.synthesize(target, "7") != world
    as_object: Any = world.to_json()
    assert oracle.answer(as_object) == ms.solve(world) == world.recorded


def test_results_are_typed_and_show_what_they_hold() -> None:
    world = ms.parse_world(a_world())
    assert repr(ms.load(world)) == "Load(calls=15)"  # 1, and for each of 2: zone, hours, 5 dates
    assert ms.load(world).size is ms.Size.S
    # Friday is full, the weekend off, and on Sunday clocks move: all of clock, both of weekdays,
    # ignore-busy and first-day-only are wrong; Monday from 13:00Z on is free for everybody.
    assert ms.hardness(world) == 7
    assert ms.band_of(7) is ms.Band.MEDIUM
    found = ms.panel(world)
    assert ms.answer_text(found.gold) == ANSWER
    assert repr(found).startswith(f"Panel(gold={found.gold}, answers={{'ignore-time-zones': ")
    verdict = ms.verify(world, "NONE")
    assert repr(verdict).startswith(f"Verdict(proposed='NONE', answer='{ANSWER}', reason=Start")
    proof = ms.certificate(world)
    assert proof.floor == len(proof.observations) + 1
    assert repr(proof).startswith(f"Certificate(answer={found.gold}, observations=(Observation(")
    assert ms.proved(world, proof.observations, proof.answer)


class _Tags(html.parser.HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


SHAPES = {"svg", "rect", "g", "path", "line", "text", "defs", "clipPath"}
TABLE = {"table", "caption", "thead", "tbody", "tr", "th", "td", "bdi"}


def shown(value: Any) -> _Tags:
    page = _Tags(value._repr_html_())
    assert not page.open
    return page


def test_a_table_of_a_world_says_what_is_asked_and_who_takes_part() -> None:
    page = _Tags(notebook.world_table(ms.parse_world(a_world())))
    assert page.tags == TABLE
    for text in (
        f"30 minutes, to start within 4 days from 2024-03-08 00:00Z; the answer is {ANSWER}",
        "Ava",
        "America/New_York",
        "09:00-17:00 Mon-Fri",
    ):
        assert text in page.text


def test_hostile_names_are_text_in_a_notebook() -> None:
    world = hostile_world()
    for value in (ms.certificate(world), ms.panel(world)):
        assert shown(value).tags <= TABLE
    table = _Tags(notebook.world_table(world))
    assert table.tags == TABLE
    for page in (table, shown(ms.certificate(world))):
        assert HOSTILE in page.text
        assert HEBREW in page.text


def test_a_hostile_proposal_is_text_in_a_notebook() -> None:
    made_by_hand = ms.Verdict(f"{HOSTILE}\u202e", ANSWER, ms.why_not(hostile_world(), None))
    page = shown(made_by_hand)
    assert page.tags <= TABLE
    assert page.text.startswith(f"wrong: {HOSTILE}\\u202e")
    conflicts = ms.verify(hostile_world(), "2024-03-08T15:00:00Z")
    assert f"{HOSTILE} is busy 09:00-17:00" in shown(conflicts).text


def test_the_panel_of_a_notebook_has_a_row_a_policy() -> None:
    found = ms.panel(ms.parse_world(a_world()))
    page = found._repr_html_()
    assert page.count("<tr>") == 1 + 1 + len(found.answers)
    assert page.count(">wrong<") == len(found.wrong)


def test_a_world_in_a_notebook_is_an_image_in_which_names_are_text() -> None:
    page = hostile_world()._repr_html_()
    match = re.fullmatch(
        f'<img alt="A timeline; the answer is {ANSWER}" style="max-width: 100%" '
        'src="data:image/svg\\+xml;base64,([^"]+)">',
        page,
    )
    assert match is not None
    picture = ElementTree.fromstring(base64.b64decode(match[1]))
    assert {one.tag.rpartition("}")[2] for one in picture.iter()} <= SHAPES
    assert not [name for one in picture.iter() for name in one.attrib if name.startswith("on")]
    texts = "".join(picture.itertext())
    assert HOSTILE in texts
    assert HEBREW in texts


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_a_world_is_a_table_where_the_extra_is_missing(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    world = hostile_world()
    assert world._repr_html_() == notebook.world_table(world)


def test_a_crowd_is_a_table() -> None:
    first, _ = a_world()["attendees"]
    people = [{**first, "name": f"Ava {number}"} for number in range(notebook.MOST_DRAWN + 1)]
    assert shown(ms.parse_world(a_world(attendees=people))).tags == TABLE
