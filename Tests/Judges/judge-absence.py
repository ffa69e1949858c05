"""Plays calls with metrics that only some visits have: unchanged ones must rarely be red, lost ones must be found.

Usage: judge-absence.py PROGRAM SCRATCH [CALLS [FIRST]]; CALLS of each world, with seeds from FIRST.

A world has a share of the visits with the metric, the iterations of a run, and the runs of a call. Each call has ten
stored nights of its own, and noise drawn by visit. It is judged once as it is, and once without the metric.
"""

import collections
import concurrent.futures
import itertools
import json
import pathlib
import random
import subprocess
import sys

program, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
calls, first = [int(word) for word in sys.argv[3:5]] + [20, 1][len(sys.argv[3:5]):]
SHARES, ITERATIONS, RUNS, NIGHTS = (0.1, 0.3, 0.5, 0.8, 0.95, 1), (1, 3, 10), (1, 5), 10
# Red calls of 100 that a metric of an unchanged build may cause at most, and lost metrics that a call must find.
MOST_RED, REGULAR = 2, 1


def run(name, day, chance, iterations, share):
    """A run's lines: a load in each iteration, and the metric in a share of them."""
    yield {"type": "run", "schema": 1, "run_id": name, "app": "shop", "build": "Release", "device": "iPhone12,1",
           "os": "iOS 17.5", "max_fps": 60, "started_at": f"2026-03-{day:02}T03:00:00Z", "iterations": iterations}
    for iteration in range(iterations):
        visit = {"type": "pps", "page": "Search", "iteration": iteration, "visit_id": f"{name}-{iteration}",
                 "outcome": "loaded", "ttil_ms": round(500 * chance.lognormvariate(0, .03), 1)}
        if chance.random() < share:
            visit["alt_ms"] = [round(100 * chance.lognormvariate(0, .03), 1)]
        yield visit


def play(world, seed):
    share, iterations, runs = world
    chance = random.Random(f"{world} {seed}")
    folder = scratch / f"{share}-{iterations}-{runs}-{seed}"
    (folder / "nights").mkdir(parents=True)

    def write(path, lines):
        (folder / path).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def perfgate(*words):
        return subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)

    for night in range(NIGHTS):
        write(f"nights/{night}.ndjson", run(f"night-{night}", night + 1, chance, iterations, share))
    stored = perfgate("baseline", "update", "nights")
    if stored.returncode not in (0, 2):
        raise SystemExit(f"{world} {seed}: update ended with {stored.returncode}: {stored.stderr}")
    codes = []
    for name, left in (("same", share), ("lost", 0)):
        logs = [write(f"{name}-{number}.ndjson", run(f"{name}-{number}", 20, chance, iterations, left))
                for number in range(runs)]
        said = perfgate("check", *logs, "--json", f"{name}.json", "--quiet")
        report = json.loads((folder / f"{name}.json").read_text())
        cells = {cell["metric"]: cell["verdict"] for cell in report["comparisons"]}
        if said.returncode not in (0, 2):
            raise SystemExit(f"{world} {seed}: {name} ended with {said.returncode}: {said.stderr}")
        codes.append(cells.get("alt") == "missing")
    return codes


worlds = list(itertools.product(SHARES, ITERATIONS, RUNS))
red, found = collections.Counter(), collections.Counter()
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    plays = [(world, seed) for world in worlds for seed in range(first, first + calls)]
    for (world, _), (is_red, is_found) in zip(plays, pool.map(lambda play_: play(*play_), plays)):
        red[world] += is_red
        found[world] += is_found
print("share  iterations  runs  unchanged red  lost found  of")
for world in worlds:
    share, iterations, runs = world
    print(f"{share:5}  {iterations:10}  {runs:4}  {red[world]:13}  {found[world]:10}  {calls}")
total = sum(red.values())
print(f"{total} of {len(plays)} unchanged calls were red; {sum(found.values())} lost metrics were found")
assert 100 * total <= MOST_RED * len(plays), "an unchanged metric of few visits is missing too often"
assert all(found[world] == calls for world in worlds if world[0] == REGULAR), "a metric of every visit was lost unseen"
