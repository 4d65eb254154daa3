#!/usr/bin/env python3
"""Tests the scripts of a release with a fake binary, a shell script, without the network.

    python3 ci/release/test_release.py

Tests of the npm packages need node and npm, those of `install.sh` curl; without them, or on Windows, these tests are skipped.
"""

import contextlib
import hashlib
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import check_version
import licences
import npm
import package
import smoke

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(__file__).resolve().parent
VERSION = "1.2.3"
# Says which binary it is, and ends as the first argument asks.
BINARY = """#!/bin/sh
case "$1" in
--version) echo "trimtab 1.2.3" ;;
--target) echo "TARGET" ;;
validate)
    case "$2" in
    invalid.trim) echo "error[E201]"; exit 1 ;;
    *) echo "1 file checked, no problems found" ;;
    esac ;;
simulate) echo "No rule fired" ;;
proxy) echo "  --upstream <PROVIDER=URL>" ;;
arguments) shift; printf '[%s]' "$@" ;;
exit) exit "$2" ;;
kill) kill -KILL $$ ;;
wait) trap 'echo terminated; exit 7' TERM; echo ready; while :; do sleep 0.1; done ;;
esac
"""
needs_unix = unittest.skipIf(os.name == "nt", "the fake binary is a shell script")


def has(*programs):
    """Whether programs are installed."""
    return all(shutil.which(program) for program in programs)


def run(words, **options):
    """Runs a program, and returns its result with its outputs as texts."""
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=600, **options)


