"""What other people's tools say of view-lint's reports: python judge-views.py VIEW-LINT SCRATCH-FOLDER"""

import json
import pathlib
import shutil
import subprocess
import sys

import junitparser
import sarif_pydantic

program = pathlib.Path(sys.argv[1]).resolve()
project = pathlib.Path(sys.argv[2]) / "project"
shutil.copytree("SwiftUIChecks/Tests/ViewLintTests/Samples/Project", project)


def report(form, *words):
    """The report of a check in a format."""
    call = [program, "check", *words, "--format", form]
    return subprocess.run(call, cwd=project, capture_output=True, text=True, check=True).stdout


for words in (["Sources"], ["--config", "hostile.yml", "--limit", "1", "Hostile", "Suppressed"]):
    views = json.loads(report("json", *words))
    high = [view for view in views["views"] if view["complexity"] > views["limit"]]
    assert views["schema"] == 1 and high, words

    sarif = sarif_pydantic.Sarif.model_validate(json.loads(report("sarif", *words)))
    [run] = sarif.runs
    assert run.results, words
    fingerprints = [json.dumps(result.partial_fingerprints) for result in run.results]
    assert len(set(fingerprints)) == len(fingerprints), fingerprints
    for result in run.results:
        assert run.tool.driver.rules[result.rule_index].id == result.rule_id, result

    junit = junitparser.JUnitXml.fromstring(report("junit", *words).encode())
    failures = [case for suite in junit for case in suite if case.result]
    assert failures and junit.failures == len(failures), words

    lines = report("github", *words).splitlines()
    assert len(lines) == len(run.results) and all(line.startswith("::") for line in lines), lines

print("views: JSON, SARIF, JUnit and annotations are read")
