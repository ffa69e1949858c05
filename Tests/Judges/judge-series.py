"""Imports perfgate's exports of field data into InfluxDB and Prometheus' promtool, and compares the stored values.

Usage: judge-series.py PROGRAM SCRATCH

InfluxDB 1.x and promtool come from Debian. InfluxDB's server is started here, on the loopback address, and stopped
at the end. It also runs the queries of the Grafana dashboard.
"""

import calendar
import csv
import io
import json
import pathlib
import random
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

program, scratch = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
figures = ["mean", "p50", "p75", "p90", "p95", "p99"]
strata = ["network"]
pages = ["Home", "a,b=c d", "Pro'duct", 'Cart "x"', "Éclair 🥐", "ends\\", "in\\side, it", "line\nbreak", "p50=1i 7", "100 %"]


def perfgate(*arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=scratch)
    assert done.returncode == 0, f"perfgate {arguments}: {done.returncode}\n{done.stderr}"
    return done.stdout


def rows():
    """Rows of events, and metrics with names from an app."""
    draw = random.Random(2026)
    for index in range(4_000):
        row = {
            "at": f"2026-11-{draw.randint(1, 9):02}T08:00:00Z", "app": draw.choice(["shop", "a b,c", None]),
            "app_version": draw.choice(["7.117", "7.129"]), "page": draw.choice(pages),
            "network": draw.choice(["wifi", "cellular", None])}
        if index % 10 == 0:
            yield row | {"type": "metric", "metric": draw.choice(["own.one", "own one", "1\"x"]), "values": [draw.random() * 9]}
        else:
            yield row | {
                "outcome": draw.choice(["loaded", "loaded", "error"]), "ttil_ms": draw.random() * 900,
                "hitch_ms": draw.random() * 50, "hang_ms": draw.random() * 90, "duration_ms": 5000, "frame_count": 290}


