#!/usr/bin/env python3
"""Judges `perfgate bisect` on git repositories whose commits change the load of a page that `perfgate simulate` plays.

  judge-bisect.py PERFGATE FOLDER [RANGES]

RANGES: the ranges of 64 commits of each kind; 4 by default. The promise is judged from 100 on: with one commit 20 % slower
at least 97 of 100 are named right, and of 100 without a change at most 3 are named. A third as many have commits that don't
build, cut logs and failing runs, and as many are killed at random moments, resumed, and compared with the undisturbed call.
"""

import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

perfgate = pathlib.Path(sys.argv[1]).resolve()
folder = pathlib.Path(sys.argv[2]).resolve()
ranges = int(sys.argv[3]) if len(sys.argv) > 3 else 4
COMMITS = 64
MEASURE = """#!/bin/sh
# Plays 12 pages at the speed of the commit in PERFGATE_TREE; the seed is the range and the run.
set -e
[ "$(cat "$PERFGATE_TREE/broken")" = 0 ] || { echo "error: no such module"; exit 1; }
n=$((SEED * 1000 + PERFGATE_PAIR))
[ -z "$SLOW" ] || { echo start >> "$HOME/times"; sleep 1; }
dice() { echo $((($n * 7919 + $1) * 104729 % 1000003 % 100)); }
[ -z "$FAULTS" ] || [ "$(dice 1)" -ge 5 ] || { echo "the device is gone"; exit 1; }
set --
if [ -n "$PERFGATE_PAGES_FILE" ]; then
    while IFS= read -r page; do set -- "$@" --page "$page"; done < "$PERFGATE_PAGES_FILE"
else
    set -- --pages 12
fi
"$PERFGATE" simulate "$@" --seed "$n" --name "run-$n" --commit "$PERFGATE_COMMIT" --iterations "$PERFGATE_ITERATIONS" \\
    --run-noise 2 --page-noise 2.5 --inject "Search=load:$(cat "$PERFGATE_TREE/load")" --out "$PERFGATE_OUT" >/dev/null
if [ -n "$FAULTS" ] && [ "$(dice 2)" -lt 10 ]; then
    for log in "$PERFGATE_OUT"/*; do head -c 40000 "$log" > "$log.cut"; mv "$log.cut" "$log"; done
fi
[ -z "$SLOW" ] || echo stop >> "$HOME/times"
"""
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)
        print(f"judge-bisect: FAILED: {text}", flush=True)


class Range:
    """A repository whose commits have a load in ms, and may not build."""

    def __init__(self, seed, loads, broken=(), **variables):
        self.place = pathlib.Path(tempfile.mkdtemp(dir=folder))
        stream = ["reset refs/heads/main\n"]
        for number, load in enumerate(loads):
            files = {"load": str(load), "broken": str(int(number in broken)), "number": str(number)}
            message = f"change {number}"
            stream.append(
                f"commit refs/heads/main\nmark :{number + 1}\ncommitter Kim <k@example.com> {1_700_000_000 + number} +0000\n"
                f"data {len(message)}\n{message}\n"
                + "".join(f"M 100644 inline {name}\ndata {len(text)}\n{text}\n" for name, text in files.items()))
        subprocess.run(["git", "init", "-q", "-b", "main", self.place], check=True)
        subprocess.run(["git", "-C", self.place, "fast-import", "--quiet"], input="".join(stream).encode(), check=True)
        subprocess.run(["git", "-C", self.place, "reset", "-q", "--hard", "main"], check=True)
        (self.place / "measure.sh").write_text(MEASURE)
        (self.place / "measure.sh").chmod(0o755)
        listed = subprocess.run(
            ["git", "-C", self.place, "rev-list", "--reverse", "main"], capture_output=True, text=True, check=True)
        self.hashes = listed.stdout.split()
        self.variables = {
            "PATH": os.environ["PATH"], "HOME": str(self.place), "PERFGATE": str(perfgate), "SEED": str(seed),
            **{k.upper(): str(v) for k, v in variables.items()}}

    def start(self, *options, first=(), fresh=True):
        arguments = [*first, perfgate, "bisect"]
        if fresh:
            arguments += [
                self.hashes[0], self.hashes[-1], "--page", "Search", "--metric", "ttil", "--run", "./measure.sh {logs}"]
        return subprocess.Popen(
            [*arguments, "--out", "search", "--json", "r.json", "--run-minutes", "0.5", *options],
            cwd=self.place, env=self.variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *options, **more):
        process = self.start(*options, **more)
        self.output, self.errors = (text.decode() for text in process.communicate(timeout=900))
        return process.returncode

    def report(self):
        return json.loads((self.place / "r.json").read_text())

    def lines(self):
        state = (self.place / "search/state.ndjson").read_text().splitlines()
        return [json.loads(line) for line in state]

    def decisions(self):
        """The measured positions and samples, without times of the clock and repeated tries."""
        return [
            (line["type"], line["n"], line["pos"], line.get("samples")) for line in self.lines()
            if line.get("type") in ("measured", "skip")]

    def close(self):
        shutil.rmtree(self.place, ignore_errors=True)


