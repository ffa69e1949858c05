"""Fails and kills every writing command, and checks the files afterwards: every file is the complete old or new one; a
failure is reported; and the repeated command gives the normal result.

Usage: judge-writes.py PROGRAM SCRATCH [KILLS [PAGES [FAULTS]]]

strace injects the faults: it makes one system call after the other fail. Without strace they are skipped with a
message. KILLS is the number of kills of each command at random times (default: 25), in a store of PAGES (default: 40);
FAULTS is the most calls of one kind that fail in a command (default: 60). The seed is fixed.
"""

import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

program, scratch = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
kills = int(sys.argv[3]) if len(sys.argv) > 3 else 25
pages = int(sys.argv[4]) if len(sys.argv) > 4 else 40
most = int(sys.argv[5]) if len(sys.argv) > 5 else 60
random.seed(15)
REPORTS = ["perfgate.xml", "report.html", "report.md", "result.json", "metrics.txt"]
OUTPUTS = [
    "--junit", REPORTS[0], "--html", REPORTS[1], "--markdown", REPORTS[2], "--json", REPORTS[3], "--openmetrics", REPORTS[4]]


def run(arguments, folder, before=(), **more):
    return subprocess.run(
        [*before, program, *arguments], cwd=folder, capture_output=True, text=True, errors="replace", timeout=120, **more)


