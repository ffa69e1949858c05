#!/usr/bin/env python3
"""Writes the cases of Tests/PerfgateCompareTests/run_vectors.json, the expected results of the rule for whole runs.

It implements the formulas of Documentation.docc/Trust.md independently with NumPy and SciPy, without perfgate's
code. Usage: Tests/Judges/run-vectors.py > Tests/PerfgateCompareTests/run_vectors.json
"""
import itertools
import json

import numpy as np
from scipy.stats import f as fisher, mannwhitneyu, norm, t as student

MIN_CHANGE, TOLERANCE = 16.0, 0.1
rng = np.random.default_rng(20261122)


def shorth(values):
    x = np.sort(values)
    h = len(x) // 2 + 1
    start = int(np.argmin(x[h - 1:] - x[: len(x) - h + 1]))
    return float(np.median(x[start : start + h]))


def within(runs, least=0.0):
    """sigma and its degrees of freedom."""
    pairs = [abs(np.log(max(a, least)) - np.log(max(b, least))) for r in runs for a, b in itertools.combinations(r, 2)]
    return 1.0483 * float(np.median(pairs)), 0.6 * sum(len(r) - 1 for r in runs)


def between_squared(runs):
    logs = np.log([np.median(r) for r in runs])
    count = len(runs)
    rest, degrees = np.var(logs) * count, count - 1
    if count >= 5 and levels(logs)[1]:
        rest, degrees = float(levels(logs)[0]), count - 3
    var = rest / degrees / (1 - 2 / (9 * degrees)) ** 3
    sigma, _ = within(runs)
    return float(var - np.pi / 2 * sigma**2 * np.mean([1 / (len(r) + 0.5) for r in runs]))


MOVING = [
    13.297, 7.921, 5.907, 4.907, 4.289, 3.841, 3.545, 3.308, 3.119, 2.973, 2.869, 2.741, 2.768,
    2.663, 2.592, 2.537, 2.537, 2.466, 2.409, 2.367, 2.364, 2.323, 2.271, 2.234, 2.238, 2.207, 2.174, 2.142,
    2.142, 2.101, 2.083, 2.061, 2.068, 2.037,
]


def levels(values):
    """The sum of squares that levels of values in time order don't explain, and whether they are clear.

    The levels are up to three in a row, the second below the first, if an F test with Bonferroni's bound finds them at
    .005; else the fastest value and the others, or those before a fall and after it."""
    count = values.shape[-1]

    def squares(part):
        return part.var(axis=-1) * part.shape[-1] if part.shape[-1] else 0.0

    every = squares(values)
    simple, three = every, every
    for first in range(count):
        for end in range(first + 1, count + (first > 0)):
            before, inside, after = values[..., :first], values[..., first:end], values[..., end:]
            others = np.concatenate([before, after], axis=-1)
            if end - first == 1 or end == count:
                falls = inside.mean(axis=-1) < others.mean(axis=-1)
                simple = np.where(falls, np.minimum(simple, squares(inside) + squares(others)), simple)
            falls = inside.mean(axis=-1) < before.mean(axis=-1) if first else True
            three = np.where(falls, np.minimum(three, squares(before) + squares(inside) + squares(after)), three)
    chance = count * (count - 1) / 2 * fisher.sf((every - three) / 2 / (three / (count - 3)), 2, count - 3)
    return np.where(chance < 0.005, three, simple), chance < 0.005


def level_variance(values):
    return levels(values)[0] / (values.shape[-1] - 2)


LEVEL = level_variance(np.random.default_rng(7).normal(size=(400_000, 10)))


