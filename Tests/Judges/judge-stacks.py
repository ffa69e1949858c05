#!/usr/bin/env python3
"""Judges the readers of recorded stacks.

  judge-stacks.py PERFGATE FOLDER [XML...]

The same drawn recordings of two builds are written in five forms: tables of xctrace, folded stacks, the text of perf script
with a log, the answer to the query of `perfgate profile sql` on tables like trace_processor's, in SQLite, and tables of xctrace
whose app code has only addresses, with a dSYM bundle made by clang, LLD and dsymutil, of a program and of a library. The answers of
`perfgate why` must be equal, and right. Then each XML file, a real table of samples of one process with times or cycles, is
compared stack by stack with what lxml reads.
"""

import collections
import csv
import json
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from xml.sax.saxutils import quoteattr

from lxml import etree

perfgate = pathlib.Path(sys.argv[1]).resolve()
folder = pathlib.Path(sys.argv[2]).resolve()
failures = []
MS = 1_000_000
VISITS = 5
APP, SYSTEM = ("Shop", "/var/containers/Shop.app/Shop"), ("libsystem.dylib", "/usr/lib/libsystem.dylib")
TREE = {
    "main": ["Feed.bind()", "Feed.layout()", "Search.show(_:)"],
    "Search.show(_:)": ["Search.decode(_:)", "Search.layout()"],
    "Search.decode(_:)": ["vector<int, allocator<int> >::push", "memcpy"],
    "Feed.bind()": ["Feed.bind()", "memcpy", "Cache.value(for:)"],
    "Feed.layout()": ["measure", "Cache.value(for:)"],
    "Cache.value(for:)": ["hash", "memcpy"],
}


def expect(condition, text):
    if not condition:
        failures.append(text)
        print(f"judge-stacks: FAILED: {text}", flush=True)


def call(*arguments, status=0):
    done = subprocess.run([perfgate, *map(str, arguments)], capture_output=True, text=True)
    expect(done.returncode == status, f"{arguments}: {done.returncode} {done.stderr}")
    return done.stdout


def binary(function):
    return SYSTEM if function in ("main", "memcpy", "hash", "measure") else APP