def files(folder):
    """Every file that isn't a log, a lock or unfinished, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "logs" not in path.parts and not path.name.endswith((".part", "-lock"))
        and not any(part.startswith(".perfgate-") for part in path.relative_to(folder).parts)
    }


def template(name, pages):
    """A folder with a store of a number of pages, two more runs, and reports of an earlier call."""
    folder = scratch / name
    folder.mkdir()
    common = ["--pages", str(pages), "--iterations", "5"]
    run(["simulate", *common, "--runs", "5", "--out", "logs/main"], folder, check=True)
    run(["simulate", *common, "--seed", "7", "--out", "logs/new"], folder, check=True)
    run(["simulate", *common, "--seed", "9", "--runs", "2", "--out", "logs/nights"], folder, check=True)
    run(["simulate", *common, "--seed", "8", "--inject", "Search=drop:4", "--out", "logs/slow"], folder, check=True)
    run(["baseline", "update", "logs/main"], folder, check=True)
    run(["check", "logs/new", *OUTPUTS], folder)
    return folder


COMMANDS = {
    "baseline update": ["baseline", "update", "logs/new"],
    "baseline update --from-ci": ["baseline", "update", "--from-ci", "logs/nights"],
    "check": ["check", "logs/slow", *OUTPUTS],
    "waive": ["waive", "Search", "dropped_frames", "logs/slow", "--until", "2100-01-01", "--reason", "moved"],
    "baseline rename": ["baseline", "rename", "Search", "Finder"],
    "baseline pin": ["baseline", "pin", "7.129"],
}


class Trial:
    """A command in a fresh copy of a folder, and its files without faults."""

    def __init__(self, command, original):
        self.command, self.original = command, original
        self.folder = scratch / "trial"
        self.reset()
        self.old = files(self.folder)
        started = time.monotonic()
        clean = self.run()
        self.seconds = time.monotonic() - started
        self.code, self.new = clean.returncode, files(self.folder)
        assert clean.returncode in (0, 2), (command, clean.returncode, clean.stderr)
        assert self.new != self.old, command

    def reset(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.original, self.folder)

    def run(self, before=()):
        return run(COMMANDS[self.command], self.folder, before)

    def check_content(self, how, code=None):
        """Every file is the old or the new one. Reports may also belong to the failed call if they name the failure."""
        left = files(self.folder)
        own = {name for name in REPORTS if left.get(name) not in (self.old.get(name), self.new.get(name))}
        if own:
            assert own == set(REPORTS), f"{self.command}, {how}: {own} are of the failed call, the others aren't"
            assert json.loads(left["result.json"])["exit_code"] == code, f"{self.command}, {how}: another code than {code}"
        elif code is not None:
            changed = [name for name in REPORTS if self.old.get(name) != self.new.get(name)]
            kept = {name for name in changed if left.get(name) == self.old.get(name)}
            assert len(kept) in (0, len(changed)), f"{self.command}, {how}: only {kept} are of the call before"
        for name, content in left.items():
            assert name in own or content in (self.old.get(name), self.new.get(name)), f"{self.command}, {how}: {name} is neither"
        for name in self.old.keys() & self.new.keys():
            assert name in left, f"{self.command}, {how}: {name} is gone"
        return left

    def finish(self, how):
        """The repeated command gives the same result; without remaining work it may report that."""
        if files(self.folder) == self.new:
            return
        last = self.run()
        assert last.returncode == self.code, f"{self.command}, {how}, again: {last.returncode} {last.stderr}"
        again = files(self.folder)
        for name in again.keys() | self.new.keys():
            assert again.get(name) == self.new.get(name), f"{self.command}, {how}, again: {name} differs"


log = scratch / "strace.log"


def ended_by_libdispatch():
    """Whether the fault hit libdispatch's look at its own threads in /proc: it traps, and perfgate can't prevent that."""
    lines = log.read_text(errors="replace").splitlines()
    trapped = next(index for index, line in enumerate(lines) if "--- SIGILL" in line)
    thread = lines[trapped].split()[0]
    calls = [line for line in lines[:trapped] if line.split()[0] == thread and "openat(" in line]
    return bool(calls) and '"/proc/' in calls[-1]


def count_calls(trial, call):
    trial.reset()
    trial.run(["strace", "-f", "-qq", "-e", f"trace={call}", "-e", "signal=none", "-o", str(log)])
    return sum(f" {call}(" in line or f"{call}(" in line for line in log.read_text(errors="replace").splitlines())


FAULTS = {
    "write": ["ENOSPC", "EIO", "EINTR"], "fsync": ["EIO", "EINTR"], "rename": ["EIO", "ENOSPC"], "flock": ["ENOLCK", "EINTR"],
    "fchmod": ["EPERM"], "openat": ["ENOSPC", "EINTR"], "pwrite64": ["ENOSPC"]}
faults = 0
small = template("small", 3)
(small / "perfgate.yml").write_text("metrics: { dropped_frames: { limit: 60 } }\n")
if shutil.which("strace"):
    for command in COMMANDS:
        trial = Trial(command, small)
        for call, errors in FAULTS.items():
            count = count_calls(trial, call)
            for error in errors:
                numbers = range(1, count + 1) if count <= most else sorted(random.sample(range(1, count + 1), most))
                for number in numbers:
                    trial.reset()
                    how = f"{error} of {call} {number}"
                    result = trial.run([
                        "strace", "-f", "-qq", "-o", str(log), "-e", f"trace={call}", "-e",
                        f"inject={call}:error={error}:when={number}"])
                    left = trial.check_content(how, result.returncode)
                    faults += 1
                    if left == trial.new and result.returncode == trial.code:
                        continue
                    if "error while loading shared libraries" in result.stderr or result.returncode == 127:
                        continue
                    if result.returncode == -signal.SIGILL and ended_by_libdispatch():
                        continue
                    assert result.returncode not in (0, 2), f"{command}, {how}: code {result.returncode} {result.stderr}"
                    assert (result.stdout + result.stderr).strip() or call == "write", f"{command}, {how}: {result.returncode} without a word"
                    if number % 7 == 0:
                        trial.finish(how)
    print(f"{faults} faults of {len(FAULTS)} calls of the kernel in {len(COMMANDS)} commands: no file was half written")
else:
    print("strace isn't installed: no fault was tried")

killed = 0
large = template("large", pages)
(large / "perfgate.yml").write_text("metrics: { dropped_frames: { limit: 60 } }\n")
for command in COMMANDS:
    trial = Trial(command, large)
    for number in range(kills):
        trial.reset()
        process = subprocess.Popen(
            [program, *COMMANDS[command]], cwd=trial.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, trial.seconds))
        process.kill()
        killed += process.wait() == -9
        trial.check_content(f"kill {number}")
        trial.finish(f"kill {number}")
print(f"{killed} calls of {len(COMMANDS)} commands killed: no file was half written, and each ended as usual when repeated")
