"""Judges the files for continuous integration. Published schemas and an auditor check their form. The steps run
unchanged, with fakes for the platforms (`runners.py`) and for devices (`fakes`).

Usage: judge-ci.py PROGRAM SCRATCH
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

import runners
from runners import git

program, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
document = pathlib.Path("Sources/PerfgateCLI/Documentation.docc/ContinuousIntegration.md").read_text()
tools = pathlib.Path(sys.executable).parent
SLOW = "Search load:260\n"

# Every example is valid for its platform's schema, and its scripts are valid shell.
examples = re.findall(r"```(?:yaml|groovy|sh)\n(?:#!/bin/sh\n)?(?:#|//) ([\w./-]+)\n(.*?)```", document, re.DOTALL)
schemas = {".github": "github-workflows", ".gitlab-ci.yml": "gitlab-ci", "bitbucket-pipelines.yml": "bitbucket-pipelines",
           ".buildkite": "buildkite"}


def judge(schema, *paths):
    subprocess.run([tools / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", *paths], check=True, stdout=subprocess.DEVNULL)


def shellcheck(script, name, shell="bash"):
    """Checks a script; a word replaces each expression that the workflow evaluates before the shell runs."""
    script = "set -e\n" + re.sub(r"\$\{\{.*?\}\}", "word", script)
    result = subprocess.run(["shellcheck", "--shell", shell, "-"], input=script, text=True, capture_output=True)
    assert result.returncode == 0, f"{name}: {result.stdout}"


def example(name, index=0):
    found = [text for path, text in examples if path == name]
    assert len(found) > index, f"the documentation has lost {name}"
    return found[index]


workflows = scratch / "forms/.github/workflows"
workflows.mkdir(parents=True)
for index, (name, text) in enumerate(examples):
    schema = next((schema for start, schema in schemas.items() if name.startswith(start)), None)
    if schema:
        path = (workflows if schema == "github-workflows" else scratch / "forms") / f"{index}-{pathlib.Path(name).name}"
        path.write_text(text)
        judge(schema, path)
own = sorted(pathlib.Path(".github/workflows").glob("*.yml"))
judge("github-workflows", *own)
judge("github-actions", "action.yml")
judge("gitlab-ci", ".gitlab/perfgate.yml")
for path in [*own, *workflows.iterdir()]:
    for job in yaml.safe_load(path.read_text())["jobs"].values():
        for step in job["steps"]:
            if "run" in step:
                shellcheck(step["run"], path)
            if "uses" in step:
                assert step["uses"] == "./" or re.search(r"@([0-9a-f]{40}|v1)$", step["uses"]), f"{path}: {step['uses']}"
# The documentation's own address isn't pinned, since readers replace it. Short artifact names are fine.
audit = subprocess.run([tools / "zizmor", "--offline", "--no-progress", "--min-severity", "medium", "--format", "json",
                        "action.yml", ".github", scratch / "forms"], capture_output=True, text=True)
faults = [f"{fault['ident']}: {fault['desc']}" for fault in json.loads(audit.stdout)
          if not ((fault["ident"] == "unpinned-uses" and "OWNER/perfgate@v1" in json.dumps(fault))
                  or fault["ident"] in ("artipacked", "dangerous-triggers", "unpinned-images"))]
assert not faults, "\n".join(sorted(set(faults)))
assert not re.search(r"example/perfgate|tools/perfgate", "".join(
    path.read_text() for path in [pathlib.Path("README.md"), pathlib.Path("action.yml"), *pathlib.Path("Sources").rglob("*.md")]))

# A release, made by the scripts of the release workflow, and a server for it.
release, built = scratch / "releases/v0.1.0", scratch / "built"
for folder in (release, built / "completions"):
    folder.mkdir(parents=True)
platform = runners.Platform(scratch / "releases")
help_text = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout
manual = subprocess.run([".ci/manual"], input=help_text, check=True, capture_output=True).stdout
(built / "perfgate.1").write_bytes(manual)
lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", built / "perfgate.1"], capture_output=True, text=True)
assert lint.returncode == 0, lint.stdout
shown = subprocess.run(["mandoc", "-Tutf8", built / "perfgate.1"], capture_output=True, text=True).stdout
shown = re.sub(r".\x08", "", shown)
for words in ("perfgate baseline update", "--rerun-command <command>", "Values: inline, external.", "perfgate field check"):
    assert words in shown, f"the manual lacks {words}"
for shell, name, checked in [("bash", "perfgate.bash", ["bash", "-n"]), ("zsh", "_perfgate", None), ("fish", "perfgate.fish", None)]:
    (built / "completions" / name).write_bytes(
        subprocess.run([program, "--generate-completion-script", shell], check=True, capture_output=True).stdout)
    assert "rerun-command" in (built / "completions" / name).read_text()
    if checked:
        subprocess.run([*checked, built / "completions" / name], check=True)
subprocess.run([".ci/bill", "perfgate", built], check=True)
for name, system in [("linux-x86_64", "Linux"), ("linux-arm64", "Linux"), ("macos-universal", "Darwin")]:
    # A program for another system doesn't start.
    (built / "perfgate").write_text(
        f'#!/bin/sh\n[ "$(uname -s)" = {system} ] || {{ echo "cannot execute binary file" >&2; exit 126; }}\n'
        f'exec "$FAKE_PERFGATE" "$@"\n')
    for _ in range(2):
        before = (release / f"perfgate-{name}.tar.gz").read_bytes() if _ else b""
        subprocess.run([".ci/pack", name, built, release], check=True)
    assert (release / f"perfgate-{name}.tar.gz").read_bytes() == before, "the same files give another archive"
address = platform.address + "/OWNER/perfgate/releases/download/v0.1.0"
subprocess.run([".ci/pack", "--publish", address, release], check=True)
lacking = scratch / "lacking"
lacking.mkdir()
assert subprocess.run([".ci/pack", "--publish", address, lacking], capture_output=True).returncode == 1

# The notes of a release are the section of the changelog, and a release without one fails.
sources = scratch / "sources"
for path in [".ci/notes", ".ci/install", ".ci/action", "action.yml", "Sources/PerfgateCLI/Program.swift"]:
    (sources / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, sources / path)
version = re.search(r'version = "(.*?)"', (sources / "Sources/PerfgateCLI/Program.swift").read_text())[1]
assert version == "0.1.0", "the stand-in for a release is of another version"


def notes(changelog, argument):
    (sources / "CHANGELOG.md").write_text(changelog)
    result = subprocess.run([sources / ".ci/notes", argument], capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


head, links = "# Changelog\n\nText.\n\n## [Unreleased]\n", "[Unreleased]: https://localhost/x\n[0.1.0]: https://localhost/y\n"
first = "\n## [0.1.0] - 2026-11-20\n\n### Added\n\n- One thing.\n\n\n- [a link](b.md)\n\n"
released = head + first + links
assert notes(released, "v0.1.0") == (0, "### Added\n\n- One thing.\n\n- [a link](b.md)\n", "")
assert notes(released, "--released") == (0, "0.1.0\n", "")
assert notes(head + "\n- New.\n" + first + links, "--released")[0] == 1
for changelog, argument, fault in [
    (released, "v0.2.0", "not 0.2.0"), (head + links, "v0.1.0", "no section [0.1.0]"),
    (released.replace(" - 2026-11-20", ""), "v0.1.0", "has no day"), (head + "\n## [0.1.0] - 2026-11-20\n\n" + links, "v0.1.0", "is empty"),
    (released + first, "v0.1.0", "two sections"),
]:
    code, said, error = notes(changelog, argument)
    assert code == 1 and said == "" and fault in error, (argument, code, said, error)
unreleased = head + "\n- New.\n" + first + links

# The installer: verifies, keeps existing files, and reports errors.
machines = {mac: runners.Machine(scratch / f"machines/{'mac' if mac else 'linux'}", program, mac) for mac in (True, False)}


def install(machine, folder, **variables):
    return machine.run(f"sh {release}/install.sh {folder}", machine.place, variables)


def code(result, expected, *words):
    said = result.stdout + result.stderr
    assert result.returncode == expected and all(word in said for word in words), f"{result.returncode}, not {expected}: {said}"


shellcheck((release / "install.sh").read_text(), "install.sh", "sh")
for mac, machine in machines.items():
    code(install(machine, "there"), 0)
    code(machine.run("there/perfgate --version && test -f there/completions/_perfgate && test -f there/perfgate.1", machine.place), 0, version)
linux = machines[False]
code(install(linux, "there", PERFGATE_SHA256="0" * 64), 65, "not " + "0" * 64)
code(install(linux, "other", PERFGATE_SHA256="0" * 64), 65, "not " + "0" * 64)
code(install(linux, "other", PERFGATE_RELEASE=address.replace("0.1.0", "9.9.9")), 66, "v9.9.9/perfgate-linux-", "can't be fetched")
assert not list((linux.place / "other").iterdir()), "a failed download leaves something"
sums = (release / "SHA256SUMS").read_text()
(release / "SHA256SUMS").write_text(sums.replace("perfgate-linux", "perfgate-lunix"))
code(install(linux, "other"), 65, "doesn't name")
(release / "SHA256SUMS").write_text(sums)
result = linux.run(f"sh {pathlib.Path('.ci/install').resolve()}", linux.place)
code(result, 64, "PERFGATE_RELEASE")

# The commands of Installing.md, with the address replaced as it says.
installing = pathlib.Path("Sources/PerfgateCLI/Documentation.docc/Installing.md").read_text()
commands = re.findall(r"```sh\n(.*?)```", installing, re.DOTALL)
copied = linux.place / "reader"
for index, (name, text) in enumerate(examples):
    path = copied / f"{name}-{index}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
subprocess.run(["git", "init", "--quiet", copied], check=True)
code(linux.run(commands[0], copied), 0)
files = [path for path in copied.rglob("*-*") if path.is_file() and ".git" not in path.relative_to(copied).parts]
assert len(files) == len(examples) and not [path for path in files if "OWNER" in path.read_text()]
for text in ["your-organisation/perfgate@v1", "githubusercontent.com/your-organisation/perfgate/v1.2.3"]:
    assert [path for path in files if text in path.read_text()], text
fetched = commands[1].replace("https://github.com/OWNER/perfgate/releases/download/v1.2.3", address)
code(linux.run(fetched, linux.place / "reader"), 0, version)
# A release of one's own, hosted in a folder. A stand-in compiles.
hosted = scratch / "hosted"
(hosted / ".ci").mkdir(parents=True)
for path in [".ci/pack", ".ci/install", "LICENSE"]:
    shutil.copy(path, hosted / path)
(hosted / ".ci/release").write_text(
    f'#!/bin/sh\nset -e\n[ "$1" = --static ]\ncp -R {built} "$2"\n'
    'printf \'#!/bin/sh\\nexec "$FAKE_PERFGATE" "$@"\\n\' > "$2/perfgate"\nchmod +x "$2/perfgate"\n')
(hosted / ".ci/release").chmod(0o755)
section = installing.split("## A release of your own")[1].split("\n## ")[0]
for command in re.findall(r"```sh\n(.*?)```", section, re.DOTALL):
    code(linux.run(command.replace("https://files.example.com/perfgate/v1.2.3", f"file://{hosted}/release"), hosted), 0)
assert {path.name for path in (hosted / "release").iterdir()} == {
    "perfgate-linux-x86_64.tar.gz", "perfgate-linux-x86_64.cdx.json", "install.sh", "SHA256SUMS"}
code(linux.run(fetched.replace(address, f"file://{hosted}/release"), hosted), 0, version)
code(linux.run(f"sh {hosted}/release/install.sh there", hosted), 0)
assert (hosted / "there/release").read_text() == f"file://{hosted}/release\n"
completions = next(command for command in commands if "completion-script bash" in command)
code(linux.run(f"export PATH=$PWD/.perfgate:$PATH\n{completions}", linux.place / "reader"), 0)
assert "rerun-command" in (linux.place / ".config/fish/completions/perfgate.fish").read_text()

# Without Swift, `.ci/release` reports that, and prints no key.
for option in ("--key", "built"):
    result = linux.run(f"{pathlib.Path('.ci/release').resolve()} {option}", linux.place)
    code(result, 69, "there is no swift on PATH", "https://www.swift.org/install")
    assert result.stdout == ""

# The repository of an app, with the script that measures it and the release's installer.
template = scratch / "app"
shutil.copytree("Examples/Shop", template / "Shop", ignore=shutil.ignore_patterns("build", ".build*", "*.xcodeproj"))
shutil.copy("Examples/Shop/measure.sh", template)
(template / "ci").mkdir()
shutil.copy(release / "install.sh", template / "ci/install-perfgate.sh")
(template / "ci/install-perfgate.sh").chmod(0o755)
(template / "app.txt").write_text("")
(template / ".gitignore").write_text("*.xcodeproj\nlogs/\n")
(template / "fetch-events.sh").write_text(
    f'#!/bin/sh\nset -e\nmkdir -p "$2"\ncp "$(ls {scratch}/events/* | head -n 1)" "$2"\nrm "$(ls {scratch}/events/* | head -n 1)"\n')
(template / "fetch-events.sh").chmod(0o755)


class App:
    """A bare repository, and a clone that pushes to it."""

    def __init__(self, place):
        self.origin, self.clone = place / "origin", place / "clone"
        place.mkdir(parents=True)
        git("init", "-q", "--bare", "-b", "main", self.origin, folder=place)
        git("config", "uploadpack.allowAnySHA1InWant", "true", folder=self.origin)
        git("clone", "-q", self.origin, self.clone, folder=place)
        for key, value in [("user.name", "somebody"), ("user.email", "somebody@localhost")]:
            git("config", key, value, folder=self.clone)
        git("checkout", "-q", "-B", "main", folder=self.clone)
        shutil.copytree(template, self.clone, dirs_exist_ok=True)
        self.main = self.commit("main", self.clone / "app.txt", "")

    def commit(self, branch, path, text):
        """Commits a change on a branch off main, and returns its hash."""
        git("fetch", "-q", "origin", folder=self.clone)
        start = ["origin/main"] if git("branch", "-r", folder=self.clone) else []
        git("checkout", "-q", "-B", branch, *start, folder=self.clone)
        path.write_text(text)
        git("add", "--all", folder=self.clone)
        git("commit", "-q", "--allow-empty", "-m", f"Change {path.name}", folder=self.clone)
        git("push", "-q", "--force", "origin", branch, folder=self.clone)
        return git("rev-parse", "HEAD", folder=self.clone)

    def change(self, branch, text):
        return self.commit(branch, self.clone / "app.txt", text)

    def head(self, branch):
        return git("rev-parse", branch, folder=self.origin)

    def baselines(self, branch="main"):
        return git("ls-tree", "-r", "--name-only", branch, "Baselines", folder=self.origin).splitlines()


def hub(name, changelog=released):
    app = App(scratch / name)
    action = scratch / name / "action"
    shutil.copytree(sources, action)
    (action / "CHANGELOG.md").write_text(changelog)
    return app, runners.GitHub(scratch / name, platform, program, action)


def conclusions(jobs):
    return {name: job["conclusion"] for name, job in jobs.items()}


def expect(jobs, conclusion, *words):
    said = "\n".join(job["said"] + job["summary"] for job in jobs.values())
    states = set(conclusions(jobs).values())
    assert states == {conclusion} and all(word in said for word in words), f"{conclusions(jobs)}, not {conclusion} with {words}:\n{said[-6000:]}"


def nights(app, server, workflow, branch, count, history):
    for night in range(count):
        _, jobs = server.run(workflow, "schedule", "refs/heads/main", app.head("main"))
        expect(jobs, "success")
    length = len(git("log", "--oneline", branch, folder=app.origin).splitlines())
    assert length == history, f"{branch} has {length} commits, not {history}"
    assert len(app.baselines(branch)) >= 5, app.baselines(branch)


def pull(app, number, branch, text, owner="stranger"):
    commit = app.change(branch, text)
    platform.pulls.append({"number": number, "head": {"label": f"{owner}:{branch}", "sha": commit}})
    return commit


def finished(number, jobs, branch, commit, owner="stranger"):
    """GitHub's event for a workflow that follows another; for a fork it has no pull request."""
    conclusion = next((job["conclusion"] for job in jobs.values() if job["conclusion"] != "success"), "success")
    return {"workflow_run": {
        "id": number, "event": "pull_request", "conclusion": conclusion, "head_branch": branch, "head_sha": commit,
        "head_repository": {"owner": {"login": owner}}, "pull_requests": []}}


