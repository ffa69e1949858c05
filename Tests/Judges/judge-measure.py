#!/usr/bin/env python3
"""Judges `perfgate measure` with fake devices: scripts that play pages with `perfgate simulate`, whose runs and pages vary.

  judge-measure.py PERFGATE FOLDER [CALLS]

CALLS: how many calls each count is made of; 10 by default. The promise is judged from 100 on: of 200 unchanged calls at
most 2 are red, and of 300 with a page 20 % slower at least 255 find and name it. Every way in which a run can fail is
played once, and a fifth of CALLS are killed at a random moment, resumed, and compared with the undisturbed call.
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
calls = int(sys.argv[3]) if len(sys.argv) > 3 else 10
PAGES = 12
DEVICE = """#!/bin/sh
# Plays the pages that it is asked for; the seed is the call, the pair and the side, or with COUNTER a counter file's.
set -e
n=$((PERFGATE_PAIR * 2)); [ "$PERFGATE_SIDE" = head ] && n=$((n + 1))
count=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $count > count
set --
if [ -n "$PERFGATE_PAGES_FILE" ]; then
    while IFS= read -r page; do set -- "$@" --page "$page"; done < "$PERFGATE_PAGES_FILE"
elif [ "$FAULT" = absent ] && [ "$PERFGATE_SIDE" = head ]; then
    while IFS= read -r page; do [ "$page" = Search ] || set -- "$@" --page "$page"; done < names
else
    set -- --pages "$PAGES"
fi
if [ "$PERFGATE_SIDE" = head ] && [ -n "$INJECT" ]; then
    if [ -z "$PERFGATE_PAGES_FILE" ] || grep -qxF Search "$PERFGATE_PAGES_FILE"; then set -- "$@" --inject "$INJECT"; fi
fi
slower=0
name=run-$PERFGATE_SIDE-$PERFGATE_PAIR-$count
[ "$WORLD" = drift ] && slower=$count
if [ "$WORLD" = warm ] && [ "$count" = 1 ]; then slower=10; fi
device=iPhone12,1
case "$FAULT" in
once) [ "$count" = 4 ] && exit 9 ;;
head) [ "$PERFGATE_SIDE" = head ] && exit 9 ;;
base) [ "$PERFGATE_SIDE" = base ] && exit 9 ;;
flaky) if [ "$PERFGATE_SIDE" = head ] && [ ! -e "failed-$PERFGATE_PAIR" ]; then touch "failed-$PERFGATE_PAIR"; exit 9; fi ;;
hang) [ "$count" = 3 ] && sleep 600 ;;
other) [ "$count" -ge 3 ] && device=iPhone15,2 ;;
nothing) [ "$PERFGATE_SIDE" = head ] && exit 0 ;;
stale) [ "$PERFGATE_SIDE" = head ] && n=3 && name=run-head-1-2 ;;
fewer) [ "$PERFGATE_SIDE" = head ] && set -- "$@" --iterations 2 ;;
fps) [ "$PERFGATE_SIDE" = head ] && set -- "$@" --max-fps 120 ;;
grown) name=run-$PERFGATE_PAIR; [ "$PERFGATE_SIDE" = head ] && set -- "$@" --iterations 6 ;;
esac
"$PERFGATE" simulate "$@" --seed "$((SEED * 1000 + n))" --name "$name" --run-noise 2 \\
    --page-noise 2.5 --slower "$slower" --device "$device" --out "$PERFGATE_OUT" >/dev/null
