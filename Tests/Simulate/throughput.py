"""Writes events for simulate, or joins them in DuckDB.

    throughput.py generate FILE EVENTS [KIND]
    throughput.py generate-apps FILE EVENTS PROFILE
    throughput.py join FILE

The events are the clicks and orders of users with ten events each: campaigns of 40 publishers for five shops, in 14 days. Six of ten are
clicks. A user has three pairs of a publisher and a shop. With a kind, all events are of this kind.

The events of apps are of users with ten events each, in 14 days: three ads of ten apps for five games, then the install and the launch of a
game, and five conversion values. The profile has the apps.

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
APPS = [f"com.example.app{number}" for number in range(10)]
GAMES = [f"com.example.game{number}" for number in range(5)]
COARSE_VALUES = ["low", "medium", "high"]
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


def app_events_of_user(choose):
    """Returns the rows of a user of apps without the user."""
    game = choose.choice(GAMES)
    ads = [f"impression,{choose.choice(APPS)},{game},{1000 + choose.randrange(100)},," for _ in range(3)]
    values = [f"conversion-value,,{game},,{choose.randrange(64)},{choose.choice(COARSE_VALUES)}" for _ in range(5)]
    rows = []
    seconds = sorted(choose.randrange(len(DAYS) * 86_400) for _ in range(EVENTS_OF_USER))
    for second, row in zip(seconds, [*ads, f"install,,{game},,,", f"launch,,{game},,,", *values], strict=True):
        day, second = divmod(second, 86_400)
        rows.append(f"{DAYS[day]}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z,{row}\n")
    return rows


def generate_apps(path, count, profile):
    choose = random.Random(1)
    with open(profile, "w", encoding="ascii") as file:
        file.write("apps:\n")
        for number, name in enumerate(APPS + GAMES, 1001):
            networks = "[example123.skadnetwork]" if name in APPS else "[]"
            file.write(f"  - {{ bundleIdentifier: {name}, itemIdentifier: {number}, adNetworks: {networks} }}\n")
    with open(path, "w", encoding="ascii") as file:
        file.write("user,time,kind,source,destination,source_id,data,coarseValue\n")
        for number in range(count // EVENTS_OF_USER):
            file.write("".join(f"u{number:06},{row}" for row in app_events_of_user(choose)))


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
    elif sys.argv[1] == "generate-apps":
        generate_apps(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        join(sys.argv[2])
