"""Plays the rows of a frame through `pcm-browser simulate`."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from ._binary import find_binary

if TYPE_CHECKING:
    import pyarrow as pa

Frame = TypeVar("Frame")
Profile = Mapping[str, Any] | str | os.PathLike[str] | bytes
"""A profile: its content, its path, or the text of its file."""

REPORTS = {"recipient": "string", "at": "timestamp", "body": "string", "click": "bigint", "trigger": "bigint"}
"""The columns of reports after the user, with their types in SQL."""

POSTBACKS = {
    "recipient": "string",
    "at": "timestamp",
    "body": "string",
    "impression": "bigint",
    "conversion": "bigint",
    "update": "bigint",
    "framework": "string",
    "ad_network": "string",
    "app": "string",
    "sequence_index": "bigint",
    "did_win": "boolean",
}
"""The columns of postbacks after the user, with their types in SQL."""

LOSSES = {"row": "bigint", "kind": "string", "rule": "string", "reason": "string"}
"""The columns of losses after the user, with their types in SQL."""

Wanted = Literal["reports", "postbacks", "losses"]
"""The rows of a result."""

COLUMNS: dict[Wanted, dict[str, str]] = {"reports": REPORTS, "postbacks": POSTBACKS, "losses": LOSSES}

_BATCH = 65_536
"""The number of rows that are written at once, and of results that are read."""


class SimulationError(ValueError):
    """A simulation without a result. Its text names the row, the column, and the remedy.

    Example::

        events = pyarrow.table({"user": ["anna"], "time": [1795168800], "kind": ["tap"]})
        with pytest.raises(SimulationError, match="no kind of event") as failure:
            simulate(events)
        assert failure.value.row == 0

    Attributes:
        row: The position of the row in the frame, from 0; None if the error is not in a row.
    """

    def __init__(self, detail: str, row: int | None = None) -> None:
        self.row = row
        super().__init__(detail)


# In a traceback, the error has the name under which it is imported.
SimulationError.__module__ = "pcm_browser"


def simulate(
    frame: Frame,
    profile: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    seed: str = "1",
    losses: bool = False,
    postbacks: bool = False,
    user: str | None = None,
    time: str | None = None,
) -> Frame:
    """Returns the reports that Safari would have sent about the clicks and orders in a frame, or the postbacks about ads for apps.

    The columns are those of `pcm-browser simulate`. A cell is absent if it is None, NaN, NaT, or empty. A time without a zone
    is in UTC. The rows are sorted by user and time, and rows of the same time keep their order. The package `pyarrow` is
    required: `pip install 'pcm-browser[pandas]'`, `[polars]`, or `[arrow]`.

    Example::

        events = {"user": ["anna"] * 2, "time": [1795168800, 1795172400], "kind": ["click", "trigger"]}
        events |= {"source": ["news.example"] * 2, "destination": ["shop.example"] * 2}
        events |= {"source_id": [7, None], "data": [None, 3]}
        reports = simulate(pyarrow.table(events))
        assert reports["recipient"].to_pylist() == ["destination", "source"]
        assert reports["trigger"].to_pylist() == [1, 1]

    Args:
        frame: A DataFrame of pandas or Polars, or a Table of Arrow.
        profile: The columns, the encodings, and the settings of users: the path of a file, or its content.
        seed: The seed of the delays. The same seed repeats them.
        losses: Returns the clicks and events without a report or postback instead of the reports.
        postbacks: Returns the postbacks of the device instead of the reports. They are not signed, and one of AdAttributionKit is
            its decoded payload.
        user: The column of the user; by default, `user` or its name in the content of a profile.
        time: The column of the time; by default, `time` or its name in the content of a profile.

    Returns:
        A frame of the same library. Reports have the columns `user`, `recipient`, `at`, `body` (the JSON as sent), `click`, and
        `trigger`. Postbacks have the columns `user`, `recipient`, `at`, `body`, `impression`, `conversion` (an install or a tap),
        `update` (the call with the value, if any), `framework`, `ad_network`, `app`, `sequence_index`, and `did_win`. Losses have
        the columns `user`, `row`, `kind`, `rule`, and `reason`. `click`, `trigger`, `impression`, `conversion`, `update`, and
        `row` are positions of rows in the frame, from 0, such as for `iloc`. `user` has its type in the frame.

    Raises:
        SimulationError: A column or a cell is wrong.
        ValueError: Both losses and postbacks are wanted.
        BinaryNotFound: The program is not on this machine.
    """
    import pyarrow as pa

    try:
        table, restore = _table(frame)
        wanted = wanted_rows(losses=losses, postbacks=postbacks)
        rows = _TableRows(table, *key_columns(table.column_names, profile, user, time))
        batches = list(results(rows, profile, seed, wanted))
        result: Frame = restore(pa.Table.from_batches(batches, _schema(rows.user_type, wanted)))
        return result
    except pa.ArrowException as error:
        raise SimulationError(f"Arrow cannot read the frame: {error}") from error


def wanted_rows(*, losses: bool, postbacks: bool) -> Wanted:
    """Returns the rows of a result."""
    if losses and postbacks:
        raise ValueError("a result has losses or postbacks; call simulate once for each")
    return "losses" if losses else "postbacks" if postbacks else "reports"


def key_columns(columns: list[str], profile: Profile | None, user: str | None, time: str | None) -> tuple[str, str]:
    """Returns the names of the columns of the user and of the time, by which rows are sorted."""
    mapping = profile.get("columns", {}) if isinstance(profile, Mapping) else {}
    found = {"user": user or mapping.get("user", "user"), "time": time or mapping.get("time", "time")}
    for parameter, name in found.items():
        if columns.count(name) > 1:
            raise SimulationError(f'the frame has the column "{name}" twice')
        if name not in columns:
            listed = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
            raise SimulationError(f'the frame has no column "{name}": pass {parameter}= with its name; the columns are {listed}')
    return found["user"], found["time"]


class Rows(Protocol):
    """The rows of a simulation in the order of users and times, numbered from 0 in this order."""

    user_type: pa.DataType
    """The type of the user in the results, known with the first batch."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Returns the rows."""

    def position(self, row: int) -> int:
        """Returns the number of a row in the results."""

    def place(self, row: int) -> str:
        """Returns the name of a row in errors."""


