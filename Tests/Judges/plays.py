"""What the judges share that play months of a team's life: calls with a diary, kills, and the seeds one after another.

Arguments: PROGRAM SCRATCH [DAYS [SEEDS [FIRST]]]. A failure prints the last calls; with DIARY=1 each play leaves its
diary in SCRATCH.
"""

import collections
import concurrent.futures
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import time

program, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def arguments(days, seeds=2, first=1):
    """The days of a play, the number of plays and their first seed, if the call doesn't give them."""
    return [int(word) for word in sys.argv[3:6]] + [days, seeds, first][len(sys.argv[3:6]):]


class Broken(Exception):
    pass


class Play:
    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.folder = scratch / f"play-{seed}"
        self.folder.mkdir()
        self.day, self.diary, self.count = 0, [], collections.Counter()

    def date(self, day=None):
        day = self.day if day is None else day
        return f"2026-{1 + day // 28:02}-{day % 28 + 1:02}"

    @property
    def environment(self):
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "PERFGATE_TODAY": self.date()}

    def call(self, *words, fine=(0, 2), cwd=None):
        """Runs a command, which must end with a code of `fine`; `None`: with any."""
        self.count["calls"] += 1
        words = [str(word) for word in words]
        self.diary.append(f"{self.date()}  perfgate {shlex.join(words)}")
        said = subprocess.run(
            [program, *words], cwd=cwd or self.folder, capture_output=True, text=True, timeout=120, env=self.environment)
        self.diary[-1] += f"  → {said.returncode}"
        if fine is not None and said.returncode not in fine:
            self.fail(f"ended with {said.returncode}:\n{said.stdout}{said.stderr}")
        return said

    def kill(self, *words, after):
        """Starts a command, and kills it after some seconds between two bounds."""
        process = subprocess.Popen(
            [program, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        time.sleep(self.random.uniform(*after))
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.diary.append(f"{self.date()}  killed: perfgate {shlex.join(words)}")
        self.count["kills"] += 1

    def fail(self, text):
        raise Broken(f"seed {self.seed}, day {self.day}: {self.diary[-1]}\n{text}")


def run(play_type, days, seeds, first, expected, false_of):
    """Plays the seeds, two at a time, and exits with what broke.

    Of the calls that `false_of` counts, 3 % may be false; each of `expected` must happen in 200 days or more."""
    def outcome(seed):
        play = play_type(seed)
        try:
            play.play()
        except Broken as broken:
            return play, f"{broken}\nThe calls before:\n" + "\n".join(line[:300] for line in play.diary[-12:])
        return play, None

    totals, broken = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for play, problem in pool.map(outcome, range(first, first + seeds)):
            totals.update(play.count)
            broken += [problem] if problem else []
            if os.environ.get("DIARY"):
                (scratch / f"diary-{play.seed}").write_text("\n".join(play.diary))
    if 100 * totals["false"] > 3 * totals[false_of]:
        broken.append("Too many calls without a change are red.")
    if days * seeds >= 200 and not all(totals[kind] for kind in expected):
        broken.append("Something never happened.")
    told = f"{seeds} × {days} days: " + ", ".join(f"{value} {key}" for key, value in totals.items())
    if broken:
        sys.exit("\n\n".join(broken[:5]) + f"\n\n{len(broken)} broken promises in {told}")
    print(f"{pathlib.Path(sys.argv[0]).stem}: {told}")
