"""Builds the dbt package that perfgate writes on DuckDB, over Parquet files by day, and compares its tables with
perfgate's own roll-up of the same events: built first, again, with late events, and with a corrected day.

Usage: judge-warehouse.py PROGRAM SCRATCH [EVENTS]

dbt, its adapter for DuckDB, and DuckDB's program come from PyPI. The package's tests must fail for rows that are wrong. Its macros for the
other engines are rendered as dbt does, transpiled to DuckDB by sqlglot, and run over the same events.
"""

import csv
import datetime
import io
import json
import logging
import os
import pathlib
import re
import subprocess
import sys

import duckdb
import jinja2
import pytz
import sqlglot

logging.getLogger("sqlglot").setLevel(logging.ERROR)
program, scratch = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
count = int(sys.argv[3]) if len(sys.argv) > 3 else 40_000
days = [f"2026-11-{day:02}" for day in range(1, 9)]
releases = ("7.117", "7.129")
by = "os, device_class, network, low_power"
strata = by + ", tags_market"
(scratch / "perfgate.yml").write_text(
    f"field:\n  by: [{by}]\n  tags: [market]\n  columns: {{ day: event_date }}\n"
    '  device_classes: { slow: ["iPhone12*"], "{{ fast }}": ["iPhone17*"] }\n')
(scratch / "profiles.yml").write_text(f"""perfgate_field:
  target: dev
  outputs:
    dev: {{ type: duckdb, path: {scratch / "warehouse.duckdb"}, threads: 1 }}
""")


def call(program, *arguments, given=None):
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"  # for DuckDB's program
    done = subprocess.run(
        [program, *map(str, arguments)], input=given, capture_output=True, text=True, cwd=scratch,
        env=os.environ | {"PATH": path})
    assert done.returncode == 0, f"{program} {arguments}: {done.returncode}\n{done.stderr}"
    return done.stdout


def perfgate(*arguments, given=None): return call(program, *arguments, given=given)


def write(day, file, first, count):
    """Writes events with the numbers from `first` on as a Parquet file of a day; each is a function of its number."""
    folder = scratch / "events" / f"event_date={day}"
    folder.mkdir(parents=True, exist_ok=True)
    chance = lambda salt: f"(hash(number * 1000 + {salt}) % 100003) / 100003.0"
    base = duckdb.connect()
    base.execute(f"""COPY (SELECT TIMESTAMP '{day} 00:00:00' + to_seconds(CAST(86399 * {chance(1)} AS BIGINT)) AS "at",
        CASE WHEN {chance(2)} < .5 THEN '{releases[0]}' ELSE '{releases[1]}' END AS app_version,
        'Page ' || CAST(FLOOR(6 * {chance(3)}) AS INT) AS page, 'shop' AS app,
        CASE WHEN {chance(4)} < .6 THEN 'iOS 17.5' WHEN {chance(4)} < .9 THEN 'iOS 18.1' END AS os,
        CASE WHEN {chance(5)} < .4 THEN 'iPhone12,1' WHEN {chance(5)} < .8 THEN 'iPhone17,2' ELSE 'iPad9' END AS device,
        CASE WHEN {chance(6)} < .7 THEN 'wifi' ELSE 'cellular' END AS network, {chance(7)} < .1 AS low_power_mode,
        CASE WHEN {chance(8)} < .9 THEN 'u' || CAST(FLOOR(700 * {chance(8)}) AS INT) END AS "user",
        CASE WHEN {chance(9)} < .95 THEN 'loaded' ELSE 'error' END AS outcome,
        EXP(4 + {chance(10)}) AS ttfl_ms, EXP(6 + 2 * {chance(11)}) AS ttil_ms, 40 * {chance(12)} AS sth_ms,
        200 * {chance(13)} AS alt_ms, 2 AS alt_count, 90 * {chance(14)} AS rclt_ms, 1 AS rclt_count,
        60 * {chance(15)} AS hitch_ms, 300 * {chance(16)} AS hang_ms, 8000 * {chance(17)} AS duration_ms,
        470 * {chance(18)} AS frame_count, 'm' || CAST(FLOOR(-50 * LN({chance(19)} + .0001)) AS INT) AS market
      FROM (SELECT UNNEST(RANGE({first}, {first + count})) AS number)) TO '{folder / file}' (FORMAT parquet)""")