class _TableRows:
    """The rows of a table, which are sorted here."""

    def __init__(self, table: pa.Table, user: str, time: str) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        keys = pa.table({"user": cells(table[user]), "time": without_dictionary(table[time])})
        # The sort is stable.
        self._order = pc.sort_indices(keys, sort_keys=[("user", "ascending"), ("time", "ascending")])
        # Its elements are read much faster than values of Arrow.
        self._positions = memoryview(self._order.buffers()[1]).cast("Q")
        self._table = table
        self.user_type = without_dictionary(table[user][:0]).type

    def batches(self) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(self._order), _BATCH):
            yield from self._table.take(self._order[start : start + _BATCH]).combine_chunks().to_batches()

    def position(self, row: int) -> int:
        return self._positions[row]

    def place(self, row: int) -> str:
        return f"row {self.position(row)}"


def results(rows: Rows, profile: Profile | None, seed: str, wanted: Wanted) -> Iterator[pa.RecordBatch]:
    """Plays rows, and returns the reports, postbacks, or losses while it does. It needs memory for a few batches."""
    text = _Text(rows)
    parts = text.parts()
    # Without a row, there is no type of the user, and nothing to play.
    if (first := next(parts, None)) is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        outputs = ["--reports", os.devnull, "--losses", "-"] if wanted == "losses" else ["--reports", "-"]
        options = [f"--seed={seed}", *outputs]
        if profile is not None:
            options += ["--profile", _profile_file(profile, folder)]
        arguments = ["simulate", "-", "--format", "csv", *options]
        lines = _program(arguments, chain([first], parts), lambda detail: text.error(detail.replace(f"{folder}/", "")))
        records = {"reports": _reports, "postbacks": _postbacks, "losses": _losses}[wanted](lines, text.position)
        while batch := list(islice(records, _BATCH)):
            yield _batch(batch, _schema(rows.user_type, wanted))


