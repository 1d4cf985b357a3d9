"""The command line of `kjoule export`."""

from __future__ import annotations

import argparse
import errno
import json
import logging
import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Any, NoReturn

from .errors import FAILED, USAGE, ExportError, first_line
from .formats import format_of
from .outputs import check_output
from .table import all_names

PROGRAM = "kjoule export"
NO_SPACE = {
    errno.ENOSPC: ("no space left", "free some space"),
    errno.EDQUOT: ("no space left", "free some space"),
    errno.EFBIG: ("the limit on the size of files is reached", "lift it (ulimit -f)"),
}
INTERRUPTED = 130
EXAMPLE = """examples:
  kjoule export bloom -o bloom.pt --seq-len 32
  kjoule export gpt2 -o small.pt2 --layers 2 --hidden 128
  kjoule export opt -o opt.pt --layers 4
  kjoule export efficientnet-b0 -o efficientnet.pt --batch 32
  kjoule export bigscience/bloom-560m -o bloom.pt --dtype float16 --device cuda
"""


class Parser(argparse.ArgumentParser):
    """Throws ExportError for a wrong argument, and for help that cannot be written."""

    def error(self, message: str) -> NoReturn:
        raise ExportError(f"{message}; see {PROGRAM} --help", USAGE)

    def print_help(self, file: Any = None) -> None:  # the inherited function ignores errors of writing
        write_output(self.format_help())


def write_output(text: str) -> None:
    """Writes `text` to stdout at once. Throws ExportError if it cannot be written."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python writes the rest of the buffer when it ends
        remedy = "an exported file is complete; redirect the output to another file"
        raise ExportError(f"standard output cannot be written: {error.strerror}; {remedy}") from error


def positive(text: str) -> int:
    """Returns the positive whole number in `text`."""
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive whole number")
    return number


def file_name(text: str) -> Path:
    """Returns the path in `text`, which is not empty."""
    if not text:
        raise argparse.ArgumentTypeError("the name of the file is empty")
    return Path(text)


def parser() -> Parser:
    """Returns the parser of all options."""
    names = ", ".join(all_names())
    result = Parser(
        prog=PROGRAM,
        description="Export a PyTorch model to a file that kjoule can run, and check its results.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = result.add_argument
    add("model", metavar="MODEL", nargs="?", help=f"{names} (random weights), or a pretrained model: its hub name (OWNER/NAME) or folder")
    add("--model", metavar="MODEL", dest="named_model", help="the same as MODEL without the option")
    add("-o", "--output", metavar="FILE", type=file_name, required=True, help="file to write: .pt for TorchScript, .pt2 for AOTInductor")
    add("--layers", metavar="N", type=positive, help="number of layers (default: the model's)")
    add("--hidden", metavar="N", type=positive, help="hidden size (default: the model's)")
    add("--heads", metavar="N", type=positive, help="number of attention heads (default: hidden size / the model's usual head size)")
    add("--vocab", metavar="N", type=positive, help="size of the vocabulary (default: the model's)")
    add("--seq-len", metavar="N", type=positive, help="number of tokens per sequence (default: 5; decoder layers: 2048)")
    add("--batch", metavar="N", type=positive, default=1, help="number of sequences or pictures (default: 1)")
    add("--dtype", choices=("float32", "float16", "bfloat16"), help="data type of weights and activations (default: float32)")
    add("--device", choices=("cpu", "cuda"), default="cpu", help="device on which the model will run (default: cpu)")
    add("--seed", metavar="N", type=int, default=0, help="random seed of weights and inputs (default: 0)")
    add("--pretrained", action="store_true", help="download published weights instead of random ones, if MODEL is a listed name")
    add("--json", action="store_true", help="print the result as one JSON object")
    return result


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Returns the options of a command line, whose model is given with or without the option --model."""
    options = parser().parse_args(argv)
    names = [name for name in (options.model, options.named_model) if name is not None]
    if not names:
        raise ExportError(f"the following arguments are required: MODEL; see {PROGRAM} --help", USAGE)
    if len(names) > 1:
        raise ExportError(f"two models are given, {' and '.join(names)}; export one at a time", USAGE)
    options.model = names[0]
    del options.named_model
    return options


def main(argv: list[str] | None = None) -> int:
    """Runs the command. Returns 0 if the file was written and checked, 2 for wrong usage, 130 if interrupted, 1 for other failures."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores SIGHUP, which stays so
            signal.signal(number, end_by_signal)
    try:
        options = parse(argv)
        format_of(options.output)
        silence_libraries()
        result = run(options)
        write_output((json.dumps(result) if options.json else summary(result)) + "\n")
    except ExportError as error:
        return fail(str(error), error.status)
    except KeyboardInterrupt:
        return fail("interrupted; no file was written", INTERRUPTED)
    except OSError as error:
        if error.errno not in NO_SPACE:
            return fail(could_not(options, error), FAILED)
        cause, remedy = NO_SPACE[error.errno]
        return fail(f"{options.output}: cannot be written: {cause}; {remedy}, then export it again", FAILED)
    except Exception as error:  # every exception of a library is reported in one line
        return fail(could_not(options, error), FAILED)
    return 0


def could_not(options: argparse.Namespace, error: Exception) -> str:
    """Returns the message for an exception of a library."""
    return f"{options.model} could not be exported: {type(error).__name__}: {first_line(error)}"


def end_by_signal(number: int, frame: object) -> NoReturn:
    """Ends the program without a message, which `kjoule` prints, after temporary files are removed. Further signals are ignored."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Exports the model that `options` describe; returns its `kjoule.json` together with its `file` and `bytes`."""
    check_output(options.output)  # before torch is imported, which takes seconds
    report_step("loading PyTorch")
    try:
        from .build import Request
        from .export import export
    except (ImportError, OSError) as error:
        remedy = "install torch and transformers (in a clone: tools/setup), or set KJOULE_PYTHON to a Python that has them"
        raise ExportError(f"{sys.executable} cannot load PyTorch ({first_line(error)}); {remedy}", USAGE) from error
    values = {name: value for name, value in vars(options).items() if name not in ("output", "json")}
    metadata = export(Request(**values), options.output, report_step)
    return {"file": str(options.output), "bytes": options.output.stat().st_size, **metadata}


def report_step(step: str) -> None:
    """Prints the name of the step that begins on stderr."""
    print(step, file=sys.stderr, flush=True)


def fail(message: str, status: int) -> int:
    """Prints an error and returns `status`."""
    print(f"{PROGRAM}: {message}", file=sys.stderr, flush=True)
    return status


def silence_libraries() -> None:
    """Disables the libraries' warnings, logs and progress bars; their errors are exceptions."""
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    os.environ["TQDM_DISABLE"] = "1"


def summary(result: dict[str, Any]) -> str:
    """Returns the result as lines of text."""
    inputs = "; ".join(f"{entry['name']} {entry['dtype']} {entry['shape']}" for entry in result["inputs"])
    rows = {
        "file": result["file"],
        "size": f"{result['bytes'] / 1e6:.1f} MB",
        "parameters": f"{result['parameters']:,}",
        "inputs": inputs,
        "baked sizes": ", ".join(result["baked"]) or "none",
        "largest difference": f"{result['largest_difference']:.3g}",
    }
    return "\n".join(f"{name + ':':20}{value}" for name, value in rows.items())
