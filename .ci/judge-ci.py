"""Judges the pieces for continuous integration: their form by published schemas, and their scripts by running them.

Usage: judge-ci.py PROGRAM SCRATCH
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

program, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
document = pathlib.Path("Sources/PerfgateCLI/Documentation.docc/ContinuousIntegration.md").read_text()
checker = pathlib.Path(sys.executable).with_name("check-jsonschema")


def judge(schema, path):
    subprocess.run([checker, "--builtin-schema", schema, path], check=True, stdout=subprocess.DEVNULL)


def run(script, environment, folder):
    """A step as a runner runs it: bash, ending at the first failure."""
    variables = {"PATH": f"{scratch}:{os.environ['PATH']}", "HOME": str(scratch.resolve()), **environment}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
        cwd=folder, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def syntax(script, name):
    """What a workflow fills in before the shell sees it stands for a word."""
    script = re.sub(r"\$\{\{.*?\}\}", "word", script)
    subprocess.run(["bash", "-n", "-c", script], check=True)


# Every example has the form that its platform's schema asks for, and its scripts are shell.
examples = re.findall(r"```yaml\n# (\S+)\n(.*?)```", document, re.DOTALL)
assert len(examples) >= 6, "the documentation has lost its examples"
for index, (name, text) in enumerate(examples):
    path = scratch / f"example-{index}.yml"
    path.write_text(text)
    judge("vendor.github-workflows" if name.startswith(".github") else "vendor.gitlab-ci", path)
    for job in yaml.safe_load(text).get("jobs", {}).values():
        for step in job["steps"]:
            if "run" in step:
                syntax(step["run"], name)
            if "uses" in step:
                assert "@" in step["uses"], f"{name}: {step['uses']} has no version"
judge("vendor.github-actions", "action.yml")
judge("vendor.gitlab-ci", ".gitlab/perfgate.yml")

# The action and the template do what they say, on the samples.
shutil.copy(program, scratch / "perfgate")
steps = yaml.safe_load(pathlib.Path("action.yml").read_text())["runs"]["steps"]
for step in steps:
    syntax(step["run"], "action.yml") if "run" in step else None
check = next(step for step in steps if step.get("id") == "check")["run"]
template = yaml.safe_load(pathlib.Path(".gitlab/perfgate.yml").read_text())[".perfgate"]
for sample, code in [("pass", 0), ("regression", 2), ("cut", 65)]:
    folder = scratch / f"action-{sample}"
    folder.mkdir()
    shutil.copytree("Baselines", folder / "Baselines")
    shutil.copy(f"Tests/Samples/{sample}.ndjson", folder / "a log.ndjson")
    files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    result = run(check, {
        "PERFGATE_BINARY": str(scratch / "perfgate"), "PERFGATE_LOGS": "a log.ndjson\n", "PERFGATE_ARGUMENTS": "",
        "PERFGATE_FOLDER": "report", **{name: str(path) for name, path in files.items()},
    }, folder)
    assert result.returncode == code, f"the action on {sample}: {result.returncode}, {result.stderr}"
    assert files["GITHUB_OUTPUT"].read_text() == f"exit-code={code}\n"
    assert files["GITHUB_STEP_SUMMARY"].read_text().startswith("<!-- perfgate:")
    for name in ("perfgate.xml", "report.html", "report.md", "result.json"):
        assert (folder / "report" / name).stat().st_size > 0, name
    (folder / "logs").mkdir()
    shutil.copy(folder / "a log.ndjson", folder / "logs")
    result = run("\n".join(template["script"]), {"PERFGATE_LOGS": "logs/", "PERFGATE_ARGUMENTS": ""}, folder)
    assert result.returncode == code, f"the template on {sample}: {result.returncode}, {result.stderr}"
    assert (folder / "perfgate-report/metrics.txt").read_text().endswith("# EOF\n")



def git(*arguments, folder):
    return subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def step(example, name):
    jobs = yaml.safe_load(dict(examples)[example])["jobs"]
    return next(step["run"] for job in jobs.values() for step in job["steps"] if step.get("name") == name)


# The nightly jobs take in what passes, refuse what got worse, and push: to main, and to a branch without history.
for example, branch, history in [("main", "main", 3), ("baselines", "baselines", 1)]:
    place = scratch / f"nightly-{branch}"
    place.mkdir()
    git("init", "-q", "--bare", "-b", "main", "remote", folder=place)
    git("clone", "-q", "remote", "clone", folder=place)
    clone = place / "clone"
    for key, value in [("user.name", "perfgate"), ("user.email", "perfgate@localhost")]:
        git("config", key, value, folder=clone)
    git("checkout", "-q", "-B", "main", folder=clone)
    if branch == "main":
        shutil.copytree("Baselines", clone / "Baselines")
    (clone / "app").write_text("the app\n")
    git("add", "--all", folder=clone)
    git("commit", "-qm", "The app", folder=clone)
    git("push", "-q", "-u", "origin", "main", folder=clone)
    if branch == "baselines":
        created = re.search(r"```sh\n(git push origin .*?)\n```", document).group(1)
        assert run(created, {}, clone).returncode == 0
    for night, (sample, code) in enumerate([("pass", 0), ("regression", 2)]):
        temporary = place / f"temporary-{night}"
        temporary.mkdir()
        shutil.rmtree(clone / "logs", ignore_errors=True)
        (clone / "logs").mkdir()
        shutil.copy(f"Tests/Samples/{sample}.ndjson", clone / "logs")
        result = run(step(f".github/workflows/performance-{example}.yml", "take the run in"),
                     {"RUNNER_TEMP": str(temporary), "HOME": str(place)}, clone)
        assert result.returncode == code, f"{branch}, night {night}: {result.returncode}, {result.stderr}"
    log = git("log", "--oneline", branch, folder=place / "remote").splitlines()
    assert len(log) == history, log
    held = git("ls-tree", "-r", "--name-only", branch, "Baselines", folder=place / "remote").splitlines()
    assert len(held) >= 4, held

# The job over real users takes in a day a night, draws it, and compares two releases once both have users.
place = scratch / "field"
place.mkdir()
events = [program, "simulate", "--field", "--days", "5", "--events", "4000", "--users", "900", "--pages", "3", "--out", "all"]
subprocess.run(events, cwd=place, check=True, stdout=subprocess.DEVNULL)
codes = []
for day in sorted((place / "all").iterdir()):
    shutil.rmtree(place / "events", ignore_errors=True)
    (place / "events").mkdir()
    shutil.copy(day, place / "events")
    variables = {"BASE": "7.117", "CANDIDATE": "7.129", "GITHUB_STEP_SUMMARY": str(place / "summary.md")}
    example = ".github/workflows/performance-field.yml"
    result = run(step(example, "roll up"), variables, place)
    assert result.returncode == 0, f"{day.name}: {result.returncode}, {result.stderr}"
    codes.append(run(step(example, "check"), variables, place).returncode)
    assert (place / "report/trend.html").stat().st_size > 0
assert codes[0] == 66 and codes[-1] == 0, codes
assert (place / "report/release.html").stat().st_size > 0 and (place / "summary.md").stat().st_size > 0

print(f"published schemas accept {len(examples) + 2} pieces for continuous integration, and their scripts run, the nightly ones against a repository")
