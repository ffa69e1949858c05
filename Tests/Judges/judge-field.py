"""Runs the SQL that perfgate prints on real engines, and compares every row with perfgate's own roll-up.

Usage: judge-field.py PROGRAM SCRATCH [EVENTS [ENGINE...]]      ENGINE: duckdb, sqlite, clickhouse, postgresql, spark

DuckDB, ClickHouse (chDB) and Spark come from PyPI, SQLite with Python, PostgreSQL from Debian: its server is started
here, on a separate socket, and stopped at the end. Trino's and BigQuery's text is transpiled to DuckDB by sqlglot.

T as a table is made by each engine in another time zone, from times of each type, and read again by the queries over it.
"""

import csv
import glob
import gzip
import io
import json
import logging
import math
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

import duckdb
import sqlglot

logging.getLogger("sqlglot").setLevel(logging.ERROR)

program, scratch = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
count = int(sys.argv[3]) if len(sys.argv) > 3 else 200_000  # a tenth of them at borders
chosen = sys.argv[4:] or ["duckdb", "sqlite", "clickhouse", "postgresql", "spark"]
if "clickhouse" in chosen:
    import chdb.session
if "spark" in chosen:
    import pyspark.sql
releases = ("7.117", "7.129")
texts = ["at", "app", "app_version", "page", "os", "device", "network", "user", "outcome", "checkout", "Market"]
numbers = [
    "ttfl_ms", "ttil_ms", "sth_ms", "alt_ms", "alt_count", "rclt_ms", "rclt_count", "hitch_ms", "hang_ms",
    "duration_ms", "frame_count"]
columns = texts + ["low_power_mode"] + numbers
configuration = scratch / "perfgate.yml"
configuration.write_text("""field:
  by: [os, device_class, network, low_power]
  tags: { market: Market }
  device_classes:
    "old's": ["iPhone9,*", "iPhone10,1"]
    new: ["iPhone14,*"]
""")


def borders():
    """Values at the boundaries of rounding, buckets and bounds."""
    values = [
        0, 0.0004999, 0.0005, 0.001, 0.0635, 0.12750000000000003, 0.1275, 16.666666666666668, 0.5, 1.0005, 2.0015,
        1234.5675, 1e300, 5e-324, -0.0001, -0.0005, -0.00051, -1, -1e300, 3599999.9995, 3599999.99949, 3600000, 3600001,
        1 / 3, 2 / 3, 1e-7, 0.1 + 0.2, 1.0000000000000002, 123456.78901234567, None]
    return values + [((128 << shift) + step) / 1000 for shift in range(26) for step in (-1, 0, 1)]


def events(count):
    """Events with hostile names; a tenth of them has boundary values."""
    draw, edge = random.Random(2026), borders()
    speeds = {name: scale for name, scale in zip(numbers, (60, 500, 3, 100, 0, 300, 0, 20, 20, 8000, 0))}
    for index in range(count):
        row = {
            "at": f"2026-11-{draw.randint(1, 9):02}T{draw.randint(0, 23):02}:{draw.randint(0, 59):02}:07Z",
            "app": draw.choice(["shop", "other", None]),
            "app_version": draw.choice(releases + ("7.130",)),
            "page": draw.choice(["Home", "Search", "Pro'duct", 'Cart "x"', "Éclair", "a,b;c", "back\\slash"]),
            "os": draw.choice(["iOS 17.5", "iOS 16.1.2", "iOS 18", "", None]),
            "device": draw.choice(["iPhone9,1", "iPhone10,1", "iPhone14,2", "iPhone9", "Pixel 7", None]),
            "network": draw.choice(["wifi", "cellular", None]),
            "low_power_mode": draw.choice([True, False, None]),
            "user": draw.choice([None, ""] + [f"u{number}" for number in range(300)]),
            "outcome": draw.choice(["loaded"] * 6 + ["error", "abandoned", None]),
            "checkout": draw.choice(["it's old", "new", "new", "other", None])}
        # More than a hundred values a day, most of them rare; rows have them as a tag or as a key of their own.
        row["Market"] = draw.choice([None, "", "other", "it's", "Zürich"] + [f"m{int(draw.expovariate(.02))}"] * 40)
        row["tags"] = {name: row[name] for name in ("checkout", "Market") if row[name] and (name, index % 2) != ("Market", 0)}
        if index % 97 == 0:
            row["page"] = draw.choice(["", None])
        for name in numbers:
            if index % 10 == 0 and name.endswith("_ms"):
                row[name] = draw.choice(edge)
            elif name.endswith("_count"):
                row[name] = draw.choice([None, 0, 1, 2, 5, 470] + [4503597, 4503598, 5000000, 9e9] * (index % 10 == 0))
            else:
                row[name] = None if draw.random() < 0.05 else draw.lognormvariate(math.log(speeds[name]), 0.6)
        yield row


