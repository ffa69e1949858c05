"""Runs the queries of perfgate's Grafana dashboards and alert rules, with variables as Grafana inserts them.

Usage: judge-grafana.py PROGRAM SCRATCH [ENGINE...]      ENGINE: duckdb, trino, bigquery, clickhouse, postgres

Grafana's own models (grafana-foundation-sdk) decode every dashboard and rule; promtool checks the rules and queries for
Prometheus. DuckDB and ClickHouse (chDB) come from PyPI, PostgreSQL and promtool from Debian. The queries for Trino and
BigQuery are transpiled to DuckDB by sqlglot. Grafana itself doesn't run here: nothing draws the panels.
"""

import collections
import csv
import datetime
import glob
import io
import json
import logging
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import duckdb
import sqlglot
from grafana_foundation_sdk.cog import encoder, plugins
from grafana_foundation_sdk.models import alerting, dashboard

logging.getLogger("sqlglot").setLevel(logging.ERROR)
plugins.register_default_plugins()
program, scratch = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
chosen = sys.argv[3:] or ["duckdb", "trino", "bigquery", "clickhouse", "postgres"]
sources = ["postgres", "clickhouse", "trino", "bigquery", "duckdb", "prometheus"]
table, strata = "perfgate's \"field\"", ["os", "device_class", "network"]
variables = ["app", "page", "metric", "release", *strata]
pages = ["Home", "O'Brien", "\\' OR 1=1 --", "ends\\", 'Cart "x"', "Éclair 🥐", "$page ${page}", "a,b"]
today = datetime.datetime.now(datetime.timezone.utc).date()
day = lambda age: today - datetime.timedelta(days=age)
(scratch / "perfgate.yml").write_text(
    "field:\n  metrics: { ttil: { p75: 400, p90: 900 }, load_failures: { share: 0.2 }, fps_mean: { p50: 55 } }\n")


def perfgate(*arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=scratch)
    assert done.returncode == 0, f"perfgate {arguments}: {done.returncode}\n{done.stderr}"
    return done.stdout


def export(source, *arguments):
    names = [] if source == "prometheus" else ["--table", table if source != "bigquery" else "perf.field"]
    return json.loads(perfgate("field", "export", "--grafana", "--source", source, *names, *arguments))


def events():
    """Events of three releases, the newest with few; a few have today's date, from wrong clocks."""
    draw = random.Random(2026)
    for index in range(9_000):
        release = draw.choice(["7.117", "7.129", "7.117 beta"] if index % 3 else ["7.117"])
        age = draw.randint(4, 8) if release == "7.129" else draw.randint(4, 13)
        app = draw.choice(["shop", "sh'op\\"]) if release != "7.117 beta" else "shop"
        if index % 3_000 == 7:
            age = 0
        if index % 90 == 1:
            release, age = "8.0", 4
        page = draw.choice(pages[:2] if draw.random() < 0.7 else pages)
        yield {
            "at": f"{day(age)}T08:00:00Z", "app": app, "app_version": release, "page": page,
            "os": draw.choice(["iOS 17.5", "iOS 18.1"]), "device": draw.choice(["iPhone12,1", "iPhone17,2"]),
            "network": draw.choice(["wifi", "cellular", "it's"]), "outcome": draw.choice(["loaded"] * 5 + ["error"]),
            "ttil_ms": draw.lognormvariate(5.5, 0.8), "hang_ms": draw.random() * 90, "duration_ms": 5000, "frame_count": 290}


known = list(events())
(scratch / "events.ndjson").write_text("".join(json.dumps(row) + "\n" for row in known))
perfgate("field", "rollup", "events.ndjson", "--quiet")
exported = {
    tuple(row[name] for name in ["app", "page", "release", "day", "metric"]): row
    for row in csv.DictReader(io.StringIO(perfgate("field", "export", "--csv", "--until", str(day(1))), newline=""))}

