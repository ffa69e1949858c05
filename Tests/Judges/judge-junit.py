"""Checks the JUnit files of perfgate's samples with independent readers and schemas."""

import io
import json
import pathlib
import subprocess
import sys

import junit2htmlreport.parser
import junitparser
import lxml.etree
import xmlschema
import xunitparser

program, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
samples = sorted(pathlib.Path("Tests/Samples").glob("*.ndjson"))
schemas = pathlib.Path("../shared/reference/junit")

# A page with a name that would break any report without escaping.
names = [
    "</testcase><script>alert(1)</script>|@here%0A::error",
    "esc\x1b[31m \ufffe \u202eltr\u0000",
    "x" * 10_000,
    "a/b",
    "..",
    "line\nfeed ]]> `code` <!-- -->",
]
hostile = scratch / "hostile.ndjson"
with hostile.open("w") as file:
    file.write('{"type":"run","schema":1,"run_id":"h","app":"<&\\"\'>","build":"::error::x","device":"a,b","os":"1.2","max_fps":60}\n')
    for name in names:
        file.write(json.dumps({"type": "pps", "page": name, "ttil_ms": 5}) + "\n")
        file.write(json.dumps({"type": "frame_drop", "page": name, "scroll": 0, "frames_dropped": 9}) + "\n")

count = 0
for log in [*samples, hostile]:
    for dialect in ("rich", "strict"):
        path = scratch / f"{log.stem}-{dialect}.xml"
        subprocess.run([program, "check", log, "--junit", path, "--junit-dialect", dialect, "--quiet"], stderr=subprocess.DEVNULL)
        document = lxml.etree.parse(path)
        suites = junitparser.JUnitXml.fromfile(str(path))
        cases = [case for suite in suites for case in suite]
        assert cases, f"{path} has no case"
        identities = [(case.classname, case.name) for case in cases]
        assert len(set(identities)) == len(identities), f"{path} has a case twice"
        assert len(document.findall(".//testcase")) == len(cases)
        # It merges all suites into one and can't have the same property twice, so it gets each separately.
        for suite in document.iter("testsuite"):
            _, result = xunitparser.parse(io.BytesIO(lxml.etree.tostring(suite)))
            assert result.testsRun == len(suite.findall("testcase")), f"{path}: {suite.get('name')[:60]} for xunitparser"
        page = junit2htmlreport.parser.Junit(str(path)).html()
        assert "<script>alert" not in page, f"{path} brings a script into junit2html's page"
        if dialect == "strict" and schemas.is_dir():
            for schema in ("junit-10.xsd", "JUnit.xsd"):
                xmlschema.XMLSchema(schemas / schema).validate(str(path))
        count += 1
print(f"other people's readers accept {count} JUnit files")
if not schemas.is_dir():
    print(f"the schemas of JUnit were not asked: {schemas} isn't there")