def commented(server, app, run, jobs, number, branch):
    """Runs the workflow that comments after the judging one, for a pull request of its own team."""
    commit = app.head(branch)
    platform.pulls.append({"number": number, "head": {"label": f"team{number}:{branch}", "sha": commit}})
    _, comments = server.run(
        comment, "workflow_run", "refs/heads/main", app.head("main"), finished(run, jobs, branch, commit, f"team{number}"))
    expect(comments, "success")
    assert bool(platform.comments.get(number)) == (branch == "slow"), platform.comments.get(number)


# GitHub: nights on main, then two pull requests of forks: the first changes nothing, the second is worse and gets a comment.
app, server = hub("github")
nights(app, server, example(".github/workflows/performance-main.yml"), "main", 4, 5)
gate, comment = example(".github/workflows/performance.yml"), example(".github/workflows/performance-comment.yml")
for number, branch, text, conclusion in [(1, "same", "", "success"), (2, "slow", SLOW, "failure")]:
    commit = pull(app, number, branch, text)
    run, jobs = server.run(gate, "pull_request", f"refs/pull/{number}/merge", commit)
    expect(jobs, conclusion, *(["worse: Search: time to initial load"] if text else []))
    kept = server.artifacts[run]["perfgate"]
    assert {path.name for path in (kept / "perfgate-report").iterdir()} >= {"perfgate.xml", "report.html", "report.md", "result.json"}
    assert list((kept / "logs").rglob("*.ndjson")), "the logs aren't kept"
    assert jobs["gate"]["summary"].startswith("<!-- perfgate:")
    _, comments = server.run(comment, "workflow_run", "refs/heads/main", app.head("main"), finished(run, jobs, branch, commit))
    expect(comments, "success")
    status = platform.statuses[commit]
    assert status["state"] == conclusion and status["context"] == "perfgate/report", status
    assert not text or status["description"].startswith("Search: time to initial load "), status