class Case(unittest.TestCase):
    """A test with an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def binary(self, target, text=BINARY):
        """A fake binary."""
        path = self.folder / f"binary-{target}"
        path.write_text(text.replace("TARGET", target), encoding="utf-8", newline="\n")
        return path

    def archive(self, target, folder="archives", text=BINARY):
        """The archive of a fake binary."""
        return package.write_archive(self.binary(target, text), target, self.folder / folder)


class Archives(Case):
    def test_an_archive_has_the_binary_and_the_documents(self):
        for target in npm.TARGETS:
            licence_list = self.folder / "licences.txt"
            licence_list.write_text("MIT")
            path = package.write_archive(self.binary(target), target, self.folder, licence_list)
            expected = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "THIRD-PARTY-LICENSES.txt"]
            if "windows" in target:
                with zipfile.ZipFile(path) as archive:
                    modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
                name = "trimtab.exe"
            else:
                with tarfile.open(path) as archive:
                    modes = {entry.name: entry.mode for entry in archive}
                    self.assertTrue(all(entry.uid == 0 and not entry.uname for entry in archive))
                name = "trimtab"
            self.assertEqual(sorted(modes), sorted(f"trimtab-{target}/{file}" for file in [*expected, name]))
            self.assertEqual({file for file, mode in modes.items() if mode == 0o755}, {f"trimtab-{target}/{name}"})

    def test_the_same_files_give_the_same_archive(self):
        for target in ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"]:
            with mock.patch.dict(os.environ, SOURCE_DATE_EPOCH="1790000000"):
                first = self.archive(target, "first")
                os.utime(self.folder / f"binary-{target}", (1, 1))
                second = package.write_archive(self.folder / f"binary-{target}", target, self.folder / "second")
            self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_checksums_are_those_of_all_files(self):
        archive = self.archive("aarch64-apple-darwin", "files")
        (self.folder / "files" / "a.whl").write_bytes(b"wheel")
        # A second time, the list is not in the list.
        for _ in range(2):
            listed = package.write_checksums(self.folder / "files").read_text()
        expected = [
            (hashlib.sha256(b"wheel").hexdigest(), "a.whl"),
            (hashlib.sha256(archive.read_bytes()).hexdigest(), archive.name),
        ]
        self.assertEqual(listed, "".join(f"{digest}  {name}\n" for digest, name in expected))
        if has("sha256sum"):
            self.assertEqual(run(["sha256sum", "--check", "SHA256SUMS"], cwd=archive.parent).returncode, 0)

    def test_an_empty_folder_has_no_checksums(self):
        with self.assertRaises(SystemExit):
            package.write_checksums(self.folder)


class Licences(Case):
    def crate(self, name, kind="lib", **files):
        """A package of the metadata, with licence files."""
        folder = self.folder / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text)
        manifest = folder / "Cargo.toml"
        return {
            "id": name,
            "name": name,
            "version": "1.0.0",
            "license": "MIT",
            "manifest_path": str(manifest),
            "targets": [{"kind": [kind]}],
        }

    def test_only_what_is_compiled_in_is_listed(self):
        packages = [
            self.crate("trimtab"),
            self.crate("trimtab-base"),
            self.crate("direct", LICENSE="the text"),
            self.crate("indirect", **{"LICENSE-MIT": "the text\n", "NOTICE": "a notice", "readme": "no licence"}),
            self.crate("derive", "proc-macro", LICENSE="of the macro"),
            self.crate("builder", LICENSE="of the builder"),
            self.crate("tester", LICENSE="of the tester"),
        ]
        edges = {
            "trimtab": [("trimtab-base", [None]), ("derive", [None]), ("builder", ["build"]), ("tester", ["dev"])],
            "trimtab-base": [("direct", [None, "dev"])],
            "direct": [("indirect", [None])],
            "derive": [("tester", [None])],
        }
        nodes = [
            {
                "id": crate["id"],
                "deps": [
                    {"pkg": to, "dep_kinds": [{"kind": kind} for kind in kinds]} for to, kinds in edges.get(crate["id"], [])
                ],
            }
            for crate in packages
        ]
        metadata = {"packages": packages, "workspace_members": ["trimtab", "trimtab-base"], "resolve": {"nodes": nodes}}
        script = run([sys.executable, SCRIPTS / "licences.py"], input=json.dumps(metadata))
        self.assertEqual(script.returncode, 0, script.stderr)
        self.assertIn("direct 1.0.0: MIT\nindirect 1.0.0: MIT\n", script.stdout)
        self.assertIn(f"direct 1.0.0, indirect 1.0.0\n{licences.LINE}\n\nthe text\n", script.stdout)
        self.assertIn(f"indirect 1.0.0\n{licences.LINE}\n\na notice\n", script.stdout)
        self.assertEqual(script.stdout.count("the text"), 1)
        for text in ["of the", "no licence", "trimtab"]:
            self.assertNotIn(text, script.stdout)

    def test_packages_can_be_named(self):
        packages = [self.crate(name) for name in ["trimtab", "trimtab-node", "direct", "binding"]]
        needs = {"trimtab": ["direct"], "trimtab-node": ["trimtab", "binding"]}
        nodes = [
            {"id": crate["id"], "deps": [{"pkg": name, "dep_kinds": [{"kind": None}]} for name in needs.get(crate["id"], [])]}
            for crate in packages
        ]
        metadata = {"packages": packages, "workspace_members": ["trimtab", "trimtab-node"], "resolve": {"nodes": nodes}}
        for names, expected in [([], ["direct"]), (["trimtab", "trimtab-node"], ["binding", "direct"])]:
            script = run([sys.executable, SCRIPTS / "licences.py", *names], input=json.dumps(metadata))
            self.assertEqual(re.findall(r"^(\w+) 1\.0\.0: MIT$", script.stdout, re.MULTILINE), expected)

    def test_metadata_without_dependencies_is_an_error(self):
        crate = self.crate("trimtab")
        metadata = {"packages": [crate], "workspace_members": ["trimtab"], "resolve": {"nodes": [{"id": "trimtab", "deps": []}]}}
        self.assertEqual(run([sys.executable, SCRIPTS / "licences.py"], input=json.dumps(metadata)).returncode, 1)


class Versions(Case):
    def test_notes_have_a_line_for_each_paragraph(self):
        rest = "- Another:\n\n  ```sh\n  a\n  b\n  ```\n\n| a |\n|---|\n| b |\n"
        text = f"A paragraph\nof two lines.\n\n### Title\n\n- An item\n  of two.\n{rest}"
        lines = f"A paragraph of two lines.\n\n### Title\n\n- An item of two.\n{rest}"
        self.assertEqual(check_version.unwrapped(text), lines)

    def repository(self, replace=None, by=""):
        """A repository at version 1.2.3. In one file, `replace` is replaced."""
        files = {
            "Cargo.toml": '[workspace.package]\nversion = "1.2.3"\n[workspace.dependencies]\n'
            'trimtab-base = { path = "crates/trimtab-base", version = "1.2.3" }\nserde = "1"\n'
            '[package]\nname = "trimtab"\nversion.workspace = true\n',
            "Cargo.lock": '[[package]]\nname = "trimtab-base"\nversion = "1.2.3"\n\n'
            '[[package]]\nname = "serde"\nversion = "1.0.0"\n',
            "crates/trimtab-base/Cargo.toml": '[package]\nname = "trimtab-base"\nversion.workspace = true\n',
            "python/Cargo.toml": '[package]\nname = "trimtab-python"\nversion.workspace = true\n',
            "node/Cargo.toml": '[package]\nname = "trimtab-node"\nversion.workspace = true\n',
            "python/pyproject.toml": '[project]\nname = "trimtab"\ndynamic = ["version"]\n',
            "CHANGELOG.md": "# Changelog\n\nAn introduction.\n\n## 1.2.3 (2026-12-01)\n\n"
            "- New: [a page](docs/a.md#b), [a site](https://example.com)\n\n"
            "## 1.2.2 (2026-11-01)\n\n- Old\n",
        }
        root = Path(tempfile.mkdtemp(dir=self.folder))
        replaced = 0
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            replaced += replace is not None and replace in text
            (root / name).write_text(text.replace(replace, by) if replace else text)
        self.assertEqual(replaced, replace is not None, replace)
        return root

    def check(self, root, *options):
        """Runs the script."""
        return run([sys.executable, SCRIPTS / "check_version.py", "--root", root, *options])

    def test_this_repository_has_one_version(self):
        self.assertEqual(check_version.package_errors(ROOT), [])

    def test_a_release_has_one_version(self):
        result = self.check(self.repository(), "--tag", "v1.2.3")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "version=1.2.3\nprerelease=false\n", ""))

    def test_a_hyphen_makes_a_prerelease(self):
        root = self.repository()
        for path in [*root.rglob("*.toml"), root / "Cargo.lock", root / "CHANGELOG.md"]:
            path.write_text(path.read_text().replace("1.2.3", "1.2.3-rc.1"))
        self.assertEqual(self.check(root, "--tag", "v1.2.3-rc.1").stdout, "version=1.2.3-rc.1\nprerelease=true\n")

    def test_other_versions_are_errors(self):
        cases = [
            (
                'name = "trimtab-base"\nversion.workspace = true',
                'name = "trimtab-base"\nversion = "1.2.3"',
                "crates/trimtab-base/Cargo.toml",
            ),
            ('trimtab-base", version = "1.2.3"', 'trimtab-base", version = "1.2.2"', "the requirement of `trimtab-base`"),
            ('"trimtab-base"\nversion = "1.2.3"', '"trimtab-base"\nversion = "1.2.2"', "Cargo.lock: `trimtab-base`"),
            ('"trimtab-node"\nversion.workspace = true', '"trimtab-node"\nversion = "1.2.3"', "node/Cargo.toml"),
            ('dynamic = ["version"]', 'version = "1.2.3"', "python/pyproject.toml"),
            ("## 1.2.3 (2026-12-01)", "## Unreleased", "the newest section is `Unreleased`"),
            ("- New: [a page](docs/a.md#b), [a site](https://example.com)", "", "the section `1.2.3` is empty"),
        ]
        for replace, by, error in cases:
            result = self.check(self.repository(replace, by), "--tag", "v1.2.3")
            self.assertEqual((result.returncode, result.stdout), (1, ""), error)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(error, result.stderr)

    def test_the_tag_is_that_of_the_version(self):
        for tag in ["v1.2.4", "1.2.3", ""]:
            result = self.check(self.repository(), "--tag", tag)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"the tag is `{tag}`", result.stderr)

    def test_without_a_tag_changes_may_be_unreleased(self):
        self.assertEqual(self.check(self.repository("## 1.2.3 (2026-12-01)", "## Unreleased")).returncode, 0)

    def test_notes_are_the_newest_section_with_absolute_links(self):
        notes = self.folder / "notes.md"
        self.check(self.repository(), "--tag", "v1.2.3", "--notes", notes, "--links", "https://host/o/r/blob/v1.2.3")
        link = "https://host/o/r/blob/v1.2.3/docs/a.md#b"
        self.assertEqual(notes.read_text(), f"- New: [a page]({link}), [a site](https://example.com)\n")


@needs_unix
class Smoke(Case):
    TARGET = "x86_64-unknown-linux-gnu"

    def smoke(self, file, version=VERSION, *options):
        """Runs the script."""
        return run([sys.executable, SCRIPTS / "smoke.py", file, "--version", version, *options])

    def wheel(self):
        """A wheel of the package with a script instead of a compiled command."""
        path = self.folder / f"trimtab-{VERSION}-py3-none-any.whl"
        info = f"trimtab-{VERSION}.dist-info"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr("trimtab/__init__.py", "")
            script = zipfile.ZipInfo(f"trimtab-{VERSION}.data/scripts/trimtab")
            # A regular file that can be executed.
            script.external_attr = 0o100755 << 16
            wheel.writestr(script, BINARY)
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: trimtab\nVersion: {VERSION}\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
        return path

    def test_a_binary_that_works_passes(self):
        for file in [self.archive(self.TARGET), self.wheel()]:
            result = self.smoke(file)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertEqual(result.stdout.count("✓"), len(smoke.checks(VERSION)))

    def test_a_binary_runs_with_an_empty_environment(self):
        # Without `PATH` too, but a shell has a default one then.
        text = BINARY.replace("\n", '\n[ -z "$HOME$CANARY" ] || exit 3\n', 1)
        with mock.patch.dict(os.environ, HOME="/home", CANARY="1"):
            result = self.smoke(self.archive(self.TARGET, text=text))
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_each_check_can_fail(self):
        faults = [
            ("the version", "trimtab 1.2.3", "trimtab 1.2.4"),
            ("a valid policy", '*) echo "1 file checked, no problems found"', "*) exit 1"),
            ("an invalid policy", "exit 1", "exit 0"),
            (
                "a simulation with exact token counts",
                'simulate) echo "No rule fired"',
                'simulate) echo "this build has no tokenizers"; exit 2',
            ),
            ("the proxy", "--upstream <PROVIDER=URL>", "this build lacks it"),
        ]
        self.assertEqual([name for name, _, _ in faults], [check[0] for check in smoke.checks(VERSION)])
        for name, text, by in faults:
            self.assertIn(text, BINARY)
            result = self.smoke(self.archive(self.TARGET, text=BINARY.replace(text, by)))
            self.assertEqual(result.returncode, 1)
            self.assertEqual(re.findall("✗ (.*)", result.stdout), [name])

    def test_an_archive_without_a_binary_fails(self):
        (self.folder / f"trimtab-{self.TARGET}").mkdir()
        path = shutil.make_archive(str(self.folder / "empty"), "gztar", self.folder, f"trimtab-{self.TARGET}")
        self.assertEqual(self.smoke(path).returncode, 1)

    def test_a_container_gets_the_files_and_no_network(self):
        # Prints the arguments that docker would get.
        docker = self.folder / "bin" / "docker"
        docker.parent.mkdir()
        docker.write_text('#!/bin/sh\necho "$@"\n')
        docker.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=f"{docker.parent}:{os.environ['PATH']}"):
            result = self.smoke(self.archive(self.TARGET), VERSION, "--image", "almalinux:8")
        self.assertIn("--network none --volume ", result.stdout)
        self.assertIn(f"--entrypoint /smoke/trimtab-{self.TARGET}/trimtab almalinux:8 --version", result.stdout)

    @unittest.skipUnless(sys.platform == "linux" and os.geteuid() == 0 and has("ldd"), "needs root on Linux")
    def test_a_root_has_only_the_binary_and_its_libraries(self):
        # A binary that lists the folder that it is in, and complains about arguments that are no files.
        path = self.folder / "archives" / package.archive_name(self.TARGET)
        package.write_archive(shutil.which("ls"), self.TARGET, path.parent)
        result = self.smoke(path, VERSION, "--chroot")
        self.assertEqual(result.returncode, 1)
        # `ls` has found the policy in the root, and no folder of this system.
        self.assertIn("uses /", result.stdout)
        self.assertIn("cannot access 'validate'", result.stdout)
        self.assertIn("smoke.trim", result.stdout)


@unittest.skipUnless(has("node"), "needs node")
class Addon(Case):
    """A library for Node is tried, here one that is written in JavaScript."""

    LIBRARY = """
        const edited = JSON.stringify([{}, {}, { content: "[tool result for read: …]" }]);
        exports.compile = (name, text) => ({
          hasErrors: () => false, validate: () => '{"diagnostics":[]}', render: () => "did you mean `mask`?", plan: () => ({}),
        });
        exports.Session = class { beforeRequest() { return { kind: "send", json: edited }; } };
        exports.planFromJson = () => { throw Object.assign(new Error("no JSON"), { code: "PolicyError" }); };
    """

    def smoke(self, text):
        """Runs the script."""
        (self.folder / "library.js").write_text(text, encoding="utf-8")
        return run(["node", SCRIPTS / "smoke.cjs", self.folder / "library.js"])

    def test_a_library_that_works_passes(self):
        result = self.smoke(self.LIBRARY)
        self.assertEqual((result.returncode, result.stdout.count("✓")), (0, 4), result.stdout + result.stderr)

    def test_each_check_can_fail(self):
        faults = {
            "a valid policy": ("() => false", "() => true"),
            "an invalid policy": ("did you mean `mask`?", "unknown"),
            "an edit": ("[tool result for read", "a line"),
            "an error": ('code: "PolicyError"', "code: 1"),
        }
        for name, (text, by) in faults.items():
            result = self.smoke(self.LIBRARY.replace(text, by))
            self.assertEqual(result.returncode, 1)
            self.assertEqual(re.findall("✗ (.*?):", result.stdout), [name])

    def test_what_cannot_be_loaded_fails(self):
        self.assertEqual(self.smoke("throw new Error()").returncode, 1)


class Registry(http.server.BaseHTTPRequestHandler):
    """An npm registry with the packages of `archives`, lists of tarballs, and nothing else."""

    def do_GET(self):
        path = self.path.replace("%2f", "/").lstrip("/")
        if path in self.server.files:
            content = self.server.files[path]
        elif path in self.server.packages:
            content = json.dumps(self.server.packages[path]).encode()
        else:
            self.send_error(404)
            return
        self.server.asked.append(path)
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Server(contextlib.AbstractContextManager):
    """A server of files, on this machine."""

    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
        self.server.files, self.server.packages, self.server.asked = {}, {}, []
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def add_package(self, tarball):
        """Adds an npm package."""
        with tarfile.open(tarball) as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
        content = tarball.read_bytes()
        name = manifest["name"]
        self.server.files[f"files/{tarball.name}"] = content
        manifest["dist"] = {"tarball": f"{self.address}/files/{tarball.name}", "shasum": hashlib.sha1(content).hexdigest()}
        version = manifest["version"]
        self.server.packages[name] = {"name": name, "dist-tags": {"latest": version}, "versions": {version: manifest}}

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@needs_unix
@unittest.skipUnless(has("node", "npm"), "needs node and npm")
class Npm(Case):
    """The packages are made and packed once for all tests."""

    @classmethod
    def setUpClass(cls):
        shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(shared.cleanup)
        cls.shared = Path(shared.name).resolve()
        # Without the user's settings and cache.
        cls.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(cls.shared),
            "npm_config_cache": str(cls.shared / "cache"),
            "npm_config_audit": "false",
            "npm_config_fund": "false",
            "npm_config_update_notifier": "false",
        }
        for target in npm.TARGETS:
            binary = cls.shared / "binary"
            binary.write_text(BINARY.replace("TARGET", target), newline="\n")
            package.write_archive(binary, target, cls.shared / "archives")
            addon = cls.shared / "addons" / npm.addon_name(target)
            addon.parent.mkdir(exist_ok=True)
            addon.write_text(f"the addon of {target}")
            addon.with_suffix(".txt").write_text("the licences")
        folders = [cls.shared / name for name in ["archives", "addons", "packages"]]
        cls.packages = npm.write_packages(*folders, VERSION, "https://host/owner/name")
        (cls.shared / "tarballs").mkdir()
        cls.packing = cls.npm(cls.shared, "pack", *cls.packages, "--pack-destination", "tarballs")

    @classmethod
    def npm(cls, folder, *words):
        """Runs npm in a folder."""
        return run(["npm", *words], cwd=folder, env=cls.environment)

    def tarball(self, name):
        """The tarball of a package."""
        return self.shared / "tarballs" / f"{name}-{VERSION}.tgz"

    def own(self):
        """The name of the package for this platform."""
        script = (
            "console.log(JSON.stringify([process.platform, process.arch, process.report.getReport().header.glibcVersionRuntime]))"
        )
        system, cpu, glibc = (*json.loads(run(["node", "-e", script]).stdout), None)[:3]
        libc = ("-gnu" if glibc else "-musl") if system == "linux" else ""
        return f"{system}-{cpu}{libc}"

    def own_target(self):
        """The target of this platform."""
        return next(target for target, (name, _) in npm.TARGETS.items() if name == self.own())

    def launch(self, folder, *words, **options):
        """Runs the installed command."""
        return run([folder / "node_modules" / ".bin" / "trimtab", *words], env=self.environment, **options)

    def install(self, *words):
        """Installs packages in an empty project, and returns its folder."""
        result = self.npm(self.folder, "install", "--ignore-scripts", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.folder

    def project(self):
        """A folder in which the tarballs for this platform are installed, without the network."""
        installed = self.shared / "project"
        if not installed.exists():
            shutil.copytree(
                self.install("--offline", "--no-save", self.tarball("trimtab"), self.tarball(f"trimtab-{self.own()}")),
                installed,
                symlinks=True,
            )
        project = self.folder / "project"
        shutil.copytree(installed, project, symlinks=True)
        return project

    def install_from_registry(self, *words):
        """Installs the command from a registry, as a user does. Also returns what npm asked for."""
        with Server() as server:
            for path in (self.shared / "tarballs").iterdir():
                server.add_package(path)
            folder = self.install("trimtab", "--registry", server.address, "--prefer-online", *words)
        return folder, server.server.asked

    def installed(self, folder):
        """The packages of platforms in a folder."""
        return sorted(path.name for path in (folder / "node_modules" / "@trimtab").iterdir())

    def addon(self, folder):
        """The text of the addon that the installed library would load."""
        script = 'const { ADDON, findFile } = require("./platform.js"); console.log(require("fs").readFileSync(findFile(ADDON), "utf8"))'
        return run(["node", "-e", script], cwd=folder / "node_modules" / "trimtab" / "lib", env=self.environment).stdout.strip()

    def test_the_main_package_is_published_last(self):
        self.assertEqual(self.packing.returncode, 0, self.packing.stderr)
        names = [path.name for path in self.packages]
        self.assertEqual(names, [*(name for name, _ in npm.TARGETS.values()), "trimtab"])

    def test_manifests_are_complete(self):
        for folder in self.packages:
            manifest = json.loads((folder / "package.json").read_text())
            self.assertEqual(manifest["version"], VERSION)
            self.assertEqual(manifest["license"], "MIT OR Apache-2.0")
            self.assertEqual(manifest["repository"]["url"], "git+https://host/owner/name.git")
            self.assertNotIn("private", manifest)
            self.assertNotIn("scripts", manifest)
            self.assertNotIn("dependencies", manifest)
        self.assertEqual(set(manifest["optionalDependencies"].values()), {VERSION})
        self.assertEqual(len(manifest["optionalDependencies"]), len(npm.TARGETS))

    def test_the_template_cannot_be_published(self):
        self.assertIs(json.loads((ROOT / "node" / "package.json").read_text())["private"], True)

    def test_tarballs_have_what_is_needed_and_no_more(self):
        for name in ["trimtab", "trimtab-linux-x64-gnu", "trimtab-win32-x64"]:
            with tarfile.open(self.tarball(name)) as archive:
                modes = {entry.name.removeprefix("package/"): entry.mode for entry in archive}
            binary = {"trimtab": "bin/trimtab.js", "trimtab-win32-x64": "bin/trimtab.exe"}.get(name, "bin/trimtab")
            library = {path.relative_to(ROOT / "node").as_posix() for path in (ROOT / "node" / "lib").rglob("*")}
            files = library if name == "trimtab" else {"trimtab.node", "THIRD-PARTY-LICENSES.txt"}
            self.assertEqual(set(modes), {"package.json", "README.md", "LICENSE-APACHE", "LICENSE-MIT", binary} | files)
            self.assertTrue(modes[binary] & 0o111, name)

    def test_a_missing_file_is_an_error(self):
        for missing in ["archives/trimtab-x86_64-pc-windows-msvc.zip", "addons/trimtab-aarch64-apple-darwin.node"]:
            folder = self.folder / missing.replace("/", "-")
            for name in ["archives", "addons"]:
                shutil.copytree(self.shared / name, folder / name)
            (folder / missing).unlink()
            with self.assertRaisesRegex(SystemExit, missing.split("/")[1]):
                npm.write_packages(folder / "archives", folder / "addons", folder / "packages", VERSION)

    def test_tarballs_can_be_installed_without_the_network(self):
        self.assertEqual(self.launch(self.project(), "--version").stdout, "trimtab 1.2.3\n")

    def test_npm_installs_only_the_package_of_this_platform(self):
        folder, asked = self.install_from_registry()
        self.assertEqual(self.installed(folder), [self.own()])
        self.assertEqual([path for path in asked if path.endswith(".tgz")].count(f"files/trimtab-{VERSION}.tgz"), 1)
        self.assertEqual(self.launch(folder, "--target").stdout, f"{self.own_target()}\n")
        self.assertEqual(self.addon(folder), f"the addon of {self.own_target()}")

    def test_npm_installs_packages_of_other_platforms(self):
        wanted = {
            "win32-x64": ["--os", "win32", "--cpu", "arm64"],
            "linux-arm64-musl": ["--os", "linux", "--cpu", "arm64", "--libc", "musl"],
        }
        for name, options in wanted.items():
            folder, _ = self.install_from_registry(*options)
            self.assertEqual(self.installed(folder), [name])
            shutil.rmtree(folder / "node_modules")
            (folder / "package-lock.json").unlink()

    def test_the_launcher_passes_everything_on(self):
        folder = self.project()
        self.assertEqual(self.launch(folder, "arguments", "a b", "", "*", "--x").stdout, "[a b][][*][--x]")
        self.assertEqual([self.launch(folder, "exit", str(code)).returncode for code in [0, 1, 2, 141]], [0, 1, 2, 141])
        self.assertEqual(self.launch(folder, "kill").returncode, -signal.SIGKILL)
        words = [folder / "node_modules" / ".bin" / "trimtab", "wait"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=self.environment) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.terminate()
            # The binary ends by itself, and the launcher after it.
            self.assertEqual(process.stdout.read(), "terminated\n")
        self.assertEqual(process.returncode, 7)

    @unittest.skipUnless(sys.platform == "linux", "only Linux has several C libraries")
    def test_the_launcher_chooses_by_the_c_library_if_both_are_installed(self):
        folder = self.project()
        own = folder / "node_modules" / "@trimtab" / self.own()
        system_and_cpu, _, libc = own.name.rpartition("-")
        other = own.with_name(f"{system_and_cpu}-{'musl' if libc == 'gnu' else 'gnu'}")
        shutil.copytree(own, other)
        (other / "bin" / "trimtab").write_text("#!/bin/sh\necho other\n")
        (other / "trimtab.node").write_text("other")
        self.assertEqual(self.launch(folder, "--version").stdout, "trimtab 1.2.3\n")
        self.assertEqual(self.addon(folder), f"the addon of {self.own_target()}")
        # One that is alone is used.
        shutil.rmtree(own)
        self.assertEqual(self.launch(folder, "--version").stdout, "other\n")

    def test_a_missing_binary_is_an_error(self):
        folder = self.install("--offline", "--no-save", "--omit", "optional", self.tarball("trimtab"))
        result = self.launch(folder, "--version")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, "^error: trimtab has no binary for .*optional dependencies")
        required = run(["node", "-e", 'require("trimtab")'], cwd=folder, env=self.environment)
        self.assertRegex(required.stderr, "Error: trimtab has no binary for .*optional dependencies")


@needs_unix
@unittest.skipUnless(has("bash", "curl"), "needs bash and curl")
class Install(Case):
    """`install.sh` with a server for the released files, and a `cargo` that says how it was called."""

    TARGET = "x86_64-unknown-linux-gnu"
    BUILD = "cargo install --locked trimtab --version 1.2.3 --features exact\n"

    def install(self, version="", files=None, **environment):
        """Runs the script for a runner. Returns its result and the folders that it added to `PATH`."""
        programs = self.folder / "programs"
        programs.mkdir(exist_ok=True)
        self.program("cargo", 'echo cargo "$@"\n')
        # As on Linux with glibc, whatever runs the tests.
        self.program("ldd", "echo 'ldd (GNU libc) 2.36'\n")
        with Server() as server:
            for name, content in (files or {}).items():
                server.server.files[f"owner/name/releases/download/v1.2.3/{name}"] = content
            variables = {
                "PATH": f"{programs}:{os.environ['PATH']}",
                "VERSION": version,
                "ACTION_REF": "",
                "ACTION_REPOSITORY": "owner/name",
                "GITHUB_REPOSITORY": "other/name",
                "SERVER": server.address,
                "RUNNER_OS": "Linux",
                "RUNNER_ARCH": "X64",
                "RUNNER_TEMP": str(self.folder),
                "GITHUB_PATH": str(self.folder / "path"),
                "GITHUB_ACTION_PATH": "/action",
            }
            result = run(["bash", SCRIPTS / "install.sh"], env=variables | environment)
        added = self.folder / "path"
        return result, added.read_text().splitlines() if added.exists() else []

    def program(self, name, script):
        """A program in place of the one of this machine."""
        path = self.folder / "programs" / name
        path.write_text(f"#!/bin/sh\n{script}")
        path.chmod(0o755)

    def release(self, target=TARGET, text=BINARY):
        """The files of a release."""
        archive = self.archive(target, f"release-{target}", text)
        return {path.name: path.read_bytes() for path in [archive, package.write_checksums(archive.parent)]}

    def assert_installed(self, result, target=TARGET):
        """The command of the release is installed, and cargo was not called."""
        process, added = result
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        self.assertNotIn("cargo", process.stdout)
        self.assertEqual(len(added), 1)
        self.assertEqual(run([f"{added[0]}/trimtab", "--target"]).stdout, f"{target}\n")

    def assert_built(self, result, build=BUILD):
        """Cargo has built the command instead, and a note says why."""
        process, added = result
        self.assertEqual((process.returncode, added), (0, []), process.stderr)
        self.assertTrue(process.stdout.endswith(build), process.stdout)
        self.assertIn("::notice title=Trimtab::", process.stdout)

    def test_a_released_version_is_downloaded(self):
        self.assert_installed(self.install("1.2.3", self.release()))

    def test_the_tag_of_the_action_is_a_version(self):
        self.assert_installed(self.install("", self.release(), ACTION_REF="v1.2.3"))

    def test_a_version_may_be_spelt_as_a_tag(self):
        self.assert_installed(self.install("v1.2.3", self.release()))

    def test_the_input_comes_before_the_tag(self):
        self.assert_installed(self.install("1.2.3", self.release(), ACTION_REF="v9.9.9"))

    def test_a_local_action_uses_its_own_repository(self):
        self.assert_installed(self.install("1.2.3", self.release(), ACTION_REPOSITORY="", GITHUB_REPOSITORY="owner/name"))

    def test_each_runner_gets_its_archive(self):
        runners = {
            ("Linux", "ARM64"): "aarch64-unknown-linux-gnu",
            ("macOS", "X64"): "x86_64-apple-darwin",
            ("macOS", "ARM64"): "aarch64-apple-darwin",
        }
        for (system, architecture), target in runners.items():
            (self.folder / "path").unlink(missing_ok=True)
            self.assert_installed(self.install("1.2.3", self.release(target), RUNNER_OS=system, RUNNER_ARCH=architecture), target)

    def test_other_revisions_of_the_action_are_built(self):
        for revision in ["main", "v1", "0123456789012345678901234567890123456789", "1.2.3"]:
            process, added = self.install("", self.release(), ACTION_REF=revision)
            self.assertEqual((process.stdout, added), ("cargo install --locked --path /action --features exact\n", []))

    def test_without_an_archive_cargo_builds(self):
        self.assert_built(self.install("1.2.3"))
        self.assert_built(self.install("", ACTION_REF="v1.2.3"), "cargo install --locked --path /action --features exact\n")

    def test_for_other_runners_cargo_builds(self):
        self.assert_built(self.install("1.2.3", self.release(), RUNNER_ARCH="ARM"))

    def test_a_binary_that_does_not_start_is_not_installed(self):
        self.assert_built(self.install("1.2.3", self.release(text="#!/bin/sh\nexit 1\n")))

    def test_a_requirement_is_left_to_cargo(self):
        self.assert_built(self.install("1.2", self.release()), "cargo install --locked trimtab --version 1.2 --features exact\n")

    def test_a_failed_build_fails(self):
        with mock.patch.object(self, "program", side_effect=lambda name, _: type(self).program(self, name, "exit 101\n")):
            self.assertEqual(self.install("1.2.3")[0].returncode, 101)

    def test_a_wrong_checksum_is_an_error(self):
        files = self.release()
        other = files[package.archive_name(self.TARGET)] + b"\0"
        for wrong in [files | {package.archive_name(self.TARGET): other}, files | {"SHA256SUMS": b""}]:
            process, added = self.install("1.2.3", wrong)
            self.assertEqual((process.returncode, added), (1, []))
            self.assertIn("::error title=Trimtab::the checksum", process.stdout)
            self.assertNotIn("cargo", process.stdout)

    def test_missing_checksums_are_an_error(self):
        files = self.release()
        del files["SHA256SUMS"]
        process, added = self.install("1.2.3", files)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(added, [])
        self.assertNotIn("cargo", process.stdout)


class Workflow(unittest.TestCase):
    def test_the_workflow_builds_what_the_scripts_know(self):
        text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
        jobs = re.split(r"^  (\S+):$", text, flags=re.MULTILINE)
        jobs = dict(zip(jobs[1::2], jobs[2::2], strict=True))
        for job in ["build", "wheels", "addons"]:
            self.assertEqual(re.findall(r"- target: (\S+)", jobs[job]), list(npm.TARGETS), job)

    def test_actions_are_pinned(self):
        text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
        for line in re.findall(r"uses: (.*)", text):
            self.assertRegex(line, r"^[\w.-]+/[\w.-]+@[0-9a-f]{40} # v[0-9.]+$")

    def test_only_jobs_for_tags_can_write(self):
        text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
        head, tail = text.split("  # From here on, only for tags.\n")
        self.assertNotIn(": write", head)
        self.assertIn("id-token: write", tail)


if __name__ == "__main__":
    unittest.main()