def dbt(*arguments, build=("build",), **variables):
    """Runs dbt; returns its exit code and what it printed."""
    variables = {"perfgate_today": "2026-11-09", **variables}
    done = subprocess.run(
        [str(pathlib.Path(sys.executable).parent / "dbt"), "--no-use-colors", *build, "--project-dir", "package",
         "--profiles-dir", ".", "--vars", json.dumps(variables), *arguments],
        capture_output=True, text=True, cwd=scratch, env=os.environ | {"DO_NOT_TRACK": "1"})
    return done.returncode, done.stdout


def built(expected, **variables):
    """Builds the package, whose tests must pass, and checks which days were built."""
    code, said = dbt(**variables)
    assert code == 0 and "WARN=0 ERROR=0" in said and "Deprecat" not in said, said
    found = re.findall(r"perfgate: (\d+) days to build(?:: (.*))?", said)
    assert found and all(each == found[0] for each in found), said
    assert int(found[0][0]) == len(expected), f"{found[0]}, not {expected}"
    if expected and len(expected) < 8:
        assert found[0][1].split() == list(expected), (found[0][1], expected)
    return tables()


def query(sql):
    base = duckdb.connect(str(scratch / "warehouse.duckdb"), read_only=True)
    try:
        return base.execute(sql).fetchall()
    finally:
        base.close()


def rows_of(table):
    return list(csv.reader(io.StringIO(table)))[1:]


def tables():
    """Compares the tables with a new roll-up of all files; returns the number of equal rows."""
    base = duckdb.connect()
    base.execute("SET TimeZone = 'UTC'")
    base.execute(
        f"COPY (SELECT * REPLACE (strftime(\"at\", '%Y-%m-%dT%H:%M:%SZ') AS \"at\") FROM "
        f"read_parquet('{scratch / 'events' / '*' / '*.parquet'}')) TO '{scratch / 'events.ndjson'}' (FORMAT json)")
    subprocess.run(["rm", "-rf", str(scratch / "Field")], check=True)
    pair = ":".join(releases)
    perfgate("field", "rollup", "events.ndjson", "--pair", pair, "--quiet")
    own = sorted(
        (*row[:-3], *map(int, row[-3:-1]), tuple(sorted(tuple(map(int, bucket.split(":"))) for bucket in row[-1].split(" "))))
        for row in rows_of(perfgate("field", "export", "--csv", "--raw")))
    given = sorted(
        (*map(str, row[:-1]), )[:10] + (row[10], row[11], tuple(sorted(map(tuple, row[12])))) for row in query(
            f"SELECT app, page, release, day, metric, {strata}, SUM(n), SUM(quanta), LIST((bucket, n)) "
            f"FROM perfgate_field WHERE metric <> 'visits' GROUP BY ALL") for row in [tuple(row) + (None,)])
    assert given == own, f"T differs: {sorted(set(given) ^ set(own))[:3]}"
    users = rows_of(perfgate("field", "export", "--csv", "--raw", "--pair", pair, "--users"))
    found = query("SELECT app, page, release, day, metric, users, m, m2, s2, sm FROM perfgate_field_users WHERE metric <> 'visits'")
    assert sorted(tuple(map(str, row)) for row in found) == sorted(map(tuple, users)), "the sums of users differ"
    return len(given) + len(found)


each = count // len(days)
for number, day in enumerate(days):
    write(day, "0.parquet", number * each, each)
perfgate(
    "field", "sql", "--dbt", "package", "--table-sql",
    f"SELECT * FROM read_parquet('{scratch / 'events' / '*' / '*.parquet'}', hive_partitioning = true)")
said = [built(days), built([])]
write(days[4], "late.parquet", count, 100)
said.append(built([days[4]]))
write(days[2], "0.parquet", count + 100, each)  # as many events with other values, which no count shows
said.append(built([days[2]], perfgate_days=[days[2]]))
print(f"dbt built {said[0]:,} rows equal to perfgate's roll-up, nothing again, a late day and a corrected one")

