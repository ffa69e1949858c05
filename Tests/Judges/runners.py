"""Runs the pipelines of CI servers on this machine: the steps unchanged, with fakes for the rest.

A fake provides only what the platform guarantees: the main branch can't read a pull request's cache, a job
begins in an empty folder, an artifact is found by its name, a job without a Mac has no Apple tools.
"""

import atexit
import base64
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.parse

import yaml

root = pathlib.Path(__file__).resolve().parent.parent.parent
FAKES = root / "Tests/Judges/fakes"
ACTION = "OWNER/perfgate@"


def git(*arguments, folder):
    return subprocess.run(["git", *map(str, arguments)], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


class Platform:
    """A server with releases, and with the comments of GitHub's and GitLab's REST interface."""

    def __init__(self, releases):
        self.comments, self.pulls, self.heads, self.releases, self.statuses = {}, [], {}, releases, {}
        self.repository = None
        platform = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def answer(self, code, body=b""):
                self.send_response(code)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle_any(self):
                url = urllib.parse.urlparse(self.path)
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                if found := re.fullmatch(r"/OWNER/perfgate/releases/download/(v[\d.]+)/([\w.-]+)", url.path):
                    file = platform.releases / found[1] / found[2]
                    return self.answer(200, file.read_bytes()) if file.is_file() else self.answer(404)
                if url.path.startswith("/api"):
                    token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN")
                    code, answer = platform.rest(self.command, url, body) if token else (401, {})
                    return self.answer(code, json.dumps(answer).encode())
                self.answer(404)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def rest(self, method, url, body):
        if self.repository and (answer := self.repository.answer(method, url, body)):
            return answer
        if url.path == "/api/user":
            return 200, {"login": "perfgate", "username": "perfgate"}
        if url.path.endswith("/pulls"):
            head = urllib.parse.parse_qs(url.query).get("head", [""])[0]
            return 200, [pull for pull in self.pulls if pull["head"]["label"] == head]
        if found := re.fullmatch(r"/api/projects/.+/merge_requests/(\d+)", url.path):
            return 200, {"sha": self.heads[int(found[1])]}
        if found := re.fullmatch(r"/api/.*/statuses/([0-9a-f]{40})", url.path):
            self.statuses[found[1]] = body
            return 201, body
        thread = re.fullmatch(r"/api/(?:repos/(.+)/issues|projects/(.+)/merge_requests)/(\d+)/(?:comments|notes)", url.path)
        if thread:
            notes = self.comments.setdefault(int(thread[3]), [])
            if method == "GET":
                return 200, notes if "page=2" not in url.query else []
            author = {"login": "perfgate", "username": "perfgate"}
            notes.append({"id": sum(map(len, self.comments.values())) + 1, "body": body["body"], "user": author, "author": author})
            return 201, notes[-1]
        if found := re.fullmatch(r"/api/.*/(?:comments|notes)/(\d+)", url.path):
            for notes in self.comments.values():
                for note in notes:
                    if note["id"] == int(found[1]) and method in ("PATCH", "PUT"):
                        note["body"] = body["body"]
                        return 200, note
        return 404, {}


class Repository:
    """GitHub's interface to a repository `owner/app`: who may write, pull requests, runs, files, and commits.

    Pull requests are branches: {number: {"head": branch, "fork": whether it is elsewhere, "open": …}}.
    """

    def __init__(self, origin):
        self.origin, self.permissions, self.pulls, self.runs = origin, {}, {}, []

    def git(self, *arguments, **options):
        environment = os.environ | {f"GIT_{who}_{what}": "github@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return subprocess.run(["git", *arguments], cwd=self.origin, check=True, capture_output=True,
                              env=environment | options.pop("env", {}), **options).stdout

    def hash(self, *arguments, **options):
        return self.git(*arguments, **options).decode().strip()

    def pull(self, number):
        pull = self.pulls[number]
        head = self.hash("rev-parse", pull["head"])
        tree = self.hash("merge-tree", "--write-tree", "main", head)
        merge = self.hash("commit-tree", tree, "-p", "main", "-p", head, "-m", "Merge")
        return {"state": "open", "mergeable": True, "merge_commit_sha": merge,
                "base": {"ref": "main", "repo": {"id": 1, "default_branch": "main"}},
                "head": {"sha": head, "ref": pull["head"], "repo": {"id": 2 if pull.get("fork") else 1}}}

    def answer(self, method, url, body):
        path, query = url.path.removeprefix("/api/repos/owner/app/"), urllib.parse.parse_qs(url.query)
        if url.path == "/api/graphql":
            return 200, self.commit(body["variables"]["input"])
        if found := re.fullmatch(r"collaborators/([\w-]+)/permission", path):
            return (200, {"permission": self.permissions[found[1]]}) if found[1] in self.permissions else (404, {})
        if (found := re.fullmatch(r"pulls/(\d+)", path)) and int(found[1]) in self.pulls:
            return 200, self.pull(int(found[1]))
        if path == "actions/workflows/performance.yml/runs":
            return 200, {"workflow_runs": [run for run in self.runs if run["head_sha"] == query["head_sha"][0]]}
        if found := re.fullmatch(r"commits/([0-9a-f]+)", path):
            return 200, self.described(found[1])
        if path == "merges":
            tree = self.hash("merge-tree", "--write-tree", body["base"], body["head"])
            commit = self.hash("commit-tree", tree, "-p", body["base"], "-p", body["head"], "-m", "Merge")
            self.git("update-ref", f"refs/heads/{body['base']}", commit)
            return 201, self.described(commit)
        if found := re.fullmatch(r"contents/(.+)", path):
            place = f"{query['ref'][0]}:{urllib.parse.unquote(found[1])}"
            kind = subprocess.run(["git", "cat-file", "-t", place], cwd=self.origin, capture_output=True, text=True).stdout.strip()
            if kind == "blob":
                return 200, {"type": "file", "name": path, "sha": self.hash("rev-parse", place)}
            lines = self.hash("ls-tree", query["ref"][0], urllib.parse.unquote(found[1]) + "/").splitlines()
            kinds = {"040000": "dir", "100644": "file", "100755": "file", "120000": "symlink", "160000": "submodule"}
            entries = [re.match(r"(\d+) \w+ (\w+)\t.*?([^/]+)$", line) for line in lines]
            return (200, [{"type": kinds[e[1]], "sha": e[2], "name": e[3]} for e in entries]) if entries else (404, {})
        if found := re.fullmatch(r"git/blobs/([0-9a-f]{40})", path):
            return 200, {"encoding": "base64", "content": base64.encodebytes(self.git("cat-file", "blob", found[1])).decode()}
        return None

    def described(self, commit):
        hashes = self.hash("rev-list", "--parents", "-n", "1", commit).split()
        return {"sha": hashes[0], "parents": [{"sha": parent} for parent in hashes[1:]],
                "commit": {"message": self.hash("log", "-1", "--format=%B", commit)}}

    def commit(self, given):
        branch, head = given["branch"]["branchName"], given["expectedHeadOid"]
        if self.hash("rev-parse", branch) != head:
            return {"data": {"createCommitOnBranch": None}, "errors": [{"type": "STALE_DATA", "message": "Pull and try again."}]}
        index = {"GIT_INDEX_FILE": tempfile.mktemp()}
        self.git("read-tree", head, env=index)
        for file in given["fileChanges"]["additions"]:
            blob = self.hash("hash-object", "-w", "--stdin", input=base64.b64decode(file["contents"]))
            self.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{file['path']}", env=index)
        message = given["message"]["headline"] + "\n\n" + given["message"]["body"]
        commit = self.hash("commit-tree", self.hash("write-tree", env=index), "-p", head, "-m", message)
        self.git("update-ref", f"refs/heads/{branch}", commit, head)
        return {"data": {"createCommitOnBranch": {"commit": {"oid": commit}}}}


def system_tools():
    """A folder with the system's tools except Swift, which is a system tool in Swift's containers."""
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    for tool in [*pathlib.Path("/usr/bin").iterdir(), *pathlib.Path("/bin").iterdir()]:
        if not tool.name.startswith(("swift", "perfgate")) and not (folder / tool.name).is_symlink():
            (folder / tool.name).symlink_to(tool)
    return folder


class Machine:
    """A machine for jobs: its tools, and the content of its device."""

    system = system_tools()

    def __init__(self, place, program, mac, android=False):
        self.place, self.mac = place, mac
        self.device = place / "device"
        self.device.mkdir(parents=True)
        tools = [str(FAKES / name) for name, there in (("mac", mac), ("android", android)) if there]
        tools += [str(FAKES / "all"), str(self.system)]
        self.environment = {
            "PATH": ":".join(tools), "HOME": str(place), "LANG": "C.UTF-8", "FAKE": str(self.device),
            "FAKE_PERFGATE": str(program), "FAKE_DEVICE": "phone" if mac or android else "none",
            # The sources of the app are where the examples have them.
            "SHOP": "Shop", "SETTLE": "0",
            "GIT_AUTHOR_DATE": "2026-11-20T00:00:00Z", "GIT_COMMITTER_DATE": "2026-11-20T00:00:00Z"}

    def run(self, script, folder, variables=None, shell=("bash", "--noprofile", "--norc", "-e", "-o", "pipefail")):
        return subprocess.run(
            [*shell, "-c", script], cwd=folder, env=self.environment | (variables or {}), capture_output=True, text=True,
            stdin=subprocess.DEVNULL, errors="replace")


# GitHub's expressions: literals, contexts, the operators ! && || == !=, startsWith, and the functions of a job's state.
TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(\d+)|([A-Za-z_][\w.-]*)|(&&|\|\||==|!=|!|\(|\)|,))")