def _program(arguments: list[str], parts: Iterable[bytes], error: Callable[[str], SimulationError]) -> Iterator[str]:
    """Runs the program with parts of its input, and returns the lines of its output.

    A thread reads the output, because the program writes while it reads. After each part, the lines until then are returned, so
    that few are in memory.
    """
    with tempfile.TemporaryFile() as errors:
        command = [str(find_binary()), *arguments]
        program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        assert program.stdin is not None
        output: SimpleQueue[list[bytes] | None] = SimpleQueue()
        reader = Thread(target=_read, args=(program.stdout, output), daemon=True)
        reader.start()
        try:
            # A program that ends early closes its input, and says why.
            with suppress(BrokenPipeError), program.stdin:
                for part in parts:
                    program.stdin.write(part)
                    while not output.empty() and (lines := output.get()) is not None:
                        yield from map(bytes.decode, lines)
            for lines in iter(output.get, None):
                yield from map(bytes.decode, lines)
            status = program.wait()
        finally:
            program.kill()
            program.wait()
            reader.join()
        if status != 0:
            errors.seek(0)
            detail = errors.read().decode(errors="replace").strip()
            raise error(detail or f"the program ended with {'signal' if status < 0 else 'status'} {abs(status)}")


def _read(stream: Any, output: SimpleQueue[list[bytes] | None]) -> None:
    with stream:
        while lines := stream.readlines(65_536):
            output.put(lines)
    output.put(None)


def _profile_file(profile: Profile, folder: str) -> str:
    """Returns the path of a profile, which is written into the folder if it is given as its content."""
    if isinstance(profile, str | os.PathLike):
        return os.path.abspath(profile)
    path = Path(folder, "profile.yaml")
    path.write_bytes(profile if isinstance(profile, bytes) else json.dumps(profile).encode())
    return str(path)


class _Text:
    """The rows as CSV, with a header in the first line."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._line = 2
        # The lines that do not begin a row: a cell may contain line breaks.
        self._continued = array("q")

    def parts(self) -> Iterator[bytes]:
        for number, batch in enumerate(self._rows.batches()):
            yield self._csv(batch, include_header=number == 0)

    def _csv(self, batch: pa.RecordBatch, *, include_header: bool) -> bytes:
        import pyarrow as pa
        from pyarrow.csv import WriteOptions, write_csv

        texts = pa.table([cells(column) for column in batch.columns], names=batch.schema.names)
        # Quotation marks that are not needed would cost time.
        for style in ("none", "needed"):
            sink = pa.BufferOutputStream()
            try:
                write_csv(texts, sink, WriteOptions(include_header=include_header, quoting_style=style))
                break
            except pa.ArrowInvalid:
                if style == "needed":
                    raise
        if style == "needed":
            self._count_line_breaks(texts)
        self._line += len(texts)
        return bytes(sink.getvalue())

    def _count_line_breaks(self, texts: pa.Table) -> None:
        import pyarrow.compute as pc

        counts = [pc.fill_null(pc.count_substring(column, "\n"), 0).to_pylist() for column in texts.columns]
        for row, breaks in enumerate(map(sum, zip(*counts, strict=True))):
            if breaks:
                self._continued.extend(range(self._line + row + 1, self._line + row + 1 + breaks))
                self._line += breaks

    def _row(self, line: int) -> int:
        return line - 2 - bisect_left(self._continued, line)

    def position(self, line: int | None) -> int | None:
        """Returns the number of a row in the results, from its line."""
        return None if line is None else self._rows.position(self._row(line))

    def error(self, text: str) -> SimulationError:
        """Returns an error of the program with its row in place of its line."""
        text = text.removeprefix("pcm-browser: ")
        text = re.sub(r"(?<= of )line (\d+)(?=;)", lambda match: self._rows.place(self._row(int(match[1]))), text)
        if (match := re.match(r"standard input:(\d+): ", text)) is None:
            return SimulationError(text.replace("standard input", "the frame"))
        detail, row = text[match.end() :], self._row(int(match[1]))
        # The first line is the header.
        if row < 0:
            return SimulationError(detail)
        return SimulationError(f"{self._rows.place(row)}: {detail}", self._rows.position(row))


def cells(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Returns the texts of a column. An integer has no fraction, and a time is in UTC."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = without_dictionary(column)
    kind = column.type
    if pa.types.is_timestamp(kind):
        column = pc.cast(column, pa.timestamp("ms", "UTC" if kind.tz else None), safe=False)
    elif pa.types.is_date(kind):
        column = pc.cast(column, pa.timestamp("ms"))
    elif pa.types.is_floating(kind) or (pa.types.is_decimal(kind) and kind.scale > 0):
        numbers = pc.cast(column, pa.float64())
        numbers = pc.if_else(pc.is_nan(numbers), None, numbers)
        # Other numbers would lose digits.
        is_integer = pc.and_(pc.equal(pc.floor(numbers), numbers), pc.less(pc.abs(numbers), 2.0**53))
        integers = pc.cast(pc.if_else(is_integer, numbers, None), pa.int64())
        return pc.coalesce(pc.cast(integers, pa.string()), pc.cast(numbers, pa.string()))
    return pc.cast(column, pa.large_string() if pa.types.is_large_string(kind) else pa.string())


def without_dictionary(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Returns a column without the dictionary of a categorical column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.cast(column, column.type.value_type) if pa.types.is_dictionary(column.type) else column


Record = tuple[object, ...]


def _sent(lines: Iterable[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Returns the values of each line, and the body as the text that is sent."""
    decoder = json.JSONDecoder()
    for line in lines:
        # In a string, the quotation marks of the key would be escaped.
        head, _, rest = line.partition('"body":')
        _, end = decoder.raw_decode(rest)
        yield json.loads(head.removesuffix(",") + rest[end:]), rest[:end]


