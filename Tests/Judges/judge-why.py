#!/usr/bin/env python3
"""Records a small program with `perf`, and lets perfgate name what makes it slower.

  judge-why.py PERFGATE SCRATCH [SLOWER [CLEAN]]

The program is compiled twice; in the second one `decode` takes about a seventh of a visit more. SLOWER times (3), four
recordings a side are taken in turn, and at least nine tenths of the answers must name `decode`; CLEAN times (3) both
sides are the same program, and no answer may name anything. Once it goes through `perfgate measure --profile`. Where
`perf` can't record, nothing is judged, and the call says so.
"""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define KEEP __attribute__((noinline))
static volatile double sink;
static int scale = 1;
static inline __attribute__((always_inline)) void burn(int n) {
    double x = sink;
    for (int i = 0; i < n * 1000 * scale; i++) x = x * 1.0000001 + 0.5;
    sink = x;
}
KEEP void decode(void) { burn(900 + EXTRA); burn(0); }
KEEP void resize(void) { burn(1200); burn(0); }
KEEP void bind(void) { burn(700); decode(); burn(200); }
KEEP void model(void) { burn(1500); burn(0); }
KEEP void shape(void) { burn(800); burn(0); }
KEEP void measure(void) { burn(600); shape(); burn(300); }
KEEP void layout(void) { burn(400); measure(); measure(); burn(300); }
KEEP void feed(void) { model(); for (int i = 0; i < 4; i++) bind(); burn(200); }
KEEP void images(void) { for (int i = 0; i < 3; i++) resize(); burn(300); }
KEEP void visit(void) { feed(); layout(); images(); burn(500); }
static long long now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
int main(int argc, char **argv) {
    const char *run = argc > 1 ? argv[1] : "r";
    if (argc > 2) scale = atoi(argv[2]);
    printf("{\"type\":\"run\",\"schema\":1,\"run_id\":\"%s\",\"app\":\"judge\",\"device\":\"here\",\"max_fps\":60,\"build\":\"Release\",\"os\":\"Linux\"", run);
    printf("%s}\n", getenv("PERFGATE_PROFILE") ? ",\"profiled\":true" : "");
    // Times that are compared are the processor's, so that a busy machine doesn't matter; windows are of the clock.
    clockid_t clock = getenv("PERFGATE_PROFILE") ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    visit();
    for (int i = 0; i < 24; i++) {
        long long start = now(CLOCK_MONOTONIC), begin = now(clock);
        visit();
        double ms = (now(clock) - begin) / 1e6;
        printf("{\"type\":\"pps\",\"page\":\"Feed\",\"iteration\":%d,\"visit_id\":\"%s-%d\",\"outcome\":\"loaded\",", i, run, i);
        printf("\"start_ns\":%lld,\"ttfl_ms\":%.3f,\"ttil_ms\":%.3f,\"duration_ms\":%.3f}\n", start, ms / 4, ms, ms);
    }
    visit();
    return 0;
}
"""

RECORD = ["perf", "record", "-q", "-k", "mono", "-e", "cpu-clock:u", "-F", "1999", "--call-graph", "fp"]
FIELDS = "comm,pid,tid,time,period,event,ip,sym,dso"


def compile_program(folder, extra):
    (folder / "page").mkdir(parents=True)
    source = folder / "page.c"
    source.write_text(PROGRAM, encoding="utf-8")
    compiler = next(name for name in ("gcc", "clang", "cc") if shutil.which(name))
    flags = ["-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", f"-DEXTRA={extra}"]
    subprocess.run([compiler, *flags, "-o", folder / "page/shop", source], check=True)
    return folder / "page/shop"


def record(program, place, run):
    """One recording with its log; False if perf isn't allowed."""
    place.mkdir(parents=True)
    data = place / "perf.data"
    profiled = {**os.environ, "PERFGATE_PROFILE": "1"}
    with open(place / "run.ndjson", "w", encoding="utf-8") as log:
        done = subprocess.run(
            [*RECORD, "-o", data, program, run], stdout=log, stderr=subprocess.PIPE, check=False, env=profiled)
    if done.returncode != 0:
        print(done.stderr.decode(errors="replace")[-300:])
        return False
    with open(place / "perf.txt", "w", encoding="utf-8") as text:
        subprocess.run(["perf", "script", "-i", data, "-F", FIELDS, "--ns"], stdout=text, stderr=subprocess.DEVNULL, check=True)
    data.unlink()
    return True


