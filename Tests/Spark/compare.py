"""Compares `pcm_browser.spark.simulate` with the command `pcm-browser simulate`, byte for byte."""

import csv
import io
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
from datetime import timezone

from pyspark.errors import PythonException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from pcm_browser import find_binary
from pcm_browser.spark import simulate

COLUMNS = ["user", "time", "kind", "source", "destination", "source_id", "data", "priority"]
SCHEMA = ", ".join(f"{name} {'bigint' if name in ('time', *COLUMNS[5:]) else 'string'}" for name in COLUMNS)
START = 1_795_168_800


def shop(users: int) -> list[tuple]:
    """Clicks and orders, in the order of users and times. Some users have many, and some of them are at the same time."""
    rows = []
    for user in range(users):
        name = f'user "{user:06}", é'
        for event in range(3_000 if user % 997 == 5 else 2 + user % 5):
            at = START + user % 1000 + event // 2 * 3600
            if event % 3 == 0:
                rows.append((name, at, "click", "news.example", "shop.example", (user + event) % 256, None, None))
            else:
                rows.append((name, at, "trigger", "news.example", "shop.example", None, event % 16, event % 7))
    # As Spark sorts: None is first.
    return sorted(rows, key=lambda row: [(cell is not None, cell) for cell in row])


def of_the_command(rows: list[tuple], *, losses: bool) -> str:
    """The output of the command, with the position of each row among the rows of its user in place of its line."""
    text = io.StringIO()
    csv.writer(text).writerows([COLUMNS, *rows])
    outputs = ["--reports", os.devnull, "--losses", "-"] if losses else ["--reports", "-"]
    run = subprocess.run(
        [find_binary(), "simulate", "-", *outputs], input=text.getvalue().encode(), capture_output=True, check=True
    )
    first = {}
    for number, row in enumerate(rows):
        first.setdefault(row[0], number + 2)
    if losses:
        table = list(csv.reader(io.StringIO(run.stdout.decode())))[1:]
        return lines(",".join([user, str(int(line) - first[user]), *codes]) for user, line, *codes in table)
    result = []
    for line in run.stdout.decode().splitlines():
        head, click = line.rsplit('"click":', 1)
        click, trigger = click.removesuffix("}").split(',"trigger":')
        start = first[rows[int(click) - 2][0]]
        result.append(f'{head}"click":{int(click) - start},"trigger":{int(trigger) - start}}}')
    return lines(result)


def of_spark(frame: DataFrame, *, losses: bool) -> str:
    """The rows of a DataFrame in the form of the command's output."""

    def text(row: Row) -> str:
        if losses:
            return ",".join([row.user, str(row.row), row.kind, row.rule, row.reason])
        user = row.user.replace('"', '\\"')
        at = row.at.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return (
            f'{{"user":"{user}","recipient":"{row.recipient}","at":"{at}","body":{row.body},'
            f'"click":{row.click},"trigger":{row.trigger}}}'
        )

    return lines(map(text, frame.collect()))


def lines(texts) -> str:
    """The lines of all users, whose order depends on the partitions. The lines of a user keep their order."""
    return "\n".join(sorted(texts, key=lambda line: line.split(" é")[0]))


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


def main() -> None:
    rows = shop(20_000)
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    # In another order.
    frame = spark.createDataFrame(random.Random(1).sample(rows, len(rows)), SCHEMA)
    with_types = frame.withColumn("time", frame["time"].cast("timestamp"))
    for losses in (False, True):
        kind = "losses" if losses else "reports"
        expected = of_the_command(rows, losses=losses)
        for partitions in (1, 2, 7):
            spark.conf.set("spark.sql.shuffle.partitions", partitions)
            check(f"{kind} with {partitions} partitions", of_spark(simulate(with_types, losses=losses), losses=losses), expected)
        killer = Killer()
        killer.start()
        check(f"{kind} after a task whose program was killed", of_spark(simulate(frame, losses=losses), losses=losses), expected)
        killer.ended.set()
        killer.join()
        if not killer.killed.is_set():
            sys.exit("no program was killed")
    wrong = frame.withColumn(
        "data", F.when((frame["user"] == rows[0][0]) & (frame["kind"] == "trigger"), 100).otherwise(frame["data"])
    )
    try:
        simulate(wrong).collect()
        sys.exit("a wrong cell had no error")
    except PythonException as error:
        text = 'row 1 of user "user "000000", é": data: triggerData must be an integer from 0 to'
        if text not in str(error):
            sys.exit(str(error))
    print("a wrong cell: the row of its user, and the column")


if __name__ == "__main__":
    main()
