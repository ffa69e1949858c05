"""Validates perfgate's JSON output against its published schemas with an independent validator.

Usage: judge-json.py PROGRAM SCRATCH
"""

import json
import pathlib
import subprocess
import sys

import jsonschema
import yaml

program, scratch = sys.argv[1], pathlib.Path(sys.argv[2])


def schema(name):
    text = subprocess.run([program, "schema", name], check=True, capture_output=True).stdout
    value = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(value)
    return jsonschema.Draft202012Validator(value)


report = schema("report")
samples = sorted(pathlib.Path("Tests/Samples").glob("*.ndjson"))
for log in samples:
    path, again = scratch / f"{log.stem}.json", scratch / f"{log.stem}-again.json"
    subprocess.run([program, "check", log, "--json", path, "--quiet"], stderr=subprocess.DEVNULL)
    report.validate(json.loads(path.read_text()))
    subprocess.run([program, "report", path, "--json", again, "--quiet"], stderr=subprocess.DEVNULL, check=True)
    assert path.read_bytes() == again.read_bytes(), f"{log.stem} isn't the same when it is rendered again"

line, lines = schema("log"), 0
for log in samples:
    for text in log.read_text().splitlines():
        try:
            value = json.loads(text)
        except json.JSONDecodeError:
            assert log.stem == "cut", f"{log} has a line that is no JSON"
        else:
            line.validate(value)
            lines += 1

files = list(pathlib.Path("Baselines").rglob("*.json"))
for path in files:
    schema("baseline").validate(json.loads(path.read_text()))

starter = scratch / "starter"
starter.mkdir()
log = pathlib.Path("Tests/Samples/pass.ndjson").resolve()
subprocess.run([pathlib.Path(program).resolve(), "init", log], cwd=starter, check=True, capture_output=True)
schema("config").validate(yaml.safe_load((starter / "perfgate.yml").read_text()))
print(
    f"another validator accepts {len(samples)} reports, {lines} lines, {len(files)} baselines and the starter by the "
    "published schemas")