class Expression:
    def __init__(self, text, lookup):
        self.tokens, self.lookup, position, text = [], lookup, 0, text.strip()
        while position < len(text):
            found = TOKEN.match(text, position)
            if not found:
                raise ValueError(f"can't read the expression {text}")
            self.tokens.append(found.groups())
            position = found.end()

    def take(self, *operators):
        if self.tokens and self.tokens[0][3] in operators:
            return self.tokens.pop(0)[3]
        return None

    def value(self):
        result = self.either()
        if self.tokens:
            raise ValueError(f"the expression goes on: {self.tokens}")
        return result

    def either(self):
        left = self.both()
        while self.take("||"):
            right = self.both()
            left = left or right
        return left

    def both(self):
        left = self.equal()
        while self.take("&&"):
            right = self.equal()
            left = left and right
        return left

    def equal(self):
        left = self.single()
        while operator := self.take("==", "!="):
            same = str(left or "") == str(self.single() or "")
            left = same if operator == "==" else not same
        return left

    def single(self):
        if self.take("!"):
            return not self.single()
        if self.take("("):
            result = self.either()
            self.take(")")
            return result
        text, number, name, _ = self.tokens.pop(0)
        if text is not None:
            return text[1:-1].replace("''", "'")
        if number is not None:
            return int(number)
        if not self.take("("):
            return self.lookup(name)
        if name == "startsWith":
            text = self.either()
            self.take(",")
            start = self.either()
            self.take(")")
            return str(text or "").lower().startswith(start.lower())
        self.take(")")
        return self.lookup(name + "()")


