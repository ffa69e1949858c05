"""Judges the measuring scripts under `Examples` by running them with fakes for devices: each method to copy logs,
the error messages, and that their logs lead to a green and a red verdict.

Usage: judge-examples.py PROGRAM SCRATCH
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import runners
from runners import git

program, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
bin_folder = scratch / "bin"
bin_folder.mkdir()
(bin_folder / "perfgate").symlink_to(program)
for script in [*pathlib.Path("Examples").glob("*.sh"), pathlib.Path("Examples/Shop/measure.sh"), *pathlib.Path("Tests/Judges/fakes").glob("*/*"),
               *(pathlib.Path(".ci") / name for name in ("install", "action", "release", "static-libraries"))]:
    subprocess.run(["shellcheck", script], check=True)


def machine(name, mac=False, android=False, with_program=True):
    made = runners.Machine(scratch / name, program, mac, android)
    if with_program:
        made.environment["PATH"] += f":{bin_folder}"
    folder = made.place / "repository"
    folder.mkdir()
    git("init", "-q", folder=folder)
    git("config", "user.email", "somebody@localhost", folder=folder)
    git("config", "user.name", "somebody", folder=folder)
    (folder / "app.txt").write_text("")
    return made, folder


def run(made, folder, script, expected, *words, **variables):
    result = made.run(script, folder, variables)
    said = result.stdout + result.stderr
    assert result.returncode == expected and all(word in said for word in words), f"{script}: {result.returncode}, not {expected}\n{said}"
    return said


def lines(folder):
    return [json.loads(line) for path in sorted(folder.rglob("*.ndjson")) for line in path.read_text().splitlines()]


def runs_of(log):
    return {line["run_id"] for line in log if line["type"] == "run"}


def measured(made, folder, script, every, some, slow, worse):
    """Base against head: the variables of a run, then whole measurements of an equal and of a slower commit."""
    base, name = git("rev-parse", "HEAD", folder=folder), script.split()[0].split("/")[-1]
    (folder / "open.txt").write_text("".join(f"{page}\n" for page in sorted(some)))
    (folder / "unknown.txt").write_text("".join(f"{page}\n" for page in [*sorted(some), "x; reboot", "Basket"]))
    seen = []
    for pair, variables, pages in [
        (1, {}, every), (3, {"PERFGATE_PAGES_FILE": f"{folder}/open.txt"}, some),
        (3, {"PERFGATE_PAGES_FILE": f"{folder}/unknown.txt"}, every),
    ]:
        for side in ("base", "head"):
            out = made.place / f"out/{len(seen)}"
            run(made, folder, script, 0, PERFGATE_OUT=str(out), PERFGATE_PAIR=str(pair), PERFGATE_SIDE=side, PERFGATE_TREE=str(folder),
                PERFGATE_ITERATIONS="2", ITERATIONS="4", PERFGATE_RUN_ID="r-job", **variables)
            log = lines(out)
            assert {line["page"] for line in log if "page" in line} == pages, (variables, log)
            if "macrobenchmark" in script:
                assert (made.device / "iterations").read_text() == "2\n"
            else:
                assert {line["iteration"] for line in log if "page" in line} == {0, 1}, log
            assert all(name.endswith(f"-{side}-{pair}") for name in runs_of(log)), runs_of(log)
            assert {line["run_id"] for line in log if line["type"] == "end"} <= runs_of(log)
            seen.append(runs_of(log))
    assert not (folder / "logs/1").exists() and not list(folder.glob("perfgate.html")), f"{name} checks what perfgate measures"
    git("commit", "-q", "--allow-empty", "-m", "The same", folder=folder)
    same = git("rev-parse", "HEAD", folder=folder)
    (folder / "app.txt").write_text(slow)
    git("commit", "-qam", "Slower", folder=folder)
    call = f"perfgate measure --base {base} --run-command '{script}' --iterations 3 --pairs 8"
    run(made, folder, f"{call} --head {same} --out same", 0)
    run(made, folder, f"{call} --head HEAD --html measured.html", 2, f"worse: {worse}")
    assert (folder / "measured.html").stat().st_size > 0
    logs = {side: sorted((folder / "perfgate-measure" / side).iterdir()) for side in ("base", "head")}
    assert len(logs["base"]) == len(logs["head"]) >= 2 and not (folder / "perfgate-measure/trees").exists(), logs
    names = [runs_of(lines(pair)) for pairs in logs.values() for pair in pairs]
    assert len(set.union(*names)) == sum(map(len, names)), "runs share a run_id"
    if "flutter" not in script:
        head = git("rev-parse", "HEAD", folder=folder)
        for side, commit in (("base", base), ("head", head)):
            assert {line["commit"] for line in lines(folder / "perfgate-measure" / side) if line["type"] == "run"} == {commit}
    git("reset", "-q", "--hard", base, folder=folder)
    git("clean", "-fdq", folder=folder)


# iOS: a phone, an old phone and a simulator; each writes one valid run with its commit.
mac, folder = machine("ios", mac=True)
shutil.copytree("Examples/Shop", folder / "Shop", ignore=shutil.ignore_patterns("build", ".build*", "*.xcodeproj"))
git("add", "--all", folder=folder)
git("commit", "-qm", "The app", folder=folder)
commit = git("rev-parse", "HEAD", folder=folder)
pages = {"Feed", "Search", "Product", "component/PriceTag", "component/ProductRow"}
for device, variables, says in [
    ("phone", {}, "iPhone12,1 (phone), iOS 17.5"), ("simulator", {}, "on simulator iPhone 15 (simulator), iOS 17.5"),
    ("old-phone", {"DEVICE": "old-phone"}, "(old-phone), iOS 16"),
]:
    run(mac, folder, f"Shop/measure.sh logs/{device}", 0, says, commit, FAKE_DEVICE=device, ITERATIONS="3", **variables)
    log = lines(folder / "logs" / device)
    assert log[0]["type"] == "run" and log[0]["commit"] == commit, log[0]
    visits = [line for line in log if line["type"] == "pps" and "checkpoint" not in line]
    assert {line["page"] for line in visits} == pages and {line["iteration"] for line in visits} == {0, 1, 2}
    assert len(runs_of(log)) == 1
    # The folder of a device never contains the previous run.
    run(mac, folder, f"Shop/measure.sh logs/{device}-again", 0, FAKE_DEVICE=device, **variables)
    assert runs_of(lines(folder / f"logs/{device}-again")).isdisjoint(runs_of(log))
(folder / "only.txt").write_text("Search\ncomponent/PriceTag\nSomething else\n")
run(mac, folder, "Shop/measure.sh logs/only --only-pages only.txt", 0)
assert {line["page"] for line in lines(folder / "logs/only") if "page" in line} == {"Search", "component/PriceTag"}
shares = []
for share in (1, 2, 3):
    run(mac, folder, f"Shop/measure.sh logs/share-{share}", 0, PERFGATE_SHARD=f"{share}/3", PERFGATE_RUN_ID="r-shared")
    log = lines(folder / f"logs/share-{share}")
    assert log[0]["shard"] == f"{share}/3" and log[0]["run_id"] == "r-shared"
    shares.append({line["page"] for line in log if "page" in line})
assert set.union(*shares) == pages and sum(map(len, shares)) == len(pages)
for script, expected, words, variables in [
    ("Shop/measure.sh logs/phone", 73, ["isn't empty"], {}), ("Shop/measure.sh --fast", 64, ["unknown option --fast"], {}),
    ("Shop/measure.sh new", 66, ["no device is connected", "set DEVICE"], {"FAKE_DEVICE": "none"}),
    ("Shop/measure.sh new --only-pages nowhere", 66, ["nowhere isn't there"], {}),
    ("echo Basket > basket; Shop/measure.sh new --only-pages basket", 66, ["names none of the pages"], {}),
    ("Shop/measure.sh new", 64, ["leaves no page"], {"PERFGATE_SHARD": "9/9"}),
    ("PATH=${PATH%:*}; Shop/measure.sh", 66, ["perfgate isn't on PATH"], {}),
    ("sed 's|^project=.*|project=Shop.xcodeproj|; s|^spec=.*|spec=|' Shop/measure.sh > Shop/wrong.sh; bash Shop/wrong.sh new", 66,
     ["Shop.xcodeproj isn't in", "lines at the top"], {}),
    ("sed 's|^spec=.*|spec=project.yml|; s|^project=.*|project=x.xcodeproj|' Shop/measure.sh > Shop/wrong.sh; bash Shop/wrong.sh new", 66,
     ["neither x.xcodeproj nor project.yml"], {}),
    ("mkdir -p Shop/App/Shop.xcworkspace; sed 's|^project=.*|project=App/Shop.xcworkspace|' Shop/measure.sh > Shop/space.sh; "
     "bash Shop/space.sh logs/workspace", 0, ["iPhone12,1 (phone)"], {}),
    ("rm -r Shop/App/Shop.xcodeproj; PATH=${PATH#*:}; Shop/measure.sh new", 127, [], {}),
]:
    run(mac, folder, script, expected, *words, **variables)
(mac.device / "failing").write_text("")
run(mac, folder, "Shop/measure.sh failed", 65, "the tests failed", "TEST EXECUTE FAILED")
(mac.device / "failing").unlink()

measured(mac, folder, "Shop/measure.sh", pages, {"Search", "component/PriceTag"}, "Search load:260\n", "Search")

# A team's first hour, following the README: equal commits are the same, some runs become the baselines, the same app is green, and a slower one red.
own = pathlib.Path("README.md").read_text().split("## Your own app")[1].split("\n## ")[0]
for path in re.findall(r"\]\(([^)#]+)\)", own):
    assert pathlib.Path(path).exists(), f"the README links {path}"
store = re.search(r"```sh\n(.*?)```", own, re.DOTALL)[1]
compare = re.search(r"\$ (perfgate measure .*)", own)[1].replace("origin/main", "HEAD").replace("./measure.sh", "Shop/measure.sh")
run(mac, folder, f"{compare} && rm -r perfgate-measure", 0)
run(mac, folder, store.replace("./measure.sh", "Shop/measure.sh"), 0)
assert git("ls-files", "perfgate.yml", "Baselines", folder=folder).count("\n") >= 5
run(mac, folder, "Shop/measure.sh", 0, "None of")
(folder / "app.txt").write_text("Search load:260\n")
run(mac, folder, "Shop/measure.sh", 2, "worse: Search: time to initial load", "perfgate check 'logs'")
# Logs of an earlier call stay until the new ones are complete.
kept = lines(folder / "logs")
(mac.device / "failing").write_text("")
run(mac, folder, "Shop/measure.sh", 65, "the tests failed")
(mac.device / "failing").unlink()
assert lines(folder / "logs") == kept and kept
assert (folder / "perfgate.html").stat().st_size > 0

# Android and Flutter.
SCRIPTS = {
    "gfxinfo": ("measure-android.sh", "", "Search", "search", {"Feed", "Search", "Product detail"}, {"Feed", "Product detail"}),
    "macrobenchmark": ("measure-android.sh", "--macrobenchmark ", "Feed", "feed", {"Feed#scroll", "Search#start[compilation=None]"},
                       {"Search#start[compilation=None]"}),
    "flutter": ("measure-flutter.sh", "", "scroll", "scroll", {"scroll", "open"}, {"open"}),
}
for name, (script, option, page, slow, expected, only) in SCRIPTS.items():
    phone, folder = machine(name, android=True)
    shutil.copy(pathlib.Path("Examples") / script, folder)
    shutil.copy(runners.FAKES / "android/gradlew", folder)
    (folder / "integration_test").mkdir()
    for test in ("scroll", "open"):
        (folder / f"integration_test/{test}_perf_test.dart").write_text(f"reportKey: '{test}'\n")
    git("add", "--all", folder=folder)
    git("commit", "-qm", "The app", folder=folder)
    call = f"./{script} {option}"
    measured(phone, folder, call.strip(), expected, only, slow + "\n", page)
    for night in range(4):
        run(phone, folder, f"{call}nights/{night} && perfgate baseline update nights/{night}", 0, ITERATIONS="3")
    log = lines(folder / "nights")
    assert {line["page"] for line in log if "page" in line} == expected, {line["page"] for line in log if "page" in line}
    runs = [line for line in log if line["type"] == "run"]
    assert {(line["device"], line["app"]) for line in runs} == {("Pixel 5", "com.example.shop")}, runs
    head = git("rev-parse", "HEAD", folder=folder)
    assert {line["commit"] for line in runs} == {head} and all(line["started_at"] for line in runs), runs
    if name in ("gfxinfo", "flutter"):
        assert len(runs) == 4 and {line["iteration"] for line in log if "page" in line} == {0, 1, 2}, runs
    run(phone, folder, call, 0, "None of", ITERATIONS="3")
    (folder / "app.txt").write_text(slow + "\n")
    run(phone, folder, call, 2, f"worse: {page}", ITERATIONS="3")
    kept = lines(folder / "logs")
    run(phone, folder, call, 66, "no device", FAKE_DEVICE="none")
    assert lines(folder / "logs") == kept and kept
    (folder / "only.txt").write_text("".join(f"{line}\n" for line in [*sorted(only), "Product", "Something else"]))
    run(phone, folder, f"{call}only --only-pages only.txt", 0, ITERATIONS="1")
    assert {line["page"] for line in lines(folder / "only") if "page" in line} == only, lines(folder / "only")
    (folder / "basket").write_text("Basket\n")
    run(phone, folder, f"{call}new --only-pages basket", 66, "of the pages" if "android" in script else "of a page in basket")
    run(phone, folder, f"{call}new --only-pages nowhere", 66, "nowhere isn't there")
    run(phone, folder, f"{call}new --only-pages", 64, "--only-pages needs a file")
    run(phone, folder, f"{call}nights/0", 73, "isn't empty")
    run(phone, folder, f"{call}--fast", 64, "unknown option --fast")
    run(phone, folder, f"{call}new", 66, "no device", FAKE_DEVICE="none")
    if name == "gfxinfo":
        (phone.device / "newer").write_text("")
        run(phone, folder, f"{call}new", 1, "VERSION_DOWNGRADE")
        run(phone, folder, call, 0, PERFGATE_OUT="new-2", PERFGATE_SIDE="base")
    if name == "flutter":
        (folder / "integration_test/second_perf_test.dart").write_text("reportKey: 'scroll'\n")
        (phone.device / "key").write_text("scroll")
        run(phone, folder, f"{call}new-3", 65, "writes scroll.timeline_summary.json too")
    bare, folder = machine(f"{name}-bare", android=True, with_program=False)
    shutil.copy(pathlib.Path("Examples") / script, folder)
    run(bare, folder, f"{call}logs", 66, "perfgate isn't on PATH")
assert (scratch / "gfxinfo/device/home").exists(), "the app is not sent to the background"

print("the scripts under Examples measure, and what they write reaches a green and a red verdict")
