"""Writes events for simulate, or joins them in DuckDB: throughput.py generate FILE EVENTS [KIND], throughput.py join FILE

The events are the clicks and orders of users with ten events each: campaigns of 40 publishers for five shops, in 14 days. Six of ten are
clicks. A user has three pairs of a publisher and a shop. With a kind, all events are of this kind.

The join has three rules: the latest click of the same user, publisher, and shop before each order, at most seven days before it, and for
each click the order with the highest priority. It prints the seconds that DuckDB takes, without the start of Python.
"""

import random
import sys
import time
from datetime import datetime, timedelta

EVENTS_OF_USER = 10
PUBLISHERS = [f"news{number}.example" for number in range(40)]
SHOPS = [f"shop{number}.example" for number in range(5)]
DAYS = [(datetime(2026, 3, 1) + timedelta(days=day)).strftime("%Y-%m-%d") for day in range(14)]

JOIN = """
WITH events AS (FROM read_csv($file, header = true)),
  clicks AS (SELECT "user", "time", source, destination, source_id FROM events WHERE kind = 'click'),
  orders AS (SELECT "user", "time", source, destination, data, priority FROM events WHERE kind = 'trigger'),
  joined AS (
    SELECT orders.*, clicks.time AS clicked_at, source_id
    FROM orders ASOF JOIN clicks
      ON orders."user" = clicks."user" AND orders.source = clicks.source AND orders.destination = clicks.destination
        AND orders.time >= clicks.time
    WHERE orders.time < clicks.time + INTERVAL 7 DAY)
SELECT count(*), sum(source_id), sum(data)
FROM (
  SELECT source_id, arg_max(data, priority) AS data
  FROM joined GROUP BY "user", source, destination, clicked_at, source_id)
"""


def events_of_user(choose, kind):
    """Returns the rows of a user without the user."""
    pairs = [(choose.choice(PUBLISHERS), choose.choice(SHOPS)) for _ in range(3)]
    rows = []
    for second in sorted(choose.randrange(len(DAYS) * 86_400) for _ in range(EVENTS_OF_USER)):
        day, second = divmod(second, 86_400)
        source, destination = pairs[int(choose.random() * 3)]
        moment = f"{DAYS[day]}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
        if choose.random() < 0.6:
            rows.append(f"{moment},{kind or 'click'},{source},{destination},{int(choose.random() * 256)},,")
        else:
            data = int(choose.random() * 16)
            rows.append(f"{moment},{kind or 'trigger'},{source},{destination},,{data},{data * 4}")
    return rows


def generate(path, count, kind=None):
    choose = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        file.write("user,time,kind,source,destination,source_id,data,priority\n")
        for number in range(count // EVENTS_OF_USER):
            user = f"u{number:06}"
            file.write("".join(f"{user},{row}\n" for row in events_of_user(choose, kind)))


def join(path):
    import duckdb

    connection = duckdb.connect()
    start = time.monotonic()
    result = connection.execute(JOIN, {"file": path}).fetchall()
    print(time.monotonic() - start)
    print(*result, file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "generate":
        generate(sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
    else:
        join(sys.argv[2])
