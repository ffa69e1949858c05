"""Renders the Markdown of hostile logs as GitHub does (cmark-gfm), and looks for anything that perfgate didn't put there.

Usage: judge-markdown.py PROGRAM SCRATCH
"""

import html.parser
import json
import pathlib
import random
import subprocess
import sys

import cmarkgfm
from cmarkgfm.cmark import Options

program, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
allowed = {"p", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "ul", "li", "pre", "code"}
names = [
    "</testcase><script>alert(1)</script>|@here%0A::error", "![x](https://evil.example/x.png)", "[x](javascript:1)",
    "<img src=x onerror=y>", "@octocat and @org/team", "https://evil.example", "www.evil.example", "a\n\n# heading",
    "```sh\nrm -rf /\n```", "| a | b |\n|---|---|", "<!-- perfgate:report -->", "</details><details open>", "&lt;b&gt;",
    "*a* _b_ ~~c~~ `d`", "user@example.com", "#1 GH-2 !3", "$(touch x) `touch y`", "\u202eltr\u0007\x1b[31m", "..", "a/b",
    "x" * 10_000, "\\", "'\"", "1. list", "- list", "> quote", "<https://evil.example>", "[^1]", ":tada:", "---",
]
alphabet = list("<>&|@#*_`~[](){}!\\/.:-+=\"' \n\tabcw1") + ["http://", "www.", "\u202e", "\u0301", "😀", "<!--", "-->", "```"]


class Tree(html.parser.HTMLParser):
    """The tags of a rendered text, and the text of its cells."""

    def __init__(self):
        super().__init__()
        self.tags, self.links, self.width, self.rows = [], [], 0, []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "a":
            self.links.append(dict(attributes).get("href"))
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1


def judge(pages, label):
    log, text = scratch / "log.ndjson", scratch / "report.md"
    with log.open("w") as file:
        file.write('{"type":"run","schema":1,"run_id":"h","app":"a","build":"Release","device":"d","os":"1","max_fps":60}\n')
        for page in pages:
            file.write(json.dumps({"type": "frame_drop", "page": page, "scroll": 0, "frames_dropped": 9}) + "\n")
    subprocess.run([program, "check", log, "--markdown", text, "--quiet"], stderr=subprocess.DEVNULL)
    markdown = text.read_text()
    assert len(markdown.encode()) <= 65_000, label
    assert markdown.startswith("<!-- perfgate:report -->\n"), label
    rendered = cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE)
    tree = Tree()
    tree.feed(rendered)
    strangers = set(tree.tags) - allowed
    assert not strangers, f"{label}: {strangers}"
    assert not tree.links, f"{label}: {tree.links}"
    assert len(set(tree.rows)) <= 1 or set(tree.rows) <= {5, 6}, f"{label}: {tree.rows}"
    outside = markdown.split("```")[::2]
    assert not any("@octocat" in part or "@org" in part for part in outside), label


for name in names:
    judge([name], repr(name[:60]))
judge(names, "all names")
generator = random.Random(20261121)
for seed in range(40):
    pages = ["".join(generator.choices(alphabet, k=generator.randint(1, 40))) for _ in range(8)]
    judge(pages, f"seed {seed}: {pages}")
print(f"GitHub's renderer finds nothing foreign in {len(names) + 41} hostile comments")