def find(contexts, path):
    node = contexts
    for name in path.split("."):
        node = node.get(name) if isinstance(node, dict) else None
    return node


class GitHub:
    """A repository with its runs: artifacts by run, caches by branch."""

    def __init__(self, place, platform, program, action):
        self.place, self.platform, self.program, self.action = place, platform, program, action
        self.artifacts, self.caches, self.runs = {}, {}, 0
        self.machines = {}
        self.origin = place / "origin"

    def machine(self, labels):
        """Hosted machines are new for each job; a machine with a device stays."""
        labels = labels if isinstance(labels, list) else [labels]
        mac = "self-hosted" in labels or labels[0].startswith("macos")
        name = "-".join(labels) if "self-hosted" in labels else f"{labels[0]}-{len(self.machines)}"
        if name not in self.machines:
            self.machines[name] = Machine(self.place / "machines" / name, self.program, mac)
        return self.machines[name]

    def run(self, workflow, event, ref, commit, payload=None, variables=None):
        """Runs a workflow for a commit, and returns its jobs by name with conclusion, summary and output."""
        workflow = yaml.load(workflow, Loader=yaml.BaseLoader) if isinstance(workflow, str) else workflow
        self.runs += 1
        number = self.runs
        self.artifacts[number] = {}
        jobs = {}
        waiting = dict(workflow["jobs"])
        while waiting:
            name, job = next((name, job) for name, job in waiting.items()
                             if not set(aslist(job.get("needs"))) & set(waiting))
            del waiting[name]
            needed = [jobs[need] for need in aslist(job.get("needs"))]
            matrix = job.get("strategy", {}).get("matrix", {})
            results = [Job(self, workflow, job, name, number, event, ref, commit, payload or {}, variables or {}, cell, needed).run()
                       for cell in cells(matrix)]
            jobs[name] = results[0] if len(results) == 1 else {
                "conclusion": next((r["conclusion"] for r in results if r["conclusion"] != "success"), "success"),
                "said": "\n".join(r["said"] for r in results), "summary": "", "outputs": {}}
        return number, jobs


def aslist(value):
    return [] if value is None else value if isinstance(value, list) else [value]


def cells(matrix):
    if included := matrix.get("include"):
        return included
    result = [{}]
    for key, values in matrix.items():
        result = [cell | {key: value} for cell in result for value in values]
    return result


