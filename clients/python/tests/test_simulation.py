"""Frames of pandas, Polars, and Arrow through `pcm-browser simulate`, compared with the program on the same rows."""

from __future__ import annotations

import csv
import datetime
import json
import math
import subprocess
from collections.abc import Callable
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pcm_browser import BinaryNotFound, SimulationError, find_binary, simulate

Columns = dict[str, list[Any]]
START = 1_795_168_800
FRAMES: dict[str, Callable[[Columns], Any]] = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


def shop(users: int = 3) -> Columns:
    """The clicks and orders of users, in an order that is not sorted. The second order of a user is lost."""
    rows = [
        row
        for user in range(users)
        for row in (
            (f"u{user:05}", START + 7200, "trigger", "news.example", "shop.example", None, user % 16, 1),
            (f"u{user:05}", START, "click", "news.example", "shop.example", user % 256, None, None),
            (f"u{user:05}", START + 3600, "trigger", "news.example", "shop.example", None, user % 16, 1),
        )
    ]
    names = ["user", "time", "kind", "source", "destination", "source_id", "data", "priority"]
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def of_the_program(columns: Columns, *options: str, losses: bool = False) -> list[tuple[Any, ...]]:
    """The program's results for the rows in the order of users and times, with the positions of the rows."""
    order = sorted(range(len(columns["user"])), key=lambda row: (columns["user"][row], columns["time"][row]))
    text = StringIO()
    csv.writer(text).writerows([list(columns), *([column[row] for column in columns.values()] for row in order)])
    outputs = ["--reports", "/dev/null", "--losses", "-"] if losses else ["--reports", "-"]
    run = subprocess.run(
        [find_binary(), "simulate", "-", *outputs, *options], input=text.getvalue(), capture_output=True, text=True, check=True
    )
    if losses:
        return [(user, order[int(line) - 2], *codes) for user, line, *codes in list(csv.reader(StringIO(run.stdout)))[1:]]
    found = []
    for line in run.stdout.splitlines():
        report = json.loads(line)
        body = json.dumps(report["body"], separators=(",", ":"))
        assert f'"body":{body},' in line
        at = datetime.datetime.fromisoformat(report["at"].replace("Z", "+00:00"))
        origins = order[report["click"] - 2], order[report["trigger"] - 2]
        found.append((report["user"], report["recipient"], at, body, *origins))
    return found


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    if isinstance(frame, pd.DataFrame):
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(frame, pl.DataFrame):
        frame = frame.to_arrow()
    return [tuple(row.values()) for row in frame.to_pylist()]


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_has_the_reports_and_losses_of_the_program(library: str) -> None:
    frame = FRAMES[library](shop())
    reports = simulate(frame)
    assert type(reports) is type(frame)
    assert rows_of(reports) == of_the_program(shop())
    assert len(rows_of(reports)) == 6
    assert rows_of(simulate(frame, seed="two")) == of_the_program(shop(), "--seed", "two") != rows_of(reports)
    losses = rows_of(simulate(frame, losses=True))
    assert losses == of_the_program(shop(), losses=True)
    assert [loss[1] for loss in losses] == [0, 3, 6]


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_is_larger_than_the_pipes_and_a_batch(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcm_browser._simulation._BATCH", 1_000)
    columns = shop(4_000)
    assert rows_of(simulate(FRAMES[library](columns))) == of_the_program(columns)


def moved(zone: str | None) -> list[Any]:
    """The times of the shop with a zone."""
    times = pd.to_datetime(pd.Series(shop()["time"]), unit="s", utc=True)
    return list(times.dt.tz_convert(zone) if zone else times.dt.tz_localize(None))


SAME: dict[str, Callable[[], Any]] = {
    "times without a zone": lambda: pd.DataFrame(shop() | {"time": moved(None)}),
    "times with a zone": lambda: pd.DataFrame(shop() | {"time": moved("America/New_York")}),
    "times as texts": lambda: pd.DataFrame(shop() | {"time": [str(time) for time in moved("UTC")]}),
    "times in nanoseconds": lambda: pa.table(
        shop() | {"time": pa.array([time * 10**9 + 999 for time in shop()["time"]], pa.timestamp("ns"))}
    ),
    "times as floats": lambda: pd.DataFrame(shop() | {"time": [time * 1000.0 for time in shop()["time"]]}),
    "times of Polars": lambda: pl.DataFrame(shop()).with_columns(
        pl.from_epoch("time").dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")
    ),
    "integers with NaN": lambda: pd.DataFrame(shop()).astype(dict.fromkeys(("source_id", "data", "priority"), "float64")),
    "integers with NaN in Polars": lambda: pl.DataFrame(
        shop() | {"source_id": [math.nan if value is None else float(value) for value in shop()["source_id"]]}
    ),
    "objects with NaN": lambda: pd.DataFrame(shop()).astype("object").fillna(math.nan),
    "nullable integers": lambda: pd.DataFrame(shop()).convert_dtypes(),
    "integers of Arrow": lambda: pd.DataFrame(shop()).convert_dtypes(dtype_backend="pyarrow"),
    "decimals": lambda: pa.table(
        shop() | {"data": [None if value is None else Decimal(f"{value}.00") for value in shop()["data"]]}
    ),
    "categories": lambda: pd.DataFrame(shop()).astype(dict.fromkeys(("user", "kind", "source", "source_id"), "category")),
    "categories of Polars": lambda: pl.DataFrame(shop()).cast(dict.fromkeys(("user", "kind", "source"), pl.Categorical)),
    "a column without a value": lambda: pd.DataFrame(shop() | {"href": [None] * 9}),
    "empty texts": lambda: pl.DataFrame(shop()).cast({"source_id": pl.String}).with_columns(pl.col("source_id").fill_null("")),
    "texts with quotation marks": lambda: pl.DataFrame(shop()).with_columns(pl.lit('https://shop.example/?a="b",c').alias("href")),
    "another index": lambda: pd.DataFrame(shop()).set_index(pd.Index(range(9, 0, -1), name="id")),
}


@pytest.mark.parametrize("name", SAME)
def test_types_of_frames_have_the_same_reports(name: str) -> None:
    columns = shop()
    if name == "texts with quotation marks":
        columns["href"] = ['https://shop.example/?a="b",c'] * 9
    assert rows_of(simulate(SAME[name]())) == of_the_program(columns)


def test_a_user_has_its_type_in_the_frame() -> None:
    events = pd.DataFrame(shop()).assign(user=[7] * 3 + [10] * 3 + [8] * 3)
    reports = simulate(events)
    assert reports["user"].dtype == events["user"].dtype
    # In the order of the texts.
    assert reports["user"].unique().tolist() == [10, 7, 8]
    assert simulate(events.astype({"user": "float64"}))["body"].equals(reports["body"])
    assert simulate(events.astype({"user": "category"}))["user"].equals(reports["user"])


def test_rows_of_the_same_time_keep_their_order() -> None:
    columns = shop(1) | {"time": [START] * 3, "kind": ["click", "trigger", "trigger"], "source_id": [1, None, None]}
    columns |= {"data": [None, 5, 6], "priority": [None, 1, 1]}
    assert rows_of(simulate(pl.DataFrame(columns))) == of_the_program(columns)
    assert simulate(pl.DataFrame(columns))["trigger"].to_list() == [1, 1]


def test_positions_are_right_after_cells_with_line_breaks() -> None:
    columns = shop()
    columns["user"] = ["a\nb\n"] * 3 + ["a"] * 3 + ["b\nc"] * 3
    losses = simulate(pl.DataFrame(columns), losses=True)
    assert losses.select("user", "row").rows() == [("a", 3), ("a\nb\n", 0), ("b\nc", 6)]
    columns["data"][6] = 100
    with pytest.raises(SimulationError, match="row 6: data: ") as failure:
        simulate(pl.DataFrame(columns))
    assert failure.value.row == 6


def test_a_frame_without_rows_has_no_reports() -> None:
    empty = pd.DataFrame(shop()).head(0)
    assert list(simulate(empty)) == ["user", "recipient", "at", "body", "click", "trigger"]
    assert list(simulate(empty, losses=True)) == ["user", "row", "kind", "rule", "reason"]


WRONG: dict[str, tuple[Columns, str]] = {
    "a value": ({"data": [1, None, 1, 1, None, 1, 100, None, 1]}, r"row 6: data: triggerData must be an integer from 0 to"),
    "a fraction": ({"data": [1, None, 1, 1, None, 1.5, 1, None, 1]}, "row 5: data: triggerData must be an integer"),
    "a missing time": ({"time": [START, START, START, START, None, START, START, START, START]}, 'row 4: time: "" is no time'),
    "a missing user": ({"user": ["u"] * 8 + [None]}, "row 8: user: the cell is empty"),
    "mixed forms of times": (
        {"time": ["2026-11-20T11:00:00+09:00", "2026-11-20T10:00:00Z", "2026-11-20T09:00:00Z"] * 3},
        r"row 0: time: \S+ is before \S+ of row 1; sort",
    ),
    "a column": ({"dat": [1] * 9}, '^dat: unknown column; did you mean "data"'),
    "two types": ({"data": [1, "x"] + [1] * 7}, "Arrow cannot read the frame: .*data"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_names_the_row_and_the_column(name: str) -> None:
    columns, text = WRONG[name]
    with pytest.raises(SimulationError, match=text):
        simulate(pd.DataFrame(shop() | columns))


def test_the_columns_of_user_and_time_are_required() -> None:
    events = pd.DataFrame(shop()).rename(columns={"user": "customer"})
    listed = "customer, time, kind, source, destination, source_id, data, priority"
    with pytest.raises(SimulationError, match=f'no column "user": pass user= with its name; the columns are {listed}'):
        simulate(events)
    with pytest.raises(SimulationError, match='no column "at": pass time= '):
        simulate(events, user="customer", time="at")
    with pytest.raises(SimulationError, match='the column "user" twice'):
        simulate(pa.Table.from_arrays([[1], [2]], names=["user", "user"]))
    with pytest.raises(TypeError, match=r"not list; pcm_browser\.spark"):
        simulate([])


APPS: dict[str, Any] = {
    "apps": [
        {"bundleIdentifier": "com.example.news", "itemIdentifier": 1001, "adNetworks": ["example123.skadnetwork"]},
        {"bundleIdentifier": "com.example.game", "itemIdentifier": 525463029},
    ]
}


def ads(users: int = 3) -> Columns:
    """The ads, installs, and values of users, not sorted, with a click and an order. The last user has no install."""
    rows = [
        row
        for user in range(users)
        for row in (
            (f"u{user:05}", START + 7200, "conversion-value", None, "com.example.game", None, user % 64),
            (f"u{user:05}", START, "impression", "com.example.news", "com.example.game", 5239, None),
            (f"u{user:05}", START + 3600, "install" if user < users - 1 else "launch", None, "com.example.game", None, None),
            (f"u{user:05}", START + 3700, "launch", None, "com.example.game", None, None),
            (f"u{user:05}", START + 3800, "click", "news.example", "shop.example", user, None),
            (f"u{user:05}", START + 3900, "trigger", "news.example", "shop.example", None, 3),
        )
    ]
    names = ["user", "time", "kind", "source", "destination", "source_id", "data"]
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_has_postbacks(library: str) -> None:
    frame = FRAMES[library](ads())
    postbacks = simulate(frame, APPS, postbacks=True)
    assert type(postbacks) is type(frame)
    rows = rows_of(postbacks)
    names = ["user", "recipient", "at", "body", "impression", "conversion", "update", "framework", "ad_network", "app"]
    assert list(postbacks.column_names if isinstance(postbacks, pa.Table) else postbacks.columns)[:-2] == names
    firsts = [row for row in rows if row[10] == 0]
    assert [row[0] for row in firsts] == ["u00000", "u00001"]
    assert [row[4:7] for row in firsts] == [(1, 2, 0), (7, 8, 6)]
    body = json.loads(firsts[1][3])
    assert body["conversion-value"] == 1
    assert body["ad-network-id"] == firsts[1][8] == "example123.skadnetwork"
    assert firsts[1][7] == "skadnetwork"
    assert firsts[1][9] == "com.example.game"
    assert firsts[1][11] is True
    reports = rows_of(simulate(frame, APPS))
    assert len(reports) == 6
    assert {row[1] for row in reports} == {"source", "destination"}
    assert all(len(row) == 6 for row in reports)
    losses = rows_of(simulate(frame, APPS, losses=True))
    assert {row[2] for row in losses if row[0] == "u00002"} >= {"impression", "conversion-value"}


def test_a_result_has_losses_or_postbacks() -> None:
    with pytest.raises(ValueError, match="losses or postbacks"):
        simulate(pd.DataFrame(ads()), APPS, losses=True, postbacks=True)
    assert list(simulate(pd.DataFrame(ads()).head(0), APPS, postbacks=True))[:4] == ["user", "recipient", "at", "body"]


def test_a_missing_program_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCM_BROWSER_BINARY", "/missing")
    with pytest.raises(BinaryNotFound, match="/missing"):
        simulate(pd.DataFrame(shop()))


def test_a_program_that_ends_early_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pcm-browser"
    monkeypatch.setenv("PCM_BROWSER_BINARY", str(program))
    for script, text in {
        "kill -9 $$": "ended with signal 9",
        "exec 0<&-; echo 'pcm-browser: no space' >&2; exit 2": "^no space$",
    }.items():
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        with pytest.raises(SimulationError, match=text):
            simulate(pl.DataFrame(shop(4_000)))


def test_a_profile_is_a_path_or_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the program's own reading of profiles, which its tests cover: the profile arrives, and names the columns."""
    program = tmp_path / "pcm-browser"
    program.write_text(
        '#!/bin/sh\nwhile [ "$1" != --profile ]; do shift; done; echo "$2:" >&2; cat "$2" >&2; head -n 1 >&2; exit 2\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PCM_BROWSER_BINARY", str(program))
    events = pd.DataFrame({"customer": [1], "at": [START]})
    profile: dict[str, Any] = {"columns": {"user": "customer", "time": "at"}}
    with pytest.raises(SimulationError, match=r'^profile\.yaml:\n\{"columns": .*\}"customer","at"'):
        simulate(events, profile)
    file = tmp_path / "profile.yaml"
    file.write_text("columns: {}\n")
    with pytest.raises(SimulationError, match=r"columns: \{\}\n"):
        simulate(events, file, user="customer", time="at")