# T as a table, as DuckDB makes it.
base = duckdb.connect()
base.execute("SET TimeZone = 'UTC'")
base.execute(f"CREATE TABLE perf AS SELECT * FROM read_json('{scratch / 'events.ndjson'}', format = 'newline_delimited')")
for name in ["ttfl_ms", "sth_ms", "alt_ms", "alt_count", "rclt_ms", "rclt_count", "hitch_ms"]:
    base.execute(f"ALTER TABLE perf ADD COLUMN {name} DOUBLE")
base.execute('ALTER TABLE perf ADD COLUMN low_power_mode BOOLEAN; ALTER TABLE perf ADD COLUMN "user" VARCHAR')
base.execute('ALTER TABLE perf ALTER "at" TYPE TIMESTAMP USING CAST("at" AS TIMESTAMP)')
buckets = perfgate("field", "sql", "--dialect", "duckdb", "--table", "perf", "--rows", "buckets")
columns = ["app", "page", "release", "day", "metric", *strata, "low_power", "bucket", "n", "quanta"]
rows = base.execute(f"SELECT {', '.join(columns)} FROM ({buckets.rstrip().rstrip(';')}) AS made").fetchall()
dated = [dict(zip(columns, row)) for row in rows]


class DuckDB:
    dialect = None

    def __init__(self):
        self.base = duckdb.connect()
        self.base.execute("SET TimeZone = 'America/New_York'; CREATE SCHEMA perf")
        types = ", ".join(f'"{name}" {"DATE" if name == "day" else "BIGINT" if name in columns[-3:] else "VARCHAR"}' for name in columns)
        for name in ('"' + table.replace('"', '""') + '"', "perf.field"):
            self.base.execute(f"CREATE TABLE {name} ({types})")
            self.base.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows[:1])
            self.base.execute(f"DELETE FROM {name}")
            path = scratch / "t.csv"
            with path.open("w", newline="") as file:
                csv.writer(file).writerows(rows)
            self.base.execute(f"COPY {name} FROM '{path}' (FORMAT csv, HEADER false, NULLSTR 'NULL!', FORCE_NOT_NULL ({', '.join(columns)}))")

    def ask(self, sql):
        if self.dialect:
            sql = sqlglot.transpile(sql, read=self.dialect, write="duckdb")[0]
            # DuckDB's cast reads escapes, BigQuery's doesn't.
            sql = re.sub(r'CAST\(("\w+") AS BLOB\)', r"ENCODE(\1)", sql)
        found = self.base.execute(sql)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row)) for row in found.fetchall()]

    def stop(self):
        self.base.close()


class Trino(DuckDB):
    dialect = "trino"


class BigQuery(DuckDB):
    dialect = "bigquery"


class ClickHouse:
    def __init__(self):
        import chdb.session
        self.base = chdb.session.Session()
        types = ", ".join(
            f"`{name}` {'Date' if name == 'day' else 'Nullable(Int64)' if name in columns[-3:] else 'Nullable(String)'}" for name in columns)
        name = table.replace("\\", "\\\\").replace("`", "\\`")
        self.base.query("CREATE DATABASE judge; USE judge")
        self.base.query(f"CREATE TABLE `{name}` ({types}) ENGINE = Memory")
        self.base.query(f"INSERT INTO `{name}` SELECT * FROM file('{scratch / 't.csv'}', 'CSV')")

    def ask(self, sql):
        text = self.base.query(sql, "JSONEachRow")
        found = [json.loads(line) for line in str(text).splitlines()]
        for row in found:
            for name, value in row.items():
                if name == "time":
                    row[name] = datetime.datetime.fromisoformat(value)
                elif isinstance(value, str) and name in ("events", "days"):
                    row[name] = int(value)
        return found

    def stop(self):
        self.base.close()