class Job:
    def __init__(self, server, workflow, job, name, number, event, ref, commit, payload, variables, matrix, needed):
        self.server, self.job, self.number, self.matrix, self.needed = server, job, number, matrix, needed
        self.failed, self.said, self.saves = False, [], []
        self.ref, self.commit, self.event = ref, commit, event
        self.github = {
            "event_name": event, "ref": ref, "run_id": number, "run_attempt": 1, "token": "token", "event": payload,
            "repository": "owner/app", "server_url": server.platform.address}
        self.vars, self.steps, self.levels = variables, {}, [workflow.get("env", {}), job.get("env", {})]

    def lookup(self, name, local):
        states = {"success()": not self.failed, "failure()": self.failed, "always()": True, "cancelled()": False}
        if name in states:
            return states[name]
        contexts = {
            "github": self.github | local.get("github", {}), "matrix": self.matrix, "vars": self.vars,
            "runner": {"temp": str(self.temp), "os": "macOS" if self.machine.mac else "Linux"},
            "steps": local.get("steps", self.steps), "inputs": local.get("inputs", {}), "env": local.get("env", {})}
        if name.split(".")[0] not in contexts:
            raise ValueError(f"unknown context {name}")
        return find(contexts, name)

    def text(self, template, local):
        def value(found):
            result = Expression(found[1], lambda name: self.lookup(name, local)).value()
            return "" if result in (None, False) else "true" if result is True else str(result)
        return re.sub(r"\$\{\{(.*?)\}\}", value, str(template))

    def holds(self, condition, local):
        if condition is None:
            return not self.failed
        condition = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", condition.strip())
        result = Expression(condition, lambda name: self.lookup(name, local)).value()
        # Without a status function, success() is required too.
        return bool(result) and (not self.failed or bool(re.search(r"(always|failure|cancelled)\(\)", condition)))

    def run(self):
        conclusion = {"conclusion": "skipped", "said": "", "summary": "", "outputs": {}}
        self.machine = None
        self.failed = any(need["conclusion"] != "success" for need in self.needed)
        local = {}
        labels = self.job["runs-on"]
        self.temp = pathlib.Path("/nowhere")
        plain = [re.sub(r"\$\{\{ *matrix\.(\w+) *\}\}", lambda m: str(self.matrix[m[1]]), label) for label in aslist(labels)]
        self.machine = self.server.machine(plain)
        if not self.holds(self.job.get("if"), local):
            return conclusion
        self.failed = False
        self.workspace = self.machine.place / "workspace"
        shutil.rmtree(self.workspace, ignore_errors=True)
        self.workspace.mkdir()
        self.temp = self.machine.place / "temp"
        shutil.rmtree(self.temp, ignore_errors=True)
        self.temp.mkdir()
        self.files = {name: self.temp / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH", "GITHUB_ENV")}
        self.paths = []
        self.summary = ""
        (self.temp / "event.json").write_text(json.dumps(self.github["event"]))
        for level in self.levels:
            local["env"] = local.get("env", {}) | {key: self.text(value, local) for key, value in level.items()}
        for step in self.job["steps"]:
            self.step(step, local)
        if not self.failed:
            for save in self.saves:
                save()
        return {"conclusion": "failure" if self.failed else "success", "said": "\n".join(self.said), "summary": self.summary,
                "outputs": {name: step["outputs"] for name, step in self.steps.items()}}

    def step(self, step, local):
        if not self.holds(step.get("if"), local):
            return
        state = local.get("steps", self.steps)
        env = local.get("env", {}) | {key: self.text(value, local) for key, value in step.get("env", {}).items()}
        local = local | {"env": env}
        outcome, outputs = True, {}
        if "run" in step:
            outcome, outputs = self.script(self.text(step["run"], local), env, local)
        else:
            inputs = {key: self.text(value, local) for key, value in step.get("with", {}).items()}
            outcome, outputs = self.use(step["uses"], inputs, env)
        if "id" in step:
            state[step["id"]] = {"outputs": outputs, "outcome": "success" if outcome else "failure"}
        if not outcome and step.get("continue-on-error") != "true":
            self.failed = True

    def script(self, script, env, local):
        for name, file in self.files.items():
            file.write_text("")
        variables = env | {name: str(path) for name, path in self.files.items()} | {
            "RUNNER_TEMP": str(self.temp), "GITHUB_SERVER_URL": self.server.platform.address,
            "GITHUB_API_URL": self.server.platform.address + "/api", "GITHUB_REPOSITORY": "owner/app",
            "GITHUB_EVENT_PATH": str(self.temp / "event.json"), "GITHUB_ACTIONS": "true", "GITHUB_REF": self.ref,
            "GITHUB_SHA": self.commit, "GITHUB_EVENT_NAME": self.event, "GITHUB_RUN_ID": str(self.number),
            "GITHUB_REF_NAME": self.ref.removeprefix("refs/heads/").removeprefix("refs/tags/"),
            "PATH": ":".join(self.paths + [self.machine.environment["PATH"]])}
        if "action" in local:
            variables["GITHUB_ACTION_PATH"] = str(local["action"])
        result = self.machine.run(script, self.workspace, variables)
        self.said.append(result.stdout + result.stderr)
        self.paths = self.files["GITHUB_PATH"].read_text().split() + self.paths
        self.summary += self.files["GITHUB_STEP_SUMMARY"].read_text()
        outputs = dict(line.split("=", 1) for line in self.files["GITHUB_OUTPUT"].read_text().splitlines())
        return result.returncode == 0, outputs

    def use(self, name, inputs, env):
        if name.startswith(ACTION) or name == "./":
            return self.composite(self.workspace if name == "./" else self.server.action, inputs, env, name != "./")
        handler = {
            "actions/checkout": self.checkout, "actions/cache": self.cache, "actions/cache/restore": self.restore,
            "actions/cache/save": self.save, "actions/upload-artifact": self.upload,
            "actions/download-artifact": self.download, "actions/attest-build-provenance": self.attest}[name.split("@")[0]]
        assert re.search(r"@[0-9a-f]{40}$", name), f"{name} isn't pinned"
        return handler(inputs)

    def composite(self, folder, inputs, env, published):
        action = yaml.load((folder / "action.yml").read_text(), Loader=yaml.BaseLoader)
        unknown = set(inputs) - set(action["inputs"])
        assert not unknown, f"the action has no input {unknown}"
        given = {key: inputs.get(key, spec.get("default", "")) for key, spec in action["inputs"].items()}
        local = {"inputs": given, "env": env, "steps": {}, "action": folder,
                 "github": {"action_path": str(folder), "action_repository": "OWNER/perfgate" if published else ""}}
        before = self.failed
        self.failed = False
        for step in action["runs"]["steps"]:
            self.step(step, local)
        good = not self.failed
        self.failed = before
        return good, {key: self.text(spec["value"], local) for key, spec in action["outputs"].items()}

    def checkout(self, inputs):
        target = self.workspace / inputs.get("path", "")
        ref = inputs.get("ref", self.commit)
        if not (target / ".git").exists():
            target.mkdir(parents=True, exist_ok=True)
            git("init", "-q", folder=target)
            git("remote", "add", "origin", self.server.origin, folder=target)
        depth = inputs.get("fetch-depth", "1")
        git("fetch", "-q", *(["--depth", depth] if depth != "0" else []), "origin", ref, folder=target)
        git("checkout", "-q", "--force", "FETCH_HEAD", folder=target)
        if not inputs.get("ref") and self.ref.startswith("refs/heads/"):
            branch = self.ref.removeprefix("refs/heads/")
            git("checkout", "-q", "-B", branch, folder=target)
            git("config", f"branch.{branch}.remote", "origin", folder=target)
            git("config", f"branch.{branch}.merge", f"refs/heads/{branch}", folder=target)
        if inputs.get("persist-credentials") == "false":
            git("remote", "set-url", "--push", "origin", "no-credentials://", folder=target)
        return True, {}

    def restore(self, inputs):
        """A run restores the cache of its branch, else of the main branch."""
        wanted = [inputs["key"]] + inputs.get("restore-keys", "").split()
        for number, prefix in enumerate(wanted):
            for scope in (self.ref, "refs/heads/main"):
                kept = self.server.caches.get(scope, {})
                names = [name for name in kept if name == prefix or number and name.startswith(prefix)]
                if names:
                    shutil.copytree(kept[names[-1]], self.workspace / inputs["path"], dirs_exist_ok=True)
                    return True, {"cache-hit": "true" if names[-1] == inputs["key"] else "false"}
        return True, {"cache-hit": ""}

    def save(self, inputs):
        """A run saves for its own branch. Saved caches never change."""
        kept = self.server.caches.setdefault(self.ref, {})
        if inputs["key"] not in kept:
            folder = self.server.place / "caches" / f"{self.number}-{len(kept)}-{self.ref.replace('/', '-')}"
            shutil.copytree(self.workspace / inputs["path"], folder)
            kept[inputs["key"]] = folder
        return True, {}

    def cache(self, inputs):
        """Restores, and saves at the end of a successful job."""
        good, outputs = self.restore(inputs)
        if outputs["cache-hit"] != "true":
            self.saves.append(lambda: self.save(inputs))
        return good, outputs

    def upload(self, inputs):
        names = inputs["path"].split()
        kept = self.server.place / "artifacts" / f"{self.number}-{inputs['name']}"
        paths = [self.workspace / name for name in names]
        if inputs["name"] in self.server.artifacts[self.number]:
            self.said.append(f"an artifact {inputs['name']} already exists")
            return False, {}
        kept.mkdir(parents=True)
        for path in paths:
            # Several folders keep their paths below their common one.
            if path.is_dir():
                shutil.copytree(path, kept / os.path.relpath(path, os.path.commonpath(paths)), dirs_exist_ok=True)
            elif path.is_file():
                shutil.copy(path, kept)
        if any(kept.rglob("*")):
            self.server.artifacts[self.number][inputs["name"]] = kept
        return True, {}

    def download(self, inputs):
        number = int(inputs.get("run-id", self.number))
        kept = self.server.artifacts.get(number, {})
        target = self.workspace / inputs.get("path", "")
        target.mkdir(parents=True, exist_ok=True)
        if "name" in inputs:
            if inputs["name"] not in kept:
                self.said.append(f"there is no artifact {inputs['name']}")
                return False, {}
            shutil.copytree(kept[inputs["name"]], target, dirs_exist_ok=True)
            return True, {}
        pattern = re.compile(inputs.get("pattern", "*").replace("*", ".*"))
        for name, folder in kept.items():
            if pattern.fullmatch(name):
                merged = inputs.get("merge-multiple") == "true"
                shutil.copytree(folder, target if merged else target / name, dirs_exist_ok=True)
        return True, {}

    def attest(self, inputs):
        assert list(self.workspace.glob(inputs["subject-path"])), "nothing to attest"
        return True, {}


class GitLab:
    """Pipelines of .gitlab-ci.yml: the jobs of a pipeline, their order, artifacts and exit codes."""

    def __init__(self, place, platform, program, origin, android=False):
        self.place, self.platform, self.origin = place, platform, origin
        # Jobs with a tag run on the device's machine, all others in an image.
        self.machines = {True: Machine(place / "device", program, not android, android),
                         False: Machine(place / "image", program, False)}

    def run(self, text, commit, variables, secrets=None):
        config = yaml.safe_load(text)
        for include in config.pop("include", []):
            assert include.get("remote", include.get("local", "")).endswith(".gitlab/perfgate.yml"), include
            config = merged(yaml.safe_load((root / ".gitlab/perfgate.yml").read_text()), config)
        world = {"CI_API_V4_URL": self.platform.address + "/api", "GITLAB_CI": "true", "CI_PROJECT_ID": "7",
                 "CI_COMMIT_SHA": commit, "CI_DEFAULT_BRANCH": "main", "CI_JOB_URL": "https://gitlab.localhost/job/1",
                 "CI_SERVER_HOST": "gitlab.localhost", "CI_PROJECT_PATH": "group/app",
                 **variables, **(secrets or {})}
        world |= {key: self.expand(value, world) for key, value in config.get("variables", {}).items()}
        if "CI_MERGE_REQUEST_IID" in world:
            self.platform.heads.setdefault(int(world["CI_MERGE_REQUEST_IID"]), commit)
        # The address of a release is the fake server's.
        world["PERFGATE_RELEASE"] = self.platform.address + "/OWNER/perfgate/releases/download/v0.1.0"
        workflow = config.get("workflow", {}).get("rules")
        if workflow is not None and self.matching(workflow, world) is None:
            return {}
        stages = [".pre", *config.get("stages", ["build", "test", "deploy"]), ".post"]
        reserved = {"stages", "workflow", "variables", "include", "default"}
        jobs = {}
        for name in config:
            if name in reserved or name.startswith("."):
                continue
            job = self.resolved(config, name)
            assert job.get("stage", "test") in stages, f"{name}: no stage {job.get('stage')}"
            rule = self.matching(job["rules"], world) if "rules" in job else {}
            # A job without rules only runs for branches, unless the workflow has rules.
            if "rules" not in job and workflow is None and world.get("CI_PIPELINE_SOURCE") == "merge_request_event":
                continue
            if rule is not None:
                jobs[name] = job | rule
        for name, job in list(jobs.items()):
            for need in job.get("needs", []):
                assert need in jobs, f"{name} needs {need}, which this pipeline lacks"
        # A matrix makes a job of each cell; other jobs need all of them by the name.
        jobs = {name + (f": [{', '.join(cell.values())}]" if cell else ""): job | {"name": name, "cell": cell}
                for name, job in jobs.items() for entry in job.get("parallel", {}).get("matrix", [{}]) for cell in cells(entry)}
        done, stage = {}, lambda job: stages.index(job.get("stage", "test"))
        for name, job in sorted(jobs.items(), key=lambda item: stage(item[1])):
            # A job without needs waits for the stages before its own.
            before = [done[other] for other in done if (
                jobs[other]["name"] in job["needs"] if "needs" in job else stage(jobs[other]) < stage(job))]
            if job.get("when") != "always" and any(need["status"] == "failed" for need in before):
                done[name] = {"status": "skipped", "said": "", "artifacts": None, "code": None}
                continue
            done[name] = self.job(name, job, commit, world | job["cell"], before)
        return done

    def job(self, name, job, commit, world, before):
        machine = self.machines["tags" in job]
        assert "tags" in job or "image" in job, f"{name} has neither a tag nor an image"
        folder = machine.place / "build"
        shutil.rmtree(folder, ignore_errors=True)
        git("clone", "-q", self.origin, folder, folder=self.place)
        git("checkout", "-q", commit, folder=folder)
        for need in before:
            if need["artifacts"]:
                shutil.copytree(need["artifacts"], folder, dirs_exist_ok=True)
            world = world | need.get("variables", {})
        world = world | {"CI_PROJECT_DIR": str(folder)}
        for key, value in job.get("variables", {}).items():
            world[key] = self.expand(value, world)
        variables = {key: value for key, value in world.items()}
        # The fake server accepts pushes to the server's address.
        variables |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{self.origin}.insteadOf",
                      "GIT_CONFIG_VALUE_0": f"https://oauth2:{world.get('PUSH_TOKEN', '')}@gitlab.localhost/group/app.git"}
        script = "\n".join([*job.get("before_script", []), *job["script"]])
        result = machine.run(script, folder, variables)
        good = result.returncode == 0
        allowed = job.get("allow_failure")
        warned = not good and isinstance(allowed, dict) and result.returncode in aslist(allowed.get("exit_codes"))
        artifacts = None
        spec = job.get("artifacts", {})
        if spec and (good or spec.get("when") == "always"):
            artifacts = self.place / "artifacts" / f"{name}-{os.urandom(4).hex()}"
            artifacts.mkdir(parents=True)
            for path in spec.get("paths", []):
                if (folder / path).is_dir():
                    shutil.copytree(folder / path, artifacts / path)
                elif (folder / path).is_file():
                    shutil.copy(folder / path, artifacts / path)
        dotenv = folder / str(spec.get("reports", {}).get("dotenv"))
        lines = dotenv.read_text().splitlines() if dotenv.is_file() else []
        return {"status": "success" if good else "warning" if warned else "failed", "said": result.stdout + result.stderr,
                "artifacts": artifacts, "code": result.returncode, "variables": dict(line.split("=", 1) for line in lines)}

    def resolved(self, config, name):
        job = dict(config[name])
        for parent in aslist(job.pop("extends", None)):
            job = merged(self.resolved(config, parent), job)
        return job

    def matching(self, rules, world):
        for rule in rules:
            if "if" not in rule:
                return rule
            found = re.fullmatch(r'\$(\w+) == (?:"(.*)"|\$(\w+))', rule["if"])
            right = found[2] if found[2] is not None else world.get(found[3])
            if world.get(found[1]) == right and right is not None:
                return {key: value for key, value in rule.items() if key == "when"}
        return None

    def expand(self, value, world):
        return re.sub(r"\$(\w+)", lambda found: world.get(found[1], ""), str(value))


