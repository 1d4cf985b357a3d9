"""Each type of kjoule has one definition. Where two files define a type of the same name in the same namespace, the
linker keeps one of their constructors for both, and a program writes beyond its objects. No compiler notices it."""

import collections
import pathlib
import re

SOURCES = pathlib.Path(__file__).parents[2] / "src"

NAMESPACE = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{")
TYPE = re.compile(r"(?:struct|class|union|enum class|enum) (?:\[\[\w+\]\] |alignas\(\w+\) )?(\w+)(?!\w|::)[^;()]*\{")


def types_of(text):
    """Yields the types that other files can name, with their namespaces; namespaces and types begin at column 0."""
    spaces = []
    for line in text.splitlines():
        if opened := NAMESPACE.match(line):
            spaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif (defined := TYPE.match(line)) and "" not in spaces:
            yield "::".join([*spaces, defined[1]])


def test_types_of_a_file_have_their_namespaces():
    text = """namespace kjoule {
namespace {
struct Hidden {
};
}  // namespace
struct Declared;
class Reader final : public Source {
};
class Reader::Impl {
};
enum class Kind : uint8_t { kernel, copy };
}  // namespace kjoule
"""
    assert list(types_of(text)) == ["kjoule::Reader", "kjoule::Kind"]


def test_each_type_is_defined_once():
    files = collections.defaultdict(set)
    for path in sorted(SOURCES.rglob("*")):
        if path.suffix in {".cpp", ".hpp", ".h", ".cu", ".cuh"}:
            for name in types_of(path.read_text()):
                files[name].add(str(path.relative_to(SOURCES)))
    assert len(files) > 500
    assert not {name: paths for name, paths in files.items() if len(paths) > 1}