def answer(perfgate, scratch, name, base, head):
    for number in range(4):
        for side, program in ((("base", base), ("head", head)), (("head", head), ("base", base)))[number % 2]:
            record(program, scratch / name / side / str(number), f"{name}-{side}-{number}")
    call = [perfgate, "why", "Feed", "ttil", "--base", scratch / name / "base", "--head", scratch / name / "head"]
    done = subprocess.run([*call, "--json", "-"], capture_output=True, text=True, check=True)
    shutil.rmtree(scratch / name)
    return json.loads(done.stdout)


def measured(perfgate, scratch, base, head):
    """`measure --profile` records both sides itself once the head is worse."""
    script = scratch / "measure.sh"
    script.write_text(
        "set -e\nprogram=$1\nrun=$PERFGATE_SIDE-$PERFGATE_PAIR${PERFGATE_PROFILE:+-profiled}\n"
        'if [ "${PERFGATE_PROFILE:-}" = 1 ]; then\n'
        f"  {shlex.join(RECORD)} -o \"$PERFGATE_OUT/perf.data\" \"$program\" \"$run\" 6 > \"$PERFGATE_OUT/run.ndjson\"\n"
        f"  perf script -i \"$PERFGATE_OUT/perf.data\" -F {FIELDS} --ns > \"$PERFGATE_OUT/perf.txt\" 2>/dev/null\n"
        '  rm "$PERFGATE_OUT/perf.data"\nelse\n  "$program" "$run" 6 > "$PERFGATE_OUT/run.ndjson"\nfi\n',
        encoding="utf-8",
    )
    call = [perfgate, "measure", "--base", f"sh {script} {base}", "--head", f"sh {script} {head}", "--pairs", "8"]
    report = scratch / "result.json"
    out = scratch / "measured"
    done = subprocess.run(
        [*call, "--out", out, "--json", report, "--profile"], capture_output=True, text=True, check=False)
    cells = json.loads(report.read_text(encoding="utf-8"))["comparisons"]
    named = {cell.get("why", {}).get("function") for cell in cells if cell["metric"] == "ttil"}
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert named == {"decode"}, (named, done.stdout, done.stderr)
    stored = [cell for cell in cells if any("profiled" in share["run_id"] for share in cell.get("candidate", {}).get("by_run", []))]
    assert not stored, stored


def main():
    perfgate, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    slower, clean = [int(word) for word in (sys.argv[3:] + ["3"] * 2)[:2]]
    if not shutil.which("perf"):
        return print("why: nothing was judged, since perf isn't installed")
    base, head = compile_program(scratch / "a", 0), compile_program(scratch / "b", 700)
    if not record(base, scratch / "try", "try"):
        return print("why: nothing was judged, since perf may not record here")
    measured(perfgate, scratch, base, head)
    named = [answer(perfgate, scratch, f"slower-{number}", base, head) for number in range(slower)]
    right = sum(found["verdict"] == "named" and found["function"] == "decode" for found in named)
    same = [answer(perfgate, scratch, f"clean-{number}", base, base) for number in range(clean)]
    wrong = [found["function"] for found in same if found["verdict"] == "named"]
    print(f"why: {right} of {slower} slower programs named decode, {len(wrong)} of {clean} equal ones named a function")
    assert right >= 0.9 * slower, [found.get("function", found["verdict"]) for found in named]
    assert not wrong, wrong


main()
