"""Compares `pcm_browser.spark.simulate` with the command `pcm-browser simulate`, byte for byte."""

import csv
import io
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any, NamedTuple

from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pcm_browser import find_binary
from pcm_browser.spark import simulate

START = 1_795_168_800
BIGINTS = {"time", "campaign", "value", "source_id", "data", "priority"}
PROFILE = {
    "columns": {
        "user": "customer",
        "kind": "event",
        "source": "from",
        "destination": "to",
        "source_id": "campaign",
        "data": "value",
        "priority": {"value": 0},
    },
    "kinds": {"ad_click": "click", "order": "trigger", "ad": "impression", "goal": "conversion-value"},
    "apps": [
        {"bundleIdentifier": "com.example.news", "itemIdentifier": 1001, "adNetworks": ["example123.skadnetwork"]},
        {"bundleIdentifier": "com.example.game", "itemIdentifier": 1002},
    ],
}


class Case(NamedTuple):
    """Rows of users in the order of users and times, and the profile that explains them."""

    name: str
    columns: list[str]
    rows: list[tuple]
    profile: dict[str, Any] | None
    results: list[str]

    @property
    def schema(self) -> str:
        return ", ".join(f"`{name}` {'bigint' if name in BIGINTS else 'string'}" for name in self.columns)


def sorted_rows(rows: list[tuple]) -> list[tuple]:
    """The rows as Spark sorts them: None is first."""
    return sorted(rows, key=lambda row: [(cell is not None, cell) for cell in row])


def shop(users: int) -> Case:
    """Clicks and orders. Some users have many, and some of them are at the same time."""
    rows = []
    for user in range(users):
        name = f'user "{user:06}", é'
        for event in range(3_000 if user % 997 == 5 else 2 + user % 5):
            at = START + user % 1000 + event // 2 * 3600
            if event % 3 == 0:
                rows.append((name, at, "click", "news.example", "shop.example", (user + event) % 256, None, None))
            else:
                rows.append((name, at, "trigger", "news.example", "shop.example", None, event % 16, event % 7))
    columns = ["user", "time", "kind", "source", "destination", "source_id", "data", "priority"]
    return Case("shop", columns, sorted_rows(rows), None, ["reports", "losses"])


def games(users: int) -> Case:
    """Ads for an app, installs, launches, and values, with a click and an order of some users."""
    rows = []
    for user in range(users):
        name, at = f'user "{user:06}", é', START + user % 1000
        for ad in range(user % 4):
            rows.append((name, at + ad * 60, "ad", "com.example.news", "com.example.game", 1000 + (user + ad) % 50, None))
        if user % 5:
            rows.append((name, at + 3600, "install", None, "com.example.game", None, None))
            rows.append((name, at + 3700, "launch", None, "com.example.game", None, None))
        for goal in range(user % 7):
            rows.append((name, at + 4000 + goal * 90_000, "goal", None, "com.example.game", None, goal * 5))
        if user % 3 == 0:
            rows.append((name, at, "ad_click", "news.example", "shop.example", user % 256, None))
            rows.append((name, at + 7200, "order", "news.example", "shop.example", None, user % 16))
    columns = ["customer", "time", "event", "from", "to", "campaign", "value"]
    return Case("games", columns, sorted_rows(rows), PROFILE, ["reports", "postbacks", "losses"])


def of_the_command(case: Case, wanted: str) -> str:
    """The output of the command, with the position of each row among the rows of its user in place of its line."""
    text = io.StringIO()
    csv.writer(text).writerows([case.columns, *case.rows])
    options = ["--reports", os.devnull, "--losses", "-"] if wanted == "losses" else ["--reports", "-"]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as profile:
        if case.profile:
            json.dump(case.profile, profile)
            profile.flush()
            options += ["--profile", profile.name]
        run = subprocess.run(
            [find_binary(), "simulate", "-", *options], input=text.getvalue().encode(), capture_output=True, check=True
        )
    first = {}
    for number, row in enumerate(case.rows):
        first.setdefault(row[0], number + 2)
    output = run.stdout.decode()
    if wanted == "losses":
        table = list(csv.reader(io.StringIO(output)))[1:]
        return lines([user, int(line) - first[user], *codes] for user, line, *codes in table)
    found = [line for line in output.splitlines() if ('"framework":' in line) == (wanted == "postbacks")]
    return lines(result_of_the_command(line, first) for line in found)