assert f"gh run download {run} --repo " in platform.comments[2][0]["body"]
assert 1 not in platform.comments or not platform.comments[1], "a pull request that changes nothing has a comment"
assert len(platform.comments[2]) == 1 and "Search" in platform.comments[2][0]["body"]

# A comment accepts the change: committed by GitHub, judged again, a green status. Others and other cells don't.
platform.repository = repository = runners.Repository(app.origin)
repository.permissions, repository.pulls[2] = {"kim": "write", "reader": "read"}, {"head": "slow"}
ended = {"head_branch": "slow", "head_repository": {"id": 1}, "conclusion": "failure", "updated_at": "2026-11-26T09:00:00Z"}
repository.runs.append({"id": run, "head_sha": commit} | ended)
accept, line = example(".github/workflows/performance-accept.yml"), "/perfgate accept Search ttil: the new map"


def say(text, author="kim", action="created", **more):
    event = {"action": action, "issue": {"number": 2, "pull_request": {"url": "2"}}, "comment": {
        "body": text, "user": {"login": author}, "created_at": "2026-11-26T09:01:00Z"}}
    return server.run(accept, "issue_comment", "refs/heads/main", app.head("main"), event | more)


expect(say("a good idea")[1], "skipped")
expect(say(line, issue={"number": 2})[1], "skipped")
before = len(platform.comments[2])
for author in ("reader", "stranger"):
    expect(say(line, author)[1], "failure", "may not write")
