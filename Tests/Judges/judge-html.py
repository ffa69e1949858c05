"""Checks the HTML report in a real browser: in phone, tablet and desktop widths, light and dark, with and without styles.

The page must not overflow, send requests or log errors. An accessibility engine must find nothing, also under
Jenkins' default policy. `sample` looks at a phone in light and a desktop in dark only. With another third argument, a
folder, it also takes the pictures of the documentation:

    Tests/Judges/judge-html.py .build/debug/perfgate SCRATCH [sample | Sources/PerfgateCLI/Documentation.docc]
"""

import base64
import functools
import hashlib
import http.server
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

import axe_core_python
import websocket

program, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
is_sample = sys.argv[3:] == ["sample"]
pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 and not is_sample else None
views = [(390, "light"), (1440, "dark")] if is_sample else [(width, scheme) for width in (390, 800, 1440) for scheme in ("light", "dark")]
axe = next(pathlib.Path(axe_core_python.__file__).parent.rglob("axe.min.js")).read_text()

# The headers that Jenkins sends with a build's files by default. No script of the page runs. The engine's does, since
# the debugging protocol evaluates it from outside, under the page's own policy.
JENKINS = "sandbox; default-src 'none'; img-src 'self'; style-src 'self';"


def frames_log(path):
    """The slower sample, with frames of two scrolls of its Search page; one frame is far too long."""
    records = [json.loads(line) for line in pathlib.Path("Tests/Samples/regression.ndjson").read_text().splitlines()]
    records = [record for record in records if record["type"] != "end"]
    records[0].pop("expects_end", None)
    for scroll in (10, 11):
        at, stamps, targets = 0, [], []
        for number in range(150):
            stamps.append(at)
            targets.append(at + 16_666_667)
            frames = {60: 4, 61: 2, 120: 2}.get(number, 1) if scroll == 11 else 1
            at += frames * 16_666_667 + int(200_000 * math.sin(number))
        place = {"page": "Search", "iteration": 0, "scroll": scroll}
        records.append({"type": "scroll", **place, "duration_ms": at / 1e6})
        records.append({"type": "frames", **place, "segment": 0, "timestamps_ns": stamps, "targets_ns": targets, "duration_ns": 16_666_667})
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


