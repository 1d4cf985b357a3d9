"""What the tests of pages share: figures, verdicts and tables of an open page, and what every page must keep."""
import json
import pathlib
import re

from .browser import Browser


def figures(browser):
    """Returns the values of the key figures by their labels."""
    return dict(browser.value("[...document.querySelectorAll('.figures div')].map(one => [one.children[0].textContent, one.children[1].textContent])"))


def verdicts(browser):
    return browser.value("[...document.querySelectorAll('.verdict')].map(one => one.textContent)")


def table(browser, selector):
    """Returns the shown rows of a table; each has the texts of its cells by their heads."""
    texts = browser.value("(t => [[...t.tHead.rows[0].cells].map(cell => cell.textContent), ...[...t.tBodies[0].rows].filter(row => !row.hidden)"
                          ".map(row => [...row.cells].map(cell => (cell.querySelector('summary') || cell).textContent))])"
                          f"(document.querySelector({json.dumps(selector)}))")
    return [dict(zip(texts[0], row)) for row in texts[1:]]


def check_everywhere(test, page):
    """Checks that a page has no errors, asks for nothing, does not scroll sideways, and is accessible, in two sizes and colours."""
    try:
        import axe_core_python
        checker = (pathlib.Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
    except ImportError:
        checker = None
    with Browser() as browser:
        for scheme in ["light", "dark"]:
            browser.prefer(scheme)
            for width in [1280, 400]:
                with test.subTest(page=page.name, scheme=scheme, width=width):
                    browser.resize(width, 800)
                    browser.open(page)
                    test.assertEqual(browser.value("document.documentElement.scrollWidth"), width, "the page does not scroll sideways")
                    if checker:
                        browser.value(checker + "; 0")
                        passed, failed = browser.value("axe.run().then(found => [found.passes.map(one => one.id), found.violations.map(one => one.id + ': ' + one.nodes[0].html)])")
                        test.assertEqual(failed, [])
                        test.assertIn("color-contrast", passed)
        test.assertEqual(browser.errors, [])
        test.assertTrue(all(url.startswith(("file:", "blob:")) for url in browser.requests), browser.requests)


def charts(browser):
    """Returns the data of the charts of a page."""
    return browser.value("JSON.parse(document.getElementById('data').textContent).sections.flatMap(section => section.blocks).filter(block => block.kind === 'chart')")


def sections_of(page):
    """Returns the blocks of each section of a page, by the section's address; of a block by the begin of its caption, or by its kind."""
    data = re.search('<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL).group(1)
    return {section["id"]: {re.split("[:;]", block.get("caption", block["kind"]))[0]: block for block in section["blocks"]} for section in json.loads(data)["sections"]}


def rows_of(table):
    """Returns the rows of a block that is a table: the cells by the heads of their columns. A number is a list of its text and its value."""
    return [dict(zip([column["head"] for column in table["columns"]], row["cells"])) for row in table["rows"]]
