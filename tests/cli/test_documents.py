"""Every relative link in a document leads to a file, and to a heading where it names one."""
import functools
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
OWN_FOLDERS = ["bench", "docs", "measurements", "python", "src", "tests", "tools"]
NAMED_FILE = re.compile(rf"`((?:{'|'.join(OWN_FOLDERS)})/[\w./-]+)[` ]")
MADE_BY_MEASURING = re.compile(r"bench/models|bench/results")


def tracked_documents():
    """Returns the Markdown files that git knows, or all outside of hidden and built folders where there is no git."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return sorted(path for path in (ROOT / line for line in listed.stdout.splitlines()) if path.exists())
    return sorted(path for path in ROOT.rglob("*.md") if not any(part.startswith((".", "build")) for part in path.relative_to(ROOT).parts))


def text_of(document):
    """Returns the text without code blocks."""
    return re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.M | re.S)


@functools.cache
def anchors(document):
    """Returns the anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text_of(document), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(document):
    """Yields each relative link of the document that leads nowhere."""
    for target in LINK.findall(text_of(document)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (document.parent / name).resolve() if name else document
        if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path)):
            yield target


def missing_files(document):
    """Yields each file of ours that the document names in backquotes and that is neither there nor compressed."""
    for name in NAMED_FILE.findall(text_of(document)):
        if not MADE_BY_MEASURING.match(name) and not any((ROOT / candidate).exists() for candidate in [name, name + ".gz"]):
            yield name


class Documents(unittest.TestCase):
    def test_relative_links_lead_somewhere(self):
        documents = tracked_documents()
        self.assertIn(ROOT / "README.md", documents)
        self.assertGreater(sum(len(LINK.findall(text_of(document))) for document in documents), 50, "links are found")
        for document in documents:
            with self.subTest(document=str(document.relative_to(ROOT))):
                self.assertEqual(list(broken_links(document)), [])

    def test_a_link_that_leads_nowhere_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("# One heading: yes\n[a](page.md) [b](none.md) [c](#one-heading-yes) [d](page.md#two) [e](https://example.org)\n"
                            "```\n[f](in/a/block.md)\n```\n`measurements/none.jsonl` `measurements/energy.jsonl`\n", encoding="utf-8")
            self.assertEqual(list(broken_links(page)), ["none.md", "page.md#two"])
            self.assertEqual(list(missing_files(page)), ["measurements/none.jsonl"])

    def test_the_readme_is_short(self):
        """At most 900 words; two commands and a result are on the first screen of 40 lines."""
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertLessEqual(len(text.split()), 900)
        first = "\n".join(text.splitlines()[:40])
        self.assertEqual(re.findall(r"^(make build|build/bin/kjoule compare -- ./program)\b", first, re.M), ["make build", "build/bin/kjoule compare -- ./program"])
        self.assertIn("adds up within", first)

    def test_files_that_documents_name_exist(self):
        for document in tracked_documents():
            with self.subTest(document=str(document.relative_to(ROOT))):
                self.assertEqual(list(missing_files(document)), [])


if __name__ == "__main__":
    unittest.main()