class Browser:
    """Chromium, controlled with its debugging protocol."""

    def __init__(self):
        # A browser writes into its user's home with any profile: caches, settings, crash reports.
        home = scratch.resolve() / "home"
        self.profile = home / "profile"
        self.profile.mkdir(parents=True)
        variables = {name: str(home / name.lower()) for name in ("TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")}
        for folder in variables.values():
            pathlib.Path(folder).mkdir(mode=0o700)
        name = next(name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name))
        self.process = subprocess.Popen(
            [name, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={self.profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **variables, "HOME": str(home)})
        port_file = self.profile / "DevToolsActivePort"
        for _ in range(600):
            if port_file.exists() and port_file.read_text().count("\n"):
                break
            time.sleep(0.1)
        port = port_file.read_text().split("\n")[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            page = next(target for target in json.load(answer) if target["type"] == "page")
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=120)
        self.number, self.events = 0, []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def open(self, address, width, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=address)
        for _ in range(600):
            if self.evaluate("location.href !== 'about:blank' && document.readyState") == "complete":
                break
            time.sleep(0.05)
        self.evaluate("document.querySelectorAll('details').forEach(part => { part.wasOpen = part.open; part.open = true })")

    def complaints(self):
        """The console messages since the page was opened."""
        for event in self.events:
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"):
                yield event["params"]["entry"]["text"]
            if event["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
                yield json.dumps(event["params"])

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]

    def picture(self, path, height):
        clip = {"x": 0, "y": self.evaluate("scrollY"), "width": self.evaluate("innerWidth"), "height": height, "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def places():
    """The files in the root and home folders, where the program must not write."""
    return {(place, entry.name) for place in ("/", pathlib.Path.home()) for entry in pathlib.Path(place).iterdir()}


OVERFLOW = """[...document.querySelectorAll('main *')].filter(part => !part.closest('.scroll, pre, svg'))
    .filter(part => part.getBoundingClientRect().right > innerWidth + 1).map(part => part.outerHTML.slice(0, 120))"""

# Labels of a drawing that cover each other.
COVERED = """[...document.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().width > 0).flatMap(svg => {
    const texts = [...svg.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()]).filter(([_, box]) => box.width > 0)
    return texts.flatMap(([one, a], index) => texts.slice(index + 1).filter(([_, b]) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
        .map(([other]) => one.textContent + ' / ' + other.textContent))
})"""


def judge(browser, address, where, allowed, styled=True):
    asked = set(browser.requests())
    assert asked <= allowed, f"{where}: asked for {asked - allowed}"
    complaints = [text for text in browser.complaints() if styled or "Content Security Policy" not in text]
    assert not complaints, f"{where}: {complaints}"
    if styled:
        policy = browser.evaluate("document.querySelector('meta[http-equiv=Content-Security-Policy]')?.content ?? ''")
        assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'"), f"{where}: the policy is {policy!r}"
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{where}: wider than the window"
        over = browser.evaluate(OVERFLOW)
        assert not over, f"{where}: beyond the window: {over[:3]}"
        covered = browser.evaluate(COVERED)
        assert not covered, f"{where}: labels cover each other: {covered[:5]}"


# If scripts are forbidden no timer fires, but the engine waits for some: there they become promise jobs.
TIMERS = "setTimeout = (work, time, ...given) => { Promise.resolve().then(() => work(...given)); return 0 }; true"


def accessible(browser, where, sandboxed=False):
    if sandboxed:
        assert browser.evaluate("document.scripts.length === 0 && origin === 'null'"), f"{where}: it isn't sandboxed"
        browser.evaluate(TIMERS)
    browser.evaluate(axe + "; true")
    found = violations(browser)
    assert not found, f"{where}: {found}"


def violations(browser):
    return browser.evaluate(
        "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then(answer => answer.violations.map("
        "rule => rule.id + ': ' + rule.help + ' ' + rule.nodes.slice(0, 2).map(node => node.html.slice(0, 160)).join(' | ')))")


def take(browser, pictures, width, scheme):
    """The pictures in the documentation."""
    browser.evaluate("document.querySelectorAll('details').forEach(part => { part.open = part.wasOpen })")
    if scheme == "light" and width in (390, 1440):
        browser.picture(pictures / f"report-{'phone' if width == 390 else 'light'}.png", 1000)
    if (width, scheme) == (1440, "dark"):
        browser.evaluate("document.querySelector('details[id^=search]').scrollIntoView()")
        browser.picture(pictures / "report-page-dark.png", 1100)


def digest():
    """The version of the pictures: FNV-1a over a report and its style; a test of the reports computes the same hash."""
    value = 0xCBF29CE484222325
    for path in ("Templates/report.css", "Tests/PerfgateReportTests/Goldens/mixed.html"):
        for byte in pathlib.Path(path).read_bytes():
            value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}\n"


def releases():
    """A check of two releases with one slower page, and the graphs of the days before and after."""
    def perfgate(code, *arguments):
        done = subprocess.run([pathlib.Path(program).resolve(), *arguments], cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == code, f"perfgate {arguments}: {done.returncode}, {done.stderr}"

    changes = ["--days", "16", "--events", "5000", "--users", "1500", "--seed", "5", "--inject", "Search=ttil:+30%@7.129"]
    perfgate(0, "simulate", "--field", "--pages", "4", *changes, "--out", "events")
    (scratch / "field.yml").write_text("field: { by: [os, network] }\n")
    perfgate(0, "field", "rollup", "events", "--pair", "7.117:7.129", "--quiet", "--config", "field.yml")
    pair = ["--base", "7.117", "--candidate", "7.129"]
    perfgate(2, "field", "check", *pair, "--html", "release.html", "--quiet")
    perfgate(0, "field", "trend", "--by", "os", "--html", "trend.html", "--quiet")
    return scratch / "release.html", scratch / "trend.html"


def trends():
    """Pages of trends, of users and of runs: one page with its graphs, and many whose graphs the script draws."""
    def perfgate(*arguments):
        done = subprocess.run([pathlib.Path(program).resolve(), *arguments], cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, f"perfgate {arguments}: {done.returncode}, {done.stderr}"

    users = ["--days", "30", "--events", "5000", "--users", "2000", "--seed", "5", "--inject", "Search=ttil:+30%@7.129"]
    perfgate("simulate", "--field", "--pages", "60", *users, "--out", "many-events")
    perfgate("field", "rollup", "many-events", "--quiet", "--field", "many")
    perfgate("field", "trend", "--html", "users-60.html", "--quiet", "--field", "many")
    perfgate("field", "trend", "Search", "--html", "users-1.html", "--quiet", "--field", "many")
    sides = (("1", "2026-01-01", []), ("2", "2026-01-09", ["--inject", "Search=load:200", "--inject", "Cart=drop:3"]))
    for side, day, changes in sides:
        size = ["--pages", "60", "--runs", "8", "--iterations", "2", "--seed", side, "--name", f"night-{side}"]
        build = ["--app-version", f"7.{side}", "--commit", f"abcdef{side}", "--started-at", f"{day}T00:00:00Z"]
        perfgate("simulate", *size, *build, *changes, "--out", f"nights/{side}")
    perfgate("trend", "nights", "--html", "runs-60.html", "--quiet")
    perfgate("trend", "nights", "--page", "Search", "--html", "runs-1.html", "--quiet")
    for name, most in (("users-60", 450_000), ("runs-60", 400_000), ("users-1", 80_000), ("runs-1", 80_000)):
        size = (scratch / f"{name}.html").stat().st_size
        assert size <= most, f"{name}: {size} bytes"
    return [scratch / f"{name}.html" for name in ("users-1", "runs-1", "users-60", "runs-60")]


NAMES = "[...document.querySelectorAll('.sparks tbody tr')].filter(row => !row.hidden).map(row => row.cells[0].textContent)"
PICK = """column => { const head = document.querySelectorAll('.sparks thead th')[column]; head.querySelector('button').click();
    return [head.getAttribute('aria-sort'), [...document.querySelectorAll('.sparks tbody tr')].map(row => row.cells[column].dataset.c)] }"""


def scripted(browser, path):
    """The page's script runs by its policy, and only that one: it sorts, filters, follows links and zooms."""
    where, text, address = path.stem, path.read_text(), path.resolve().as_uri()
    script = re.search(r"<script>(.*?)</script>", text, re.S).group(1)
    sum256 = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{sum256}'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in text, f"{where}: another policy"
    assert len(script) <= 15_000, f"{where}: a script of {len(script)} bytes"

    # Without the script: the findings, every last value and change, curves, and the worst page's graphs by a link.
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(address + "#page=Search&metric=ttil", 800, "light")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    bare = browser.evaluate("""({scripted: document.documentElement.className, controls: document.querySelector('.controls').offsetHeight,
        cards: document.querySelectorAll('.card .change strong').length, plots: document.querySelectorAll('.card .plot .level').length,
        cells: [...document.querySelectorAll('.sparks td')].every(cell => cell.textContent === '–' || /\\d/.test(cell.textContent) && cell.querySelector('path')),
        own: [...document.querySelectorAll('.own')].filter(part => part.offsetHeight > 300).map(part => part.querySelector('h3').textContent),
        buttons: document.querySelectorAll('button, input').length})""")
    assert bare == {"scripted": "", "controls": 0, "cards": bare["plots"], "plots": bare["plots"], "cells": True, "own": ["Search"], "buttons": 0}, f"{where}: without script {bare}"
    assert bare["cards"] >= 1, f"{where}: no finding"

    # Another script doesn't run.
    other = scratch / f"{where}-other.html"
    other.write_text(text.replace("<script>//", "<script> //"))
    browser.open(other.resolve().as_uri(), 800, "light")
    assert browser.evaluate("document.documentElement.className") == "", f"{where}: a script without hash ran"
    assert any("Content Security Policy" in text for text in browser.complaints()), f"{where}: the policy is silent"

    browser.open(address, 800, "light")
    assert browser.evaluate("document.documentElement.className") == "scripted", f"{where}: the script didn't run"
    names = browser.evaluate(NAMES)
    if len(names) > 1:
        order, changes = browser.evaluate(f"({PICK})(1)")
        known = [float(change) for change in changes if change is not None]
        assert order == "descending" and known == sorted(known, reverse=True) and len(set(known)) > 1, f"{where}: sorted by change {changes}"
        # Pages without the metric are last in both directions.
        partial = browser.evaluate("""[...document.querySelectorAll('.sparks thead th')].findIndex((_, column) => {
            const cells = [...document.querySelectorAll('.sparks tbody tr')].map(row => row.cells[column].dataset.c)
            return column > 0 && cells.some(cell => cell === undefined) && cells.some(cell => cell !== undefined) })""")
        assert partial > 0, f"{where}: every page has every metric"
        for direction in ("descending", "ascending", None):
            order, changes = browser.evaluate(f"({PICK})({partial})")
            known = [change for change in changes if change is not None]
            assert order == direction and (direction is None or changes[:len(known)] == known), f"{where}: {direction} {changes}"
        browser.evaluate(f"({PICK})(0)")
        fold = lambda name: [int(part) if part.isdigit() else part.lower() for part in re.split(r"(\d+)", name)]
        assert browser.evaluate(NAMES) == sorted(names, key=fold), f"{where}: sorted by name {browser.evaluate(NAMES)[:9]}"
        browser.evaluate(f"({PICK})(0), ({PICK})(0)")
        assert browser.evaluate(NAMES) == names, f"{where}: the first order is gone"
        browser.evaluate("(input => { input.value = 'SEAR'; input.dispatchEvent(new Event('input')) })(document.querySelector('input[type=search]'))")
        assert browser.evaluate(NAMES) == ["Search"], f"{where}: filtered {browser.evaluate(NAMES)}"
        browser.evaluate("(input => { input.value = ''; input.dispatchEvent(new Event('input')) })(document.querySelector('input[type=search]'))")
        # The last page isn't drawn without the script; its row opens it.
        browser.evaluate("document.querySelector('.sparks tbody tr:last-child a').click()")
        settle(browser, f"document.querySelector('.own.open h3 bdi')?.textContent === {json.dumps(names[-1])}", f"{where}: the last page")
    browser.evaluate("location.hash = '#page=Search&metric=ttil'")
    settle(browser, "document.activeElement.textContent === 'ttil' && document.querySelectorAll('.own.open').length === 1", f"{where}: the link")
    place = browser.evaluate("document.activeElement.getBoundingClientRect().top")
    assert 0 <= place < 900, f"{where}: the graph is at {place}"
    frames = "[...new Set([...document.querySelectorAll('.own.open .plot > svg')].map(frame => frame.getAttribute('viewBox').split(' ')[0]))].join()"
    assert browser.evaluate(frames) == "0", f"{where}: it begins zoomed"
    browser.evaluate("document.querySelector('.own.open input[type=range]').focus()")
    for _ in range(3):
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    settle(browser, f"{frames} === '3'", f"{where}: zoomed by keyboard")
    shown = browser.evaluate("[...document.querySelectorAll('.own.open .axis text')].map(text => text.textContent)")
    assert shown[0] == browser.evaluate("document.querySelector('.own.open input[type=range]').getAttribute('aria-valuetext')"), f"{where}: dates {shown}"
    # What the script draws is what the page shows without it.
    drawn = browser.evaluate("[...document.querySelectorAll('.own.open figure')].length")
    assert drawn >= 5, f"{where}: {drawn} graphs"
    judge(browser, address, f"{where} scripted", {address})
    accessible(browser, f"{where} scripted")


def hostile(browser):
    """A page whose name is markup stays text, and its link opens its graphs."""
    name = "</script><script>document.title='x'</script><!-- &=#+% é"
    for arguments in (["simulate", "--page", name, "--page", "Cart", "--runs", "14", "--out", "odd"], ["trend", "odd", "--html", "odd.html", "--quiet"]):
        subprocess.run([pathlib.Path(program).resolve(), *arguments], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    browser.open((scratch / "odd.html").resolve().as_uri() + f"#page={urllib.parse.quote(name, safe='')}&metric=ttil", 800, "light")
    settle(browser, "document.activeElement.textContent === 'ttil'", "the link of a hostile name")
    shown = browser.evaluate("[document.querySelector('.own.open h3 bdi').textContent, document.scripts.length, document.title]")
    assert shown[:2] == [name, 2] and shown[2].startswith("perfgate: "), f"a hostile name: {shown}"
    assert not list(browser.complaints()), f"a hostile name: {list(browser.complaints())}"


def settle(browser, condition, where):
    for _ in range(600):
        if browser.evaluate(f"!!({condition})"):
            return
        time.sleep(0.05)
    raise AssertionError(f"{where}: never {condition}")


class Jenkins(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Content-Security-Policy", JENKINS)
        super().end_headers()

    def log_message(self, *_):
        pass


def search():
    """The answer of a search in a repository whose fifth commit slows a page."""
    place, tool = scratch / "range", pathlib.Path(program).resolve()
    place.mkdir()

    def git(*words):
        identity = ["-c", "user.name=Kim", "-c", "user.email=kim@example.com"]
        subprocess.run(["git", "-C", place, *identity, *words], check=True, stdout=subprocess.DEVNULL)

    git("init", "-q")
    for number, load in enumerate([120] * 4 + [300] * 3):
        (place / "load").write_text(f"{load} {number}")
        git("add", "load")
        git("commit", "-q", "-m", f"Change {number} of a page with a <b>rather</b> long subject that a phone must wrap")
    run = f"""{tool} simulate --pages 12 --seed $PERFGATE_PAIR --run-noise 2 --page-noise 2.5 --out {{logs}} \\
        --inject "Search=load:$(cut -d' ' -f1 "$PERFGATE_TREE/load")" """
    words = ["HEAD~6", "HEAD", "--page", "Search", "--metric", "ttil", "--run", run, "--html", "found.html", "--quiet"]
    subprocess.run([tool, "bisect", *words], cwd=place, check=True)
    return place / "found.html"


def twelve():
    """A report of twelve pages with three worse ones, in a file of at most 400 kB."""
    place = scratch / "twelve"
    place.mkdir()

    def perfgate(code, *arguments):
        done = subprocess.run([pathlib.Path(program).resolve(), *arguments], cwd=place, capture_output=True, text=True)
        assert done.returncode == code, f"perfgate {arguments}: {done.returncode}, {done.stderr}"

    noise = ["--pages", "12", "--run-noise", "2", "--page-noise", "2"]
    perfgate(0, "simulate", *noise, "--runs", "8", "--out", "main")
    perfgate(0, "baseline", "update", "main")
    worse = [word for change in ("Search=load:250", "Home=drop:3", "Cart=layout:60") for word in ("--inject", change)]
    perfgate(0, "simulate", *noise, "--seed", "5", "--started-at", "2026-01-20T00:00:00Z", *worse, "--out", "head.ndjson")
    perfgate(2, "check", "head.ndjson", "--html", "twelve.html", "--quiet")
    size = (place / "twelve.html").stat().st_size
    assert size <= 400_000, f"twelve pages take {size} bytes"
    return place / "twelve.html"


def compared():
    """A comparison of four runs with four, none of which is drawn in the width of a label."""
    place = scratch / "compared"
    place.mkdir()
    for side, more in (("base", []), ("head", ["--inject", "Search=load:150"])):
        for run in range(4):
            subprocess.run([program, "simulate", "--pages", "4", "--seed", str(run + 10 * (side == "head")), "--name", f"{side}{run}", *more,
                            "--out", place / f"{side}{run}.ndjson"], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([program, "compare", *place.glob("base*"), "--with", *place.glob("head*"), "--html", place / "compared.html", "--quiet"])
    assert done.returncode == 2, done
    return place / "compared.html"


def cards(browser, path):
    """A card opens its commands without moving its neighbours; each choice is a button that a keyboard reaches."""
    browser.open(path.resolve().as_uri(), 1440, "light")
    browser.evaluate("document.querySelectorAll('details').forEach(part => { part.open = part.wasOpen })")
    heights = "[...document.querySelectorAll('.card')].map(card => card.offsetHeight)"
    before = browser.evaluate(heights)
    assert len(before) == 3, before
    browser.evaluate("document.querySelector('.card .actions summary').focus(); document.activeElement.click()")
    after = browser.evaluate(heights)
    assert after[0] > before[0] and after[1:] == before[1:], f"{before} became {after}"
    assert browser.evaluate("document.activeElement.textContent") == "Measure again"
    broken = browser.evaluate("[...document.querySelectorAll('.card a[href^=\"#\"]')].filter(link => !document.getElementById(link.hash.slice(1))).length")
    assert broken == 0, f"{broken} links of cards lead nowhere"
    sizes = browser.evaluate("['h1', '.card h3', '.change', '.card figcaption'].map(name => parseFloat(getComputedStyle(document.querySelector(name)).fontSize))")
    assert len(set(sizes)) >= 3 and sizes[2] > sizes[1] > sizes[3], f"sizes of type: {sizes}"


def main():
    before = places()
    log = scratch / "look.ndjson"
    frames_log(log)
    inline, external = scratch / "inline.html", scratch / "external" / "report.html"
    external.parent.mkdir()
    for path, assets in ((inline, "inline"), (external, "external")):
        subprocess.run([program, "check", log, "--html", path, "--html-assets", assets, "--quiet"], stderr=subprocess.DEVNULL)
    release, trend = releases()
    many, dozen = trends(), twelve()
    browser, looks = Browser(), 0
    try:
        for path in (inline, external, dozen, compared(), release, trend, search(), *many):
            address = path.resolve().as_uri()
            for width, scheme in views:
                where = f"{path.stem} {width} {scheme}"
                browser.open(address, width, scheme)
                judge(browser, address, where, {address, address.replace("report.html", "report.css")})
                if path is not external:
                    accessible(browser, where)
                    if pictures and path is inline:
                        take(browser, pictures, width, scheme)
                looks += 1
        cards(browser, dozen)
        for path in many:
            scripted(browser, path)
        hostile(browser)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Jenkins, directory=scratch))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}"
        for page, styled in (("inline.html", False), ("external/report.html", True)):
            browser.open(f"{root}/{page}", 768, "light")
            judge(browser, page, f"Jenkins {page}", {f"{root}/{page}", f"{root}/external/report.css"}, styled)
            order = browser.evaluate("[...document.querySelectorAll('h1, h2, th[scope=col]')].every(part => part.offsetHeight > 0)")
            assert order, f"Jenkins {page}: a heading can't be seen"
            accessible(browser, f"Jenkins {page}", sandboxed=True)
            # The findings that the engine must report, so its silence elsewhere is meaningful.
            browser.evaluate("document.documentElement.removeAttribute('lang')")
            assert "html-has-lang" in " ".join(violations(browser)), f"Jenkins {page}: the engine is blind"
            if pictures and not styled:
                browser.evaluate("document.querySelectorAll('details').forEach(part => { part.open = part.wasOpen })")
                browser.picture(pictures / "report-unstyled.png", 640)
            looks += 1
        server.shutdown()
    finally:
        browser.close()
    if pictures:
        (pictures / "report-pictures.txt").write_text(digest())
    assert places() == before, f"written outside of the scratch folder: {places() ^ before}"
    print(f"a browser and axe-core accept {looks} views of reports and graphs")


main()
