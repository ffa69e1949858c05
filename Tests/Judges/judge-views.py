"""Checks view-lint's reports with independent tools, and the action's use of them:
python judge-views.py VIEW-LINT SCRATCH-FOLDER PERFGATE"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import junitparser
import sarif_pydantic
import yaml

program = pathlib.Path(sys.argv[1]).resolve()
gate = pathlib.Path(sys.argv[3]).resolve()
project = pathlib.Path(sys.argv[2]) / "project"
shutil.copytree("SwiftUIChecks/Tests/ViewLintTests/Samples/Project", project)


def report(form, *words):
    """A check's report in a format."""
    call = [program, "check", *words, "--format", form]
    done = subprocess.run(call, cwd=project, capture_output=True, text=True)
    # Only a new error fails without --strict.
    assert done.returncode == (2 if "rules.yml" in words else 0), done
    return done.stdout


(project / "Branches.txt").rename(project / "Sources/Branches.swift")
for words in (["Sources"], ["Sources", "--config", "rules.yml"], ["--config", "hostile.yml", "--limit", "1", "Hostile", "Suppressed"]):
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
    levels = {result.level.value if hasattr(result.level, "value") else result.level for result in run.results}
    assert levels == ({"note", "warning", "error"} if "rules.yml" in words else levels - {"error"}), levels

    lines = report("github", *words).splitlines()
    assert len(lines) == len(run.results) and all(line.startswith("::") for line in lines), lines

# The action's steps: the gate's row names the views of a page that got worse, and the views alone fail the job.
shutil.copytree("Baselines", project / "Baselines")
shutil.copy("Tests/Samples/regression.ndjson", project / "run.ndjson")
settings = project / "perfgate.yml"
settings.write_text(settings.read_text() + "pages:\n  - {match: Search, source: 'Sources/Home.swift:10'}\n")
steps = {step["id"]: step["run"] for step in yaml.safe_load(pathlib.Path("action.yml").read_text())["runs"]["steps"] if "id" in step and "run" in step}
tools = project / "tools/perfgate"
tools.mkdir(parents=True)
(tools / "perfgate").symlink_to(gate)


def act(name, paths):
    """A step of the action as a runner runs it."""
    output, summary = (project / name for name in ("output", "summary.md"))
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(project), "RUNNER_TEMP": str(tools.parent),
        "GITHUB_ACTION_PATH": str(pathlib.Path.cwd()), "PERFGATE_LOGS": "run.ndjson",
        "PERFGATE_ARGUMENTS": "", "PERFGATE_FOLDER": "report", "LINT_BINARY": str(program), "LINT_PATHS": paths,
        "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary),
    }
    call = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", steps[name]]
    return subprocess.run(call, cwd=project, env=environment, capture_output=True, text=True)


checked = act("check", "Sources\n")
assert checked.returncode == 2, checked.stderr
for name in ("perfgate.xml", "report.html", "report.md", "result.json"):
    assert "HomeView: body 8, limit 3, was 5 in the baseline" in (project / "report" / name).read_text(), name
# A new error ends view-lint with 2: the gate still reads its views.
plain = settings.read_text()
settings.write_text(plain.replace("  limit: 3\n", "  limit: 3\n  rules: {formatter-in-body: error}\n"))
checked = act("check", "Sources\n")
assert checked.returncode == 2 and "HomeView: body 8" in (project / "report/report.md").read_text(), checked.stderr
linted = act("views", "Sources\n")
assert linted.returncode == 2 and "::error file=Sources/Home.swift,line=15" in linted.stdout, linted
settings.write_text(plain)
checked = act("check", "nowhere\n")
assert checked.returncode == 2 and "HomeView" not in (project / "report/report.md").read_text(), checked.stderr
linted = act("views", "Sources\n")
assert linted.returncode == 2 and "::warning file=Sources/Home.swift,line=10" in linted.stdout, linted
accepted = [program, "check", "Sources", "--update-baseline", "--accept", "where we start"]
subprocess.run(accepted, cwd=project, capture_output=True, check=True)
assert act("views", "Sources\n").returncode == 0
assert act("views", "nowhere\n").returncode == 66

print("views: JSON, SARIF, JUnit and annotations are read, and the action's steps do what they say")
