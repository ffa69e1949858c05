"""Plays calls with several runs of one build: what runs show by themselves must not vanish if they are judged together.

Usage: judge-runs.py PROGRAM SCRATCH [CALLS [FIRST]]; CALLS of each world, with seeds from FIRST.

A world has the number of stored nights and of the call's runs, and how a build is worse: not at all; half of its runs are
slow; or its runs are worse in different ways, by turns slow and rarely loading. Noise is drawn by run and by page, and
a few visits fail by chance. Each call has a store of its own. Each run is judged alone, then all of them together.

- If a page regressed in at least two runs alone, and in half of them, the call is red and names the page.
- Of calls without a change, 2 % may be red.
"""

import concurrent.futures
import itertools
import json
import math
import pathlib
import random
import subprocess
import sys

program, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
calls, first = [int(word) for word in sys.argv[3:5]] + [20, 1][len(sys.argv[3:5]):]
NIGHTS, RUNS, KINDS = (3, 10), (2, 3, 4), ("unchanged", "half", "by turns")
PAGES, ITERATIONS, SLOWER, LEFT = ("Cart", "Home", "Login", "Orders", "Search"), 5, 1.5, 0.8
MOST_RED = 0.02


def run(name, day, hour, chance, kind=None):
    """A run's lines; of the page Search, visits are slow, or are left."""
    yield {"type": "run", "schema": 1, "run_id": name, "app": "shop", "build": "Release", "device": "iPhone12,1",
           "os": "iOS 17.5", "max_fps": 60, "started_at": f"2026-03-{day:02}T{hour:02}:00:00Z"}
    shift = chance.gauss(0, .01)
    for number, page in enumerate(PAGES):
        own = (400 + 100 * number) * math.exp(shift + chance.gauss(0, .02))
        for iteration in range(ITERATIONS):
            place = {"type": "pps", "page": page, "iteration": iteration, "visit_id": f"{name}-{page}-{iteration}"}
            is_changed = page == "Search" and kind
            if chance.random() < (LEFT if is_changed == "left" else .02):
                yield {**place, "outcome": "abandoned", "duration_ms": 900}
                continue
            load = own * (SLOWER if is_changed == "slow" else 1)
            first_layout = .3 * own * math.exp(chance.gauss(0, .03))
            yield {**place, "outcome": "loaded", "ttfl_ms": round(first_layout, 1),
                   "ttil_ms": round(first_layout + .7 * load * math.exp(chance.gauss(0, .03)), 1)}


def play(world, seed):
    """Whether the call is red, and on how many pages it hides what its runs show alone."""
    nights, runs, kind = world
    chance = random.Random(f"{world} {seed}")
    folder = scratch / f"{nights}-{runs}-{kind.replace(' ', '-')}-{seed}"
    (folder / "nights").mkdir(parents=True)

    def write(path, lines):
        (folder / path).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def perfgate(*words):
        said = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
        if said.returncode not in (0, 2, 3):
            raise SystemExit(f"{world} {seed}: {words} ended with {said.returncode}: {said.stderr}")
        return said.returncode

    def failing(*logs, verdicts):
        code = perfgate("check", *logs, "--json", "o.json", "--quiet")
        cells = json.loads((folder / "o.json").read_text())["comparisons"]
        return code, {cell["page"] for cell in cells if cell["gated"] and cell["verdict"] in verdicts}

    for night in range(nights):
        write(f"nights/{night}.ndjson", run(f"night-{night}", night + 1, 3, chance))
    perfgate("baseline", "update", "nights")
    ways = {"unchanged": [None], "half": ["slow", None], "by turns": ["slow", "left"]}[kind]
    logs = [write(f"{number}.ndjson", run(f"run-{number}", 20, number, chance, ways[number % len(ways)]))
            for number in range(runs)]
    alone = [failing(log, verdicts=["regressed"])[1] for log in logs]
    code, together = failing(*logs, verdicts=["regressed", "missing"])
    hidden = [page for page in set().union(*alone) - together if sum(page in pages for pages in alone) >= max(2, runs / 2)]
    return code == 2, len(hidden)


worlds = list(itertools.product(NIGHTS, RUNS, KINDS))
plays = [(world, seed) for world in worlds for seed in range(first, first + calls)]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    answers = dict(zip(plays, pool.map(lambda play_: play(*play_), plays)))
print("nights  runs  kind       red  hidden  of")
for world in worlds:
    own = [answers[world, seed] for seed in range(first, first + calls)]
    print(f"{world[0]:6}  {world[1]:4}  {world[2]:9}  {sum(red for red, _ in own):3}  {sum(hidden for _, hidden in own):6}  {calls}")
unchanged = [red for (world, _), (red, _) in answers.items() if world[2] == "unchanged"]
hidden = sum(hidden for _, hidden in answers.values())
print(f"{sum(unchanged)} of {len(unchanged)} unchanged calls were red; {hidden} changes were hidden")
# Three standard errors above the allowed share.
allowed = MOST_RED + 3 * math.sqrt(MOST_RED / len(unchanged))
raise SystemExit(hidden > 0 or sum(unchanged) > allowed * len(unchanged))