def canonical(rows):
    """Rows as sorted texts, with a row's buckets in one order and absent values empty."""
    result = []
    for row in rows:
        values = ["" if value is None else str(value) for value in row]
        if ":" in values[-1]:
            values[-1] = " ".join(sorted(values[-1].split(" ")))
        result.append(tuple(values))
    return sorted(result)


def users_of_arms(folder):
    """The users by arm that a store holds: the first line of each day's file."""
    paths = glob.glob(str(scratch / folder / "pairs" / "*" / "*"))
    heads = [json.loads(gzip.open(path, "rt").readline()) for path in paths]
    return canonical(
        (users["app"], head["day"], users["base"], users["candidate"], users["both"]) for head in heads for users in head["arms"])


def perfgate(*arguments, **keywords):
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, cwd=scratch, **keywords)
    assert done.returncode == 0, f"perfgate {arguments}: {done.returncode}\n{done.stderr}"
    return done.stdout


def statements(dialect, *options, at="iso8601"):
    """perfgate's SQL by roll-up, which its comments name."""
    text = perfgate("field", "sql", "--dialect", dialect, "--table", "perf events", "--at", at, *options)
    parts = re.split(r"^-- (T|G|users|arms):.*\n", text, flags=re.M)
    return {name: [one for one in sql.split(";\n") if one.strip()] for name, sql in zip(parts[1::2], parts[2::2])}


def statement(dialect, *options):
    return perfgate("field", "sql", "--dialect", dialect, *options)


def table_of_buckets(engine):
    """Makes T as a table, and checks what is read from it: G, and quantiles by day."""
    engine.run([f"CREATE TABLE perfgate_field AS {statement(engine.dialect, '--table', 'perf events', '--at', 'iso8601', '--rows', 'buckets')}"])
    over = ("--table", "perfgate_field")
    given = canonical(engine.run([statement(engine.dialect, *over, "--what", "pair", *pair)]))
    assert given == own["G"][0], f"{engine.dialect}: G of the table differs: {sorted(set(given) ^ set(own['G'][0]))[:4]}"
    expected = {tuple(row[:5]): row for row in quantiles}
    rows = engine.run([statement(engine.dialect, *over, "--what", "daily")])
    daily = {tuple(map(str, row[:5])): row for row in rows if row[4] != "visits"}
    assert daily.keys() == expected.keys(), f"{engine.dialect}: {sorted(daily.keys() ^ expected.keys())[:4]}"
    for key, row in daily.items():
        assert int(row[5]) == int(expected[key][6]), (engine.dialect, key)
        for mine, his in zip(expected[key][7:], row[6:]):
            assert abs(float(mine) - float(his)) <= 0.00051 + 1e-9 * abs(float(mine)), (engine.dialect, key, mine, his)
    visits = sum(int(row[5]) for row in rows if row[4] == "visits")
    assert visits == counted, f"{engine.dialect}: {visits} visits, and {counted} events"
    assert engine.run([statement(engine.dialect, *over, "--what", "quantiles")])
    return len(given) + len(daily)