(scratch / "perfgate.yml").write_text(f"field: {{ by: {json.dumps(strata)} }}\n")
(scratch / "events.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows()))
perfgate("field", "rollup", "events.ndjson")
table = list(csv.DictReader(io.StringIO(perfgate("field", "export", "--csv"), newline="")))
own = {row["metric"] for row in table} - {"ttil", "load_failures", "hitch_ratio_screen", "hang_rate", "fps_mean"}
assert {row["page"] for row in table} == set(pages) and len(table) > 1_000 and len(own) == 3, f"{len(table)} rows"


def label(text):
    """A name that is valid in the line protocol."""
    text = re.sub(r"\\$", "%5C", text)
    return re.sub(r"[\x00-\x1f\x7f]", lambda match: f"%{ord(match[0]):02X}", text)


names = ["app", "page", "release", "metric", "unit"] + strata
expected = {
    (*[label(row[name]) for name in names], row["day"]): (int(row["events"]), *[float(row[name]) for name in figures])
    for row in table}
assert len(expected) == len(table)


class InfluxDB:
    def __init__(self):
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", 0)), other.bind(("127.0.0.1", 0))
            self.port, backup = one.getsockname()[1], other.getsockname()[1]
        folder = scratch / "influxdb"
        configuration = scratch / "influxdb.conf"
        configuration.write_text(
            f'reporting-disabled = true\nbind-address = "127.0.0.1:{backup}"\n[meta]\ndir = "{folder}/meta"\n'
            f'[data]\ndir = "{folder}/data"\nwal-dir = "{folder}/wal"\n[http]\nbind-address = "127.0.0.1:{self.port}"\n')
        self.server = subprocess.Popen(
            ["influxd", "-config", configuration], stdout=subprocess.DEVNULL, stderr=open(scratch / "influxdb.log", "w"))
        for _ in range(300):
            try:
                self.ask("CREATE DATABASE perfgate")
                return
            except OSError:
                time.sleep(0.1)
        sys.exit("InfluxDB didn't answer within 30 s")

    def send(self, path, body, **parameters):
        url = f"http://127.0.0.1:{self.port}/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, data=body.encode(), timeout=30) as answer:
            return answer.read()

    def ask(self, query):
        answer = json.loads(self.send("query", urllib.parse.urlencode({"q": query}), db="perfgate", epoch="s"))
        faults = [one["error"] for one in answer["results"] if "error" in one]
        assert not faults, f"{query}: {faults}"
        return [series for one in answer["results"] for series in one.get("series", [])]


influx = InfluxDB()
try:
    for _ in range(2):  # the same day twice is the same points
        influx.send("write", perfgate("field", "export", "--influx"), db="perfgate")
    held = {}
    for series in influx.ask('SELECT * FROM "perfgate_field" GROUP BY *'):
        place = {name: index for index, name in enumerate(series["columns"])}
        for values in series["values"]:
            day = time.strftime("%Y-%m-%d", time.gmtime(values[place["time"]]))
            key = (*[series["tags"].get(name, "") for name in names], day)
            held[key] = (values[place["events"]], *[float(values[place[name]]) for name in figures])
    assert held == expected, f"InfluxDB holds {len(held)} points, {len(expected)} rows were written"

    # The dashboard: each of its variables has values, and each panel's query returns the table's values.
    dashboard = json.loads(perfgate("field", "export", "--grafana"))
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            query = variable["query"].replace("$app", ".*").replace("$page", "Home")
            values = {value for series in influx.ask(query) for _, value in series["values"]}
            within = [row for row in table if variable["name"] != "metric" or row["page"] == "Home"]
            assert values == {label(row[variable["name"]]) for row in within} - {""}, f"{query}: {values}"
    queries = 0
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            query = target["query"].replace("$timeFilter", "time > 0").replace("$app", "shop")
            query = query.replace("$page", "Home").replace("$metric", "ttil")
            metric = "load_failures" if "load_failures" in query else "ttil"
            found = influx.ask(query)
            wanted = {row["release"] for row in table if (row["app"], row["page"], row["metric"]) == ("shop", "Home", metric)}
            assert {series["tags"]["release"] for series in found} == wanted, f"{query}: {found}"
            field = re.search(r'(?:last|sum)\("(\w+)"\)', query)[1]
            total = sum(values[series["columns"].index(name)] or 0 for series in found for values in series["values"]
                        for name in series["columns"] if name in ("last", "sum"))
            chosen = [float(row[field]) for row in table
                      if (row["app"], row["page"], row["metric"]) == ("shop", "Home", metric)]
            assert target["resultFormat"] == "table" or abs(total - sum(chosen)) < 0.01, f"{query}: {total}, {sum(chosen)}"
            queries += 1
finally:
    influx.server.terminate()
    influx.server.wait(30)


def promtool(*arguments, text=None):
    done = subprocess.run(["promtool", *arguments], input=text, capture_output=True, text=True, cwd=scratch)
    assert done.returncode == 0, f"promtool {arguments}: {done.stdout}{done.stderr}"
    return done.stdout


assert promtool("check", "metrics", text=perfgate("field", "export", "--openmetrics")) == ""
repository = pathlib.Path(__file__).resolve().parent.parent.parent
check = ["check", "Tests/Samples/regression.ndjson", "--quiet", "--openmetrics", str(scratch / "check.om")]
done = subprocess.run([program, *check], cwd=repository, stdout=subprocess.DEVNULL)
assert done.returncode == 2 and promtool("check", "metrics", text=(scratch / "check.om").read_text()) == ""
history = scratch / "history.om"
history.write_text(perfgate("field", "export", "--openmetrics", "--since", "2026-01-01"))
promtool("tsdb", "create-blocks-from", "openmetrics", str(history), str(scratch / "blocks"))
(scratch / "blocks" / "wal").mkdir()  # which the next command wants to see
dump = promtool("tsdb", "dump", str(scratch / "blocks"))
samples = {}
for line in dump.splitlines():
    labels, value, moment = re.fullmatch(r"\{(.*)\} (\S+) (\d+)", line).groups()
    found = {name: json.loads(text) for name, text in re.findall(r'(\w+)=("(?:[^"\\]|\\.)*")', labels)}
    samples[(*sorted(found.items()), int(moment) // 86_400_000)] = float(value)
days = {int(key[-1]) for key in samples}
counts = {key: value for key, value in samples.items() if ("__name__", "perfgate_field_day_events") in key}
assert sorted(counts.values()) == sorted(float(row["events"]) for row in table)
assert len(samples) == len(table) * (len(figures) + 1) + len(days), f"{len(samples)} samples"
for row in table:
    if row["metric"] == "ttil":
        labels = {"__name__": "perfgate_field_seconds", "metric": "ttil", "statistic": "p90"} | {
            name: row[name] for name in ["app", "page", "release", *strata] if row[name]}
        day = calendar.timegm(time.strptime(row["day"], "%Y-%m-%d")) // 86_400
        found = samples[(*sorted(labels.items()), day)]
        assert abs(found * 1_000 - float(row["p90"])) < 1e-9, f"{labels}: {found}"

print(f"InfluxDB held all {len(held):,} points as they were written, and answered {queries} queries of the dashboard; "
      f"promtool took {len(samples):,} samples")