assert len(platform.comments[2]) == before
for text, words in [("/perfgate accept Search ttfl: why", "exactly one red cell"), (line + "\n$(touch stolen)", "has to begin with")]:
    expect(say(text)[1], "failure", words)
    assert words in platform.comments[2].pop()["body"]
repository.pulls[2]["fork"] = True
expect(say(line)[1], "failure", "in a fork")
repository.pulls[2]["fork"] = False
assert app.head("slow") == commit and platform.comments[2].pop()
# Another night is on main since the branch began, so main is merged first.
nights(app, server, example(".github/workflows/performance-main.yml"), "main", 1, 6)
number, jobs = say(line)
expect(jobs, "success", "Committed")
said = git("log", "-1", "--format=%B", "slow", folder=app.origin)
assert said == "Accept Search ttil: the new map\n\nAccepted by kim in #2.", said
parents = git("log", "-1", "--format=%P", "slow^", folder=app.origin).split()
assert parents == [commit, app.head("main")], parents
changed = git("diff", "--name-only", "slow^", "slow", folder=app.origin).splitlines()
assert len(changed) == 1 and changed[0].startswith("Baselines/") and "/Search" in changed[0], changed
merged = subprocess.run(["git", "merge-tree", "--write-tree", "main", "slow"], cwd=app.origin, capture_output=True)
assert merged.returncode == 0, "the accepted baseline conflicts with main"
status = platform.statuses[app.head("slow")]
assert status["state"] == "success" and status["context"] == "perfgate/report", status
assert len(platform.comments[2]) == 1 and "got worse.**" in platform.comments[2][0]["body"], platform.comments[2]
assert {path.name for path in server.artifacts[number]["perfgate"].iterdir()} == {"logs", "perfgate-report"}
expect(say(line)[1], "failure", "No run of performance.yml has judged the newest commit")
platform.repository = None

# A cancelled measurement has no report, so the second workflow has nothing to do.
_, jobs = server.run(comment, "workflow_run", "refs/heads/main", app.head("main"),
                     finished(99, {"gate": {"conclusion": "cancelled"}}, "same", "0"))
expect(jobs, "skipped")

# A run that got worse on main is refused, and the rest is stored.
held = app.head("main")
app.change("worse-main", SLOW)
git("push", "-q", "origin", "worse-main:main", folder=app.clone)
_, jobs = server.run(example(".github/workflows/performance-main.yml"), "schedule", "refs/heads/main", app.head("main"))
expect(jobs, "failure", "Search")
assert git("log", "-1", "--format=%s", "main", folder=app.origin) == "Store last night's measurements"
app.change("better-main", "")
git("push", "-q", "origin", "better-main:main", folder=app.clone)

# The commit behind a red night: searched after the night, and by hand.
app, server = hub("search")
kept = yaml.load(re.search(r"```yaml\n(- name: check\n.*?)```", document, re.DOTALL)[1], Loader=yaml.BaseLoader)
night = yaml.load(example(".github/workflows/performance-main.yml"), Loader=yaml.BaseLoader)
steps = night["jobs"]["update"]["steps"]
at = next(index for index, step in enumerate(steps) if step.get("name") == "measure") + 1
steps[at:at] = kept
nights(app, server, night, "main", 4, 5)


def land(branch, text):
    commit = app.change(branch, text)
    git("push", "-q", "origin", f"{branch}:main", folder=app.clone)
    return commit