def times_of_all_types(engine):
    """Counts three days of times of each type, in a time zone of the session that isn't UTC."""
    expected = [row for row in own["T"][0] if "2026-11-03" <= row[3] <= "2026-11-05"]
    total = 0
    for at, (column, query) in engine.times.items():
        name = f"{at}.yml"
        (scratch / name).write_text(configuration.read_text() + f"  columns: {{ at: {column}, day: event_date }}\n")
        sql = statement(
            engine.dialect, "--table-sql", query, "--at", at, "--config", name, "--rows", "buckets", "--since",
            "2026-11-03", "--until", "2026-11-05")
        assert sql.count("2026-11-06") == 2 or at == "milliseconds", f"no condition on the columns in {sql}"
        rows = {}
        for *keys, metric, os_, device, network, power, market, bucket, n, quanta in engine.run(engine.abroad + [sql]):
            key = (*("" if one is None else str(one) for one in keys), metric, os_, device, network, power, market)
            events, total_quanta, buckets = rows.get(key, (0, 0, []))
            rows[key] = events + int(n), total_quanta + int(quanta), buckets + [f"{bucket}:{n}"]
        given = sorted(
            (*key, str(events), str(quanta), " ".join(sorted(buckets)))
            for key, (events, quanta, buckets) in rows.items() if key[4] != "visits")
        assert given == expected, f"{engine.dialect} {at}: {sorted(set(given) ^ set(expected))[:3]}"
        total += len(given)
    return total


pair = ("--pair", ":".join(releases))
arms = ("--pair", "checkout=it's old:checkout=new", "--release", releases[1])
every = {
    "T": ("T", ()), "G": ("G", pair), "users": ("users", pair), "G of arms": ("G", arms), "users of arms": ("users", arms),
    "arms": ("arms", arms)}


def everything(engine):
    """Compares all rows that an engine makes with perfgate's own, and counts them."""
    total = 0
    for name, (query, options) in every.items():
        given = canonical(engine.run(statements(engine.dialect, *options)[query]))
        expected = own[name][0]
        if given != expected:
            strange, lost = set(given) - set(expected), set(expected) - set(given)
            sys.exit(f"{engine.dialect} {name}: {len(strange)} rows of its own, such as {sorted(strange)[:2]}; "
                     f"{len(lost)} of ours it lacks, such as {sorted(lost)[:2]}")
        total += len(given)
    return total + times_of_all_types(engine) + table_of_buckets(engine) + flat_lines(engine)


def lines(count):
    """perfgate's own lines with lists, each with the facts of its run."""
    draw, edge = random.Random(7), [value for value in borders() if value is not None and value < 1e5]

    def times(most):
        return [draw.choice(edge) if draw.random() < .05 else draw.lognormvariate(3, 1) for _ in range(draw.choice([0, 1, 2, most]))]

    for number in range(count):
        line = {
            "type": draw.choice(["pps"] * 9 + ["screen", "scroll"]), "at": f"2026-11-{draw.randint(1, 4):02}T10:00:00Z",
            "app": "shop", "app_version": "7.1", "page": draw.choice(["Home", "Cart"]), "os": "iOS 18.1",
            "device": draw.choice(["iPhone9,1", "iPad"]), "network": "wifi", "low_power_mode": draw.choice([True, False, None]),
            "user": f"u{number % 50}", "outcome": draw.choice(["loaded"] * 5 + ["error", "abandoned", None]),
            "ttfl_ms": draw.uniform(1, 90), "ttil_ms": draw.choice([None, draw.uniform(90, 900)]), "sth_ms": times(5),
            "alt_ms": times(3), "rclt": [
                {"ms": one, "outcome": draw.choice(["loaded"] * 3 + ["hidden", "error", None])} for one in times(4)],
            "alt_more": draw.choice([None, None, {"count": 3, "ms": 90.5}, {"count": 1, "ms": -1}]),
            "rclt_more": draw.choice([None, None, {"count": 2, "ms": 7.0005}]), "hitch_ms": draw.uniform(0, 9),
            "hang_ms": draw.choice([0, 300]), "duration_ms": draw.choice([draw.uniform(900, 9000)]), "frame_count": 470,
            "checkpoint": draw.choice([None, None, False, True]), "continued": draw.choice([None] * 8 + [True]),
            "inactive": draw.choice([None] * 8 + [True]), "tags": {"Market": draw.choice(["de", "fr"])}}
        if line["type"] != "pps":
            line["checkpoint"] = line["continued"] = None
        yield line