class Drawn:
    """A recording: samples (ns, thread, stack from the outermost function on), and intervals of two pages."""

    def __init__(self, seed, slow):
        dice = random.Random(seed)
        # perf script's first sample is the start of its recording.
        self.samples, self.windows, now = [(2_999 * MS, 1, ["thread"])], [], 3_000
        speed = dice.lognormvariate(0, 0.03)
        for visit in range(VISITS):
            for page in ("Search & <find>", "Feed"):
                load = round((150 + (40 if slow and page != "Feed" else 0)) * speed)
                for kind, length in (("visit", load + 90), ("load", load), ("first-layout", 40), ("scroll", 25)):
                    self.windows.append((page, f"{page[0]}-{visit}", kind, now * MS, (now + length) * MS))
                for at in range(load + 120):
                    late = at >= load - round(40 * speed) and slow and page != "Feed"
                    stack = ["main", "Search.show(_:)", "Search.decode(_:)"] if late and at < load else ["main"]
                    while stack[-1] in TREE and len(stack) < 9 and dice.random() < 0.9:
                        stack.append(dice.choice(TREE[stack[-1]]))
                    self.samples.append(((now + at) * MS + 300_000, 0, stack))
                    if dice.random() < 0.3:
                        self.samples.append(((now + at) * MS + 400_000, 1, ["thread", "Search.decode(_:)"]))
                now += load + 400

    def folded(self, place):
        for page, kind in (("Search & <find>", "load"), ("Feed", "load")):
            counts, windows = collections.Counter(), [w for w in self.windows if w[0] == page and w[2] == kind]
            for time, thread, stack in self.samples:
                if thread == 0 and any(start <= time < end for *_, start, end in windows):
                    counts[";".join(f"{binary(f)[0]}`{f}" for f in stack)] += 1
            name = page.replace(" ", "%20")
            head = f"# perfgate page={name} window={kind} visits={len(windows)} ms_per_sample=1 thread=main\n"
            lines = "".join(f"{stack} {count}\n" for stack, count in sorted(counts.items()))
            (place / f"{page[0]}.folded").write_text(head + lines)

    def perf(self, place):
        with open(place / "perf.txt", "w") as text:
            for time, thread, stack in self.samples:
                text.write(f"Shop App 7/{7 + thread} [001] {time // 10**9}.{time % 10**9:09}: 1000000 cpu-clock:u: \n")
                for function in reversed(stack):
                    text.write(f"\t    7f{len(stack):04x} {function}+0x1c ({binary(function)[1]})\n")
                text.write("\n")
        lines = [{"type": "run", "schema": 1, "run_id": str(place), "profiled": True}]
        for page, visit, kind, start, end in self.windows:
            if kind == "visit":
                load = next(w for w in self.windows if w[1] == visit and w[2] == "load")
                lines.append({"type": "pps", "page": page, "visit_id": visit, "start_ns": start, "ttfl_ms": 40,
                              "ttil_ms": (load[4] - start) / MS, "duration_ms": (end - start) / MS})
        (place / "run.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def program(self, place):
        self.xctrace(place, symbols("program"))

    def library(self, place):
        self.xctrace(place, symbols("library"))

    def xctrace(self, place, symbols=None):
        ids = {}
        uuid, offsets = symbols or ("0", {})
        start = 0x100000000 + 0x4000 * (sum(map(ord, str(place))) % 97)

        def element(name, key, attributes="", content=""):
            if key in ids:
                return f'<{name} ref="{ids[key]}"/>'
            ids[key] = len(ids) + 1
            return f'<{name} id="{ids[key]}"{attributes}' + (f">{content}</{name}>" if content else "/>")

        def frame(function, variant):
            name, path = binary(function)
            # The element's own id comes before those inside it, as xctrace writes them.
            key = ("frame", function, variant)
            if key in ids:
                return element("frame", key)
            ids[key] = len(ids) + 1
            known = f'UUID="{uuid}" arch="arm64" load-addr="{start:#x}"'
            of = element("binary", path, f' name="{name}" {known} path="{path}"')
            address = start + offsets.get(function, 0) + 4 * variant if function in offsets else ids[key]
            function = f"{address:#x}" if function in offsets else function
            return f'<frame id="{ids[key]}" name={quoteattr(function)} addr="{address:#x}">{of}</frame>'

        def table(schema, columns, rows):
            columns = "".join(f"<col><mnemonic>{c}</mnemonic><name>N</name></col>" for c in columns)
            start = "<?xml version=\"1.0\"?>\n<trace-query-result>\n<node xpath='//trace-toc[1]/run[1]/data[1]/table[3]'>"
            return f'{start}<schema name="{schema}">{columns}</schema>' + "\n".join(rows) + "</node></trace-query-result>\n"

        rows = []
        for number, (time, thread, stack) in enumerate(self.samples):
            label = f"{'Worker' if thread else 'Main Thread'} 0x{thread} (Shop, pid: 7)"
            process = element("process", "process", ' fmt="Shop (7)"', "<pid>7</pid>")
            of = element("thread", ("thread", thread), f' fmt="{label}"', process)
            key = ("stack", *stack)
            if key in ids:
                trace = element("tagged-backtrace", key)
            else:
                ids[key] = len(ids) + 1
                inner = "".join(frame(f, number % 3) for f in reversed(stack))
                trace = f'<tagged-backtrace id="{ids[key]}"><backtrace>{inner}</backtrace></tagged-backtrace>'
            weight = element("weight", "weight", ' fmt="1.00 ms"', "1000000")
            process = '<process ref="%d"/>' % ids["process"]
            rows.append(f"<row><sample-time>{time}</sample-time>{of}{process}{weight}{trace}</row>")
        columns = ["time", "thread", "process", "weight", "stack"]
        (place / "time.xml").write_text(table("time-profile", columns, rows))
        rows = []
        for page, visit, kind, start, end in self.windows:
            name = page.replace(" ", "%20")
            message = quoteattr(f"page={name} visit={visit} iteration=0")
            rows.append(f"<row><start-time>{start}</start-time><duration>{end - start}</duration>"
                        f'<signpost-name fmt="{kind}">{kind}</signpost-name><category fmt="page">page</category>'
                        f'<subsystem fmt="perfgate">perfgate</subsystem><os-log-metadata fmt={message}/></row>')
        columns = ["start", "duration", "name", "category", "subsystem", "start-message"]
        (place / "signposts.xml").write_text(table("os-signpost-interval", columns, rows))
        (place / "toc.xml").write_text(
            '<trace-toc><run number="1"><info><target><device uuid="U" model="iPhone 12" os-version="17.5" platform="iOS"/>'
            '<process name="Shop" pid="7"/></target><summary><duration>100</duration></summary></info></run></trace-toc>')

    def perfetto(self, place):
        base = sqlite3.connect(":memory:")
        base.create_function("demangle", 1, lambda name: None)
        base.executescript("""
            CREATE TABLE process_track (id INTEGER PRIMARY KEY, upid INT);
            CREATE TABLE thread_track (id INTEGER PRIMARY KEY, utid INT);
            CREATE TABLE thread (utid INTEGER PRIMARY KEY, upid INT, tid INT, is_main_thread INT);
            CREATE TABLE slice (id INTEGER PRIMARY KEY, ts INT, dur INT, name TEXT, track_id INT);
            CREATE TABLE perf_sample (id INTEGER PRIMARY KEY, ts INT, utid INT, cpu INT, callsite_id INT, perf_session_id INT);
            CREATE TABLE stack_profile_mapping (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE stack_profile_frame
              (id INTEGER PRIMARY KEY, name TEXT, mapping INT, symbol_set_id INT, deobfuscated_name TEXT);
            CREATE TABLE stack_profile_symbol (id INTEGER PRIMARY KEY, symbol_set_id INT, name TEXT);
            CREATE TABLE stack_profile_callsite (id INTEGER PRIMARY KEY, depth INT, parent_id INT, frame_id INT);
            CREATE TABLE perf_counter_track (id INTEGER PRIMARY KEY, name TEXT, perf_session_id INT, cpu INT, is_timebase INT);
            CREATE TABLE counter (id INTEGER PRIMARY KEY, ts INT, track_id INT, value REAL);
            INSERT INTO thread VALUES (1, 1, 7, 1), (2, 1, 8, 0), (3, 2, 9, 1);
            INSERT INTO process_track VALUES (1, 1);
            INSERT INTO perf_counter_track VALUES (9, 'cpu-clock', 0, 0, 1);
            INSERT INTO stack_profile_symbol VALUES (1, 1, 'inlined'), (2, 1, 'Search.decode(_:)');
            """)
        for page, _, kind, start, end in self.windows:
            base.execute("INSERT INTO slice VALUES (NULL, ?, ?, ?, 1)", (start, end - start, f"perfgate:{kind}:{page}"))
        base.execute("INSERT INTO slice VALUES (NULL, 5, -1, 'perfgate:visit:Feed', 1), (NULL, 5, 9, 'other', 1)")
        mappings = {path: number for number, path in enumerate([APP[1], SYSTEM[1]])}
        base.executemany("INSERT INTO stack_profile_mapping VALUES (?, ?)", [(n, p) for p, n in mappings.items()])
        frames, sites = {}, {}
        for time, thread, stack in self.samples:
            parent = None
            for depth, function in enumerate(stack):
                if function not in frames:
                    frames[function] = len(frames)
                    symbols = 1 if function == "Search.decode(_:)" else None
                    name = "obfuscated" if symbols or function == "hash" else function
                    plain = "hash" if function == "hash" else None
                    base.execute("INSERT INTO stack_profile_frame VALUES (?, ?, ?, ?, ?)",
                                 (frames[function], name, mappings[binary(function)[1]], symbols, plain))
                key = (parent, function)
                if key not in sites:
                    sites[key] = len(sites)
                    base.execute("INSERT INTO stack_profile_callsite VALUES (?, ?, ?, ?)",
                                 (sites[key], depth, parent, frames[function]))
                parent = sites[key]
            base.execute("INSERT INTO perf_sample VALUES (NULL, ?, ?, 0, ?, 0)", (time, 1 + thread, parent))
            base.execute("INSERT INTO counter VALUES (NULL, ?, 9, ?)", (time, (time - 300_000) // MS * MS))
        # The recording begins before the first visit, with a sample of another process.
        base.execute("INSERT INTO perf_sample VALUES (NULL, 1, 3, 0, NULL, 0)")
        rows = base.execute(call("profile", "sql"))
        with open(place / "stacks.csv", "w", newline="") as text:
            writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
            writer.writerow([column[0] for column in rows.description])
            for row in rows:
                writer.writerow(["[NULL]" if value is None else value for value in row])


def symbols(kind):
    """The UUID of the app's dSYM bundle, and where its functions begin; the bundle is made at the first call."""
    bundle = folder / kind / "bundles" / "Shop.dSYM"
    dwarf = bundle / "Contents/Resources/DWARF/Shop"
    if not bundle.exists():
        bundle.parent.mkdir(parents=True)
        functions = sorted({f for row in TREE.items() for f in (row[0], *row[1]) if binary(f) == APP})
        text = 'volatile int work;\nvoid begin(void) __asm("_begin");\nvoid begin(void) {}\n' + "".join(
            f'__attribute__((noinline)) void f{n}(void) __asm("_{name}");\nvoid f{n}(void) {{\n'
            + "    work += 1;\n" * 8 + "}\n" for n, name in enumerate(functions))
        (bundle.parent / "shop.c").write_text(text)
        form = "-dylib" if kind == "library" else "-e _begin"
        linker = next(filter(None, map(shutil.which, ["ld64.lld-14", *[f"ld64.lld-{n}" for n in range(15, 25)], "ld64.lld"])))
        for command in (
            "clang -target arm64-apple-macos13 -g -O1 -c shop.c -o shop.o",
            f"{linker} -arch arm64 -platform_version macos 13.0 13.0 {form} -undefined dynamic_lookup -o Shop shop.o",
            "dsymutil Shop -o Shop.dSYM",
        ):
            subprocess.run(command.split(), cwd=bundle.parent, check=True, capture_output=True)
    def said(*words):
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    uuid = said("llvm-dwarfdump", "--uuid", dwarf)[0].split()[1]
    start = 0 if kind == "library" else 1 << 32
    return uuid, {line[20:]: int(line[:16], 16) - start for line in said("llvm-nm", dwarf) if line[17] == "T"}


FORMS = {"folded": Drawn.folded, "xctrace": Drawn.xctrace, "program": Drawn.program, "library": Drawn.library,
         "perf": Drawn.perf, "perfetto": Drawn.perfetto}


def drawn():
    answers = collections.defaultdict(dict)
    for form, write in FORMS.items():
        for side in ("base", "head"):
            for number in range(4):
                place = folder / form / side / str(number)
                place.mkdir(parents=True, exist_ok=True)
                write(Drawn(2 * number + (side == "head"), side == "head"), place)
        for page in ("Search & <find>", "Feed"):
            out = folder / f"{form}-{page[0]}.json"
            call("why", page, "ttil", "--base", folder / form / "base", "--head", folder / form / "head", "--binary", "Shop",
                 "--json", out, *(["--dsym", folder / form / "bundles"] if form in ("program", "library") else []))
            answers[page][form] = json.loads(out.read_text())
            if form in ("program", "library") and "function" in answers[page][form]:
                place = (answers[page][form].pop("file", ""), answers[page][form].pop("line", 0))
                expect(place[0].endswith("/shop.c") and place[1] > 0, f"the dSYM bundle says {place}")
    without = call("why", "Feed", "ttil", "--base", folder / "library/base", "--head", folder / "library/head")
    expect("without a name. Give --dsym the bundles of both builds" in without, f"without symbols the answer is {without}")
    first = answers["Search & <find>"]["folded"]
    expect(first["verdict"] == "named" and first["function"] == "Search.decode(_:)", f"the answer is {first}")
    expect(answers["Feed"]["folded"]["verdict"] == "nothing", f"the answer for Feed is {answers['Feed']['folded']}")
    for page, forms in answers.items():
        for form, answer in forms.items():
            expect(equal(answer, forms["folded"]), f"{page}: {form} says {answer}, folded says {forms['folded']}")


def equal(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return abs(one - other) <= 1e-6 * max(1, abs(one))
    return one == other


def real(path):
    """The weight of each stack of the main thread that lxml reads, beside what `perfgate profile fold` prints."""
    root, named, weights, last, kinds = etree.parse(path).getroot(), {}, collections.Counter(), 0, set()
    columns = [column.findtext("mnemonic") for column in root.iter("col")]
    for cell in root.iter():
        if cell.get("id"):
            named[cell.get("id")] = cell

    def of(cell):
        return named[cell.get("ref")] if cell is not None and cell.get("ref") else cell

    for row in root.iter("row"):
        cells = {name: of(cell) for name, cell in zip(columns, row)}
        if not cells["thread"].get("fmt", "").startswith("Main Thread") or cells["weight"].tag == "sentinel":
            continue
        kinds.add(cells["weight"].tag)
        stack = cells["stack"]
        inner = of(stack.find("backtrace")) if stack.tag == "tagged-backtrace" else None
        names = []
        for frame in map(of, reversed((inner if inner is not None else stack).findall("frame"))):
            # Numbers of lambdas differ between builds.
            name = re.sub(r"\$_\d+", "$_", frame.get("name"))
            name = "[unknown]" if name.startswith("0x") else name
            code = of(frame.find("binary"))
            name = (f'{code.get("name")}`' if code is not None else "") + name.replace(";", ",")
            if not names or names[-1] != name:
                names.append(name)
        weights[";".join(names) or "[unknown]"] += int(cells["weight"].text) / 1e6
        last = max(last, int(cells["time"].text))
    place = folder / pathlib.Path(path).stem
    place.mkdir(parents=True, exist_ok=True)
    (place / "samples.xml").write_bytes(pathlib.Path(path).read_bytes())
    counted = '<data><table pmi-event="CYCLES"/></data>' if "pmc-event" in kinds else ""
    (place / "toc.xml").write_text(f'<trace-toc><run number="1"><info/>{counted}</run></trace-toc>')
    columns = ["start", "duration", "name", "category", "subsystem", "start-message"]
    cells = [f"<n>0</n><n>{last + 1}</n>"] + [f"<n>{word}</n>" for word in ("visit", "page", "perfgate", "page=Real visit=1")]
    (place / "signposts.xml").write_text(
        "<trace-query-result><node xpath='run[1]'><schema name='os-signpost-interval'>"
        + "".join(f"<col><mnemonic>{name}</mnemonic></col>" for name in columns)
        + f"</schema><row>{''.join(cells)}</row></node></trace-query-result>")
    # A window has to lie in the recording, whose bounds are those of its samples without a length in the contents.
    text = (place / "toc.xml").read_text().replace(
        "<info/>", f"<info><target/><summary><duration>{last / 1e9 + 1}</duration></summary></info>")
    (place / "toc.xml").write_text(text)
    lines = call("profile", "fold", place, "--page", "Real").splitlines()
    head = dict(pair.split("=", 1) for pair in lines[0].split()[2:])
    found = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) * float(head["ms_per_sample"]) for line in lines[1:]}
    total = sum(weights.values())
    print(f"{path}: {len(weights)} stacks, {total:.6f} of {'/'.join(kinds)}; perfgate {sum(found.values()):.6f}")
    missing = [key for key in weights.keys() | found.keys() if abs(weights[key] - found.get(key, 0)) > 6e-4]
    expect(not missing, f"{path}: {len(missing)} stacks differ, such as {missing[:3]}")


drawn()
for path in sys.argv[3:]:
    real(path)
if failures:
    sys.exit(f"judge-stacks: {len(failures)} failures")
print(f"judge-stacks: {len(FORMS)} forms agree, {len(sys.argv) - 3} real files are read alike")