def merged(base, more):
    """Keys of `more` over those of `base`; objects key by key, as GitLab merges them."""
    result = dict(base)
    for key, value in more.items():
        result[key] = merged(base[key], value) if isinstance(value, dict) and isinstance(base.get(key), dict) else value
    return result


JENKINS = """
class Block extends Script {
    def env = [WORKSPACE: System.getProperty('user.dir'), PATH: System.getenv('MACHINE_PATH')]
    def scm = 'the repository'
    def run() { null }
    static failure = null
    def call(Closure body) { body.delegate = this; body.resolveStrategy = Closure.DELEGATE_FIRST; body() }
    def pipeline(Closure body) { call(body) }
    def agent(Closure body) { call(body) }
    def label(name) { }
    def environment(Closure body) {
        def found = [:]
        body.delegate = new Expando(env: env); body.resolveStrategy = Closure.DELEGATE_FIRST
        body(); body.delegate.properties.each { if (it.key != 'env' && it.value != null) env[it.key] = it.value.toString() }
    }
    def stages(Closure body) { call(body) }
    def stage(name, Closure body) { if (failure == null) try { call(body) } catch (e) { failure = e } }
    def steps(Closure body) { call(body) }
    def node(name, Closure body) { try { call(body) } catch (e) { failure = e } }
    def post(Closure body) { call(body) }
    def always(Closure body) { call(body) }
    def checkout(what) { }
    def withEnv(list, Closure body) {
        def before = new HashMap(env)
        list.each { def (key, value) = it.toString().split('=', 2); env[key] = value }
        try { call(body) } finally { env = before }
    }
    def sh(Map options) { int code = execute(options.script.toString())
        if (options.returnStatus) return code
        if (code != 0) throw new RuntimeException("script returned exit code ${code}") }
    def sh(script) { sh(script: script) }
    int execute(String script) {
        def process = new ProcessBuilder('sh', '-xe', '-c', script).inheritIO()
        env.each { process.environment().put(it.key, it.value.toString()) }
        process.start().waitFor()
    }
    def junit(name) { if (!new File(name.toString()).exists()) throw new RuntimeException("no results ${name}") }
    def archiveArtifacts(Map options) { println "archived ${options.artifacts}" }
    def error(text) { throw new RuntimeException(text.toString()) }
}
def configuration = new org.codehaus.groovy.control.CompilerConfiguration(scriptBaseClass: 'Block')
def script = new GroovyShell(this.class.classLoader, new Binding(), configuration).parse(new File(args[0]))
script.run()
if (Block.failure != null) { System.err.println Block.failure; System.exit(1) }
"""