def flat_lines(engine):
    """Compares the view of nested lines with a roll-up of the same lines."""
    engine.take_lines()
    view = statement(engine.dialect, "--table", "perf lines", "--flatten").strip()
    engine.run([f"CREATE VIEW flat_lines AS {view}"])
    text = perfgate("field", "sql", "--dialect", engine.dialect, "--table", "flat_lines", "--at", "iso8601")
    given = canonical(engine.run([one for one in text.split(";\n") if one.strip()]))
    strange, lost = set(given) - set(own_lines), set(own_lines) - set(given)
    assert given == own_lines, f"{engine.dialect} --flatten: {sorted(strange)[:3]}, not {sorted(lost)[:3]}"
    return len(given)


def times(timestamp, timestamptz, milliseconds, date):
    """The columns of times of each type, and a query with them; each from the text `at`."""
    source = f"SELECT *, {timestamp} AS at_plain, {timestamptz} AS at_zone, {milliseconds} AS at_ms, {date} AS event_date FROM "
    return lambda table: {
        "timestamp": ("at_plain", source + table), "timestamptz": ("at_zone", source + table),
        "milliseconds": ("at_ms", source + table)}


class SQLite:
    dialect = "sqlite"
    times = {}
    abroad = []

    def __init__(self, rows):
        self.base = sqlite3.connect(":memory:")
        types = ", ".join(f'"{name}" {"REAL" if name in numbers else "TEXT"}' for name in columns)
        self.base.execute(f'CREATE TABLE "perf events" ({types})')
        marks = ", ".join("?" * len(columns))
        values = ([self.value(row[name]) for name in columns] for row in rows)
        self.base.executemany(f'INSERT INTO "perf events" VALUES ({marks})', values)

    def take_lines(self):
        names = list(nested[0])
        self.base.execute(f"""CREATE TABLE "perf lines" ({", ".join(f'"{name}"' for name in names)})""")
        for line in nested:
            values = [json.dumps(line[name]) if isinstance(line[name], (list, dict)) else self.value(line[name]) for name in names]
            self.base.execute(f"""INSERT INTO "perf lines" VALUES ({", ".join("?" * len(names))})""", values)

    @staticmethod
    def value(value):
        return str(value).lower() if isinstance(value, bool) else value

    def run(self, sql):
        return [self.base.execute(one) for one in sql][-1].fetchall()