def _reports(lines: Iterable[str], position: Callable[[int | None], int | None]) -> Iterator[Record]:
    for report, body in _sent(lines):
        if "click" in report:
            origins = position(report["click"]), position(report["trigger"])
            yield (report["user"], report["recipient"], report["at"], body, *origins)


def _postbacks(lines: Iterable[str], position: Callable[[int | None], int | None]) -> Iterator[Record]:
    for postback, body in _sent(lines):
        if "impression" in postback:
            origins = (position(postback[name]) for name in ("impression", "conversion", "update"))
            names = ("framework", "adNetworkIdentifier", "bundleIdentifier", "sequenceIndex", "didWin")
            values = (postback[name] for name in names)
            yield (postback["user"], postback["recipient"], postback["at"], body, *origins, *values)


def _losses(lines: Iterable[str], position: Callable[[int | None], int | None]) -> Iterator[Record]:
    rows = csv.reader(lines)
    next(rows, None)
    for user, line, *codes in rows:
        yield (user, position(int(line)), *codes)


def _schema(user: pa.DataType, wanted: Wanted) -> pa.Schema:
    import pyarrow as pa

    kinds = {"string": pa.string(), "bigint": pa.int64(), "timestamp": pa.timestamp("us", "UTC")}
    kinds["boolean"] = pa.bool_()
    return pa.schema({"user": user} | {name: kinds[kind] for name, kind in COLUMNS[wanted].items()})


def _batch(records: list[Record], schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    columns = zip(*records, strict=True)
    # The user and the time are texts at first.
    arrays = [pa.array(column).cast(field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.record_batch(arrays, schema=schema)


def _table(frame: Any) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """Returns a frame as a table of Arrow, and the function that makes such a frame of a table."""
    import pyarrow as pa

    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if isinstance(frame, pa.Table):
        return frame, lambda table: table
    if pandas is not None and isinstance(frame, pandas.DataFrame):
        return pa.Table.from_pandas(frame, preserve_index=False), lambda table: table.to_pandas()
    if polars is not None and isinstance(frame, polars.DataFrame):
        return frame.to_arrow(), polars.from_arrow
    raise TypeError(
        f"simulate() takes a DataFrame of pandas or Polars, or a Table of Arrow, not {type(frame).__qualname__}; "
        "pcm_browser.spark.simulate() takes a DataFrame of Spark"
    )