def own_between(runs, common):
    """The time's own tau if its runs differ or jump more than the common tau explains, else the common tau; and the
    factor of the allowance."""
    count = len(runs)
    sigma, _ = within(runs)
    sampling = np.pi / 2 * sigma**2 * np.mean([1 / (len(r) + 0.5) for r in runs])
    medians = np.log([np.median(r) for r in runs])
    explained = common**2 + sampling
    assert count == 10
    var = float(level_variance(medians))
    mean = round(float(LEVEL.mean()), 3)
    own = []
    if var / mean - sampling > common**2 and var > explained * np.quantile(LEVEL, 0.99):
        own.append(float(np.sqrt(var / mean - sampling)))
    jumps = np.sort(np.abs(np.diff(medians)))
    count = len(jumps)
    if count >= 6:
        index = min(3 * (count - 1) // 4, count - 5)
        moving = (jumps[index] / (np.sqrt(2) * norm.ppf((1 + (index + 0.5) / count) / 2))) ** 2
        if moving > MOVING[count - 6] * explained and moving - sampling > common**2:
            own.append(float(np.sqrt(moving - sampling)))
    return (max(own), 4.0) if own else (common, 3.2)


def without(runs, shifts):
    return [[x / np.exp(s) for x in r] for r, s in zip(runs, shifts)]


def pooled(runs):
    return [x for r in runs for x in r]


class Environment:
    """Times of one environment: times[i] = {page, baseline: [[..]], candidate: [[..] or None], earlier}."""

    def __init__(self, times, comparisons, reruns):
        self.times, self.m, self.reruns = times, comparisons, reruns
        self.count = max(len(t["baseline"]) for t in times)
        pages = {t["page"] for t in times}
        self.enough = len(times) >= 12 and len(pages) >= 4
        runs = range(self.count)
        if self.enough and self.count > 1:
            full = [t for t in times if len(t["baseline"]) == self.count]
            med = np.array([[np.log(np.median(r)) for r in t["baseline"]] for t in full])
            mat = np.array([[shorth(med[:, i] - med[:, j]) if i < j else 0.0 for j in runs] for i in runs])
            mat = mat - mat.T
            self.g = list(mat.sum(axis=1) / self.count)
        else:
            self.g = [0.0] * self.count
        self.sd = None
        if self.enough:
            g = np.array(self.g)
            self.sd = float(np.sqrt((4 * 0.03**2 + ((g - g.mean()) ** 2).sum()) / (self.count + 3)))
            # None of the runs that are drawn here is one in which most pages changed.
            if self.count > 2:
                nearest = np.sort((g - np.median(g)) ** 2)[: self.count // 2 + 1]
                z = norm.isf((1 - len(nearest) / self.count) / 2)
                part = 1 - 2 * z * norm.pdf(z) * self.count / len(nearest)
                core = np.sqrt((4 * 0.03**2 + nearest.sum() / part) / (len(nearest) + 3))
                assert max(abs(g - np.median(g))) < 4 * core * np.sqrt(1 + 1 / self.count)
        for time in times:
            time["base"] = without(time["baseline"], self.g[-len(time["baseline"]):])
        self.shifts, self.whole = {}, {}
        self.first()

    def error(self, looks):
        return self.sd * np.sqrt(1 / self.count + 1 / looks)

    def shift(self, run, times):
        times = [t for t in times if t["candidate"][run] is not None]
        if not self.enough or len(times) < 12 or len({t["page"] for t in times}) < 4:
            return None
        return shorth([np.log(np.median(t["candidate"][run]) / np.median(pooled(t["base"]))) for t in times])

    def taken(self, run, worse=True):
        f = self.shifts.get(run)
        if f is None:
            return 0.0
        error = self.error(1)
        if abs(f) > 3 * error and (f < 0) == worse:
            return 0.0
        return float(np.clip(f, -2 * error, 2 * error))

    def ratio(self, time, runs, worse=True):
        """q, the sampling variance and 1/R + 1/S."""
        cand = without([time["candidate"][r] for r in runs], [self.taken(r, worse) for r in runs])
        base = time["base"]
        least = max(MIN_CHANGE, np.median(pooled(base)) / 1000)
        q = np.log(max(np.median(pooled(cand)), least) / max(np.median(pooled(base)), least))
        if time.get("earlier"):
            v = time["earlier"]["within"] ** 2
        else:
            sigma, d = within(base + cand, least)
            v = (4 * self.common + d * sigma**2) / (4 + d)
        nb, nc = len(pooled(base)), len(pooled(cand))
        return q, np.pi / 2 * v * (1 / (nb + 0.5) + 1 / (nc + 0.5)), 1 / len(base) + 1 / len(cand)

    def first(self):
        shift = self.shift(0, self.times)
        if shift is not None:
            self.shifts[0] = self.whole[0] = shift
        sigmas = []
        for t in self.times:
            cand = without([t["candidate"][0]], [self.shifts.get(0, 0.0)])
            least = max(MIN_CHANGE, np.median(pooled(t["base"])) / 1000)
            sigmas.append(within(t["base"] + cand, least)[0] ** 2)
        self.common = float(np.median(sigmas))
        settled = [between_squared(t["base"]) for t in self.times if len(t["base"]) >= 5]
        self.settled = float(np.sqrt(max(0, np.median(settled)))) if settled else None
        self.young = 0.045
        if shift is not None and any(len(t["base"]) < 5 for t in self.times):
            qs = []
            for t in self.times:
                kept = t.pop("earlier", None)
                qs.append(self.ratio_unbounded(t))
                if kept:
                    t["earlier"] = kept
            q, s, r = (np.array(x) for x in zip(*qs))
            mad = 1.4826 * np.median(np.abs(q - np.median(q)))
            self.young = float(np.sqrt(max(0.03**2, (mad**2 - np.median(s)) / np.median(r))))
        if self.settled is not None:
            self.young = min(self.young, 2 * max(self.settled, 0.03))

    def ratio_unbounded(self, time):
        """The first look, with its whole shift subtracted."""
        bounded, self.taken = self.taken, lambda run, worse=True: self.shifts.get(run, 0.0)
        answer = self.ratio(time, [0])
        self.taken = bounded
        return answer

    def judge(self, time, runs, confirmation):
        base, measured = time["baseline"], [time["candidate"][r] for r in runs]
        median = np.median(pooled(base))
        m = max(TOLERANCE * median, MIN_CHANGE)
        alpha = min(0.005, 0.1 / self.m)
        cand = without(measured, [self.taken(r) for r in runs])
        delta = np.median(pooled(measured)) - median
        own = np.median(pooled(cand)) - np.median(pooled(time["base"]))
        count, looks = len(base), len(runs)
        if count >= 5:
            tau, factor = own_between(time["base"], self.settled)
            allowance = max(m / 2, factor * tau * np.sqrt(1 / count + 1 / looks) * median)
            def rank(x):
                return float(mannwhitneyu(x, pooled(time["base"]), alternative="greater", method="exact").pvalue)
            p = rank([x - allowance for x in pooled(cand)])
            zero, mostly, test = rank(pooled(cand)), True, "rank"
        else:
            q, sampling, share = self.ratio(time, runs)
            tau = time["earlier"]["between"] if time.get("earlier") else self.young
            freedom = 20 if time.get("earlier") else 10
            p = zero = float(student.sf(q / np.sqrt(tau**2 * share + sampling), freedom))
            c = sorted(pooled(cand))
            mostly = c[(len(c) + 3) // 4 - 1] > np.median(pooled(time["base"])) + m / 2
            test, allowance = "noise", None
        again = confirmation == "rerun" and looks > 1
        asks = confirmation == "rerun" and not again
        suspicious = p <= alpha or zero <= 0.05
        if max(delta, own) <= m or own <= m:
            verdict = "improved" if self.improved(time, runs, m, alpha, allowance) else "passed"
        elif delta <= m:
            verdict = "suspect" if asks and suspicious else "passed"
        elif p <= alpha and (test == "rank" or asks or mostly):
            verdict = "suspect" if asks else "regressed"
        elif again or not suspicious:
            verdict = "passed"
        else:
            verdict = "suspect" if asks and looks > 1 else "inconclusive"
        return {"test": test, "delta": float(delta), "own": float(own), "p": p, "verdict": verdict}

    def improved(self, time, runs, m, alpha, allowance):
        measured = [time["candidate"][r] for r in runs]
        cand = without(measured, [self.taken(r, worse=False) for r in runs])
        delta = np.median(pooled(measured)) - np.median(pooled(time["baseline"]))
        own = np.median(pooled(cand)) - np.median(pooled(time["base"]))
        if -delta <= m or -own <= m:
            return False
        if allowance is None:
            q, sampling, share = self.ratio(time, runs, worse=False)
            tau = time["earlier"]["between"] if time.get("earlier") else self.young
            freedom = 20 if time.get("earlier") else 10
            return student.sf(-q / np.sqrt(tau**2 * share + sampling), freedom) <= alpha
        p = mannwhitneyu([x + allowance for x in pooled(cand)], pooled(time["base"]), alternative="less", method="exact")
        return p.pvalue <= alpha

    def all_pages(self, confirmation):
        if not self.shifts:
            return None
        mean = np.mean(list(self.whole.values()))
        p = float(student.sf(mean / self.error(len(self.whole)), self.count + 3))
        delta = 100 * float(np.expm1(mean))
        again = confirmation == "rerun" and len(self.whole) > 1
        asks = confirmation == "rerun" and not again
        if delta <= 10:
            back = float(student.sf(-mean / self.error(len(self.whole)), self.count + 3))
            verdict = "improved" if delta < -10 and back <= 0.005 else "passed"
        elif asks:
            verdict = "suspect" if p <= 0.05 else "passed"
        else:
            verdict = "regressed" if p <= 0.005 else "inconclusive" if p <= 0.05 and not again else "passed"
        return {"delta": delta, "p": p, "verdict": verdict}

    def confirm(self):
        """Adds the reruns: their shifts from pages that the first look doesn't suspect."""
        first = [self.judge(t, [0], "rerun")["verdict"] for t in self.times]
        suspects = {t["page"] for t, v in zip(self.times, first) if v in ("suspect", "inconclusive")}
        for run in range(1, self.reruns + 1):
            shift = self.shift(run, [t for t in self.times if t["page"] not in suspects])
            if shift is not None:
                self.shifts[run] = shift
            elif all(t["candidate"][run] is not None for t in self.times):
                shift = self.shift(run, self.times)
            if shift is not None:
                self.whole[run] = shift


def draw(pages, per_page, baseline, iterations, first, change=lambda p, i: 1.0, shift=None, again=(), own=0.02, effects=None, noisy=None):
    runs = list(rng.normal(0, 0.03, baseline)) if effects is None else effects
    looks = [first] + [10 for _ in again]
    shifts = [shift if shift is not None else 0.0] + list(again)
    times = []
    for page in range(pages):
        for index in range(per_page):
            level, spread = float(np.exp(rng.uniform(np.log(300), np.log(1500)))), rng.uniform(0.04, 0.08)

            def run(effect, count, factor=1.0):
                x = level * np.exp(effect + rng.normal(0, (noisy or own) if page == index == 0 else own) + spread * rng.normal(size=count)) * factor
                return [float(v) for v in np.round(x, 6)]

            times.append(
                {
                    "page": f"Page {page}",
                    "baseline": [run(e, iterations) for e in runs],
                    "candidate": [run(s, n, change(page, index)) for s, n in zip(shifts, looks)],
                }
            )
    return times


def case(name, times, comparisons, confirmation="off", reruns=0):
    environment = Environment(times, comparisons, reruns)
    if reruns:
        environment.confirm()
    judged = []
    for time in times:
        runs = [r for r in range(reruns + 1) if time["candidate"][r] is not None]
        judged.append(environment.judge(time, runs, confirmation))
    keys = ("page", "baseline", "candidate", "earlier")
    return {
        "name": name,
        "comparisons": comparisons,
        "confirmation": confirmation,
        "times": [{k: t[k] for k in keys if k in t} for t in times],
        "expected": {
            "spread": environment.sd,
            "shifts": {f"c{r}": s for r, s in environment.shifts.items()},
            "baseline_shifts": environment.g if environment.enough and environment.count > 1 else [],
            "settled": environment.settled,
            "young": environment.young,
            "common": environment.common,
            "all_pages": environment.all_pages(confirmation),
            "times": judged,
        },
    }


def one(page, index, factor):
    return lambda p, i: factor if (p, i) == (page, index) else 1.0


def main():
    cases = [
        case("a slow run, and one time +30 %", draw(5, 3, 10, 5, 5, one(0, 0, 1.3), shift=0.05), 500),
        case("a fast run, and one time +30 %", draw(5, 3, 10, 5, 10, one(1, 1, 1.3), shift=-0.05), 100),
        case("fewer than twelve times", draw(3, 3, 10, 5, 10, one(0, 0, 1.4), shift=0.06), 100),
        case("a third of the pages +20 %", draw(9, 2, 10, 5, 10, lambda p, i: 1.2 if p < 3 else 1.0), 100),
        case("most pages −25 %", draw(10, 2, 10, 5, 10, lambda p, i: 0.75 if p < 7 else 1.0), 100),
        case("all pages +30 %", draw(6, 3, 10, 5, 5, lambda p, i: 1.3), 100),
        case("all pages −30 %", draw(6, 3, 10, 5, 10, lambda p, i: 0.7), 100),
        case("all pages +20 %, suspected", draw(6, 3, 10, 5, 5, lambda p, i: 1.2), 100, "rerun"),
        case("one run, one time +80 %", draw(5, 3, 1, 5, 5, one(2, 0, 1.8), shift=0.03), 60),
        case("one run, suspected", draw(5, 3, 1, 5, 5, one(2, 0, 1.4), shift=0.03), 300, "rerun"),
        case("three runs, one time +40 %, one −40 %",
             draw(6, 2, 3, 5, 10, lambda p, i: 1.4 if (p, i) == (0, 0) else 0.6 if (p, i) == (1, 0) else 1.0), 100),
        case("one run of three times", draw(1, 3, 1, 10, 10, one(0, 0, 1.9)), 20),
    ]
    rerun = draw(9, 2, 10, 5, 5, one(0, 0, 1.35), shift=0.02, again=(-0.05, 0.04))
    for time in rerun:
        if time["page"] in ("Page 7", "Page 8"):
            time["candidate"][1] = time["candidate"][2] = None
    cases.append(case("one time +35 %, measured again twice", rerun, 500, "rerun", reruns=2))
    young = draw(7, 2, 1, 5, 5, one(0, 1, 1.6), again=(0.04, -0.03))
    cases.append(case("one run, one time +60 %, measured again twice", young, 300, "rerun", reruns=2))
    few = draw(4, 3, 10, 5, 5, one(0, 0, 1.35), again=(-0.05,))
    cases.append(case("too few anchors for the rerun", few, 100, "rerun", reruns=1))
    accepted = draw(5, 3, 10, 5, 10, one(0, 0, 1.35))
    accepted[0]["baseline"] = accepted[0]["baseline"][-1:]
    accepted[0]["earlier"] = {"within": 0.06, "between": 0.025}
    cases.append(case("after an accepted change, +35 %", accepted, 46))
    differing = draw(6, 3, 10, 5, 10, lambda p, i: 1.45 if i == 0 and p < 2 else 1.0, noisy=0.15)
    cases.append(case("two times +45 %, one of them in runs that differ much more", differing, 100))
    half = draw(7, 2, 10, 5, 5, lambda p, i: 1.6 if p < 3 else 1.0)
    for time in half[:2]:
        time["baseline"] = time["baseline"][-1:]
    cases.append(case("three of seven pages +60 %, one of them with one run", half, 100))
    improved = draw(6, 2, 10, 5, 10, lambda p, i: 1.45 if p == 0 else 1.0)
    for time in improved[:4]:
        time["baseline"] = [[x * f for x in run] for run, f in zip(time["baseline"], [2.3, 1.5] + 8 * [1])]
    cases.append(case("two of six pages that were slow first and improved twice, one of them +45 %", improved, 100))
    print(json.dumps({"cases": cases}, ensure_ascii=False, separators=(",", ":")).replace('{"name"', '\n{"name"'))


main()