class DuckDB:
    dialect = "duckdb"
    abroad = ["SET TimeZone = 'America/New_York'"]
    times = times(
        'CAST(CAST("at" AS TIMESTAMPTZ) AT TIME ZONE \'UTC\' AS TIMESTAMP)', 'CAST("at" AS TIMESTAMPTZ)',
        'EPOCH_MS(CAST("at" AS TIMESTAMPTZ))', 'CAST(SUBSTR("at", 1, 10) AS DATE)')('"perf events"')

    def __init__(self, rows):
        self.base = duckdb.connect(str(scratch / "events.duckdb"))
        types = {name: "DOUBLE" if name in numbers else "VARCHAR" for name in columns} | {"low_power_mode": "BOOLEAN"}
        self.base.execute(
            f"CREATE OR REPLACE TABLE \"perf events\" AS SELECT * FROM read_json("
            f"'{scratch / 'table.ndjson'}', format='newline_delimited', columns={types})")
        self.base.execute(f"COPY \"perf events\" TO '{scratch / 'events.parquet'}' (FORMAT parquet)")

    def take_lines(self):
        self.base.execute("DROP VIEW IF EXISTS flat_lines")
        more = "STRUCT(count DOUBLE, ms DOUBLE)"
        types = {name: "DOUBLE" if name in numbers else "VARCHAR" for name in nested[0]} | {
            "sth_ms": "DOUBLE[]", "alt_ms": "DOUBLE[]", "rclt": "STRUCT(ms DOUBLE, outcome VARCHAR)[]", "alt_more": more,
            "rclt_more": more, "checkpoint": "BOOLEAN", "continued": "BOOLEAN", "inactive": "BOOLEAN",
            "low_power_mode": "BOOLEAN", "tags": "MAP(VARCHAR, VARCHAR)"}
        self.base.execute(
            f"CREATE OR REPLACE TABLE \"perf lines\" AS SELECT * FROM read_json("
            f"'{scratch / 'lines.ndjson'}', format='newline_delimited', columns={types})")
        self.base.execute(f"COPY \"perf lines\" TO '{scratch / 'lines.parquet'}' (FORMAT parquet)")

    def run(self, sql):
        return [self.base.execute(one) for one in sql][-1].fetchall()


class Transpiled(DuckDB):
    """Another engine's SQL, as sqlglot writes it for DuckDB."""

    all_times = {
        "trino": times(
            "CAST(FROM_ISO8601_TIMESTAMP(\"at\") AT TIME ZONE 'UTC' AS TIMESTAMP)", 'FROM_ISO8601_TIMESTAMP("at")',
            'CAST(1000 * TO_UNIXTIME(FROM_ISO8601_TIMESTAMP("at")) AS BIGINT)', 'CAST(SUBSTR("at", 1, 10) AS DATE)')(
            '"perf events"'),
        "bigquery": times(
            "DATETIME(CAST(`at` AS TIMESTAMP), 'UTC')", "CAST(`at` AS TIMESTAMP)", "UNIX_MILLIS(CAST(`at` AS TIMESTAMP))",
            "CAST(SUBSTR(`at`, 1, 10) AS DATE)")("`perf events`")}

    def __init__(self, dialect):
        self.times = self.all_times[dialect]
        # BigQuery's functions of dates are in UTC, whatever the session says.
        self.abroad = [] if dialect == "bigquery" else DuckDB.abroad
        self.dialect, self.base = dialect, duckdb.connect(str(scratch / "events.duckdb"))
        self.base.execute("DROP TABLE IF EXISTS perfgate_field")
        self.base.execute("SET TimeZone = 'UTC'")

    def take_lines(self):
        super().take_lines()
        if self.dialect == "bigquery":
            self.base.execute('CREATE OR REPLACE TABLE "perf lines" AS SELECT * REPLACE (TO_JSON(tags) AS tags) FROM "perf lines"')

    def run(self, sql):
        return super().run([sqlglot.transpile(one, read=self.dialect, write="duckdb")[0] for one in sql])


class ClickHouse:
    dialect = "clickhouse"
    abroad = ["SET session_timezone = 'America/New_York'"]
    times = times(
        "parseDateTimeBestEffort(`at`, 'UTC')", "parseDateTimeBestEffort(`at`, 'Asia/Tokyo')",
        "toUnixTimestamp(parseDateTimeBestEffort(`at`, 'UTC')) * 1000", "toDate(substring(`at`, 1, 10))")("`perf events`")

    def __init__(self, rows):
        self.base = chdb.session.Session()
        self.base.query("CREATE DATABASE judged ENGINE = Atomic")
        self.base.query("USE judged")
        self.base.query(
            f"CREATE TABLE `perf events` ENGINE = Memory AS SELECT * FROM file('{scratch / 'events.parquet'}', Parquet)")

    def take_lines(self):
        self.base.query(
            f"CREATE TABLE `perf lines` ENGINE = Memory AS SELECT * FROM file('{scratch / 'lines.parquet'}', Parquet)")

    def run(self, sql):
        sql = [one.replace("CREATE TABLE perfgate_field AS", "CREATE TABLE perfgate_field ENGINE = Memory AS") for one in sql]
        answers = [self.base.query(one, "JSONCompactEachRow") for one in sql]
        return [json.loads(line) for line in str(answers[-1]).splitlines()]