def result_of_the_command(line: str, first: dict[str, int]) -> list:
    """The cells of a report or a postback, with its body as it is sent."""
    head, rest = line.split(',"body":', 1)
    body, end, tail = re.split(r',("click":|"impression":)(?!.*"(?:click|impression)":)', rest)
    members = json.loads("{" + end + tail)
    positions = {"click", "trigger", "impression", "conversion", "update"}
    start = first[json.loads(head + "}")["user"]]
    cells = [value - start if name in positions and value is not None else value for name, value in members.items()]
    return [*json.loads(head + "}").values(), body, *cells]


def of_spark(frame: DataFrame) -> str:
    """The rows of a DataFrame in the form of the command's output."""

    def cell(value: Any) -> Any:
        if isinstance(value, datetime):
            return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return value

    return lines(list(map(cell, row)) for row in frame.collect())


def lines(rows: Iterable[list]) -> str:
    """The lines of all users, whose order depends on the partitions. The lines of a user keep their order."""
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in sorted(rows, key=lambda row: row[0]))


def session() -> SparkSession:
    return (
        SparkSession.builder.master("local[2, 4]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "America/New_York")
        .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
        .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
        .getOrCreate()
    )


class Killer(threading.Thread):
    """Kills one program of a task, as soon as it has written results."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.killed = threading.Event()
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.killed.is_set() and not self.ended.wait(0.002):
            for process in filter(is_program, pathlib.Path("/proc").glob("[0-9]*")):
                try:
                    # Standard output is a pipe.
                    written = int((process / "io").read_text().split("wchar: ")[1].split()[0])
                    if written > 0 and not self.killed.is_set():
                        os.kill(int(process.name), signal.SIGKILL)
                        self.killed.set()
                except OSError:
                    continue


def is_program(process: pathlib.Path) -> bool:
    """Whether a process is a program that a task of this process has started."""
    try:
        if os.readlink(process / "exe") != str(find_binary().resolve()):
            return False
        while process.name not in ("0", "1", str(os.getpid())):
            process = process.with_name((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return False
    return process.name == str(os.getpid())


def check(name: str, found: str, expected: str) -> None:
    if found != expected:
        pairs = zip(found.splitlines(), expected.splitlines())
        different = next((pair for pair in pairs if pair[0] != pair[1]), ("another number of lines", ""))
        sys.exit(f"{name}: {len(found)} bytes instead of {len(expected)}\n  {different[0]}\n  {different[1]}")
    print(f"{name}: the same {len(found.encode())} bytes")


def compare(spark: SparkSession, case: Case) -> None:
    # In another order.
    frame = spark.createDataFrame(random.Random(1).sample(case.rows, len(case.rows)), case.schema)
    with_types = frame.withColumn("time", frame["time"].cast("timestamp"))
    for wanted in case.results:
        expected = of_the_command(case, wanted)
        options = {wanted: True} if wanted != "reports" else {}
        name = f"{case.name}: {wanted}"
        for partitions in (1, 2, 7):
            spark.conf.set("spark.sql.shuffle.partitions", partitions)
            check(f"{name} with {partitions} partitions", of_spark(simulate(with_types, case.profile, **options)), expected)
        killer = Killer()
        killer.start()
        check(f"{name} after a task whose program was killed", of_spark(simulate(frame, case.profile, **options)), expected)
        killer.ended.set()
        killer.join()
        if not killer.killed.is_set():
            sys.exit("no program was killed")


def check_wrong_cell(spark: SparkSession, case: Case) -> None:
    frame = spark.createDataFrame(case.rows, case.schema)
    wrong = frame.withColumn(
        "data", F.when((frame["user"] == case.rows[0][0]) & (frame["kind"] == "trigger"), 100).otherwise(frame["data"])
    )
    try:
        simulate(wrong).collect()
        sys.exit("a wrong cell had no error")
    except PythonException as error:
        text = 'row 1 of user "user "000000", é": data: triggerData must be an integer from 0 to'
        if text not in str(error):
            sys.exit(str(error))
    print("a wrong cell: the row of its user, and the column")


def main() -> None:
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    web = shop(20_000)
    compare(spark, web)
    compare(spark, games(20_000))
    check_wrong_cell(spark, web)


if __name__ == "__main__":
    main()