def loads(steps):
    """The load of each commit: 120 ms of 670 ms, changed by fractions of the whole from some commits on."""
    return [120 + round(sum(670 * share for at, share in steps if at <= number)) for number in range(COMMITS + 1)]


def searched(seed, steps, *options, **more):
    made = Range(seed, loads(steps), **more)
    try:
        code = made.run(*options)
        report = made.report() if code in (0, 3, 4) else {}
        names = [(step["good"], step["bad"]) for step in report.get("steps", [])]
        if code not in (0, 3, 4):
            expect(False, f"seed {seed}, {steps}: exit code {code}\n{made.errors[-2000:]}")
        return code, names, len(report.get("runs", [])), report
    finally:
        made.close()


def many(kind, steps, *options, count=ranges, **more):
    """Searches ranges whose steps `steps(dice)` draws."""
    def one(seed):
        drawn = steps(random.Random(seed))
        return drawn, searched(seed, drawn, *options, **more)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, range(kind * 1_000 + 1, kind * 1_000 + 1 + count)))
    return results


def least(share, count):
    return share * count if count >= 100 else count - max(1, count // 10)


def statistics():
    def told(name, results, right):
        named = sum(bool(names) for _, (_, names, _, _) in results)
        runs = sum(r[2] for _, r in results) / len(results)
        print(f"{name}: {named} of {len(results)} named, {right} right, {runs:.1f} runs each", flush=True)

    def ups(steps):
        return {(at - 1, at) for at, share in steps if share > 0}

    def rightly(results):
        return sum(bool(names) and set(names) <= ups(steps) for steps, (_, names, _, _) in results)

    step = many(1, lambda dice: [(dice.randint(1, COMMITS), 0.2)])
    told("a step of 20 %", step, rightly(step))
    expect(rightly(step) >= least(0.97, ranges), f"a step of 20 %: {rightly(step)} of {ranges} right")
    clean = many(2, lambda dice: [])
    named = sum(bool(names) for _, (_, names, _, _) in clean)
    told("no change", clean, 0)
    expect(named <= max(1, 3 * ranges // 100), f"no change: {named} of {ranges} named")
    expect(all(code != 0 for _, (code, names, _, _) in clean if not names), "exit code 0 without a name")

    def reverted(dice):
        first, second, third = sorted(dice.sample(range(1, COMMITS + 1), 3))
        return [(first, 0.2), (second, -0.2), (third, 0.2)]
    revert = many(3, reverted)
    told("20 % slower, back, and slower", revert, rightly(revert))
    expect(rightly(revert) >= least(0.97, ranges), f"revert: {rightly(revert)} of {ranges} right")

    def two(dice):
        first, second = dice.sample(range(1, COMMITS + 1), 2)
        return [(first, 0.2), (second, 0.2)]
    both = many(4, two, "--all")
    found = sum(set(names) == ups(steps) for steps, (_, names, _, _) in both)
    told("two steps of 20 %", both, rightly(both))
    print(f"two steps of 20 %: both found in {found} of {ranges}", flush=True)
    expect(rightly(both) >= least(0.95, ranges), f"two steps: {rightly(both)} of {ranges} right")
    expect(found >= least(0.9, ranges), f"two steps: both found in {found} of {ranges}")


def faults():
    """Commits that don't build, logs that are cut, and runs that fail: never a wrong name, and a set beside a gap."""
    count = max(2, ranges * 3 // 10)
    ends, sets, wrong = 0, 0, []

    def one(seed):
        dice = random.Random(seed)
        at = dice.randint(2, COMMITS - 1)
        broken = set(dice.sample([n for n in range(1, COMMITS) if n not in (at, at - 1)], 2))
        broken.add(at - 1 if seed % 2 and at > 1 else next(n for n in range(1, COMMITS) if n not in broken | {at, at - 1}))
        return at, broken, searched(seed, [(at, 0.2)], broken=broken, faults=1)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for at, broken, (code, names, _, report) in pool.map(one, range(5_001, 5_001 + count)):
            ends += bool(names)
            good = at - 1
            while good in broken:
                good -= 1
            if names and names != [(good, at)]:
                wrong.append((at, broken, names))
            if names and good < at - 1:
                sets += 1
                expect(code == 3, f"a set of commits was named with exit code {code}")
    print(f"broken commits, cut logs and failing runs: {ends} of {count} named, {sets} of them as sets", flush=True)
    expect(not wrong, f"wrong names beside broken commits: {wrong}")
    expect(ends >= count - max(1, count // 10), f"only {ends} of {count} with faults named")


def kills():
    dice = random.Random(7)
    hit, count = 0, max(2, ranges * 3 // 10)
    for seed in range(6_001, 6_001 + count):
        steps = [(dice.randint(1, COMMITS), 0.2)]
        whole = Range(seed, loads(steps))
        start = time.monotonic()
        code = whole.run("--quiet")
        seconds = time.monotonic() - start
        call = Range(seed, loads(steps))
        options, ended = {}, False
        for _ in range(60):
            process = call.start("--quiet", *(["--resume"] if options else []), fresh=not options)
            try:
                process.communicate(timeout=dice.uniform(0.05, 0.7) * seconds)
                ended = True
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                hit += 1
            if (call.place / "search/state.ndjson").exists() and (call.place / "search/state.ndjson").stat().st_size:
                options = {"resume": True}
        expect(ended and process.returncode == code, f"seed {seed}: killed calls end with {process.returncode}, not {code}")
        expect(call.decisions() == whole.decisions(), f"seed {seed}: killed calls decide otherwise")
        expect(call.report()["steps"] == whole.report()["steps"], f"seed {seed}: killed calls find otherwise")
        trees = subprocess.run(["git", "-C", call.place, "worktree", "list"], capture_output=True, text=True).stdout
        expect(len(trees.splitlines()) == 1, f"seed {seed}: worktrees are left:\n{trees}")
        whole.close()
        call.close()
    print(f"kills: {hit} in {count} searches; each decided as the undisturbed one", flush=True)


def ends():
    """A full disk, limits, refusals and ranges that can't be searched."""
    step = loads([(40, 0.2)])
    whole, full = Range(1, step), Range(1, step)
    whole.run()
    if shutil.which("strace"):
        for nth in (3, 8):
            state = full.place / "search/state.ndjson"
            inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", str(state), "-e", "trace=write", "-e",
                      f"inject=write:error=ENOSPC:when={nth}+", "-e", "signal=none"]
            code = full.run(*([] if not state.exists() else ["--resume"]), first=inject)
            expect(code == 73 and "state.ndjson" in full.errors, f"full disk: exit code {code}\n{full.errors[-500:]}")
        expect(full.run("--resume", fresh=False) == 0, f"after a full disk:\n{full.errors[-500:]}")
        expect(full.decisions() == whole.decisions(), "after a full disk other commits were measured")
    limited = Range(1, step)
    expect(limited.run("--max-runs", "6") == 3, f"limit of runs: {limited.output}")
    expect("more run" in limited.output and "--resume --out 'search' --max-runs" in limited.output, limited.output)
    expect(limited.run("--resume", fresh=False) == 0, limited.errors)
    expect(limited.decisions() == whole.decisions(), "after a limit other commits were measured")
    short = Range(1, step)
    expect(short.run("--max-minutes", "0.003") == 3 and "--max-minutes" in short.output, short.output + short.errors)
    for options, code, text in [
        ([], 73, "--resume"), (["--resume", "--run", "other"], 64, "another --run"),
        (["--resume", "--page", "Home"], 64, "another --page"),
    ]:
        found = short.run(*options, fresh=not options)
        expect(found == code and text in short.errors, f"{options}: exit code {found}\n{short.errors}")
    never = Range(1, step, broken=set(range(COMMITS + 1)))
    expect(never.run() == 66 and "no such module" in never.errors, f"a build that fails: {never.errors}")
    # The command of a killed call goes on, and must not measure beside the next one.
    orphan = Range(1, step, slow=1)
    times = orphan.place / "times"
    process = orphan.start("--max-runs", "3")
    while not times.exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    expect(orphan.run("--resume", "--max-runs", "3", fresh=False) == 3, orphan.errors)
    expect("still runs" in orphan.errors, f"a resumed call didn't wait: {orphan.errors}")
    words = times.read_text().split()
    expect(words == ["start", "stop"] * (len(words) // 2), f"two commands ran at once: {words}")
    for place in [whole, full, limited, short, never, orphan]:
        place.close()
    print("a full disk, limits, refusals and failing commands: each with its outcome", flush=True)


ends()
kills()
faults()
statistics()
if failures:
    raise SystemExit(f"judge-bisect: {len(failures)} failures")
