"""Each message that docs/guide/troubleshooting.md quotes is one that kjoule prints."""
import functools
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guide" / "troubleshooting.md"
STRINGS = re.compile(r'//[^\n]*|((?:"(?:\\.|[^"\\\n])*"\s*)+)')
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
# Words in capitals stand for names and numbers, except for these.
OWN_NAMES = {"CPU", "CUDA", "CUDA_INJECTION64_PATH", "CUPTI", "GPU", "MIG", "MPS", "NCCL", "NVIDIA", "TMPDIR"}
STANDS_FOR = re.compile(r"\.\.\.|\b[A-Z][A-Z0-9_]*\b|[0-9]+(?:\.[0-9]+)?")
FEWEST_CHARACTERS = 5  # of a piece between two names that is looked up


@functools.cache
def texts_in_sources():
    """Returns all string literals of the sources, adjacent ones joined, and of the Python package."""
    texts = []
    for path in sorted((ROOT / "src").rglob("*.[ch]pp")):
        if not path.name.endswith("_test.cpp"):
            found = STRINGS.findall(path.read_text(encoding="utf-8"))
            texts += ["".join(STRING.findall(literals)).replace('\\"', '"') for literals in found if literals]
    texts += [path.read_text(encoding="utf-8") for path in sorted((ROOT / "python").rglob("*.py"))]
    return texts


def quoted_messages():
    """Yields the messages in the first columns of the page's tables."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[0] != "message":
            yield cells[0].strip().strip('"')


def pieces_of(message):
    """Returns the pieces of the message between the names and numbers that vary."""
    ends = [0]
    for match in STANDS_FOR.finditer(message):
        if match[0] not in OWN_NAMES:
            ends += [match.start(), match.end()]
    ends.append(len(message))
    pieces = [message[begin:end].strip(" ,:;().\"'") for begin, end in zip(ends[::2], ends[1::2])]
    return [piece for piece in pieces if len(piece) >= FEWEST_CHARACTERS]


class Troubleshooting(unittest.TestCase):
    def test_quoted_messages_are_in_the_sources(self):
        messages = list(quoted_messages())
        self.assertGreater(len(messages), 100, "messages are found")
        for message in messages:
            with self.subTest(message=message):
                pieces = pieces_of(message)
                self.assertTrue(pieces, "the message has a part that does not vary")
                for piece in pieces:
                    self.assertTrue(any(piece in text for text in texts_in_sources()), f"no source has: {piece}")

    def test_what_varies_is_not_looked_up(self):
        self.assertEqual(pieces_of("PROGRAM ended (exit code 3) before ... used CUDA"), ["ended (exit code", "before", "used CUDA"])

    def test_a_message_that_nothing_prints_is_noticed(self):
        self.assertFalse(all(any(piece in text for text in texts_in_sources()) for piece in pieces_of("PROGRAM learned to fly on GPU 3")))


if __name__ == "__main__":
    unittest.main()