class Postgres:
    def __init__(self):
        self.programs = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        self.folder = tempfile.mkdtemp(prefix="perfgate-postgres-")
        shutil.chown(self.folder, "postgres")
        self.server("initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "postgres", "-E", "UTF8")
        options = f"-p 5478 -k {self.folder} -c listen_addresses= -c fsync=off -c timezone=America/New_York"
        self.server("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o", f"'{options}'", "start")
        types = ", ".join(f'"{name}" {"date" if name == "day" else "bigint" if name in columns[-3:] else "text"}' for name in columns)
        self.name = '"' + table.replace('"', '""') + '"'
        self.psql(f"CREATE TABLE {self.name} ({types});")
        self.psql(None, f"\\copy {self.name} from pstdin with (format csv, null 'NULL!')", (scratch / "t.csv").read_text())

    def server(self, *arguments):
        command = " ".join([f"{self.programs}/{arguments[0]}", *arguments[1:]])
        subprocess.run(["su", "postgres", "-c", command], check=True, stdout=subprocess.DEVNULL)

    def psql(self, sql, command=None, data=None):
        arguments = [self.programs / "psql", "-h", self.folder, "-p", "5478", "-U", "postgres", "-q", "-At", "-v", "ON_ERROR_STOP=1"]
        done = subprocess.run(
            arguments + (["-c", command] if command else []), input=data or sql, capture_output=True, text=True)
        assert done.returncode == 0, f"{sql}\n{done.stderr}"
        return done.stdout

    def ask(self, sql):
        found = [json.loads(line) for line in self.psql(f"SELECT row_to_json(asked) FROM ({sql}) AS asked;").splitlines()]
        for row in found:
            if "time" in row:
                row["time"] = datetime.datetime.fromisoformat(row["time"])
        return found

    def stop(self):
        self.server("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)


def inserted(sql, values, first, last):
    """The query with values as Grafana inserts them: `sqlstring` doubles quotes; the value for all stands as it is."""
    def replaced(match):
        if match[1] in ("__from", "__to"):
            return f"{first if match[1] == '__from' else last}T{'00:00:00.000' if match[1] == '__from' else '23:59:59.999'}Z"
        assert match[2] == "sqlstring", match[0]
        given = values.get(match[1])
        return "'*'" if given is None else ",".join("'" + value.replace("'", "''") + "'" for value in given)
    return re.sub(r"\$\{(\w+):(\w+)(?::\w+)?\}", replaced, sql)


# Buckets, quantiles and scales, as the documentation describes them.
def bounds(bucket):
    if bucket < 128:
        return bucket, 1
    shift = (bucket - 128) // 64 + 1
    return (bucket - 64 * shift) << shift, 1 << shift


def quantile(counts, percent, scale):
    total, before = sum(counts.values()), 0
    for bucket, count in sorted(counts.items()):
        if 100 * (before + count) >= percent * total:
            low, width = bounds(bucket)
            return max(0.0, low - 0.5 + width * (percent * total / 100 - before) / count) / scale
        before += count


def scale(metric):
    return 100 if metric == "hang_rate" else 1_000


def selected(picked, first, last, without=()):
    return [
        row for row in dated if first <= row["day"] <= last
        and all(picked.get(name) is None or row[name] in picked[name] for name in variables if name not in without)]


def grouped(rows, keys):
    groups = collections.defaultdict(collections.Counter)
    for row in rows:
        groups[tuple(row[key] for key in keys)][row["bucket"]] += row["n"]
    return groups


def close(value, other):
    return abs(value - other) <= 1e-9 * max(1, abs(other))


def query_of(target):
    return target["rawSql"] if "rawSql" in target else target["rawSQL"]


def holds(outer, inner, path="$"):
    """Whether Grafana's model holds everything of a text."""
    if isinstance(inner, dict):
        for key, value in inner.items():
            assert isinstance(outer, dict) and key in outer, f"{path}.{key} is lost"
            holds(outer[key], value, f"{path}.{key}")
    elif isinstance(inner, list):
        assert len(outer) == len(inner), path
        for index, value in enumerate(inner):
            holds(outer[index], value, f"{path}[{index}]")
    else:
        assert outer == inner, f"{path}: {outer} for {inner}"


def decoded(model, text):
    return json.loads(json.dumps(model.from_json(text), cls=encoder.JSONEncoder))


for source in sources:
    board = export(source)
    holds(decoded(dashboard.Dashboard, board), board)
    assert [variable["name"] for variable in board["templating"]["list"]] == ["datasource", *variables]
    assert "uid" not in re.sub(r'"uid": "(\$\{datasource\}|perfgate-field-\w+)"', "", json.dumps(board)), "a fixed data source"
    if source != "prometheus":
        file = export(source, "--alerts")
        identifiers = []
        for rule in file["groups"][0]["rules"]:
            decoded(alerting.Rule, rule)
            holds([decoded(alerting.Query, each) for each in rule["data"]], rule["data"])
            assert re.fullmatch(r"[\w-]{1,40}", rule["uid"]) and rule["condition"] in [each["refId"] for each in rule["data"]]
            identifiers.append(rule["uid"])
        assert len(set(identifiers)) == 5, identifiers

picks = [
    {}, {"app": ["shop"]}, {"page": ["O'Brien"], "metric": ["ttil"]}, {"page": pages[1:], "network": ["it's", "wifi"]},
    {"page": ["\\' OR 1=1 --", "ends\\"], "metric": ["ttil", "load_failures"]}, {"app": ["sh'op\\"], "release": ["7.129"]},
    {"os": ["iOS 17"], "device_class": ["iPhone12,1"], "network": ["cellular"], "metric": ["fps_mean", "hang_rate"]},
    {"page": ["no such page"]},
]


def judge(source, engine):
    """Compares the answers of every query with what its rows should give; returns the number of answered queries."""
    board, asked = export(source), 0
    options = {}
    for variable in board["templating"]["list"][1:]:
        sql = variable["query"] if isinstance(variable["query"], str) else query_of(variable["query"]) if source == "bigquery" else variable["query"]["query"]
        found = engine.ask(inserted(sql, {}, day(30), today))
        asked += 1
        name = variable["name"]
        options[name] = {row.get("text", row.get(name)): row.get("value", row.get(name)) for row in found}
        wanted = {row[name] for row in dated} - ({"visits"} if name == "metric" else set())
        assert set(options[name]) == wanted and len(found) == len(wanted), f"{source} {name}: {set(options[name]) ^ wanted}"
        if source in ("clickhouse", "bigquery"):
            assert list(found[0]) == ["value", "text"]
    assert board["templating"]["list"][3]["current"]["value"] == [options["metric"]["ttil"]]
    panels = {panel["title"]: panel["targets"][0] for panel in board["panels"]}
    for picked in picks:
        values = {name: [options[name].get(each, each) for each in names] for name, names in picked.items()}
        for first, last in [(day(30), today), (day(7), day(5))]:
            def ask(title):
                nonlocal asked
                asked += 1
                return engine.ask(inserted(query_of(panels[title]), values, first, last))

            chosen_rows = [row for row in selected(picked, first, last) if row["metric"] != "visits"]
            for percent in (50, 75, 90):
                found = ask(f"p{percent} by day")
                wanted = grouped(chosen_rows, ["day", "metric", "release"])
                assert all(type(row["time"]) is datetime.datetime for row in found)
                assert [row["time"] for row in found] == sorted(row["time"] for row in found)
                assert len(found) == len(wanted), f"{source} {picked}: {len(found)} rows, {len(wanted)} expected"
                for row in found:
                    key = (row["time"].date(), row["metric"], row["release"])
                    assert close(row[f"p{percent}"], quantile(wanted[key], percent, scale(row["metric"]))), (source, picked, row)
            found = ask("Events by day")
            visits = collections.Counter()
            for row in selected(picked, first, last, without=["metric"]):
                if row["metric"] == "visits":
                    visits[row["day"], row["release"]] += row["n"]
            assert {(row["time"].date(), row["release"]): row["events"] for row in found} == dict(visits), (source, picked)
            found, wanted = ask("Releases"), grouped(chosen_rows, ["release", "metric"])
            assert {(row["release"], row["metric"]) for row in found} == set(wanted) and len(found) == len(wanted)
            for row in found:
                counts = wanted[row["release"], row["metric"]]
                assert row["events"] == sum(counts.values())
                assert all(close(row[f"p{p}"], quantile(counts, p, scale(row["metric"]))) for p in (50, 75, 90))
            found = ask("Worst pages")
            wanted = {key: counts for key, counts in grouped(chosen_rows, ["app", "page", "metric"]).items() if sum(counts.values()) >= 100}
            assert len(found) == min(50, len(wanted)), (source, picked)
            order = [-row["p50"] if row["metric"] == "fps_mean" else row["p90"] for row in found]
            worst = sorted(
                (-quantile(counts, 50, 1_000) if key[2] == "fps_mean" else quantile(counts, 90, scale(key[2]))
                 for key, counts in wanted.items()), reverse=True)
            assert all(close(value, other) for value, other in zip(order, worst)), (source, picked)
            for row in found:
                counts = wanted[row["app"], row["page"], row["metric"]]
                assert row["events"] == sum(counts.values()) and close(row["p90"], quantile(counts, 90, scale(row["metric"])))

    # Without a filter, each page and release alone is a row of perfgate's own export.
    own = 0
    for app, page, release in [("shop", "Home", "7.117"), ("sh'op\\", "O'Brien", "7.129")]:
        values = {"app": [options["app"][app]], "page": [options["page"][page]], "release": [options["release"][release]]}
        for row in engine.ask(inserted(query_of(panels["p90 by day"]), values, day(30), day(1))):
            given = float(exported[app, page, release, str(row["time"].date()), row["metric"]]["p90"])
            assert abs(given - row["p90"]) <= max(given / 128, 0.001), (source, row, given)
            own += 1
    assert own > 20, own

    # The rules: newest day, and newest release with at least 300 visits.
    rules = export(source, "--alerts")["groups"][0]["rules"]
    answers = {rule["uid"]: engine.ask(query_of(rule["data"][0]["model"])) for rule in rules}
    asked += len(rules)
    assert {row["app"]: row["days"] for row in answers["perfgate-no-new-day"]} == {"shop": 4, "sh'op\\": 4}, answers
    newest = {app: "7.129" for app in ("shop", "sh'op\\")}
    for uid, metric, percent in [
        ("perfgate-ttil-p75", "ttil", 75), ("perfgate-ttil-p90", "ttil", 90), ("perfgate-fps-mean-p50", "fps_mean", 50),
        ("perfgate-load-failures-share", "load_failures", None),
    ]:
        recent = [row for row in dated if row["metric"] == metric and row["release"] == newest[row["app"]]]
        wanted = {
            (app, page, "7.129"): counts for (app, page), counts in grouped(recent, ["app", "page"]).items()
            if sum(counts.values()) >= 300}
        found = {(row["app"], row["page"], row["release"]): row["slowness"] for row in answers[uid]}
        assert set(found) == set(wanted) and len(wanted) == 4, (source, uid, found, set(wanted))
        for key, value in found.items():
            if percent:
                assert close(value, quantile(wanted[key], percent, scale(metric))), (source, uid, key)
            else:
                quanta = sum(row["quanta"] for row in recent if (row["app"], row["page"]) == key[:2])
                assert close(value, quanta / 1_000 / sum(wanted[key].values())), (source, uid, key)
    return asked


# After filtering, a quantile is that of the events themselves, within a bucket.
largest = 0
for picked, test in [
    ({"network": ["it's"], "metric": ["ttil"]}, lambda event: event["network"] == "it's"),
    ({"os": ["iOS 18"], "page": ["Home"], "metric": ["ttil"]}, lambda event: event["os"] == "iOS 18.1" and event["page"] == "Home"),
]:
    for (release, _), counts in grouped(selected(picked, day(30), today), ["release", "metric"]).items():
        times = sorted(
            event["ttil_ms"] for event in known
            if test(event) and event["app_version"] == release and event["outcome"] == "loaded")
        assert len(times) == sum(counts.values())
        for percent in (50, 75, 90):
            exact = times[-(-percent * len(times) // 100) - 1]
            largest = max(largest, abs(quantile(counts, percent, 1_000) / exact - 1))
assert 0 < largest <= 1 / 64, largest

engines = {"duckdb": DuckDB, "trino": Trino, "bigquery": BigQuery, "clickhouse": ClickHouse, "postgres": Postgres}
told, first = [], DuckDB()
first.stop()
for name in chosen:
    engine = engines[name]()
    try:
        told.append(f"{name} {judge(name, engine)}")
    finally:
        engine.stop()


def promtool(*arguments):
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, cwd=scratch)
    assert done.returncode == 0, f"promtool {arguments}: {done.stdout}{done.stderr}"
    return done.stdout


# Prometheus: the rules, and the dashboard's queries as rules.
(scratch / "rules.yml").write_text(json.dumps(export("prometheus", "--alerts")))
assert "5 rules found" in promtool("check", "rules", "rules.yml")
board = export("prometheus")
queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
for values in ({}, {"page": "(O'Brien|Home)"}):
    filled = [re.sub(r"\$(\w+)", lambda match: values.get(match[1], ".*"), query) for query in queries]
    (scratch / "queries.yml").write_text(json.dumps(
        {"groups": [{"name": "q", "rules": [{"record": f"q{index}", "expr": query} for index, query in enumerate(filled)]}]}))
    promtool("check", "rules", "queries.yml")
figures = perfgate("field", "export", "--openmetrics", "--until", str(day(1)))
families = set(re.findall(r"^# TYPE (\S+)", figures, re.MULTILINE))
for name in ("perfgate_field_seconds", "perfgate_field_visits", "perfgate_field_frames_per_second", "perfgate_field_day_events", "perfgate_field_day_timestamp_seconds"):
    assert name in families and name in (scratch / "rules.yml").read_text(), name


def series(release, figure, events, first):
    """A release's samples of 20 hours, from an hour on."""
    gap = f"_x{first} " if first else ""
    labels = f'app="shop",page="Home",release="{release}",metric="ttil"'
    return [
        {"series": f'perfgate_field_seconds{{{labels},statistic="p75"}}', "values": f"{gap}{figure}x{60 - first}"},
        {"series": f"perfgate_field_day_events{{{labels}}}", "values": f"{gap}{events}x{60 - first}"}]


stamp = {"series": "perfgate_field_day_timestamp_seconds", "values": "0x60"}
alert = {"exp_labels": {"severity": "warning", "app": "shop", "page": "Home", "release": "7.129", "metric": "ttil", "statistic": "p75", "limit": "ttil p75"},
         "exp_annotations": {"summary": "ttil p75 of Home in shop 7.129 is 0.5; the limit is 0.4."}}
cases = [
    (series("7.117", 0.6, 900, 0) + series("7.129", 0.5, 300, 30), [alert]),  # only the newest release
    (series("7.117", 0.6, 900, 0) + series("7.129", 0.3, 300, 30), []),
    (series("7.117", 0.3, 900, 0) + series("7.129", 0.5, 299, 30), []),  # too few events
]
tests = [
    {"interval": "2h", "input_series": given + [stamp], "alert_rule_test": [
        {"eval_time": "96h", "alertname": "PerfgateLimit", "exp_alerts": wanted},
        {"eval_time": "70h", "alertname": "PerfgateNoNewDay", "exp_alerts": []},
        {"eval_time": "96h", "alertname": "PerfgateNoNewDay", "exp_alerts": [
            {"exp_labels": {"severity": "warning"}, "exp_annotations": {
                "summary": "The newest day of real users' events is more than two days old: check the roll-up."}}]}]}
    for given, wanted in cases]
(scratch / "tests.yml").write_text(json.dumps({"rule_files": ["rules.yml"], "evaluation_interval": "2h", "tests": tests}))
promtool("test", "rules", "tests.yml")

print(f"Grafana's models held {len(sources)} dashboards and their rules; queries answered as expected: {', '.join(told)}; "
      f"quantiles were within {largest:.4f} of the events' own; promtool took the rules and {len(queries)} queries")
