"""Plays a month of a team through the command line, with git: what a store promises holds after every merge.

Usage: judge-team.py PROGRAM SCRATCH [DAYS [SEEDS]]

Each day two runners update main at once, and two or three branches accept, rename, waive, pin, revert, or swap nothing.
They are merged in random order, half of them without the merge driver, as a server merges. In the month the device is
swapped, its system updated, and the folder of baselines moved. After every merge:

- the store is valid, or the message says what to do next, and doing that gives a valid store;
- every accepted reason is there until its revert;
- no settled run left a cell without an acceptance, an epoch, a revert, or newer runs that fill the window;
- main's checks read the store.
"""

import json
import math
import pathlib
import random
import subprocess
import sys

program, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
days = int(sys.argv[3]) if len(sys.argv) > 3 else 30
seeds = int(sys.argv[4]) if len(sys.argv) > 4 else 1
WINDOW = 10
PAGES = ["Cart", "Detail", "Home", "Profile", "Search"]
DRIVER = f"{program} baseline merge %O %A %B"
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c", "GIT_MERGE_AUTOEDIT": "no"}


class Team:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.folder = scratch / f"team-{seed}"
        self.folder.mkdir()
        self.seed = seed
        self.levels = {page: 300.0 * (index + 1) for index, page in enumerate(PAGES)}
        self.device, self.system, self.store = "iPhone12,1", "iOS 17.5", "Baselines"
        self.day = 0
        self.reasons = {}  # by reason: the page's name, and the commit on main
        self.renamed = {}  # old names by new ones
        self.count = dict(merges=0, conflicts=0, reverts=0, renames=0, accepted=0, plain=0)

    # Commands

    def call(self, *words, fine=(0,), **more):
        said = subprocess.run(
            [str(word) for word in words], cwd=self.folder, capture_output=True, text=True, env=ENVIRONMENT | {
                "HOME": str(self.folder), "PERFGATE_TODAY": self.date(1)}, timeout=120, **more)
        if fine is not None and said.returncode not in fine:
            self.fail(f"{' '.join(map(str, words))} ended with {said.returncode}:\n{said.stdout}{said.stderr}")
        return said

    def perfgate(self, *words, **more):
        return self.call(program, *words, **more)

    def git(self, *words, **more):
        return self.call("git", *words, **more)

    def fail(self, text):
        sys.exit(f"seed {self.seed}, day {self.day}: {text}")

    def date(self, later=0):
        return f"2026-{4 + (self.day + later) // 28:02}-{(self.day + later) % 28 + 1:02}"

    # Runs

    def log(self, run, hour, slower=()):
        name = self.folder / "logs" / f"{run}.ndjson"
        name.parent.mkdir(exist_ok=True)
        lines = [{
            "type": "run", "schema": 1, "run_id": run, "app": "shop", "build": "Release", "device": self.device,
            "os": self.system, "max_fps": 60, "started_at": f"{self.date()}T{hour:02}:00:00Z"}]
        shift = self.random.gauss(0, 0.01)
        for page, level in sorted(self.levels.items()):
            level *= (1.5 if page in slower else 1) * math.exp(shift + self.random.gauss(0, 0.01))
            for iteration in range(5):
                time = level * math.exp(self.random.gauss(0, 0.03))
                lines.append({
                    "type": "pps", "page": page, "iteration": iteration, "visit_id": f"{run}-{iteration}",
                    "outcome": "loaded", "ttil_ms": round(time, 1), "ttfl_ms": round(level / 2, 1)})
        name.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return f"logs/{run}.ndjson"

    # The store

    def files(self):
        """Each page's file, by environment and page; the reader is this judge's own."""
        found = {}
        for path in sorted((self.folder / self.store).glob("*/*.json")):
            content = json.loads(path.read_text())
            found[(path.parent.name, content["page"])] = content
        return found

    def cells(self):
        """Each cell's settled runs with their start, and its accepted changes."""
        cells = {}
        for (environment, page), content in self.files().items():
            starts = {run["id"]: run["started_at"] for run in content["runs"]}
            for metric, entry in content["metrics"].items():
                cells[(environment, page, metric)] = (
                    {run: starts[run] for run in entry.get("samples", {})},
                    {(change["at"], change["reason"]) for change in content.get("accepted", [])
                     if change["metric"] == metric})
        return cells

    def audit(self, before, what):
        shown = self.perfgate("baseline", "show", fine=None)
        if shown.returncode != 0:
            self.fail(f"after {what} the store isn't valid:\n{shown.stderr}")
        after = self.cells()
        for (environment, page, metric), (runs, reasons) in before.items():
            cell = next(
                (after[key] for name in [page, *self.names(page)] if (key := (environment, name, metric)) in after), None)
            if cell is None:
                self.fail(f"after {what} {page} {metric} is gone from {environment}")
            lost = runs.keys() - cell[0].keys()
            if lost and cell[1] == reasons and len(cell[0]) < WINDOW:
                self.fail(f"after {what} {page} {metric} lost {sorted(lost)} and holds {len(cell[0])} runs")
        stored = {change["reason"] for content in self.files().values() for change in content.get("accepted", [])}
        for reason in self.reasons:
            if reason not in stored:
                self.fail(f"after {what} the reason {reason!r} is lost")

    def names(self, page):
        """The names that a page was given later."""
        return [new for new, old in self.renamed.items() if old == page]

    # Days

    def night(self):
        before = self.cells()
        logs = [self.log(f"n{self.day}{letter}", hour) for letter, hour in (("a", 3), ("b", 4))]
        runners = [
            subprocess.Popen(
                [program, "baseline", "update", log], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True, env=ENVIRONMENT | {"PERFGATE_TODAY": self.date(1)}) for log in logs]
        for runner in runners:
            errors = runner.communicate(timeout=120)[1]
            if runner.returncode not in (0, 2):
                self.fail(f"a nightly update ended with {runner.returncode}: {errors}")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"night {self.day}")
        self.audit(before, "the night")

    def branch(self, number):
        """Starts a branch with one action; returns what its merge means."""
        name = f"d{self.day}-{number}"
        self.git("checkout", "-q", "-b", name, self.start)
        files = self.files()
        pages = sorted({page for environment, page in files} & self.levels.keys())
        action = self.random.choice(["accept", "accept", "accept", "rename", "waive", "pin", "revert"])
        page = self.random.choice([page for page in pages if page not in self.taken] or pages)
        self.taken.add(page)
        landed, then = None, (lambda: None)
        known = {change["reason"] for content in files.values() for change in content.get("accepted", [])}
        revertable = [reason for reason, (_, commit) in self.reasons.items() if commit and reason in known]
        if action == "revert" and not revertable:
            action = "accept"
        if action == "accept":
            metric = self.random.choice(["ttil", "ttfl"])
            log, reason = self.log(f"pr-{name}", 10 + number, slower=[page]), f"reason {name}"
            words = ["baseline", "update", log, "--page", page, "--metric", metric, "--accept", reason]
            self.perfgate(*words)
            changed = self.git("status", "--porcelain").stdout.split("\n")
            if len([line for line in changed if line]) != 1:
                self.fail(f"accepting one cell changed {changed}")

            # Without a baseline of this device there is nothing to accept.
            stored = any(
                change["reason"] == reason for content in self.files().values()
                for change in content.get("accepted", []))

            def then():
                if stored:
                    self.reasons[reason] = (page, self.git("rev-parse", name).stdout.strip())
                for now in [page, *self.names(page)]:
                    if now in self.levels:
                        self.levels[now] *= 1.5
                self.count["accepted"] += 1
        elif action == "rename":
            new = f"{page.split(' ')[0]} {name}"
            self.perfgate("baseline", "rename", page, new)

            def then():
                self.levels[new] = self.levels.pop(page)
                self.renamed[new] = page
                for later, old in list(self.renamed.items()):
                    if later == page:
                        self.renamed[new + ""] = page
                self.reasons = {
                    reason: (new if owner == page else owner, commit) for reason, (owner, commit) in self.reasons.items()}
                self.count["renames"] += 1
        elif action == "waive":
            log = self.log(f"pr-{name}", 10 + number, slower=[page])
            self.perfgate(
                "waive", page, "ttil", log, "--until", "2026-12-24", "--reason", f"waived {name}", fine=(0, 66, 65, 64))
        elif action == "pin":
            self.perfgate("baseline", "pin", name)
        elif action == "revert":
            reason = self.random.choice(revertable)
            said = self.merging("revert", "--no-edit", self.reasons[reason][1], driver=True, what=f"a revert of {reason!r}")

            def then():
                if said is None:
                    return
                page, _ = self.reasons.pop(reason, (None, None))
                if page in self.levels:
                    self.levels[page] /= 1.5
                self.count["reverts"] += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"{action} {name}")
        self.git("checkout", "-q", "main")
        return name, action, then

    def merging(self, *words, driver, what):
        """Merges or reverts; a conflict must say its next step, and doing it must help."""
        if driver:
            self.git("config", "merge.perfgate.driver", DRIVER)
        else:
            self.git("config", "--unset", "merge.perfgate.driver", fine=(0, 5))
        said = self.git(*words, fine=None)
        if said.returncode == 0:
            return said
        self.count["conflicts"] += 1
        shown = self.perfgate("baseline", "show", fine=None)
        told = said.stdout + said.stderr + shown.stderr
        unmerged = [
            line[3:].strip('"') for line in self.git("status", "--porcelain").stdout.splitlines()
            if line[:2] in ("UU", "AA", "DU", "UD", "AU", "UA", "DD")]
        if words[0] == "revert" and not unmerged and "nothing to commit" in told:
            # git took a pinned copy for the file, which was moved since: it fails, and nothing changed.
            self.git("revert", "--skip", fine=(0, 128))
            return None
        if unmerged == ["waivers.yml"]:
            if "keep the right lines of both sides" not in told:
                self.fail(f"{what}: the conflict of the waivers doesn't say its next step:\n{told}")
            path = self.folder / "waivers.yml"
            kept = [line for line in path.read_text().splitlines() if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>")]
            path.write_text("\n".join(kept) + "\n")
            self.git("add", "waivers.yml")
            return self.git("-c", "core.editor=true", words[0], "--continue")
        if not driver:
            if shown.returncode == 78 and "git merge --abort" not in told and "keep the right lines" not in told:
                self.fail(f"{what}: the conflict doesn't say its next step:\n{told}")
            self.git(words[0], "--abort")
            return self.merging(*words, driver=True, what=what)
        advice = ["git checkout --ours", "give the new run its own id", "; remove", "modify/delete", "rename/delete"]
        if not any(word in told for word in advice):
            self.fail(f"{what}: the conflict doesn't say its next step:\n{told}")
        for path in unmerged:
            if self.git("checkout", "--ours", "--", path, fine=None).returncode != 0:
                self.git("rm", "-q", "--", path, fine=None)
            else:
                self.git("add", path)
        self.count["taken"] = self.count.get("taken", 0) + 1
        if not self.git("diff", "--cached", "--name-only").stdout:
            # The page was renamed or moved since, and git reports that the file is gone: nothing is reverted.
            self.git(words[0], "--skip")
            return None
        return self.git("-c", "core.editor=true", words[0], "--continue")

    def merge(self, name, action, then):
        before, driver = self.cells(), self.random.random() < 0.5
        plain = self.git("diff", "--name-only", f"main...{name}").stdout.split()
        changed = set(self.git("diff", "--name-only", f"{name}...main").stdout.split())
        conflicts = self.count["conflicts"]
        self.merging("merge", "-q", "--no-ff", "-m", f"merge {name}", name, driver=driver, what=f"the merge of {action} {name}")
        self.count["merges"] += 1
        if not driver:
            self.count["plain"] += 1
            if self.count["conflicts"] > conflicts and action == "accept" and not changed & set(plain):
                self.fail(f"the merge of {name} conflicts, and no file changed on both sides")
        then()
        self.audit(before, f"the merge of {action} {name}{'' if driver else ' without the driver'}")

    def play(self):
        self.git("init", "-q", "-b", "main", ".")
        (self.folder / ".gitattributes").write_text("*.json merge=perfgate\n")
        (self.folder / ".gitignore").write_text("logs/\n*-lock\n.perfgate-*\n")
        (self.folder / "perfgate.yml").write_text("baselines: Baselines\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "start")
        for self.day in range(1, days + 1):
            if self.day == days * 2 // 5:
                self.device = "iPhone15,2"
            if self.day == days * 3 // 5:
                self.system = "iOS 18.0"
            early = self.git("rev-parse", "main").stdout.strip()
            self.night()
            if self.day == days // 2:
                before = self.cells()
                self.git("mv", self.store, "Stored")
                self.store = "Stored"
                (self.folder / "perfgate.yml").write_text("baselines: Stored\n")
                self.git("commit", "-q", "-a", "-m", "moved the baselines")
                self.audit(before, "moving the folder")
            branches, self.taken = [], set()
            for number in range(self.random.choice([2, 3])):
                # Half of the branches began before the night.
                isEarly = self.day not in (1, days // 2) and self.random.random() < 0.5
                self.start = early if isEarly else "main"
                branches.append(self.branch(number))
            self.random.shuffle(branches)
            for branch in branches:
                self.merge(*branch)
            check = self.perfgate("check", self.log(f"c{self.day}", 20), fine=(0, 2, 3, 5))
            if check.returncode == 2 and self.day > 5 and "worse" not in check.stdout and "missing" not in check.stdout:
                self.fail(f"main's check fails:\n{check.stdout}")
        return self.count


totals = {}
for seed in range(1, seeds + 1):
    for key, value in Team(seed).play().items():
        totals[key] = totals.get(key, 0) + value
if days >= 20 and not all(totals[key] for key in ("conflicts", "reverts", "renames", "accepted", "plain")):
    sys.exit(f"judge-team: something never happened: {totals}")
print(f"judge-team: {seeds} × {days} days: " + ", ".join(f"{value} {key}" for key, value in totals.items()))
