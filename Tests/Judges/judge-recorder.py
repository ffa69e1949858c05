#!/usr/bin/env python3
"""Follows the recorder from its log to the verdict on a release, and kills processes that share a folder.

  judge-recorder.py PERFGATE FOLDER BENCH [PAIRS] [KILLS]

BENCH is perfgate-bench. PAIRS pairs of releases (100) without a change, and as many with a page 10 % slower, are played
with users of whom 30 % don't wait: their app was launched in the background, or something covered it while the page loaded, and
many leave the app with a page on the screen. Each pair is rolled up and checked. Then two processes write into one folder and send its parts, and are killed KILLS times
(1,000): every line that a process said was written is in exactly one part, that was sent or is in the folder.
"""

import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

PERFGATE, FOLDER, BENCH = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
PAIRS = int(sys.argv[4]) if len(sys.argv) > 4 else 100
KILLS = int(sys.argv[5]) if len(sys.argv) > 5 else 1_000


def run(*words, codes=(0,), cwd=None):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=cwd)
    assert result.returncode in codes, f"{words}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result


def verdicts(seed, slower):
    """The pages whose time to initial load got worse, and all that did."""
    place = FOLDER / "pair"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "perfgate.yml").write_text("metrics: { ttil: { tolerance: 5% } }\n")
    run(BENCH, "lives", "play", place / "logs", "--seed", seed, "--slower", slower)
    folders = sorted(str(folder.relative_to(place)) for folder in (place / "logs").iterdir())
    told = run(PERFGATE, "field", "rollup", *folders, "--pair", "7.1:7.2", cwd=place).stdout
    events = int(re.search(r"([\d,]+) events", told)[1].replace(",", ""))
    # Six pages, three days, two releases: many visits are in two parts of the log, and count once.
    assert events == 6 * 3 * 2 * 2_000, told
    share = int(re.search(r"load times of ([\d,]+) visits", told)[1].replace(",", "")) / events
    run(PERFGATE, "field", "check", "--base", "7.1", "--candidate", "7.2", "--json", "result.json", "--quiet", codes=(0, 2, 3),
        cwd=place)
    report = json.loads((place / "result.json").read_text())
    return {row["page"] for row in report["comparisons"] if row["verdict"] == "regressed"}, share


def chain():
    clean = found = other = 0
    shares = []
    for pair in range(PAIRS):
        worse, share = verdicts(10_000 + pair, 1.0)
        clean += bool(worse)
        shares.append(share)
        worse, _ = verdicts(20_000 + pair, 1.1)
        found += "Search" in worse
        other += bool(worse - {"Search"})
    print(f"{100 * sum(shares) / len(shares):.0f} % of the visits had nobody who waited; {clean} of {PAIRS} pairs without a "
          f"change were flagged; +10 % was found in {found} of {PAIRS}, and another page flagged in {other}")
    assert clean == 0 and other == 0 and found >= 0.95 * PAIRS


class Writer:
    def __init__(self, name, logs, sent, generator):
        self.logs, self.sent, self.generator = logs, sent, generator
        self.first = {"app": 1, "extension": 1_000_001}[name]
        self.acknowledged = []
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [str(BENCH), "lives", "write", str(self.logs), str(self.sent), "--from", str(self.first)], stdout=subprocess.PIPE)
        self.until = time.monotonic() + self.generator.uniform(0.005, 0.12)

    def kill(self):
        self.process.kill()
        said = self.process.communicate()[0].decode().split("\n")
        # The last line may be cut.
        numbers = [int(number) for number in said[:-1]]
        self.acknowledged += numbers
        # What was written without being said stays unused.
        self.first = max([self.first, *numbers]) + 1_000
        self.start()


def kills():
    place = FOLDER / "kills"
    shutil.rmtree(place, ignore_errors=True)
    logs, sent = place / "logs", place / "sent"
    sent.mkdir(parents=True)
    generator = random.Random(7)
    writers = [Writer(name, logs, sent, generator) for name in ("app", "extension")]
    for _ in range(KILLS):
        writer = min(writers, key=lambda writer: writer.until)
        time.sleep(max(0, writer.until - time.monotonic()))
        writer.kill()
    for writer in writers:
        writer.process.kill()
        writer.process.communicate()
    parts = {path.name: path for path in sent.glob("*.ndjson")}
    # A part that arrived and wasn't removed is known to the server by its name.
    for path in [*logs.glob("*.ndjson"), *logs.glob("*.ndjson.*.sending")]:
        parts.setdefault(re.sub(r"(\.\d+\.sending)+$", "", path.name), path)
    numbers = []
    for path in parts.values():
        for line in path.read_text().split("\n")[:-1]:
            line = json.loads(line)
            numbers += [int(value) for value in line.get("values", [])]
    said = [number for writer in writers for number in writer.acknowledged]
    lost, twice = set(said) - set(numbers), len(numbers) - len(set(numbers))
    print(f"{KILLS} kills of two processes with one folder: {len(said)} lines acknowledged, {len(lost)} lost, {twice} twice, "
          f"in {len(parts)} parts")
    assert said and not lost and not twice


FOLDER.mkdir(parents=True, exist_ok=True)
kills()
chain()