good = app.head("main")
land("one", "\n")
culprit = land("two", SLOW)
land("three", SLOW + "\n")
run, jobs = server.run(night, "schedule", "refs/heads/main", app.head("main"))
expect(jobs, "failure", "Search")
search = example(".github/workflows/performance-bisect.yml")
events = [("workflow_run", {"workflow_run": {"id": run, "conclusion": "failure"}}),
          ("workflow_dispatch", {"inputs": {"good": good, "bad": culprit, "page": "Search", "metric": "ttil"}})]
for event, payload in events:
    _, jobs = server.run(search, event, "refs/heads/main", app.head("main"), payload)
    expect(jobs, "success", culprit[:9], "slower", "### perfgate bisect")
_, jobs = server.run(search, "workflow_run", "refs/heads/main", app.head("main"), {"workflow_run": {"id": run, "conclusion": "success"}})
expect(jobs, "skipped")

# Base against head on two devices: no baselines, a verdict and a comment each, and nothing for a fork.
app, server = hub("measure")
paired = example(".github/workflows/performance-measure.yml")
for number, branch, text, conclusion in [(31, "same", "", "success"), (32, "slow", SLOW, "failure")]:
    commit = app.change(branch, text)
    for owner in ("stranger/app", "owner/app"):
        event = {"number": number, "pull_request": {"number": number, "head": {"sha": commit, "repo": {"full_name": owner}}}}
        run, jobs = server.run(paired, "pull_request", f"refs/pull/{number}/merge", commit, event)
        expected = {"measure": conclusion, "comment": "success"} if owner == "owner/app" else {"measure": "skipped", "comment": "skipped"}
        assert conclusions(jobs) == expected, (conclusions(jobs), jobs["measure"]["said"][-6000:], jobs["comment"]["said"][-2000:])
    assert set(server.artifacts[run]) == {"perfgate-iphone-12", "perfgate-iphone-se-2"}
    for kept in server.artifacts[run].values():
        assert {path.name for path in (kept / "perfgate-report").iterdir()} == {"perfgate.xml", "report.html", "result.json"}
        assert {path.name for path in (kept / "perfgate-measure").iterdir()} == {"base", "head"}
        result = json.loads((kept / "perfgate-report/result.json").read_text())
        assert (result["exit_code"] == 2) == bool(text), result["exit_code"]
assert not platform.comments.get(31), platform.comments.get(31)
assert len(platform.comments[32]) == 2 and all("Search" in note["body"] for note in platform.comments[32])
for name in server.artifacts[run]:
    assert any(f"--name {name}\n" in note["body"] for note in platform.comments[32]), (name, platform.comments[32])
assert app.baselines() == []

# A matrix of devices and shards, judged once. A missing shard is bad data.
app, server = hub("matrix")
matrix = example(".github/workflows/performance-matrix.yml")
measured = yaml.load(matrix, Loader=yaml.BaseLoader)
night = {"jobs": {"measure": measured["jobs"]["measure"], "update": yaml.load(
    example(".github/workflows/performance-main.yml"), Loader=yaml.BaseLoader)["jobs"]["update"]}}
update = night["jobs"]["update"]
update["needs"] = "measure"
update["steps"] = [step for step in update["steps"] if step.get("name") != "measure"]
update["steps"].insert(1, next(step for step in measured["jobs"]["gate"]["steps"] if "download-artifact" in step.get("uses", "")))
for _ in range(4):
    _, jobs = server.run(night, "schedule", "refs/heads/main", app.head("main"))
    expect(jobs, "success")
for branch, text, conclusion in [("same", "", "success"), ("slow", SLOW, "failure")]:
    run, jobs = server.run(matrix, "pull_request", "refs/pull/3/merge", app.change(branch, text))
    assert conclusions(jobs) == {"measure": "success", "gate": conclusion}, (conclusions(jobs), jobs["gate"]["said"])
    assert len(server.artifacts[run]) == 7, server.artifacts[run]
    commented(server, app, run, jobs, 33, branch)
server.machine(["self-hosted", "iphone-12"]).device.joinpath("failing").write_text("2/3")
run, jobs = server.run(matrix, "pull_request", "refs/pull/4/merge", app.change("lost", ""))
assert conclusions(jobs) == {"measure": "failure", "gate": "failure"} and "2/3" in jobs["gate"]["said"], jobs

# Suspects are measured again.
app, server = hub("confirmed")
nights(app, server, example(".github/workflows/performance-main.yml"), "main", 4, 5)
for branch, text, conclusion in [("same", "", "success"), ("slow", SLOW, "failure")]:
    confirmed = example(".github/workflows/performance-confirmed.yml")
    device = server.machine(["self-hosted", "iphone-12"]).device
    before = int((device / "count").read_text())
    _, jobs = server.run(confirmed, "pull_request", "refs/pull/5/merge", app.change(branch, text))
    expect(jobs, conclusion)
    assert int((device / "count").read_text()) - before == (3 if text else 1)
    assert jobs["gate"]["outputs"]["first"]["code"] == ("3" if text else "0")

# Baselines on a separate branch, without history.
app, server = hub("branch")
created = re.search(r"```sh\n(git push origin .*?)\n```", document)[1]
code(linux.run(created, app.clone), 0)
nights(app, server, example(".github/workflows/performance-baselines.yml"), "baselines", 4, 1)
assert app.baselines("main") == []
for branch, text, conclusion in [("same", "", "success"), ("slow", SLOW, "failure")]:
    run, jobs = server.run(example(".github/workflows/performance.yml", 1), "pull_request", "refs/pull/6/merge", app.change(branch, text))
    expect(jobs, conclusion)
    commented(server, app, run, jobs, 34, branch)
# The slow change is merged and accepted there: the same request is green.
shutil.copytree(server.artifacts[run]["perfgate"] / "logs", app.clone / "logs")
accepted = re.search(r"```sh\n(git fetch --depth 1 origin baselines\n.*?)\n```", document, re.DOTALL)[1]
code(linux.run(f"export PATH={program.parent}:$PATH\n{accepted}", app.clone), 0, "accepted: Search")
assert len(git("log", "--oneline", "baselines", folder=app.origin).splitlines()) == 1
_, jobs = server.run(example(".github/workflows/performance.yml", 1), "pull_request", "refs/pull/6/merge", app.head("slow"))
expect(jobs, "success")

