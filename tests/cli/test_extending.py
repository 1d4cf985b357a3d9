"""Each recipe of docs/design/extending.md is walked with something that exists: its files, its names and the example are where the recipe says."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/design/extending.md"
FOLDERS = {"bench", "cmake", "data", "docs", "examples", "measurements", "python", "src", "tests", "tools"}
FILE = re.compile(r"[\w.-]+(?:/[\w.-]+)+|[\w-]+\.(?:cpp|hpp|cu|py|txt|md|json|jsonl|tsv|ya?ml)")
NAME = re.compile(r"(\w+)\(\)|(k?[A-Z]\w*[a-z]\w*|[A-Z]{3,}|test_\w+)")  # functions; types, constants and tests
LINK = re.compile(r"\]\(([\w./]+\.md)(#[\w-]+)?\)")

SCHEMAS = "docs/reference/schemas"
FORMATS, COMMANDS = "docs/reference/formats.md", "docs/reference/commands.md"
CALLS, METERS, LOGS, REPORT = "src/cuda/calls/", "src/power/meters/", "src/power/logs/", "src/report/"
FORMAT_SOURCES = LOGS + "formats/"


class Absent(str):
    """A text that the file must not contain."""


# For each step of a recipe, in order, the files that it names, and the text by which the example is found in each. A file in a
# link is named with the heading to which the link leads, and the text is then below that heading. In a folder, one file has the text.
WALKS = {
    "A device": [
        {"src/simulated/CMakeLists.txt": "kjoule_module(simulated", "cmake/modules.cmake": "function(kjoule_module", "CMakeLists.txt": " simulated ",
         "src/run/CMakeLists.txt": " simulated", "docs/design/architecture.md": "| `simulated` |"},
        {"src/device/device.hpp": "class Device {", "src/simulated/device.hpp": "class SimulatedDevice final : public Device"},
        {"src/simulated/device.cpp": "SimulatedDevice::open("},
        {"src/simulated/device.cpp": "throw DeviceError(fmt::format(\"the simulated device was lost"},
        {"src/run/subject.cpp": "subject = open_simulated(options)", "src/cli/options/subject_arguments.cpp": "simulated:SPEC", COMMANDS: "--device simulated:seed"},
        {"src/simulated/device_test.cpp": "SimulatedDevice"},
    ],
    "A driver call": [
        {CALLS + "driver_calls.cpp": "KJOULE_AND_PTSZ(cuMemcpyHtoDAsync_v2)", CALLS + "driver_call_kinds.cpp": "KJOULE_CBID(cuMemAlloc_v2)",
         "tests/fakes/driver/driver_calls_test.cpp": "TEST(DriverCalls, EveryCallOfCuptiHasAKind)"},
        {CALLS + "make_call.cpp": "make_copy_call(", CALLS + "call.hpp": "struct CopyCall {", CALLS + "call.cpp": "void issue(const CopyCall&",
         CALLS + "recorded_launches.cpp": "void describe(const CopyCall&", CALLS + "launch_hashes.cpp": "LaunchHashes hash(const CopyCall&",
         CALLS + "launch_identities.cpp": "launch_identity(const CopyCall&", CALLS + "launch_pointers.cpp": "CopyCall"},
        {CALLS + "driver_calls.cpp": "case KJOULE_CBID(cuMemAlloc_v2)", "src/cuda/watch/program_state.cpp": "read_allocation("},
        {"tests/fakes/driver/launch_calls.cpp": "DRIVER(cuMemcpyHtoDAsync_v2,", "tests/fakes/driver/memory_calls.cpp": "DRIVER(cuMemAlloc_v2,",
         "tests/fakes/driver/program.cpp": "cuMemcpyHtoDAsync(", "tests/cli/test_driver.py": "memcpy HtoD"},
        {"docs/limits.md": Absent("cuMemcpyHtoDAsync")},
    ],
    "A column": [
        {"src/compare/kernels/kernel_results.hpp": "bytes_moved;", "src/compare/kernels/kernel_results.cpp": "result.bytes_moved = ",
         "src/compare/iteration/comparison.hpp": "struct Comparison {"},
        {REPORT + "kernel_columns.cpp": '{"MB", "bytes_moved",'},
        {SCHEMAS + "/comparison_report.schema.json": '"bytes_moved"', FORMATS: "| `bytes_moved` |"},
    ],
    "A meter": [
        {METERS + "power_source.hpp": "class PowerSource {", METERS + "meter.hpp": "class Meter {", METERS + "rapl.cpp": "class RaplSource final : public PowerSource"},
        {METERS + "rapl.hpp": "rapl_source(", "src/power/CMakeLists.txt": "meters/rapl.cpp"},
        {METERS + "power_source.cpp": "all.push_back(rapl_source(", METERS + "power_source.hpp": " rapl or csv:FILE;"},
        # rapl has no settings, csv has
        {METERS + "source_name.cpp": '{"rapl", {}}', METERS + "source_name.hpp": "`csv:FILE`", "docs/guide/energy.md#power-sources-and-their-settings": "| `csv:FILE` |"},
        {METERS + "conformance_test.cpp": 'Case{"rapl",'},
        {"src/power/logs/logger.cpp": "LogLines::Format::columns", FORMATS + "#logs-that-are-written": "| `rapl`"},
        {"docs/design/glossary.md": "| source | one kind of meter: `nvml`, `nvml-counter`, `nvidia-smi`, `wattsup`, `rapl`", "docs/guide/troubleshooting.md": "WattsUp or RAPL"},
        {"src/cli/doctor/machine_features.cpp": "MachineFeature examine_rapl(", "src/cli/doctor/machine_features_test.cpp": "TEST(ExamineRapl,"},
    ],
    "A power log of another tool": [
        {FORMAT_SOURCES + "text_format.hpp": "class TextFormat {", FORMAT_SOURCES + "tegrastats.cpp": "class Tegrastats final : public TextFormat"},
        {FORMAT_SOURCES + "text_format.hpp": "tegrastats(std::string_view line);", FORMAT_SOURCES + "text_format.cpp": "{tegrastats,", "src/power/CMakeLists.txt": "logs/formats/tegrastats.cpp"},
        {LOGS + "log_series.cpp": 'log.format == "tegrastats"', SCHEMAS + "/energy_report.schema.json": '"tegrastats"',
         FORMATS + "#logs-that-are-read": "| `tegrastats` |", "docs/guide/energy.md#which-logs-are-read": "| tegrastats |"},
        {"tests/fuzz/tegrastats.cpp": "tegrastats", "tests/fuzz/CMakeLists.txt": "tegrastats", "tests/fuzz/corpus/tegrastats": "VDD_IN",
         "tests/cli/foreign/power": "VDD_IN"},
        {FORMAT_SOURCES + "foreign_tools.cpp": "a log of powermetrics"},
    ],
    "An imported format": [
        {"src/importers/imported_table.hpp": "struct ImportedTable {", "src/importers/nsys_database.cpp": "ImportedTable read_nsys_database(",
         "src/importers/nsys_database.hpp": "ImportedTable read_nsys_database("},
        {"src/importers/CMakeLists.txt": "nsys_database.cpp"},
        {"src/importers/import.cpp": "if (is_database(path)) return read_nsys_database(", "src/cli/import.cpp": "database of Nsight Systems (.sqlite)",
         "src/importers/table_origin.cpp": "known_reports()", "src/importers/kernel_csv.cpp": "return read_nvprof_csv("},
        {"tests/fuzz/nsys_database.cpp": "read_nsys_database(", "tests/fuzz/CMakeLists.txt": "nsys_database", "tests/fuzz/corpus/nsys_database": "SQLite format 3"},
        {"tests/cli/test_nsys.py": '"kernels", self.file'},
        {"docs/guide/traces.md#what-is-read": "nsys export --type sqlite", FORMATS + "#traces-and-kernel-tables-of-others": "nsys export --type sqlite"},
    ],
    "An exporter": [
        {REPORT + "timeline_svg.cpp": "std::string timeline_svg(const Timeline&", REPORT + "timeline.hpp": "std::string timeline_svg(", REPORT + "markup_text.hpp": "SVG"},
        {REPORT + "CMakeLists.txt": "timeline_svg.cpp"},
        {REPORT + "timeline.cpp": 'TimelineFormat{".svg", timeline_svg}', "src/cli/diff.cpp": '"--markdown"'},
        {"src/cli/compare/timeline_files.cpp": "FILE.svg"},
        {REPORT + "timeline_test.cpp": "TEST(TimelineSvg,", "tests/cli/test_timelines.py": "t.svg", "tests/cli/hostile/test_security.py": "t.svg",
         "tests/cli/hostile/test_full_disks.py": "timeline.svg"},
        {FORMATS + "#timelines": "`.svg`", COMMANDS: "--timeline t.svg", SCHEMAS: "kjoule diff", "tests/cli/test_schemas.py": "class SchemaCase("},
    ],
    "A page": [
        {"src/page/energy_page.cpp": "Page energy_page(", "src/page/energy_page.hpp": "Page energy_page(", "src/page/CMakeLists.txt": " energy_page.cpp",
         "src/page/page_table.hpp": "void fill(", "src/report/series_columns.cpp": "series_columns() {", "src/page/page_chart.hpp": "dygraphs", "src/report": "series_columns"},
        {"src/cli/options/page_file.hpp": "class PageFile {", "src/cli/power/energy.cpp": "page_.write(energy_page("},
        {"tests/cli/test_curve_pages.py": "check_everywhere(self, page)", "tests/cli/pages.py": "def check_everywhere("},
        {"docs/guide/report.md": "The page of `kjoule energy`"},
    ],
    "A network": [
        {"data/networks/resnet18.yaml": "name: resnet18\n", "src/layers/CMakeLists.txt": "/data/networks ", "data/networks": "resnet18"},
        {"src/layers/shipped_networks_test.cpp": '{"resnet18", 11689512,', "tests/cli/test_layers.py": '"resnet18", "resnet50",'},
        {"python/kjoule_export/table.py": 'name="resnet18"', "docs/guide/models.md#what-can-be-exported": "`resnet18`"},
    ],
    "A kind of layer": [
        {"src/layers/layer_kinds.cpp": '{"matmul", [](const LayerMaker& m) { return m.matmul(); }}'},
        {FORMATS + "#networks": "| `matmul` |"},
        {"data/networks": "kind: matmul", "src/layers/shipped_networks_test.cpp": "HaveThePublishedParametersAndMultiplyAdds"},
    ],
    "A sampled operator": [
        {"src/torch/elementwise.cpp": "Directions gelu("},
        {"src/torch/builders.hpp": "Directions gelu(", "src/torch/operator.cpp": '{"gelu", gelu}'},
        {"src/device/operator_table.cpp": '{"gelu", '},
        {"data/sampling/gelu.yml": "function_name:  gelu", "src/sampling/configuration_test.cpp": "shipped.contains(one.name)"},
        {"src/torch/operator_test.cpp": "numbers == 4"},
        {"src/prediction/operator_kind.cpp": '{"gelu", tokens,'},
        {"docs/guide/sampling.md#operators": "| `gelu` |", "tests/gpu/sweeps.py": '"mp":'},
    ],
    "A command": [
        {"src/cli/full.cpp": "class Full final : public Command", "src/cli/CMakeLists.txt": " full.cpp "},
        {"src/cli/options/command.hpp": "full_command();", "src/cli/commands.cpp": "all.push_back(full_command());"},
        {COMMANDS: "| `full` |", FORMATS + "#exit-codes": "| `full` |"},
        {"tests/cli/test_commands.py": '"full"', "tests/cli/test_tables.py": '"full"'},
    ],
    "Other extensions": [
        {"data/kernel_rules.jsonl": "nvjet_*", "src/recording/kernel_rules_test.tsv": "nvjet_"},
        {"data/short_names.jsonl": "nvjet_*", "src/names/short_names_test.tsv": "nvjet_", FORMATS + "#short-names": "match", "tests/cli/test_short_names.py": "LONGEST"},
        {"python/kjoule_export/table.py": 'name="bloom"'},
        {"data/device_roofs.json": '"NVIDIA H200"'},
        {"tests/gpu/workloads": "torchvision.models import resnet18", "tests/gpu/catalogue.py": '"resnet18-train"', "tests/gpu/judging.py": '"lstm-train"'},
        {"tests/gpu/workloads/windows": "LSTM", "tests/gpu/workloads/windows/README.md": "`lstm_epochs.py`", "tests/gpu/windowed.py": '"lstm_epochs"'},
    ],
}
EXAMPLES = {"A network": "resnet18", "A sampled operator": "gelu"}  # what NAME stands for in the names of files


def recipes(page):
    """Returns the text below each heading of the second level."""
    parts = re.split(r"^## (.*)$", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def steps_of(recipe):
    """Returns the numbered steps, or the rows of the table, of a recipe."""
    return re.findall(r"^\d+\. (.*)$", recipe, re.M) or re.findall(r"^\| (.*) \|$", recipe, re.M)[1:]


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


def is_file(word):
    return bool(FILE.fullmatch(word)) and ("/" not in word or word.partition("/")[0] in FOLDERS)


def named_files(step, example="NAME"):
    """Returns the files and folders that a step names, those of links with the heading to which they lead."""
    words = {word.replace("NAME", example) for word in quoted(step) if is_file(word)}
    return words | {str((PAGE.parent / file).resolve().relative_to(ROOT)) + anchor for file, anchor in LINK.findall(step)}


def named_things(text):
    """Returns the functions, types, constants and tests that a text names."""
    found = (NAME.fullmatch(word) for word in quoted(text))
    return {match[1] or match[2] for match in found if match}


def path_of(name):
    """Returns the file or folder; a file that is named without its folder is the only one of that name in src/."""
    path = ROOT / name
    if path.exists():
        return path
    found = list((ROOT / "src").rglob(name))
    if "/" in name or len(found) != 1:
        raise FileNotFoundError(f"{name}: {'no such file' if not found else 'several files have this name'}")
    return found[0]


def below(heading, text):
    """Returns the part of a Markdown text below a heading that is given as an anchor."""
    lines = text.splitlines()
    levels = [len(line) - len(line.lstrip("#")) for line in lines]
    anchors = ["#" + re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") if level else "" for line, level in zip(lines, levels)]
    begin = anchors.index(heading)
    end = next((i for i in range(begin + 1, len(lines)) if 0 < levels[i] <= levels[begin]), len(lines))
    return "\n".join(lines[begin:end])


def content(name):
    """Returns the text of a file, of the part of it below a heading, or of all files of a folder."""
    file, mark, heading = name.partition("#")
    path = path_of(file)
    if path.is_dir():
        return "\n".join(one.read_text(encoding="utf-8", errors="replace") for one in sorted(path.iterdir()) if one.is_file())
    text = path.read_text(encoding="utf-8")
    return below(mark + heading, text) if heading else text


def faults_of_step(step, walk, example="NAME"):
    """Yields what is wrong with a step: files that it does not name, does not walk, or that lack the example or a name."""
    named = named_files(step, example)
    for file in sorted(named ^ set(walk)):
        yield f"{file}: named by the page, but not walked by the test" if file in named else f"{file}: not named by the page"
    texts = {file: content(file) for file in named}
    for file, text in walk.items():
        if file in texts and (text in texts[file]) == isinstance(text, Absent):
            yield f"{file}: {'contains' if isinstance(text, Absent) else 'does not contain'} {text}"
    yield from missing_things(step, texts.values())


def missing_things(text, contents):
    contents = list(contents)
    for name in sorted(named_things(text)):
        if not any(re.search(rf"\b{re.escape(name)}\b", one) for one in contents):
            yield f"{name}: in none of the files that are named with it"


def faults_of(title, recipe):
    """Yields what is wrong with a recipe."""
    walk, steps, example = WALKS[title], steps_of(recipe), EXAMPLES.get(title, "NAME")
    if len(steps) != len(walk):
        yield f"{len(steps)} steps, but the test walks {len(walk)}"
    for number, (step, files) in enumerate(zip(steps, walk), 1):
        for fault in faults_of_step(step, files, example):
            yield f"step {number}: {fault}"
    in_steps = [content(file) for step in steps for file in named_files(step, example)]
    for line in recipe.splitlines():
        if line and not re.match(r"\d+\. |\|", line):
            for fault in missing_things(line, [content(file) for file in named_files(line, example)] + in_steps):
                yield fault


class Extending(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.recipes = recipes(PAGE.read_text(encoding="utf-8"))

    def test_each_recipe_has_an_example(self):
        self.assertEqual(sorted(self.recipes), sorted(WALKS))

    def test_each_recipe_leads_to_its_example(self):
        for title, recipe in self.recipes.items():
            with self.subTest(recipe=title):
                self.assertEqual(list(faults_of(title, recipe)), [])

    def test_a_recipe_that_is_wrong_is_noticed(self):
        title, recipe = "A command", self.recipes["A command"]
        for right, wrong, fault in [("`src/cli/commands.cpp`", "its file", "step 2: src/cli/commands.cpp: not named by the page"),
                                    ("`commands()`", "`all_commands()`", "step 2: all_commands: in none of the files that are named with it"),
                                    ("`run()`", "`run()` (`src/cli/main.cpp`)", "step 1: src/cli/main.cpp: named by the page, but not walked by the test"),
                                    ("4. Test", "Test", "3 steps, but the test walks 4")]:
            with self.subTest(fault):
                self.assertIn(right, recipe)
                self.assertIn(fault, list(faults_of(title, recipe.replace(right, wrong))))
        with self.assertRaises(FileNotFoundError):
            list(faults_of(title, recipe.replace("src/cli/commands.cpp", "src/cli/orders.cpp")))

    def test_an_example_that_is_not_there_is_noticed(self):
        self.assertEqual(list(faults_of_step("Change `src/cli/full.cpp`.", {"src/cli/full.cpp": "class Empty"})), ["src/cli/full.cpp: does not contain class Empty"])
        self.assertEqual(list(faults_of_step("Change `src/cli/full.cpp`.", {"src/cli/full.cpp": Absent("class Full")})), ["src/cli/full.cpp: contains class Full"])

    def test_the_part_below_a_heading(self):
        page = "# A\none\n## B: c\ntwo\n### D\nthree\n## E\nfour\n"
        self.assertEqual(below("#b-c", page), "## B: c\ntwo\n### D\nthree")
        self.assertEqual(below("#e", page), "## E\nfour")
        with self.assertRaises(ValueError):
            below("#f", page)


if __name__ == "__main__":
    unittest.main()