def jenkins(text, machine, folder):
    """Runs a Jenkinsfile with Groovy itself, and Jenkins' steps as methods."""
    runner, file = machine.place / "jenkins.groovy", folder / "Jenkinsfile"
    # Groovy treats the first class of a script as the script itself.
    runner.write_text(JENKINS)
    file.write_text(text)
    java = pathlib.Path(shutil.which("java")).resolve().parent.parent
    # Groovy runs on this machine, and the processes it starts on the other.
    path = {"JAVA_HOME": str(java), "MACHINE_PATH": machine.environment["PATH"], "PATH": "/usr/bin:/bin"}
    return machine.run(f"groovy {runner} {file}", folder, path)


def bitbucket(text, machines, origin, commit, place):
    """Runs the steps for pull requests; the following steps have the artifacts."""
    config = yaml.safe_load(text)
    kept = place / "artifacts"
    kept.mkdir()
    results = {}
    for number, entry in enumerate(config["pipelines"]["pull-requests"]["**"]):
        step = entry["step"]
        machine = machines["macos" in step.get("runs-on", [])]
        folder = place / f"step-{number}"
        git("clone", "-q", origin, folder, folder=place)
        git("checkout", "-q", commit, folder=folder)
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        result = machine.run("\n".join(step["script"]), folder)
        results[step["name"]] = result, folder
        if result.returncode != 0:
            break
        for pattern in step["artifacts"] if isinstance(step.get("artifacts"), list) else []:
            for path in folder.glob(pattern + "/*" if pattern.endswith("**") else pattern):
                if path.is_file():
                    target = kept / path.relative_to(folder)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, target)
    return results