# Without a release, each branch builds the program, and the main branch's cache serves all.
FAKE_RELEASE = """#!/usr/bin/env bash
set -euo pipefail
if ! command -v swift >/dev/null; then exec %s "$@"; fi
if [ "$1" = --key ]; then echo "perfgate-$(uname -s)-1"; exit; fi
echo built >> "$HOME/builds"
printf '#!/bin/sh\\nexec "$FAKE_PERFGATE" "$@"\\n' > "${*: -1}/perfgate"
chmod +x "${*: -1}/perfgate"
"""
app, server = hub("unreleased", unreleased)
(server.action / ".ci/release").write_text(FAKE_RELEASE % pathlib.Path(".ci/release").resolve())
(server.action / ".ci/release").chmod(0o755)
_, jobs = server.run(gate, "pull_request", "refs/pull/7/merge", app.change("first", ""))
expect(jobs, "failure", "there is no swift on PATH", "::error::perfgate:")
swift = scratch / "swift"
swift.mkdir()
(swift / "swift").write_text("#!/bin/sh\n")
(swift / "swift").chmod(0o755)
(swift / "pkg-config").symlink_to("/bin/true")
real = server.machine


def with_swift(labels):
    machine = real(labels)
    if str(swift) not in machine.environment["PATH"]:
        machine.environment["PATH"] += f":{swift}"
        machine.environment["HOME"] = str(scratch / "unreleased")
    return machine


server.machine = with_swift
builds = scratch / "unreleased/builds"
setup = "jobs: { a: { runs-on: [self-hosted, iphone-12], steps: [ { uses: OWNER/perfgate@v1, with: { mode: setup } }, { run: perfgate --version } ] } }"
for ref, count in [("refs/pull/8/merge", 1), ("refs/pull/8/merge", 1), ("refs/heads/main", 2), ("refs/pull/9/merge", 2), ("refs/heads/main", 2)]:
    _, jobs = server.run(setup, "push", ref, app.main)
    expect(jobs, "success", version)
    assert builds.read_text().count("built") == count, (ref, builds.read_text())

# The action: errors of wrong inputs, and splitting of arguments.
app, server = hub("inputs")
check = "jobs: { a: { runs-on: ubuntu-24.04, steps: [ { uses: OWNER/perfgate@v1, id: gate, with: %s } ] } }"
shutil.copy("Tests/Samples/regression.ndjson", scratch / "regression.ndjson")
where = f'logs: "{scratch}/regression.ndjson"'
for inputs, words in [
    ("{ mode: chek }", ["`mode: chek` is neither setup nor check"]), ("{ mode: check }", ["the input `logs` is empty"]),
    ("{ mode: setup, version: 9.9.9 }", ["v9.9.9", "can't be fetched"]), ("{ mode: setup, binary: nowhere }", ["`binary: nowhere` isn't a program"]),
    (f"{{ {where}, arguments: '--app \"open' }}", ["a quote isn't closed"]),
]:
    _, jobs = server.run(check % inputs, "push", "refs/heads/main", app.main)
    expect(jobs, "failure", "::error::perfgate: ", *words)
(scratch / "inputs/baselines of ours").mkdir()
shutil.copytree("Baselines", scratch / "inputs/baselines of ours/Baselines")
for arguments, conclusion, result in [
    (f"--partial --soft-fail --baselines '{scratch}/inputs/baselines of ours/Baselines'", "success", "0"),
    (f"--partial\n\n--baselines\n{scratch}/inputs/baselines of ours/Baselines\n", "failure", "2"),
]:
    _, jobs = server.run(check % f"{{ {where}, arguments: {json.dumps(arguments)} }}", "push", "refs/heads/main", app.main)
    expect(jobs, conclusion)
    assert jobs["a"]["outputs"]["gate"]["exit-code"] == result, jobs["a"]["outputs"]
for sample, conclusion, result in [("pass", "success", "0"), ("cut", "failure", "65")]:
    log = scratch / f"a {sample}.ndjson"
    shutil.copy(f"Tests/Samples/{sample}.ndjson", log)
    arguments = f"--baselines\n{pathlib.Path('Baselines').resolve()}"
    _, jobs = server.run(check % f"{{ logs: {json.dumps(str(log))}, arguments: {json.dumps(arguments)} }}", "push", "refs/heads/main", app.main)
    expect(jobs, conclusion)
    assert jobs["a"]["outputs"]["gate"]["exit-code"] == result, jobs["a"]["outputs"]

# The job for real users stores one day per night, draws it, and compares two releases once both have users.
app, server = hub("field")
subprocess.run([program, "simulate", "--field", "--days", "5", "--events", "4000", "--users", "900", "--pages", "3", "--out",
                scratch / "events"], check=True, stdout=subprocess.DEVNULL)
states = []
while list((scratch / "events").iterdir()):
    run, jobs = server.run(example(".github/workflows/performance-field.yml"), "schedule", "refs/heads/main", app.main,
                           variables={"PERFGATE_BASE": "7.117", "PERFGATE_CANDIDATE": "7.129"})
    states.append(jobs["field"]["conclusion"])
    assert (server.artifacts[run]["real-users"] / "trend.html").stat().st_size > 0
assert states[0] == "failure" and states[-1] == "success", (states, jobs["field"]["said"])
assert (server.artifacts[run]["real-users"] / "release.html").stat().st_size > 0 and jobs["field"]["summary"]

# The repository's own release workflow, except for compiling: notes, archives, and a draft with all files.
draft = yaml.load(pathlib.Path(".github/workflows/release.yml").read_text(), Loader=yaml.BaseLoader)
app = App(scratch / "release")
server = runners.GitHub(scratch / "release", platform, program, sources)
place = app.clone
for path in [".ci/notes", ".ci/pack", ".ci/install", "LICENSE", "Sources/PerfgateCLI/Program.swift"]:
    (place / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, place / path)