# Quantiles of the view.
(scratch / "plain.yml").write_text((scratch / "perfgate.yml").read_text().replace(f"by: [{by}]", "by: []").replace("tags:", "# tags:"))
perfgate("field", "rollup", "events.ndjson", "--out", "Plain", "--config", "plain.yml", "--quiet")
expected = {tuple(row[:5]): row[6:] for row in rows_of(perfgate("field", "export", "--csv", "--field", "Plain"))}
worst = 0.0
for *key, events, mean, p50, p75, p90, p95, p99 in query("SELECT * FROM perfgate_field_daily WHERE metric <> 'visits'"):
    own = expected.pop(tuple(map(str, key)))
    assert int(own[0]) == events, key
    for mine, his in zip(map(float, own[1:]), (mean, p50, p75, p90, p95, p99)):
        worst = max(worst, (abs(mine - his) - 0.0005) / max(mine, 0.001))
assert not expected and worst < 1e-6, f"quantiles differ by {worst}"
code, told = dbt(perfgate_base=releases[0], perfgate_candidate=releases[1])
assert code == 0, told
g = rows_of(perfgate("field", "export", "--csv", "--raw", "--pair", ":".join(releases)))
assert sorted(tuple(map(str, row)) for row in query("SELECT * FROM perfgate_field_pair")) == sorted(map(tuple, g)), "G differs"

# Parquet by day, without dbt: the two documented commands.
for day in days[:2]:
    events = f"SELECT * FROM read_parquet('events/event_date={day}/*.parquet')"
    lines = call("duckdb", "-c", f"COPY ({events}) TO '/dev/stdout' (FORMAT json)")
    perfgate("field", "rollup", "-", "--out", "Piped", given=lines)
    perfgate(
        "field", "rollup", "--via", "duckdb -csv", "--dialect", "duckdb", "--since", day, "--until", day, "--out", "Via",
        "--table-sql", "SELECT * FROM read_parquet('events/*/*.parquet', hive_partitioning = true)")
ordered = lambda rows: sorted((*row[:-1], *sorted(row[-1].split(" "))) for row in rows)
own = [row for row in rows_of(perfgate("field", "export", "--csv", "--raw")) if row[3] in days[:2]]
for folder in ("Via", "Piped"):
    given = rows_of(perfgate("field", "export", "--csv", "--raw", "--field", folder))
    assert ordered(given) == ordered(own) and own, f"{folder}: Parquet gave other rows"

# The commands that read the tables say what they say of a folder.
copied = ("perfgate_field", "perfgate_field_users")
for name in copied:  # DuckDB's program may be older than the package that made the file.
    query(f"COPY {name} TO '{scratch / name}.parquet'")
views = " ".join(f"CREATE VIEW {name} AS FROM '{name}.parquet';" for name in copied)
table = ("--via", f'duckdb -csv -cmd "{views}"', "--dialect", "duckdb", "--roll-up", "perfgate_field")


def said_of(source, *arguments):
    """A command's output and the JSON of its result, without the call's own options."""
    result = scratch / "said.json"
    text = perfgate("field", *arguments, "--json", "said.json", *source)
    content = json.loads(result.read_text())
    content.pop("call", None)
    result.unlink()
    return text, content


compared = ("check", "--base", releases[0], "--candidate", releases[1])
assert said_of((*table, "--roll-up-users", "perfgate_field_users"), *compared) == said_of((), *compared), "check --via differs"
for arguments in (("trend",), ("trend", "--by", "os"), ("trend", "--since", days[2], "--where", "network=wifi")):
    assert said_of(table, *arguments) == said_of((), *arguments), f"{arguments} --via differs"
for arguments in (("--csv",), ("--openmetrics", "--until", days[5]), ("--csv", "--raw", "--pair", ":".join(releases))):
    assert perfgate("field", "export", *arguments, *table) == perfgate("field", "export", *arguments), f"{arguments} differs"
assert not (scratch / "perfgate_field").exists()

