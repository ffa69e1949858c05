"""Renders comments with hostile names with GitHub's own Markdown renderer: the names must not add any element."""

import html.parser
import json
import pathlib
import random
import re
import subprocess
import sys

import cmarkgfm
from cmarkgfm.cmark import Options

program, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
address = "https://ci.example/report.html"
parts = [
    "<", ">", "&", "\\", "`", "*", "_", "[", "]", "(", ")", "!", "#", "|", "~", "@here", "@", "www.", "http://a.b", ":",
    "//", "mailto:x@y.z", "<script>", "<!--", "-->", "</td>", "\n", "\r", "\t", " ", "![i](//d)", "[a](b)", "&amp;", "&#64;",
    "\u200b", "\u0301", "\u202e", "\ufffe", "\x1b", "---", "1.", "- ", "> ", "```", "~~~", "$x$", ":+1:", "GH-1", "#12",
    "a" * 300, "</details>", "{{headline}}", "<details>", "xmpp:a@b.c", "ftp://q.r/s", "www.www.com",
]
ours = {
    "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre", "code", "a", "ul", "li", "span", "br",
}


class Tree(html.parser.HTMLParser):
    """Collects the content of the rendered comment."""

    def __init__(self):
        super().__init__()
        self.tags, self.links, self.rows, self.text, self.cells, self.depth = set(), [], [], [], 0, 0

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        attributes = dict(attributes)
        if tag == "a":
            self.links.append(attributes.get("href"))
        unknown = set(attributes) - {"href", "open", "lang", "align", "class"}
        assert not unknown, f"{tag} has {unknown}"
        if tag == "tr":
            self.cells = 0
        if tag in ("td", "th"):
            self.cells += 1
        if tag == "details":
            self.depth += 1

    def handle_endtag(self, tag):
        if tag == "tr":
            self.rows.append(self.cells)
        if tag == "details":
            self.depth -= 1

    def handle_data(self, data):
        self.text.append(data)

    def handle_comment(self, data):
        assert re.fullmatch(r" perfgate:[A-Za-z0-9._-]+ ", data), data


def log(path, run, names, slower):
    """A run with every page slower by a number of milliseconds."""
    header = {"type": "run", "schema": 1, "run_id": run, "app": names[0], "build": "Release", "device": "d", "os": "iOS 17.5"}
    lines = [header | {"max_fps": 60, "started_at": "2026-11-20T10:00:00Z"}]
    for number, name in enumerate(names):
        for iteration in range(6):
            visit = f"{run}-{number}-{iteration}"
            lines.append({"type": "pps", "page": name, "iteration": iteration, "visit_id": visit, "outcome": "loaded", "ttil_ms": 500 + iteration + slower})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


for seed in range(20):
    choose = random.Random(seed)
    names = sorted({"".join(choose.choices(parts, k=choose.randint(1, 12))).strip() + str(seed) for _ in range(30)})
    folder = scratch / f"markdown-{seed}"
    folder.mkdir()
    for run in range(3):
        log(folder / f"base-{run}.ndjson", f"base-{run}", names, run)
    log(folder / "candidate.ndjson", "candidate", names, 300)
    comment, result = folder / "comment.md", folder / "result.json"
    command = [program, "compare", *sorted(folder.glob("base-*.ndjson")), "--with", folder / "candidate.ndjson", "--json", result, "--quiet"]
    subprocess.run(command, stderr=subprocess.DEVNULL)
    report = json.loads(result.read_text())
    for page in report["pages"]:
        page["leads"] = ["".join(choose.choices(parts, k=8)) for _ in range(4)]
    result.write_text(json.dumps(report))
    command = [program, "report", result, "--markdown", comment, "--quiet", "--report-url", address]
    subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
    tree = Tree()
    tree.feed(cmarkgfm.github_flavored_markdown_to_html(comment.read_text(), Options.CMARK_OPT_UNSAFE))
    tree.close()
    assert tree.tags <= ours, f"seed {seed}: {tree.tags - ours}"
    assert tree.depth == 0, f"seed {seed}: details are open"
    assert tree.rows and set(tree.rows) == {4}, f"seed {seed}: rows of {set(tree.rows)} cells"
    assert len(tree.rows) >= len(names), f"seed {seed}: a row is missing"
    assert all(link.startswith(address) for link in tree.links), f"seed {seed}: {tree.links}"
    text = "".join(tree.text)
    assert not re.search(r"@\w", text), f"seed {seed}: a mention"
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\ufffe]", text), f"seed {seed}: a control character"
print("GitHub's renderer finds only our own links, tables and folds in 20 hostile comments")