def holds(condition, build):
    """A condition of Buildkite: comparisons joined by && and ||."""
    words = {"&&": "and", "||": "or", "null": "None", "true": "True", "false": "False"}
    parts = re.findall(r"build\.[\w.]+|'[^']*'|\"[^\"]*\"|[=!]=|&&|\|\||\w+", condition)
    return eval(" ".join(repr(build.get(part)) if part.startswith("build.") else words.get(part, part) for part in parts), {})


def buildkite(text, machines, origin, commit, place, build=None, variables=None):
    """Runs the steps: the server replaces variables and makes $ of $$ before an agent sees a command.

    `build` holds what conditions ask for, such as `build.pull_request.id`.
    """
    config = yaml.safe_load(text)
    assert not re.search(r"(?<!\$)\$(?!\$)", text), "the server replaces this variable before the agent sees it"
    store = place / "artifacts"
    store.mkdir()
    results, failed = {}, set()
    steps = [json.loads(json.dumps(step).replace("{{matrix}}", cell)) for step in config["steps"] for cell in step.get("matrix", [""])]
    for number, step in enumerate(steps):
        if set(aslist(step.get("depends_on"))) & failed or not holds(step.get("if", "true"), build or {}):
            continue
        machine = machines["agents" in step]
        folder = place / f"step-{number}"
        git("clone", "-q", origin, folder, folder=place)
        git("checkout", "-q", commit, folder=folder)
        commands = "\n".join(aslist(step["command"])).replace("$$", "$")
        result = machine.run(commands, folder, {"FAKE_STORE": str(store)} | (variables or {}))
        results[step["label"]] = result, folder
        for path in folder.glob(step["artifact_paths"]):
            if path.is_file():
                target = store / path.relative_to(folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
        if result.returncode != 0:
            failed.add(step.get("key", step["label"]))
    return results