class PostgreSQL:
    dialect = "postgres"
    abroad = ["SET TIME ZONE 'America/New_York'"]
    times = times(
        'CAST(CAST("at" AS TIMESTAMPTZ) AT TIME ZONE \'UTC\' AS TIMESTAMP)', 'CAST("at" AS TIMESTAMPTZ)',
        'CAST(1000 * EXTRACT(EPOCH FROM CAST("at" AS TIMESTAMPTZ)) AS BIGINT)', 'CAST(SUBSTR("at", 1, 10) AS DATE)')(
        '"perf events"')

    def __init__(self, rows):
        self.programs = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        self.folder = tempfile.mkdtemp(prefix="perfgate-postgres-")
        shutil.chown(self.folder, "postgres")
        self.server("initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "postgres")
        options = f"-p 5477 -k {self.folder} -c listen_addresses= -c fsync=off"
        self.server("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o", f"'{options}'", "start")
        types = ", ".join(
            f'"{name}" {"double precision" if name in numbers else "boolean" if name == "low_power_mode" else "text"}'
            for name in columns)
        self.ask(f'CREATE TABLE "perf events" ({types});')
        table = io.StringIO()
        writer = csv.writer(table)
        for row in rows:
            values = [row[name] for name in columns]
            writer.writerow("\\N" if value is None else repr(value) if isinstance(value, float) else value for value in values)
        self.ask("\\copy \"perf events\" from pstdin with (format csv, null '\\N')", table.getvalue())

    def take_lines(self):
        of_lists = {"sth_ms", "alt_ms", "rclt", "alt_more", "rclt_more", "tags"}
        types = ", ".join(
            f'"{name}" {"jsonb" if name in of_lists else "double precision" if name in numbers else "text"}' for name in nested[0])
        self.ask(f'CREATE TABLE "perf lines" ({types});')
        values = "\n".join(
            "INSERT INTO \"perf lines\" SELECT * FROM jsonb_populate_record(NULL::\"perf lines\", '"
            + json.dumps({key: value for key, value in line.items() if value is not None}).replace("'", "''") + "');"
            for line in nested)
        self.ask(values)

    def server(self, *arguments):
        command = " ".join([str(self.programs / arguments[0]), *arguments[1:]])
        subprocess.run(["su", "postgres", "-c", command], check=True, stdout=subprocess.DEVNULL)

    def ask(self, sql, data=None):
        arguments = [self.programs / "psql", "-h", self.folder, "-p", "5477", "-U", "postgres", "-q", "--csv", "-t"]
        arguments += ["-v", "ON_ERROR_STOP=1"] + ([] if data is None else ["-c", sql])
        return subprocess.run(
            arguments, input=sql if data is None else data, check=True, capture_output=True, text=True).stdout

    def run(self, sql):
        return list(csv.reader(io.StringIO(self.ask(";\n".join(sql) + ";\n"))))

    def stop(self):
        self.server("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)


class Spark:
    dialect = "spark"
    abroad = ["SET TIME ZONE 'America/New_York'"]
    times = times(
        "TO_TIMESTAMP_NTZ(SUBSTR(`at`, 1, 19))", "TO_TIMESTAMP(`at`)", "UNIX_MILLIS(TO_TIMESTAMP(`at`))",
        "CAST(SUBSTR(`at`, 1, 10) AS DATE)")("`perf events`")

    def __init__(self, rows):
        self.base = pyspark.sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
        self.base.sparkContext.setLogLevel("ERROR")
        self.base.read.parquet(str(scratch / "events.parquet")).createOrReplaceTempView("`perf events`")

    def take_lines(self):
        self.base.read.parquet(str(scratch / "lines.parquet")).createOrReplaceTempView("`perf lines`")

    def run(self, sql):
        sql = [re.sub("^CREATE (TABLE|VIEW) ", "CREATE OR REPLACE TEMP VIEW ", one) for one in sql]
        return [tuple(row) for row in [self.base.sql(one) for one in sql][-1].collect()]

    def stop(self):
        self.base.stop()


# Stops the running engine's server as well.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))

rows = list(events(count))
(scratch / "table.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
with open(scratch / "events.ndjson", "w") as file:
    for index, row in enumerate(rows):
        file.write(json.dumps({key: value for key, value in row.items() if (key, index % 2) != ("Market", 1)}) + "\n")

nested = list(lines(2_000))
with open(scratch / "lines.ndjson", "w") as file:
    for line in nested:
        file.write(json.dumps({key: value for key, value in line.items() if value is not None}) + "\n")
perfgate("field", "rollup", "lines.ndjson", "--out", "Lines", "--quiet")
own_lines = canonical(list(csv.reader(io.StringIO(perfgate("field", "export", "--csv", "--raw", "--field", "Lines"))))[1:])

said = perfgate("field", "rollup", "events.ndjson", "--out", "Field", *pair)
perfgate("field", "rollup", "events.ndjson", "--out", "Arms", *arms, "--quiet")
counted = int(re.search(r": (\d+) events of", said).group(1))
(scratch / "plain.yml").write_text(configuration.read_text().replace("by: [os, device_class, network, low_power]", "by: []").replace("tags:", "# tags:"))
perfgate("field", "rollup", "events.ndjson", "--out", "Plain", "--config", "plain.yml", "--quiet")
quantiles = list(csv.reader(io.StringIO(perfgate("field", "export", "--csv", "--field", "Plain"))))[1:]
own = {}
for name, (query, options) in every.items():
    if name == "arms":
        own[name] = users_of_arms("Arms"), ""
        assert len(own[name][0]) > 10
        continue
    folder = ("--field", "Arms") if options == arms else ()
    table = perfgate(
        "field", "export", "--csv", "--raw", *folder, *options, *(["--users"] if query == "users" else []))
    header, *lines = csv.reader(io.StringIO(table))
    own[name] = canonical(lines), header
    assert len(lines) > 100, f"{name} has {len(lines)} rows"

judged = []
engines = {"duckdb": DuckDB, "sqlite": SQLite, "clickhouse": ClickHouse, "postgresql": PostgreSQL, "spark": Spark}
for engine_type in [engines[name] for name in chosen]:
    engine = engine_type(rows)
    try:
        judged.append(f"{engine.dialect} {everything(engine):,}")
    finally:
        if hasattr(engine, "stop"):
            engine.stop()
        elif engine_type is DuckDB:
            engine.base.close()

# End to end with a command: DuckDB through a program that reads SQL and prints CSV, Spark through its own.
reader = scratch / "ask-duckdb.py"
reader.write_text(f"""import csv, sys, duckdb
base = duckdb.connect({str(scratch / "events.duckdb")!r}, read_only=True)
answers = [base.execute(one) for one in sys.stdin.read().split(";\\n") if one.strip()]
table = csv.writer(sys.stdout, lineterminator="\\n")
table.writerow(column[0] for column in answers[-1].description)
table.writerows(answers[-1].fetchall())
""")
home = pathlib.Path(pyspark.__file__).parent if "spark" in chosen else scratch
ways = {
    "duckdb": (f"{sys.executable} {reader}", ("--table", "perf events")),
    "spark": (
        f"{home / 'bin' / 'spark-sql'} --master 'local[2]' -f /dev/stdin",
        ("--table-sql", f"SELECT * FROM parquet.`{scratch / 'events.parquet'}`"))}
ways = {name: way for name, way in ways.items() if name in chosen}
for dialect, (command, table) in ways.items():
    for folder, sides in ((f"Field-{dialect}", pair), (f"Arms-{dialect}", arms)):
        perfgate("field", "rollup", "--via", command, "--dialect", dialect, *table, "--at", "iso8601", "--out",
                 folder, *sides, env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(home)})
    for name, (query, options) in every.items():
        if query == "arms":
            assert users_of_arms(f"Arms-{dialect}") == own[name][0], f"--via {dialect} gave other users"
            continue
        folder = f"Arms-{dialect}" if options == arms else f"Field-{dialect}"
        table_text = perfgate(
            "field", "export", "--field", folder, "--csv", "--raw", *options, *(["--users"] if query == "users" else []))
        header, *lines = csv.reader(io.StringIO(table_text))
        assert canonical(lines) == own[name][0], f"--via {dialect} gave other rows of {name}"

transpiled = []
for dialect in ("trino", "bigquery"):
    engine = Transpiled(dialect)
    try:
        transpiled.append(f"{dialect} {everything(engine):,}")
    finally:
        engine.base.close()

# Firebase's export, by the documented query and configuration, over a table of the published schema.
article = (pathlib.Path(__file__).parents[2] / "Sources/PerfgateCLI/Documentation.docc/FieldWarehouse.md").read_text()
firebase = re.search(r"```sql\n(SELECT event_timestamp.*?)\n```", article, flags=re.S).group(1)
(scratch / "firebase.yml").write_text(
    re.search(r"```yaml\n(field:\n  columns:\n    \{ user: ~, .*?)```", article, flags=re.S).group(1))
base = duckdb.connect()
base.execute("ATTACH ':memory:' AS project; CREATE SCHEMA project.firebase_performance")
base.execute("""CREATE TABLE project.firebase_performance.com_example_shop_IOS AS
    SELECT TIMESTAMPTZ '2026-11-19 00:00:00+00' + to_minutes(CAST(i * 7 AS BIGINT)) AS event_timestamp, '7.129' AS app_display_version,
      '4711' AS app_build_version, '17.5' AS os_version, 'iPhone12,1' AS device_name, 'DE' AS country, NULL AS carrier,
      'WIFI' AS radio_type, 'DURATION_TRACE' AS event_type, CASE i % 4 WHEN 0 THEN '_app_start' ELSE 'Page ' || i % 3 END AS event_name,
      NULL AS parent_trace_name, {'duration_us': 1000 * i + 499, 'screen_info': NULL, 'metric_info': NULL} AS trace_info, NULL AS network_info
    FROM range(1000) AS numbers(i)""")
base.execute("UPDATE project.firebase_performance.com_example_shop_IOS SET event_type = 'SCREEN_TRACE' WHERE trace_info.duration_us % 7 = 0")
base.execute("SET TimeZone = 'UTC'")
sql = statement("bigquery", "--table-sql", firebase, "--at", "timestamptz", "--config", "firebase.yml", "--rows", "buckets")
counted = {
    (row[1], str(row[3])): row[-2:] for row in base.execute(
        f"SELECT app, page, release, day, SUM(n), SUM(quanta) FROM ({sqlglot.transpile(sql, read='bigquery', write='duckdb')[0]}) "
        "WHERE metric = 'ttil' AND app = 'com.example.shop' AND os = 'iOS 17' AND network = 'WIFI' GROUP BY ALL").fetchall()}
expected = {}
for i in range(1000):
    if i % 4 != 0 and (1000 * i + 499) % 7 != 0:
        key = f"Page {i % 3}", f"2026-11-{19 + i * 7 // 1440}"
        n, quanta = expected.get(key, (0, 0))
        expected[key] = n + 1, quanta + 1000 * i + 499
assert counted == expected and len(expected) == 15, f"Firebase's export: {counted} and not {expected}"

print(f"engines gave the rows of perfgate's own roll-up of {count:,} events, all equal: {', '.join(judged)}; "
      f"through --via: {', '.join(ways)}; "
      f"transpiled to DuckDB: {', '.join(transpiled)}")