shutil.copytree("Tests/Samples", place / "Tests/Samples")
shutil.copytree("Baselines", place / "Baselines")
(place / ".ci/release").write_text(
    f'#!/bin/sh\nset -e\n[ "$1" = --static ] || [ "$1" = --universal ]\ncp -R {built} "$2"\n'
    'printf \'#!/bin/sh\\nexec "$FAKE_PERFGATE" "$@"\\n\' > "$2/perfgate"\nchmod +x "$2/perfgate"\n')
(place / ".ci/release").chmod(0o755)
tag = app.commit("main", place / "CHANGELOG.md", released)
stand_ins = scratch / "stand-ins"
stand_ins.mkdir()
for name, text in [("gh", '#!/bin/sh\necho "$@" > "$HOME/gh"\nfor last; do :; done\nls -d release/* > "$HOME/files"\ncat notes.md > "$HOME/notes"\n'),
                   ("apt-get", "#!/bin/sh\n"), ("lipo", "#!/bin/sh\n")]:
    (stand_ins / name).write_text(text)
    (stand_ins / name).chmod(0o755)
real_machine = server.machine


def with_stand_ins(labels):
    machine = real_machine(labels)
    machine.environment["PATH"] = f"{stand_ins}:{machine.environment['PATH']}"
    machine.environment["HOME"] = str(scratch / "release")
    return machine


server.machine = with_stand_ins
_, jobs = server.run(draft, "push", "refs/tags/v0.1.0", tag)
expect(jobs, "success")
assert "--draft" in (scratch / "release/gh").read_text() and (scratch / "release/notes").read_text().startswith("### Added")
files = {pathlib.Path(line).name for line in (scratch / "release/files").read_text().split()}
assert files == {"SHA256SUMS", "install.sh"} | {f"perfgate-{name}.{end}" for name in ("linux-x86_64", "linux-arm64", "macos-universal") for end in ("tar.gz", "cdx.json")}, files
_, jobs = server.run(draft, "push", "refs/tags/v0.2.0", tag)
assert jobs["notes"]["conclusion"] == "failure" and jobs["draft"]["conclusion"] == "skipped"

# GitLab: a pipeline each night fills the baselines, then merge requests.
app = App(scratch / "gitlab")
lab = runners.GitLab(scratch / "gitlab", platform, program, app.origin)
token, push = {"GITLAB_TOKEN": "token"}, {"PUSH_TOKEN": "push"}
schedule = {"CI_PIPELINE_SOURCE": "schedule", "CI_COMMIT_BRANCH": "main"}
for night in range(4):
    jobs = lab.run(example(".gitlab-ci.yml", 1), app.head("main"), schedule, push)
    assert {name: job["status"] for name, job in jobs.items()} == {"measure": "success", "update": "success"}, jobs
assert len(app.baselines()) >= 5
for number, branch, text, status in [(11, "same", "", "success"), (12, "slow", SLOW, "failed")]:
    source = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": str(number)}
    jobs = lab.run(example(".gitlab-ci.yml", 1), app.change(branch, text), source, token)
    assert {name: job["status"] for name, job in jobs.items()} == {"measure": "success", "gate": status, "comment": "success"}, jobs
    assert (jobs["gate"]["artifacts"] / "perfgate-report/metrics.txt").read_text().endswith("# EOF\n")
    jobs = lab.run(example(".gitlab-ci.yml", 2), app.head(branch), source, token)
    assert {name: job["status"] for name, job in jobs.items()} == {
        "measure": "success", "look": "warning" if text else "success", "confirm": status}, jobs
    assert jobs["look"]["code"] == (3 if text else 0)
assert not platform.comments.get(11) and len(platform.comments[12]) == 1
assert "https://gitlab.localhost/job/1/artifacts/file/perfgate-report/report.html" in platform.comments[12][0]["body"]
# Without a measurement, the gate says so; a pipeline of an older commit changes no comment.
source = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": "12"}
silent = example(".gitlab-ci.yml", 1).replace("./measure.sh logs", "exit 1")
jobs = lab.run(silent, app.head("slow"), source, token)
assert {name: job["status"] for name, job in jobs.items()} == {"measure": "failed", "gate": "failed", "comment": "success"}, jobs
assert jobs["gate"]["code"] == 66 and "Nothing was judged" in platform.comments[12][0]["body"], (jobs["comment"], platform.comments[12])
jobs = lab.run(example(".gitlab-ci.yml", 1), app.head("same"), source, token)
assert "isn't the newest" in jobs["comment"]["said"] and "Nothing was judged" in platform.comments[12][0]["body"], (jobs["comment"], platform.comments[12])
assert lab.run(example(".gitlab-ci.yml", 1), app.head("main"), {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "main"}) == {}

