"""The files by which others judge and check a release: versions agree, each table and library has a licence, and nothing that is built
depends on the time of the build."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(kjoule VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
# Of SPDX's list of licences.
KNOWN = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "MIT", "MPL-2.0", "Zlib", "blessing", "GPL-3.0-or-later WITH GCC-exception-3.1"}


def spdx(**environment):
    done = subprocess.run([sys.executable, ROOT / "tools/spdx"], capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin", **environment})
    return done.stdout


class Release(unittest.TestCase):
    def test_the_version_is_the_same_everywhere(self):
        changed = re.search(r"^## ([\d.]+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
        cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
        self.assertEqual(changed[1], VERSION)
        self.assertEqual((str(cited["version"]), str(cited["date-released"])), (VERSION, changed[2]))

    def test_a_citation_has_what_the_format_requires(self):
        cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, set(cited))
        self.assertEqual(cited["license"], "Apache-2.0")

    def test_changes_name_commands_that_exist(self):
        named = set(re.findall(r"`kjoule ([a-z]+)", (ROOT / "CHANGELOG.md").read_text()))
        self.assertGreater(len(named), 10)
        listed = {path.stem.replace("_command", "") for path in (ROOT / "src/cli").rglob("*.cpp")}
        self.assertLessEqual(named, listed)

    def test_each_table_has_an_origin(self):
        packages = {package["name"] for package in json.loads(spdx())["packages"]}
        tables = {f"data/{path.name}" for path in (ROOT / "data").iterdir() if path.name != "regressors"}
        tables |= {f"data/regressors/{path.name}" for path in (ROOT / "data/regressors").iterdir()}
        self.assertEqual({name for name in packages if name.startswith("data/")}, tables)

    def test_each_linked_library_is_listed(self):
        """The packages that cmake/libraries.cmake names, without those of the tests."""
        text = (ROOT / "cmake/libraries.cmake").read_text()
        found = set(re.findall(r"^kjoule_find_headers\(\S+ \S+ (\S+?)[ )]", text, re.M))
        self.assertGreater(len(found), 8)
        self.assertLessEqual(found, {package["name"] for package in json.loads(spdx())["packages"]})

    def test_licences_are_those_of_spdx(self):
        for package in json.loads(spdx())["packages"]:
            self.assertIn(package["licenseConcluded"], KNOWN, package)

    def test_the_list_is_the_same_twice_and_has_the_stated_time(self):
        first = spdx(SOURCE_DATE_EPOCH="1700000000")
        self.assertEqual(first, spdx(SOURCE_DATE_EPOCH="1700000000"))
        self.assertEqual(json.loads(first)["creationInfo"]["created"], "2023-11-14T22:13:20Z")

    def test_no_source_has_the_time_of_its_compilation(self):
        sources = [path for path in (ROOT / "src").rglob("*.?pp")]
        self.assertGreater(len(sources), 500)
        for path in sources:
            self.assertNotRegex(path.read_text(), r"__(DATE|TIME|TIMESTAMP)__", path)

    def test_the_workflow_runs_programs_of_this_tree(self):
        workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
        commands = [step["run"].split()[0] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
        ours = [command for command in commands if "/" in command]
        self.assertEqual(ours, [".ci/run", "tools/release"])
        for command in ours:
            self.assertTrue((ROOT / command).stat().st_mode & 0o100, command)


if __name__ == "__main__":
    unittest.main()
