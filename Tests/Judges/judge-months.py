"""Draws months of a team's events at random, plays them through the command line, and checks promises after each call.

Usage: judge-months.py PROGRAM SCRATCH [DAYS [SEEDS [FIRST]]]

A month is about load times, frames dropped at one instant, or drop events. Slowdowns are merged, reverted, waived, and
accepted from a night, an older night or a pull request; improvements stay or don't; first nights are slow; nights are
skipped, repeated, late, killed, cut, hot or without a page; pages appear, are renamed or removed; the device and its
system change. The judge keeps the levels that each page may be compared with.
After every call:

- a page that is 40 % slower than each of those levels is red, and named, however often it was refused before; but
  not for drops after one stored run, beside more than 20 comparisons: ranks of 5 samples against 5 can't decide them;
- a page that is no slower than each of them isn't red, nor is a call without any other problem;
- a page that was not measured is never green;
- the same call again ends with the same code, and a repeated update changes no file;
- an update that was killed and repeated leaves the store that it would have left, but for the size of jumps;
- `explain` tells the verdict of the report.

Of calls without a change, 3 % may be red. A failure prints the last calls; with DIARY=1 each month leaves its diary.
"""

import json
import math
import random
import re
import shutil

import plays

days, seeds, first = plays.arguments(60)
METRICS = {"times": ["ttfl", "ttil"], "frames": ["dropped_frames", "hitch_ratio"], "events": ["drop_events", "hitch_ratio"]}
"""The metrics of what a month is about: load times in ms, frames dropped at one instant, or drop events of a scroll."""
SLOWER = 1.4
"""From this ratio on a page must be red."""
WINDOW = 10