# Each test fails for what it is there for.
spoiled = {
    "perfgate_bucket_bounds": "UPDATE perfgate_field SET quanta = quanta + 100000000 WHERE metric = 'ttil' AND n = 1",
    "perfgate_key_is_unique": "INSERT INTO perfgate_field SELECT * FROM perfgate_field ORDER BY built_at DESC LIMIT 3",
    "perfgate_all_events_counted": f"DELETE FROM perfgate_field WHERE day = '{days[1]}'",
    "perfgate_outcomes_are_known": "UPDATE perfgate_field SET metric = 'unknown_outcome' WHERE metric = 'load_failures'",
    "perfgate_is_fresh": "DELETE FROM perfgate_field WHERE day > '2026-11-05'"}
kept = (scratch / "warehouse.duckdb").read_bytes()
base = duckdb.connect(str(scratch / "warehouse.duckdb"))
for sql in spoiled.values():
    base.execute(sql)
base.close()
code, told = dbt("--select", "perfgate_field", build=("test",))
passing = [test for test in spoiled if not re.search(rf"FAIL \d+ {test}_perfgate_field_", told)]
assert code != 0 and not passing, f"{passing} pass: {told}"
(scratch / "warehouse.duckdb").write_bytes(kept)
print(f"its {len(spoiled)} tests fail for rows that are wrong, and its quantiles are those of export")


# The macros for the other engines.
class Returned(Exception):
    pass


def rendered(dialect, call):
    """A macro's text for an engine, as dbt renders it."""
    def give(value):
        raise Returned(value)

    quote = "`{}`" if dialect in ("spark", "bigquery", "clickhouse") else '"{}"'
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    source = (scratch / "package" / "macros" / "perfgate_queries.sql").read_text()
    source = re.sub(r"\{% macro (\w+)\((.*?)\) %\}\{\{ return\(.*?\n", "", source)
    environment.globals |= {
        "adapter": type("Adapter", (), {"quote": staticmethod(quote.format)}),
        "exceptions": None, "return": give,
        "modules": type("Modules", (), {"datetime": datetime, "pytz": pytz})}
    return environment.from_string(source + "{{ " + f"{dialect}__{call}" + " }}").render()


base = duckdb.connect(str(scratch / "warehouse.duckdb"))
base.execute("SET TimeZone = 'UTC'")
base.execute("CREATE MACRO substring_index(value, separator, number) AS SPLIT_PART(value, separator, number)")
keys = f"app, page, release, day, metric, {strata}, bucket, n, quanta"
expected = base.execute(f"SELECT {keys} FROM perfgate_field ORDER BY ALL").fetchall()
equal = []
for dialect in ("trino", "bigquery", "spark", "postgres", "duckdb"):
    sql = rendered(dialect, f"perfgate_buckets({days!r})").replace("AS source", "AS given_events")
    if dialect != "duckdb":
        given = re.search(r"read_parquet\('.*?', hive_partitioning = true\)", sql).group(0)
        base.execute(f"CREATE OR REPLACE VIEW events AS SELECT * FROM {given}")
        sql = sqlglot.transpile(sql.replace(given, "events"), read=dialect, write="duckdb")[0]
    found = base.execute(f"SELECT {keys} FROM ({sql}) ORDER BY ALL").fetchall()
    assert found == expected, f"{dialect}: {sorted(set(found) ^ set(expected), key=str)[:3]}"
    daily = rendered(dialect, "perfgate_quantiles('perfgate_field', ['app', 'page', 'release', 'day', 'metric'])")
    if dialect != "duckdb":
        daily = sqlglot.transpile(daily, read=dialect, write="duckdb")[0]
    own = base.execute("SELECT * FROM perfgate_field_daily ORDER BY ALL").fetchall()
    for mine, his in zip(own, base.execute(f"SELECT * FROM ({daily}) ORDER BY ALL").fetchall(), strict=True):
        assert mine[:6] == his[:6] and all(abs(a - b) <= 1e-9 * (1 + a) for a, b in zip(mine[6:], his[6:])), (dialect, mine, his)
    equal.append(dialect)
print(f"the macros for {', '.join(equal)} gave the same {len(expected):,} rows and quantiles, transpiled to DuckDB")
