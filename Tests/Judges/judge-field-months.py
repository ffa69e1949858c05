"""Draws weeks of a team's field data at random, plays them through the command line, and checks promises after each call.

Usage: judge-field-months.py PROGRAM SCRATCH [DAYS [SEEDS [FIRST]]]

Users install one release after another; a release makes a page slower, faster, or loses it. Each night rolls up the last
day, or all days, with the newest pair of releases or without. Files come late, cut, compressed, under another name, or
again; calls are repeated and killed. After every call:

- the counts and means by page, release and day are those of the files, each counted once;
- the same call again changes no file and ends with the same code;
- the check ends with 66 if a shared day of the pair lacks files, and says so;
- a page that is 50 % slower and has enough events is red, and named; so is a page without events;
- a page that is as fast as before isn't red: 3 % of the checks without a change may be.

At last, one call with all files into an empty folder tells the same counts and the same verdicts.
"""

import collections
import csv
import gzip
import io
import json
import math

import plays

days, seeds, first = plays.arguments(21)
EVENTS = 1_200
"""Events of a day."""
ENOUGH = 900
"""From so many events of both releases on their shared days, on three days or more, a page that is SLOWER must be red."""
SLOWER = 1.5


class Weeks(plays.Play):
    def __init__(self, seed):
        super().__init__(seed)
        (self.folder / "events").mkdir()
        pages = ["Search", "Cart", "Home", "Détail", "Log in"][:self.random.choice([2, 3, 5])]
        self.factors = {"7.1": {page: 300.0 * (index + 1) for index, page in enumerate(pages)}}
        self.releases = ["7.1"]
        self.users = [
            dict(user=f"u{number}", device=device, network=self.random.choice(["wifi", "wifi", "cellular"]),
                 speed={"iPhone11,8": 1.5, "iPhone12,1": 1.2, "iPhone17,1": 0.8}[device] * math.exp(self.random.gauss(0, 0.2)),
                 release="7.1", eager=self.random.random())
            for number in range(500) for device in [self.random.choice(["iPhone11,8", "iPhone12,1", "iPhone17,1"])]]
        self.files = {}  # the path of a file below events/: its day and its events
        self.waiting = []  # files to come: the day of arrival, the path, its bytes, and what they hold
        self.counted = {}  # what T counts: the name of a content, and its day and events
        self.paired = {}  # of a pair: its days, with the contents that each was made from

    # Users

    def store(self):
        root = self.folder / "Field"
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}

    def release(self):
        """A new release: as fast as before, or with a page that changed."""
        levels = dict(self.factors[self.releases[-1]])
        page = self.random.choice(sorted(levels))
        kind = self.random.choices(["same", "slower", "faster", "lost"], [50, 30, 12, 8])[0]
        if kind == "slower":
            levels[page] *= self.random.uniform(SLOWER, 2)
        elif kind == "faster":
            levels[page] *= 0.6
        elif kind == "lost" and len(levels) > 2:
            del levels[page]
        name = f"7.{len(self.releases) + 1}"
        self.releases.append(name)
        self.factors[name] = levels
        self.diary.append(f"day {self.day}  release {name}: {kind} {page}")

    def events(self):
        newest = self.releases[-1]
        for user in self.users:
            if user["release"] != newest and self.random.random() < 0.12 + 0.25 * user["eager"]:
                user["release"] = newest
        rows = []
        for _ in range(EVENTS):
            user = self.users[int(len(self.users) * self.random.random() ** 1.5)]
            levels = self.factors[user["release"]]
            page = self.random.choice(sorted(levels))
            rows.append({
                "at": f"{self.date()}T{self.random.randrange(24):02}:{self.random.randrange(60):02}:00Z", "app": "shop",
                "app_version": user["release"], "page": page, "os": "iOS 17.5", "device": user["device"],
                "network": user["network"], "user": user["user"],
                "ttil_ms": round(levels[page] * user["speed"] * math.exp(self.random.gauss(0, 0.35)), 1)})
        return rows

    def arrive(self):
        """The files of this day, and those that were late."""
        rows = self.events()
        for part in range(3):
            some = rows[part::3]
            content = f"{self.date()}-{part}"
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in some).encode()
            path = f"{self.date()}/part-{part}.ndjson"
            kind = self.random.choices(["usual", "late", "cut", "packed"], [76, 10, 6, 8])[0]
            if kind == "late":
                self.waiting.append((self.day + self.random.randrange(1, 4), path, text, content, some))
                continue
            if kind == "cut":
                packed = gzip.compress(text)
                self.put(path + ".gz", packed[:self.random.randrange(30, len(packed) - 10)], None, [])
                self.waiting.append((self.day + 1, path + ".gz", packed, content, some))
                continue
            self.put(path + (".gz" if kind == "packed" else ""), gzip.compress(text) if kind == "packed" else text, content, some)
        for late in [late for late in self.waiting if late[0] <= self.day]:
            self.waiting.remove(late)
            self.put(*late[1:])
            self.late.append(late[1].split("/")[0])
        if self.random.random() < 0.1:
            # The same content under another name, or compressed.
            path = self.random.choice(sorted(path for path, (content, _) in self.files.items() if content))
            old = self.folder / "events" / path
            text = old.read_bytes()
            text = gzip.decompress(text) if path.endswith(".gz") else gzip.compress(text, mtime=1)
            new = path.removesuffix(".gz") if path.endswith(".gz") else path + ".gz"
            old.unlink()
            entry = self.files.pop(path)
            self.put(new, text, *entry)

    def put(self, path, text, content, rows):
        place = self.folder / "events" / path
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(text)
        self.files[path] = (content, rows)

    # Nights

    def night(self):
        self.late = []
        self.arrive()
        if self.random.random() < 0.07:
            return
        folders = sorted({self.date(), *self.late}) if self.random.random() < 0.7 else sorted(
            {path.split("/")[0] for path in self.files})
        folders = [folder for folder in folders if any(path.startswith(folder + "/") for path in self.files)]
        if not folders:
            return
        pair = self.releases[-2:] if len(self.releases) > 1 and self.random.random() < 0.9 else None
        words = ["field", "rollup", *[f"events/{folder}" for folder in folders]]
        words += ["--pair", ":".join(pair)] if pair else []
        if self.random.random() < 0.12:
            self.kill(*words, after=(0.01, 0.12))
        said = self.call(*words, fine=(0, 65))
        given = {path: entry for path, entry in self.files.items() if path.split("/")[0] in folders}
        is_damaged = any(content is None for content, _ in given.values())
        if said.returncode != (65 if is_damaged else 0):
            self.fail(f"{'a cut file' if is_damaged else 'nothing'} is wrong:\n{said.stdout}{said.stderr}")
        for content, rows in given.values():
            if content:
                self.counted[content] = rows
        if pair:
            made = self.paired.setdefault(tuple(pair), {})
            for folder in folders:
                made[folder] = {content for path, (content, _) in given.items() if content and path.startswith(folder)}
        self.counts("Field")
        if self.random.random() < 0.3:
            before = self.store()
            again = self.call(*words, fine=None)
            self.count["repeats"] += 1
            if again.returncode != said.returncode:
                self.fail(f"ended with {said.returncode}, now:\n{again.stdout}{again.stderr}")
            if self.store() != before:
                self.fail("the same call again changed the roll-up")

    def counts(self, folder):
        """Compares counts and means with those of the counted files."""
        said = self.call("field", "export", "--csv", "--field", folder, fine=(0,))
        told = {
            (row["page"], row["release"], row["day"]): (int(row["events"]), float(row["mean"]))
            for row in csv.DictReader(io.StringIO(said.stdout)) if row["metric"] == "ttil"}
        values = collections.defaultdict(list)
        for rows in self.counted.values():
            for row in rows:
                values[row["page"], row["app_version"], row["at"][:10]].append(row["ttil_ms"])
        if told.keys() != values.keys():
            self.fail(f"other pages, releases or days are counted: {sorted(told.keys() ^ values.keys())[:5]}")
        for key, times in values.items():
            events, mean = told[key]
            if events != len(times) or abs(mean - sum(times) / len(times)) > 0.01 * mean:
                self.fail(f"{key} has {len(times)} events, mean {sum(times) / len(times):.1f}, and not {events}, {mean:.1f}")
        self.count["counts"] += 1

    def check(self):
        if len(self.releases) < 2:
            return
        base, candidate = self.releases[-2:]
        made = self.paired.get((base, candidate), {})
        if not made:
            return
        words = ["field", "check", "--base", base, "--candidate", candidate, "--json", "r.json"]
        said = self.call(*words, fine=(0, 2, 3, 66))
        by_day = collections.defaultdict(set)
        of = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
        for content, rows in self.counted.items():
            by_day[content[:10]].add(content)
            for row in rows:
                of[content[:10]][row["app_version"]][row["page"]] += 1
        shared = [day for day in by_day if of[day][base] and of[day][candidate]]
        lacking = [day for day in shared if made.get(day) != by_day[day] and day >= min(made)]
        self.count["checks"] += 1
        if not shared:
            return
        if lacking:
            self.count["lacking"] += 1
            if said.returncode != 66 or not any(day in said.stdout + said.stderr for day in lacking):
                self.fail(f"{lacking} lack files in G, and the check says:\n{said.stdout}{said.stderr}")
            return
        if said.returncode == 66:
            self.fail(f"no day lacks files:\n{said.stdout}{said.stderr}")
        report = json.loads((self.folder / "r.json").read_text())
        red = {
            comparison["page"] for comparison in report["comparisons"]
            if comparison["gated"] and comparison["verdict"] in ("regressed", "missing")}
        levels = self.factors[candidate]
        shared = [day for day in shared if day in made]
        for page, level in self.factors[base].items():
            events = [sum(of[day][release][page] for day in shared) for release in (base, candidate)]
            if len(shared) < 3 or events[0] < ENOUGH:
                continue
            if page not in levels or (level * SLOWER <= levels[page] and events[1] >= ENOUGH):
                self.count["red"] += 1
                if page not in red or said.returncode != 2 or page not in said.stdout:
                    self.fail(f"{page}: {level:.0f} → {levels.get(page)}, {events} events, and isn't red:\n{said.stdout}")
        unchanged = [page for page, level in self.factors[base].items() if levels.get(page) == level]
        if len(unchanged) == len(self.factors[base]):
            self.count["unchanged"] += 1
        if set(unchanged) & red:
            self.count["false"] += 1
            self.diary.append(f"  red without a change: {sorted(set(unchanged) & red)}")
        if self.random.random() < 0.2:
            again = self.call(*words, fine=None)
            if (again.returncode, again.stdout) != (said.returncode, said.stdout):
                self.fail(f"the same check says something else:\n{again.stdout}")

    def at_last(self):
        """One call with all files says the same."""
        self.late = []
        base, candidate = self.releases[-2:]
        known = [path for path, (content, _) in self.files.items() if content]
        pair = ["--pair", f"{base}:{candidate}"]
        paths = [f"events/{path}" for path in known]
        self.random.shuffle(paths)
        for folder, files in (("Field", sorted(paths)), ("Again", paths)):
            self.call("field", "rollup", *files, *pair, "--field", folder, fine=(0,))
        for content, rows in (self.files[path] for path in known):
            self.counted[content] = rows
        self.counts("Field")
        self.counts("Again")
        told = []
        for folder in ("Field", "Again"):
            said = self.call(
                "field", "check", "--base", base, "--candidate", candidate, "--field", folder, "--json", f"{folder}.json",
                fine=(0, 2, 3))
            report = json.loads((self.folder / f"{folder}.json").read_text())
            told.append((said.returncode, said.stdout.split("\nNext,")[0], report["comparisons"]))
        if told[0] != told[1]:
            self.fail(f"all files at once say something else:\n{told[0][1]}\n{told[1][1]}")
        self.count["again"] += 1

    def play(self):
        next_release = self.random.randrange(3, 7)
        for self.day in range(days):
            if self.day == next_release:
                self.release()
                next_release += self.random.randrange(6, 11)
            self.night()
            self.check()
        if len(self.releases) > 1:
            self.at_last()


EXPECTED = ["calls", "counts", "repeats", "kills", "checks", "red", "unchanged", "again", "lacking"]
plays.run(Weeks, days, seeds, first, EXPECTED, "checks")