class Month(plays.Play):
    def __init__(self, seed):
        super().__init__(seed)
        self.runs = 0
        self.device, self.system = "iPhone12,1", "iOS 17.5"
        self.kind = random.Random(f"kind {seed}").choice(["times", "times", "frames", "events"])
        self.metrics = METRICS[self.kind]
        # The level of each page now, in ms, frames or events; and those of its newest settled nights, oldest first.
        self.unit = 300.0 if self.kind == "times" else 20.0
        names = ["Search", "Cart", "Home", "Detail", "Login", "Profile", "Orders", "Help"]
        self.now = {
            page: self.unit * (index + 1) for index, page in enumerate(names[:self.random.choice([1, 2, 3, 4, 4, 5, 8])])}
        self.usual = dict(self.now)
        self.held = {page: [] for page in self.now}
        self.waived = {}  # page: the last day
        self.measured, self.moves = {}, {}  # the level of a page's newest night, and the nights in which it rose (1) or fell
        self.logs = {}  # the newest slow night of a page: its log and its level
        self.waiting = []
        self.confirms = self.random.random() < 0.4

    # Runs

    def log(self, hour, levels=None, without=(), factor=1.0, cut=False, commit=None):
        """Writes a run of all pages at their levels of now, or at others."""
        self.runs += 1
        run = f"r{self.runs}"
        levels = self.now | (levels or {})
        lines = [{
            "type": "run", "schema": 1, "run_id": run, "app": "shop", "build": "Release", "device": self.device,
            "os": self.system, "max_fps": 60, "commit": commit or f"c0ffee{self.runs:04}",
            "expects_end": True, "started_at": f"{self.date()}T{hour:02}:{self.runs % 60:02}:00Z"}]
        shift = self.random.gauss(0, 0.01)
        for page, level in sorted(levels.items()):
            means = {metric: level * factor * math.exp(shift + self.random.gauss(0, 0.01)) for metric in self.metrics}
            for iteration in range(5 if page not in without else 0):
                lines += self.visit(page, iteration, means, run)
        lines.append({"type": "end"})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        if cut:
            text = text[:self.random.randrange(len(text) // 4, len(text) - 20)]
        path = self.folder / "logs" / f"{run}.ndjson"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return f"logs/{run}.ndjson"

    def visit(self, page, iteration, means, run):
        """The lines of a page's load, or of its scroll, whose drops are at one instant or one frame each."""
        place = {"page": page, "iteration": iteration}
        if self.kind == "times":
            line = {"type": "pps", **place, "visit_id": f"{run}-{iteration}", "outcome": "loaded"}
            for metric, share in (("ttfl", 0.4), ("ttil", 1)):
                line[f"{metric}_ms"] = round(share * means[metric] * math.exp(self.random.gauss(0, 0.03)), 1)
            return [line]
        frames = round(means[self.metrics[0]] * math.exp(self.random.gauss(0, 0.05)))
        drops = [frames] if self.kind == "frames" else [1] * frames
        hitch = round(1000 / 60 * frames, 3)
        return [
            {
                "type": "frame_drop", **place, "scroll": 0, "frames_dropped": drop,
                "cumulative_frames_dropped": sum(drops[:count]), "cumulative_frame_drop_events": count}
            for count, drop in enumerate(drops, 1)
        ] + [{
            "type": "scroll", **place, "scroll": 0, "duration_ms": 5000 + hitch, "frames": 300,
            "frames_ms": 5000 + hitch, "hitch_ms": hitch}]

    def store(self):
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted((self.folder / "Baselines").rglob("*.json"))}

    # The levels that a page may be compared with

    def settle(self, page, level):
        """A night of this level was stored; returns whether it must have been refused."""
        held = self.held[page]
        before = self.measured.get(page, level)
        self.measured[page] = level
        if not before / 1.2 <= level <= 1.2 * before:
            self.moves.setdefault(page, []).append((self.runs, level > before))
        if held and level >= SLOWER * max(held):
            return not self.varies(page) or None
        if held and level > 1.05 * min(held):
            # A return to an earlier level may or may not be refused.
            held.append(level)
            return None
        held.append(level)
        if self.kind == "times" and held[-2:] == [level, level] and len(held) > 6 and len(set(held[-7:-2])) == 1 and level < 0.8 * held[-3]:
            # Two nights after five slower ones of one level start an epoch.
            self.held[page] = [level, level]
        self.held[page] = self.held[page][-WINDOW:]
        return False

    def varies(self, page):
        """Whether a page rose, or moved, so often that it counts as one that varies."""
        rose = [is_rise for run, is_rise in self.moves.get(page, []) if run > self.runs - 60]
        return sum(rose) > 2 or len(rose) > 4

    @staticmethod
    def are_many(levels, held):
        """Whether more than a third of the pages is slow: the others don't show a young store how much runs differ."""
        slow = [page for page in levels if held.get(page) and levels[page] > 1.2 * min(held[page])]
        return len(slow) > 1 and 3 * len(slow) > len(levels)

    # Checks

    def check(self, log, levels, absent=()):
        """Judges a run of these levels."""
        said = self.call(*self.words(log, levels, absent), fine=(0, 2, 3, 5))
        report = json.loads((self.folder / "r.json").read_text())
        cells = {
            (comparison["page"], comparison["metric"]): comparison["verdict"]
            for comparison in report["comparisons"] if comparison["gated"]}
        must, may = self.verdicts(levels, absent)
        for page in must:
            if "regressed" not in [cells.get((page, metric)) for metric in self.metrics] or said.returncode != 2:
                self.fail(
                    f"{page} takes {levels[page]:.0f} ms and may be compared with "
                    f"{[round(level) for level in self.held[page]]}, and isn't red:\n{said.stdout}")
            self.count["red"] += 1
            if page not in said.stdout:
                self.fail(f"{page} is red and not named:\n{said.stdout}")
        false = [
            page for page in levels if page not in may and page not in absent
            and "regressed" in [cells.get((page, metric)) for metric in self.metrics]]
        if absent:
            self.count["absent"] += 1
            if said.returncode != 2 or any(page not in said.stdout for page in absent):
                self.fail(f"{absent} wasn't measured, and isn't red:\n{said.stdout}{said.stderr}")
        elif not may:
            self.count["unchanged"] += 1
            if false:
                self.count["false"] += 1
                self.diary.append(f"  red without a change: {false}")
            elif said.returncode != 0:
                self.fail(f"nothing changed, and it ends with {said.returncode}:\n{said.stdout}{said.stderr}")
            else:
                self.count["green"] += 1
        elif false:
            self.count["false"] += 1
        return said, report

    def words(self, log, levels, absent):
        """The call that judges a run; some teams measure suspects again."""
        words = ["check", log, "--json", "r.json"]
        if not self.confirms:
            return words
        shutil.rmtree(self.folder / "perfgate-rerun", ignore_errors=True)
        run = json.loads((self.folder / log).read_text().split("\n")[0])
        again = self.log(int(run["started_at"][11:13]) + 1, levels, absent, commit=run["commit"])
        self.count["reruns"] += 1
        return words + ["--confirmation", "rerun", "--rerun-command", f'cp {again} "$PERFGATE_OUT"']

    def verdicts(self, levels, absent=()):
        """The pages that must be red, and those that may be."""
        must, may = [], []
        are_many = self.are_many(levels, self.held)
        for page, level in levels.items():
            held = self.held.get(page, [])
            if page in absent or not held or self.waived.get(page, -1) >= self.day:
                may += [page] if page in absent or self.waived.get(page, -1) >= self.day else []
                continue
            # Three metrics of drops gate a page.
            is_decidable = self.kind == "times" or len(held) > 1 or 3 * len(levels) <= 20
            if level >= SLOWER * max(held) and is_decidable and not self.varies(page) and not are_many:
                must.append(page)
            if level > 1.03 * min(held):
                may.append(page)
        return must, may

    # Nights

    def update(self, *logs, levels, absent=(), kill=False):
        """Stores a night of these levels, checks its end, and repeats it."""
        before = {page: list(held) for page, held in self.held.items()}
        if kill:
            self.kill_update(logs)
        said = self.call("baseline", "update", *logs)
        refused = [page for page, level in levels.items() if page not in absent and self.settle(page, level)]
        if self.are_many(levels, before):
            refused = []
        for page in refused:
            if said.returncode != 2 or not kill and page not in said.stdout:
                self.fail(
                    f"a night of {levels[page]:.0f} ms of {page} isn't refused, which may be compared with "
                    f"{[round(level) for level in before[page]]}:\n{said.stdout}{said.stderr}")
        known = [page for page in absent if before[page]]
        if known and (said.returncode != 2 or any(page not in said.stdout for page in known)):
            self.fail(f"a night without {known} isn't told:\n{said.stdout}{said.stderr}")
        if said.returncode == 2 and not refused and not known and not [
            page for page, level in levels.items() if before[page] and level > 1.03 * min(before[page])]:
            self.count["false"] += 1
            self.diary.append(f"  refused without a change: {said.stdout}")
        if self.random.random() < 0.25:
            self.repeat(said, "baseline", "update", *logs)
        return said

    def repeat(self, said, *words):
        before = self.store()
        again = self.call(*words, fine=None)
        self.count["repeats"] += 1
        if again.returncode != said.returncode:
            self.fail(
                f"the same call ended with {said.returncode}, then with {again.returncode}:\n{said.stdout}\n"
                f"{again.stdout}{again.stderr}")
        if self.store() != before:
            self.fail(f"the same call again changed the store:\n{again.stdout}")

    def kill_update(self, logs):
        """Ends an update somewhere, after the same one in a copy."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for name in ("Baselines", "logs", "perfgate.yml", "waivers.yml"):
            path = self.folder / name
            if path.is_dir():
                shutil.copytree(path, copy / name)
            elif path.exists():
                shutil.copy(path, copy / name)
        self.call("baseline", "update", *logs, cwd=copy, fine=None)
        self.kill("baseline", "update", *logs, after=(0.002, 0.04))
        self.call("baseline", "update", *logs, fine=None)
        # The size of a jump depends on the shift of the run over the pages that aren't stored yet.
        jumps = re.compile(rb'\n *"jumps": .*')
        kept = [
            {path.name: jumps.sub(b"", path.read_bytes()) for path in (folder / "Baselines").rglob("*.json")}
            for folder in (copy, self.folder)]
        if kept[0] != kept[1]:
            self.fail("an update that was killed and repeated leaves another store")

    def night(self):
        kind = self.random.choices(
            ["usual", "skipped", "twice", "killed", "cut", "absent", "hot", "late"], [60, 6, 4, 5, 4, 4, 3, 5])[0]
        if kind == "skipped":
            return
        if kind == "late" or (kind == "usual" and self.waiting and self.random.random() < 0.3):
            self.waiting.append((self.log(3), dict(self.now)))
            if kind == "late":
                return
            logs, self.waiting = self.waiting, []
            # All waiting nights by one call, oldest first: the newest decides whether it's refused.
            before = {page: list(held) for page, held in self.held.items()}
            said = self.call("baseline", "update", *[log for log, _ in logs])
            refused = set()
            for _, levels in logs:
                refused |= {page for page, level in levels.items() if page in self.held and self.settle(page, level)}
            if refused and said.returncode != 2:
                self.fail(f"{refused} isn't refused; it may be compared with {before}:\n{said.stdout}{said.stderr}")
            self.slow(logs[-1][0], logs[-1][1])
            return
        if self.waiting:
            self.waiting.append((self.log(3), dict(self.now)))
            return
        if kind == "cut":
            log = self.log(3, cut=True)
            self.call("baseline", "update", log, fine=(2, 65))
            self.call("check", log, fine=(2, 65))
            if self.random.random() < 0.5:
                (self.folder / log).unlink()
                return self.update(self.log(5), levels=dict(self.now)) and None
            return
        if kind == "absent" and len(self.now) > 1:
            page = self.random.choice(sorted(self.now))
            log = self.log(3, without=[page])
            self.update(log, levels=dict(self.now), absent=[page])
            if self.held[page]:
                self.check(self.log(5, without=[page]), dict(self.now), absent=[page])
            return
        if kind == "hot" and len(self.now) > 2:
            factor = self.random.uniform(1.5, 2)
            levels = {page: level * factor for page, level in self.now.items()}
            log = self.log(3, factor=factor)
            if all(self.held.values()):
                self.call("baseline", "update", log)
                # Nothing of it is settled, unless the levels before differ so much that it may be usual.
                for page, held in self.held.items():
                    if max(held) > 1.05 * min(held):
                        held.append(levels[page])
            return
        log = self.log(3)
        self.update(log, levels=dict(self.now), kill=kind == "killed")
        self.slow(log, dict(self.now))
        if kind == "twice":
            self.update(self.log(15), levels=dict(self.now))

    def slow(self, log, levels):
        """Remembers the log of a night in which pages were refused."""
        for page, level in levels.items():
            if page in self.held and self.held[page] and level >= SLOWER * max(self.held[page]):
                self.logs.setdefault(page, []).append((log, level))
            else:
                self.logs.pop(page, None)

    # Days

    def accept(self, page, log, level):
        words = ["baseline", "update", log, "--page", page, "--accept", f"intended on day {self.day}"]
        words += [word for metric in self.metrics for word in ("--metric", metric)]
        said = self.call(*words)
        self.count["accepted"] += 1
        if said.returncode == 2:
            self.fail(f"accepting {page} still fails:\n{said.stdout}")
        if self.varies(page):
            # The new epoch inherits the noise.
            self.moves[page] = 3 * [(self.runs, True)]
        self.held[page] = [level]
        self.logs.pop(page, None)
        self.waived.pop(page, None)
        self.repeat(said, *words)
        # The accepted level passes, and half as much again doesn't.
        self.check(self.log(20, {page: level}), self.now | {page: level})
        self.check(self.log(21, {page: 1.7 * level}), self.now | {page: 1.7 * level})

    def change(self):
        """What happens to the app's pages on a day."""
        page = self.random.choice(sorted(self.now))
        kind = self.random.choices(
            ["none", "slower", "reverted", "faster", "flutter", "accept", "accept old", "accept request", "rename",
             "remove", "new", "waive", "device", "system", "pin"],
            [50, 10, 8, 6, 3, 6, 4, 4, 2, 1, 2, 3, 1, 1, 2])[0]
        self.diary.append(f"{self.date()} {kind} {page}")
        open_pages = sorted(page for page in self.logs if page in self.now)
        if kind == "slower":
            self.now[page] *= self.random.uniform(1.5, 2)
        elif kind == "reverted":
            for page in self.now:
                if self.held[page]:
                    self.now[page] = self.held[page][-1]
        elif kind == "faster" and (self.kind == "times" or self.now[page] > 2 * self.unit):
            # A smaller count would be lost in its noise.
            self.now[page] *= self.random.uniform(0.5, 0.7)
        elif kind == "accept" and open_pages and not self.waiting:
            page = self.random.choice(open_pages)
            log, level = self.logs[page][-1]
            self.accept(page, log, level)
        elif kind == "accept old" and open_pages and not self.waiting:
            page = self.random.choice(open_pages)
            log, level = self.logs[page][0]
            self.accept(page, log, level)
        elif kind == "accept request" and self.held[page] and page not in self.logs and not self.waiting:
            level = self.held[page][-1] * 1.7
            if level >= SLOWER * max(self.held[page]):
                log = self.log(1, {page: level})
                self.check(log, self.now | {page: level})
                self.accept(page, log, level)
                self.now[page] = level
        elif kind == "rename" and self.held[page] and not self.waiting:
            new = f"{page.split(' ')[0]} {self.day}"
            self.call("baseline", "rename", page, new, fine=(0,))
            for table in (self.now, self.held, self.waived, self.logs, self.measured, self.moves):
                if page in table:
                    table[new] = table.pop(page)
            # A log has the old name.
            self.logs.pop(new, None)
            self.waived.pop(new, None)
        elif kind == "remove" and len(self.now) > 3 and self.held[page] and not self.waiting:
            del self.now[page], self.held[page]
            self.logs.pop(page, None)
            self.waived.pop(page, None)
            said = self.call("check", self.log(9), fine=(2,))
            if page not in said.stdout:
                self.fail(f"{page} is gone and not named:\n{said.stdout}")
            self.call("baseline", "prune", page, fine=(0,))
        elif kind == "new":
            self.now[f"New {self.day}"] = self.random.uniform(1, 3) * self.unit
            self.held[f"New {self.day}"] = []
        elif kind == "waive" and open_pages:
            page = self.random.choice(open_pages)
            log, level = self.logs[page][-1]
            end = self.day + self.random.randrange(1, 6)
            for metric in self.metrics:
                self.call(
                    "waive", page, metric, log, "--until", self.date(end), "--reason", "later", fine=(0, 64, 65, 66, 2))
            self.waived[page] = end
        elif kind in ("device", "system") and not self.waiting:
            if kind == "device":
                self.device = f"iPhone{13 + self.day % 5},{self.random.randrange(1, 9)}"
            else:
                self.system = f"iOS {18 + self.day}.0"
            self.held = {page: [] for page in self.now}
            self.logs, self.waived = {}, {}
        elif kind == "pin" and all(self.held.values()):
            self.call("baseline", "pin", f"p{self.day}", fine=(0,))

    def request(self):
        """Judges a pull request: the state of main, a slowdown, a lost page, or an improvement."""
        if self.waiting or not any(self.held.values()):
            return
        levels = dict(self.now)
        kind = self.random.choices(["same", "slower", "absent", "faster"], [50, 30, 6, 8])[0]
        page = self.random.choice(sorted(page for page in levels if self.held[page]))
        if kind == "slower":
            levels[page] = max(self.held[page]) * self.random.uniform(1.5, 2.2)
        elif kind == "faster":
            levels[page] *= 0.6
        absent = [page] if kind == "absent" and len(levels) > 1 else []
        log = self.log(12, levels, without=absent)
        said, report = self.check(log, levels, absent)
        if self.random.random() < 0.2 and not self.confirms:
            self.repeat(said, "check", log, "--json", "r.json")
        if self.random.random() < 0.2 and not self.confirms:
            for comparison in report["comparisons"]:
                if comparison["gated"] and comparison["page"] == page and comparison["metric"] in self.metrics:
                    told = self.call("explain", page, comparison["metric"], log, fine=(0,)).stdout
                    if comparison["verdict"] == "regressed" and "regress" not in told and "worse" not in told:
                        self.fail(f"explain says something else:\n{told}")
        if self.random.random() < 0.1:
            self.call("doctor", fine=(0, 2))
            self.call("baseline", "show", fine=(0,))
            self.call("trend", fine=None)

    def play(self):
        # The counts are far beyond their usual limits: the judge asks for changes.
        limits = "" if self.kind == "times" else "metrics:\n" + "".join(
            f"  {metric}:\n    limit: 10000\n" for metric in ("dropped_frames", "drop_events"))
        (self.folder / "perfgate.yml").write_text("schema: 1\n" + limits)
        if self.random.random() < 0.3:
            # The first nights are slow, all or one page.
            slow = self.random.choice([sorted(self.now), ["Search"]])
            levels = {page: self.now[page] * 1.5 for page in slow}
            for self.day in range(1, 1 + self.random.choice([1, 2])):
                self.update(self.log(3, levels), levels=self.now | levels)
        start = self.day + 1
        for self.day in range(start, start + days):
            self.change()
            self.night()
            for _ in range(self.random.choice([1, 1, 2])):
                self.request()


EXPECTED = ["calls", "reruns", "red", "green", "unchanged", "accepted", "kills", "repeats", "absent"]
plays.run(Month, days, seeds, first, EXPECTED, "unchanged")