# Base against head, with the variables of a merge request's pipeline. A fork's has no job.
paired = example(".gitlab-ci.yml")
shop = App(scratch / "gitlab-measure")
two = runners.GitLab(scratch / "gitlab-measure", platform, program, shop.origin)
for number, branch, text, status in [(41, "same", "", "success"), (42, "slow", SLOW, "failed")]:
    commit = shop.change(branch, text)
    source = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": str(number), "CI_MERGE_REQUEST_DIFF_BASE_SHA": shop.main}
    assert two.run(paired, commit, source | {"CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "stranger/app"}, token) == {}
    jobs = two.run(paired, commit, source | {"CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "group/app"}, token)
    assert {name: job["status"] for name, job in jobs.items()} == {
        "measure: [iphone-12]": status, "measure: [iphone-se-2]": status, "comment": "success"}, jobs
assert not platform.comments.get(41) and len(platform.comments[42]) == 2, platform.comments
assert all("Search" in note["body"] for note in platform.comments[42])
assert "/perfgate-report/iphone-12/report.html" in platform.comments[42][0]["body"], platform.comments[42]

# The same files for an Android app, whose script needs perfgate for measuring. Suspects are measured again.
android = App(scratch / "android")
for path in android.clone.glob("*"):
    if path.name != ".git":
        shutil.rmtree(path) if path.is_dir() else path.unlink()
shutil.copy("Examples/measure-android.sh", android.clone / "measure.sh")
shutil.copy(runners.FAKES / "android/gradlew", android.clone)
android.main = android.commit("main", android.clone / "app.txt", "")
lab = runners.GitLab(scratch / "android", platform, program, android.origin, android=True)
for night in range(3):
    jobs = lab.run(example(".gitlab-ci.yml", 1), android.head("main"), schedule, push)
    assert {name: job["status"] for name, job in jobs.items()} == {"measure": "success", "update": "success"}, jobs
for number, slow, status in [(21, "", "success"), (22, "search\n", "failed")]:
    (lab.machines[True].device / "app").write_text(slow)
    source = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": str(number)}
    commit = android.change(f"change-{number}", slow)
    jobs = lab.run(example(".gitlab-ci.yml", 1), commit, source, token)
    assert {name: job["status"] for name, job in jobs.items()} == {"measure": "success", "gate": status, "comment": "success"}, jobs
    jobs = lab.run(example(".gitlab-ci.yml", 2), commit, source, token)
    assert {name: job["status"] for name, job in jobs.items()} == {
        "measure": "success", "look": "warning" if slow else "success", "confirm": status}, jobs
assert "Search" in platform.comments[22][0]["body"]

# Jenkins, Bitbucket, Buildkite and Xcode Cloud, with the same baselines.
for index, (branch, text, expected) in enumerate([("same", "", 0), ("slow", SLOW, 2)]):
    commit = app.head(branch)
    place = scratch / f"others-{index}"
    place.mkdir()
    both = {mac: runners.Machine(place / ("mac" if mac else "linux"), program, mac) for mac in (True, False)}
    for number in (0, 1):
        workspace = place / f"jenkins-{number}"
        git("clone", "-q", app.origin, workspace, folder=place)
        git("checkout", "-q", commit, folder=workspace)
        for build in range(2):
            result = runners.jenkins(example("Jenkinsfile", number), both[True], workspace)
            code(result, 1 if text else 0, *(["worse: Search: time to initial load"] if text and not number else []))
        if number == 0:
            assert (workspace / "perfgate-report/report.css").exists() and "archived perfgate-report/**" in result.stdout
    (place / "bitbucket").mkdir()
    steps = runners.bitbucket(example("bitbucket-pipelines.yml"), both, app.origin, commit, place / "bitbucket")
    code(steps["measure"][0], 0)
    code(steps["gate"][0], expected)
    assert (steps["gate"][1] / "test-results/perfgate.xml").exists() and (steps["gate"][1] / "perfgate.html").exists()
    (place / "buildkite").mkdir()
    steps = runners.buildkite(example(".buildkite/pipeline.yml", 1), both, app.origin, commit, place / "buildkite")
    code(steps["measure"][0], 0)
    code(steps["gate"][0], expected)
    assert (place / "buildkite/artifacts/annotation.md").read_text().startswith("error" if text else "success")
    (place / "buildkite-measure").mkdir()
    request = {"build.pull_request.id": "7", "build.pull_request.repository.fork": False}
    for build in ({}, request | {"build.pull_request.repository.fork": True}, request):
        shutil.rmtree(place / "buildkite-measure")
        (place / "buildkite-measure").mkdir()
        steps = runners.buildkite(example(".buildkite/pipeline.yml"), both, app.origin, commit, place / "buildkite-measure", build,
                                  {"BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main"})
        assert set(steps) == ({"measure iphone-12", "measure iphone-se-2"} if build is request else set()), steps
    for device in ("iphone-12", "iphone-se-2"):
        code(steps[f"measure {device}"][0], expected)
        annotation = (place / f"buildkite-measure/artifacts/annotation-{device}.md").read_text()
        assert annotation.startswith("error" if text else "success"), annotation
    # Xcode Cloud: the test machine only has ci_scripts.
    cloud = place / "cloud/ci_scripts"
    cloud.mkdir(parents=True)
    script = example("ci_scripts/ci_post_xcodebuild.sh")
    shellcheck("#!/bin/sh\n" + script, "ci_post_xcodebuild.sh", "sh")
    (cloud / "ci_post_xcodebuild.sh").write_text("#!/bin/sh\n" + script)
    shutil.copy(release / "install.sh", cloud / "install-perfgate.sh")
    (cloud / "install-perfgate.sh").chmod(0o755)
    (cloud / "perfgate.yml").write_text("schema: 1\nsimulator: gate\n")
    for name in app.baselines():
        (cloud / name).parent.mkdir(parents=True, exist_ok=True)
        (cloud / name).write_text(git("show", f"main:{name}", folder=app.origin) + "\n")
    bundle = place / "Result.xcresult"
    bundle.mkdir()
    slow = ["--inject", "Search=load:260"] if text else []
    pages = [word for page in ("Feed", "Search", "Product", "component/PriceTag", "component/ProductRow") for word in ("--page", page)]
    subprocess.run([program, "simulate", "--seed", "77", *pages, *slow, "--out", bundle], check=True, stdout=subprocess.DEVNULL)
    for action, result_code in [("build-for-testing", 0), ("test-without-building", expected)]:
        code(both[True].run(f"sh {cloud}/ci_post_xcodebuild.sh", place, {
            "CI_XCODEBUILD_ACTION": action, "CI_RESULT_BUNDLE_PATH": str(bundle)}), result_code)

ran = ["GitHub", "GitLab", "Jenkins", "Bitbucket", "Buildkite", "Xcode Cloud"]
print(f"published schemas accept {len(examples) + len(own) + 2} pieces for continuous integration, and every step of {', '.join(ran)} runs as written")