# Few visits have further loads, on both sides by chance.
if [ "$WORLD" = sparse ]; then
    for log in "$PERFGATE_OUT"/*; do
        awk -v seed="$((SEED * 1000 + n))" 'BEGIN { srand(seed) }
            /"page":"Product"/ && rand() < 0.7 { sub(/"alt_ms":\\[[^]]*\\]/, "\\"alt_ms\\":[]") } 1' "$log" > cut
        mv cut "$log"
    done
fi
if [ "$FAULT" = cut ] && [ "$count" = 3 ]; then
    for log in "$PERFGATE_OUT"/*; do head -c 4000 "$log" > cut; mv cut "$log"; done
fi
exit 0
"""


class Call:
    """A folder with a fake device, in which `perfgate measure` runs."""

    def __init__(self, seed, **variables):
        self.place = pathlib.Path(tempfile.mkdtemp(dir=folder))
        (self.place / "device").write_text(DEVICE)
        (self.place / "device").chmod(0o755)
        (self.place / "names").write_text("".join(name + "\n" for name in names))
        self.variables = {
            "PATH": os.environ["PATH"], "HOME": str(self.place), "PERFGATE": str(perfgate), "SEED": str(seed),
            "PAGES": str(PAGES), "PERFGATE_TODAY": "2026-11-20", **{k.upper(): str(v) for k, v in variables.items()}}

    def start(self, *options):
        return subprocess.Popen(
            [perfgate, "measure", "--base", "./device", "--head", "./device", "--json", "r.json", "--quiet",
             "--run-minutes", "0.2", *options],
            cwd=self.place, env=self.variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *options):
        process = self.start(*options)
        output, errors = process.communicate(timeout=600)
        self.errors = errors.decode()
        return process.returncode

    def report(self):
        return json.loads((self.place / "r.json").read_text())

    def state(self):
        return json.loads((self.place / "perfgate-measure/measure.json").read_text())

    def worse(self):
        return sorted(
            {(c["page"], c["metric"]) for c in self.report()["comparisons"]
             if c["gated"] and c["verdict"] in ("regressed", "over_limit", "missing")})

    def whole_runs(self):
        return sum((r.get("pages") or PAGES) / PAGES for r in self.state()["runs"])

    def close(self):
        shutil.rmtree(self.place, ignore_errors=True)


def verdict(seed, **variables):
    call = Call(seed, **variables)
    try:
        code = call.run()
        if code not in (0, 2):
            raise SystemExit(f"judge-measure: seed {seed}, {variables}: exit code {code}\n{call.errors}")
        return code, call.worse(), call.whole_runs()
    finally:
        call.close()


log = subprocess.run([perfgate, "simulate", "--pages", str(PAGES)], capture_output=True, text=True).stdout
names = sorted({json.loads(line)["page"] for line in log.splitlines() if '"page":' in line})
failures = []
# A shell starts programs in the background with this signal ignored, and so would be all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def expect(condition, text):
    if not condition:
        failures.append(text)
        print(f"judge-measure: FAILED: {text}", flush=True)


def count(name, seeds, **variables):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda seed: verdict(seed, **variables), seeds))
    red = [r for r in results if r[0] == 2]
    cost = sum(r[2] for r in results) / len(results)
    print(f"{name}: {len(red)} of {len(results)} red, {cost:.1f} whole runs each", flush=True)
    return results, red


def statistics():
    _, red = count("unchanged", range(1, 2 * calls + 1))
    expect(len(red) <= max(1, calls // 50), f"{len(red)} of {2 * calls} unchanged calls are red: {[r[1] for r in red]}")
    for world in ("drift", "warm", "sparse"):
        _, red = count(world, range(5_001, 5_001 + calls), world=world)
        expect(len(red) <= max(1, calls // 50), f"{len(red)} of {calls} unchanged calls are red in the world {world}")
    results, red = count("Search 20 % slower", range(10_001, 10_001 + 3 * calls), inject="Search=load:116")
    named = [r for r in red if ("Search", "ttil") in r[1]]
    needed = 2.55 * calls if calls >= 100 else 2 * calls
    expect(len(named) >= needed, f"a page 20 % slower is found in {len(named)} of {3 * calls}")


def faults():
    for fault, code, text in [
        ("once", 0, "repeated once"), ("cut", 0, "repeated once"), ("hang", 0, "took longer than"),
        ("head", 2, "failed"), ("base", 65, "base's run failed twice"), ("flaky", 2, "failed"),
        ("other", 65, "iPhone15,2"), ("fps", 65, "120"), ("fewer", 2, ""), ("stale", 65, "is that of an earlier run"),
        ("grown", 65, "is that of an earlier run"), ("nothing", 2, "left no log"), ("absent", 2, ""),
    ]:
        call = Call(3, fault=fault)
        found = call.run()
        expect(found == code, f"{fault}: exit code {found} instead of {code}\n{call.errors}")
        expect(text in call.errors, f"{fault}: no '{text}' in\n{call.errors}")
        if fault in ("head", "nothing"):
            details = [c.get("detail") for c in call.report()["comparisons"]]
            expect("crashed" in details, f"{fault}: no verdict 'crashed'")
        if fault == "absent":
            expect("Search" in {page for page, _ in call.worse()}, f"absent: {call.worse()}")
        call.close()
    print("faults: each with its outcome", flush=True)


def comparisons(call):
    report = call.report()
    for comparison in report["comparisons"]:
        for side in ("baseline", "candidate"):
            for run in comparison.get(side, {}).get("by_run", []):
                run.pop("run_id", None)
        for step in comparison.get("rule", []):
            step.pop("run_id", None)
        comparison.pop("reason", None)
    return report["comparisons"], report["exit_code"]


def kills():
    dice = random.Random(7)
    hit = 0
    for seed in range(20_001, 20_001 + max(3, calls * 3 // 10)):
        whole = Call(seed, inject="Search=load:116")
        start = time.monotonic()
        whole.run()
        seconds = time.monotonic() - start
        call = Call(seed, inject="Search=load:116")
        options = []
        for _ in range(50):
            process = call.start(*options)
            try:
                process.communicate(timeout=dice.uniform(0.05, 0.7) * seconds)
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                hit += 1
                options = ["--resume"] if (call.place / "perfgate-measure/measure.json").exists() else []
                if not options:
                    shutil.rmtree(call.place / "perfgate-measure", ignore_errors=True)
        expect(comparisons(call) == comparisons(whole), f"seed {seed}: killed and resumed, the verdict is another")
        call.close()
        whole.close()
    print(f"kills: {hit}, each resumed to the same verdict", flush=True)


def interruption():
    call = Call(4, inject="Search=load:300")
    process = call.start()
    while not (call.place / "perfgate-measure/head/02").exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    expect(process.returncode == -signal.SIGINT, f"interrupted: {process.returncode}")
    report = call.report()
    expect(any("interrupted" in d["message"] for d in report["diagnostics"]), "interrupted: the report doesn't say so")
    code = call.run("--resume")
    expect(code == 2 and ("Search", "ttil") in call.worse(), f"resumed after an interruption: {code}")
    again = subprocess.run(
        [perfgate, "compare", "perfgate-measure/base", "--with", "perfgate-measure/head", "--json", "c.json", "--quiet"],
        cwd=call.place, env=call.variables, capture_output=True)
    expect(again.returncode == code, f"compare of the kept logs: {again.returncode} instead of {code}\n{again.stderr.decode()}")
    kept = json.loads((call.place / "c.json").read_text())
    expect(
        [(c["page"], c["metric"], c["verdict"], c.get("p")) for c in kept["comparisons"]]
        == [(c["page"], c["metric"], c["verdict"], c.get("p")) for c in call.report()["comparisons"]],
        "compare of the kept logs differs")
    call.close()
    print("interruption: the verdict so far, resumed, and compared again", flush=True)


faults()
interruption()
kills()
statistics()
sys.exit(1 if failures else 0)
