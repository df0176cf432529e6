"""Plays the rows of a DataFrame of Spark, on its executors. It requires `pip install 'pcm-browser[spark]'`, on each of them."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._simulation import COLUMNS, cells, key_columns, results, wanted_rows, without_dictionary

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["simulate"]


def simulate(
    frame: DataFrame,
    profile: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    seed: str = "1",
    losses: bool = False,
    postbacks: bool = False,
    user: str | None = None,
    time: str | None = None,
) -> DataFrame:
    """Returns the reports that Safari would have sent about the clicks and orders in a DataFrame of Spark.

    It is `pcm_browser.simulate`, with a program for each task. The rows are partitioned by user, and sorted by user and time.
    Rows of the same time are sorted by their other columns, because a DataFrame has no order. Thus the result does not depend on
    the number of partitions, nor on tasks that are repeated.

    Example::

        from pcm_browser.spark import simulate

        reports = simulate(spark.read.parquet("events"), "profile.yaml")
        reports.groupBy("recipient").count().show()

    Args:
        frame: A DataFrame with the columns of `pcm-browser simulate`.
        profile: The columns, the encodings, and the settings of users: the path of a file on the driver, or its content.
        seed: The seed of the delays. The same seed repeats them.
        losses: Returns the clicks and events without a report or postback instead of the reports.
        postbacks: Returns the postbacks of the device instead of the reports.
        user: The column of the user; by default, `user` or its name in the content of a profile.
        time: The column of the time; by default, `time` or its name in the content of a profile.

    Returns:
        A DataFrame with the columns of `pcm_browser.simulate`. The columns with rows, such as `click`, have positions among the
        rows of their user, from 0.

    Raises:
        SimulationError: A column is missing. A wrong cell fails the task, with the error in its text.
    """
    name, at = key_columns(frame.columns, profile, user, time)
    others = [column for column in frame.columns if column not in (name, at)]
    keys = [frame[f"`{column.replace('`', '``')}`"] for column in (name, at, *others)]
    wanted = wanted_rows(losses=losses, postbacks=postbacks)
    given = Path(profile).read_bytes() if isinstance(profile, str | os.PathLike) else profile

    def play(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return results(_PartitionRows(batches, name), given, seed, wanted)

    columns = {"user": frame.schema[name].dataType.simpleString()} | COLUMNS[wanted]
    schema = ", ".join(f"`{column}` {kind}" for column, kind in columns.items())
    return frame.repartition(keys[0]).sortWithinPartitions(*keys).mapInArrow(play, schema)


class _PartitionRows:
    """The rows of a partition, which Spark has sorted. It remembers where each user begins."""

    user_type: pa.DataType

    def __init__(self, batches: Iterable[pa.RecordBatch], user: str) -> None:
        self._batches = batches
        self._user = user
        self._count = 0
        self._starts = array("q")
        self._users: list[pa.Array] = []

    def batches(self) -> Iterator[pa.RecordBatch]:
        for batch in self._batches:
            if batch.num_rows > 0:
                self._add(batch.column(self._user))
                yield batch

    def _add(self, column: pa.Array) -> None:
        import pyarrow.compute as pc

        self.user_type = without_dictionary(column).type
        runs = pc.run_end_encode(cells(column))
        starts, users = [0, *runs.run_ends.to_pylist()[:-1]], runs.values
        # The last user of the batch before may continue.
        if self._users and self._users[-1][-1] == users[0]:
            starts, users = starts[1:], users[1:]
        if starts:
            self._starts.extend(self._count + start for start in starts)
            self._users.append(users)
        self._count += len(column)

    def _index(self, row: int) -> int:
        return bisect_right(self._starts, row) - 1

    def position(self, row: int) -> int:
        return row - self._starts[self._index(row)]

    def place(self, row: int) -> str:
        import pyarrow as pa

        return f'row {self.position(row)} of user "{pa.chunked_array(self._users)[self._index(row)]}"'
