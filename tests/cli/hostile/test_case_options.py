"""Hostile command lines: values of options, options without effect, and files that are missing, folders, or cannot be written."""
import itertools
import unittest

from .cases import SIMULATED, Case, HostileCases

QUICK = f"compare {SIMULATED}"
DEVICE = "--device simulated:seed=5,launches=12"

VALUES = [
    Case(command, names, code=2) for command, names in [
        # numbers that are none, too small, too large, not finite, not whole, with units, with blanks, in another alphabet
        ("full --runs -5", "--runs"), ("full --runs 1.5", "--runs"), ("full --runs 1e3", "--runs"), ("full --runs 10k", "--runs"), ("full --runs ''", "--runs"),
        ("full --runs 9223372036854775808", "--runs"), ("full --runs ٣", "--runs"),
        ("full --warmup -1", "--warmup"), ("full --items 0", "--items"), ("full --items nan", "--items"), ("full --items inf", "--items"), ("full --items 3kg", "--items"),
        ("full --loop-seconds -1", "--loop-seconds"), ("full --loop-seconds 1s", "--loop-seconds"), ("full --gpu 1.5", "--gpu"), ("full --pid 0", "--pid"),
        ("full --threads 0", "--threads"), ("full --seq-len -3", "--seq-len"), ("full --batch 0", "--batch"),
        ("full --interval 0", "--interval"), ("full --block nan", "--block"), ("full --averaging -inf", "--averaging"),
        ("compare --time-limit 1e400", "--time-limit"), ("compare --within -1%", "--within"), ("compare --within 101%", "--within"), ("compare --within ''", "--within"),
        ("compare --within nan", "--within"), ("compare --precision 5%%", "--precision"), ("compare --precision 5kg", "--precision"),
        ("compare --energy-within 2", "--energy-within"), ("compare --energy-precision x", "--energy-precision"), ("compare --energy-time-limit 0", "--energy-time-limit"),
        ("compare --starts 0", "--starts"), ("compare --top -1", "--top"), ("compare --search-seconds 0", "--search-seconds"), ("compare --energy-phases -1", "--energy-phases"),
        (f"compare {DEVICE} --iterations 5..3", "--iterations"), (f"compare {DEVICE} --iterations x", "--iterations"), ("compare --iterations 3 -- true", "--iterations"),
        ("compare --iterations -1..5 -- true", "--iterations"), ("compare --iterations 1..99999999999999999999 -- true", "--iterations"),
        ("import {trace} -o x --iterations 0", "--iterations"), ("import {trace} -o x --iterations 1e9", "--iterations"), ("import {trace} -o x --gpu x", "--gpu"),
        ("import {trace} -o x --max-bytes 0", "--max-bytes"), ("import {trace} -o x --max-bytes 1GiB", "--max-bytes"), ("kernels {trace} --iterations 0", "--iterations"),
        ("kernels {trace} --iterations 1..2", "--iterations"), ("kernels {trace} --timeline x.txt", "--timeline"), ("kernels {trace} --timeline ''", "--timeline"),
        ("layers resnet18 --batch 0", "--batch"), ("layers resnet18 --batch 1,x", "--batch"),
        ("layers resnet18 --dtype int8", "--dtype"), ("layers resnet18 --size batch", "--size"), ("layers resnet18 --size batch=0", "--size"),
        ("layers resnet18 --size batch=1.5", "--size"), ("layers resnet18 --device tpu", "tpu"), ("sample gelu --device tpu", "tpu"), ("layers resnet18 --size batch=2 --batch 3", "--size"),
        ("layers resnet18 --buffers other", "--buffers"), ("layers resnet18 --buffers rotate,context", "--buffers"), ("layers resnet18 --buffers ''", "--buffers"),
        ("layers resnet18 --buffers same,same", "--buffers"),
        ("layers resnet18 --buffers same --iters 0", "--iters"), ("layers resnet18 --buffers same --iters 1 --unroll 5", "--iters"), ("layers resnet18 --unroll 0", "--unroll"),
        ("sample gelu --part 0 --parts 2", "--part"), ("sample gelu --part 3 --parts 2", "--part"), ("sample gelu --parts 99999999999", "--parts"),
        ("sample gelu --precision FP16", "--precision"), ("sample gelu --device_num -1", "--device_num"), ("sample gelu --energy --reading 0", "--reading"),
        ("sample gelu --run all", "--run"), ("predict step {training} --schedule zigzag", "--schedule"), ("predict step {training} --seed 3", "--seed"),
        ("diff {base} {base} --fail-above 2x", "--fail-above"), ("diff {base} {base} --fail-energy-above -2%", "--fail-energy-above"), ("diff {base} {base} --top x", "--top"),
        ("energy --power-log {power} --timing {timing} -o out --offset x", "--offset"), ("energy --power-log {power} --timing {timing} -o out --offset 1e9", "--offset"),
        ("energy --power-log {power} --timing {timing} -o out --idle cold", "--idle"), ("energy --power-log {power} --timing {timing} -o out --idle -3", "--idle"),
        ("energy --power-log {power} --timing {timing} -o out --accuracy 200%", "--accuracy"), ("energy --power-log {power} --timing {timing} -o out --averaging 0", "--averaging"),
        ("energy --power-log {power} --timing {timing} -o out --unit hp", "--unit"), ("energy --power-log {power} --timing {timing} -o out --log-start noon", "--log-start"),
        ("power log -o x --duration -1", "--duration"), ("power log -o x --interval nan", "--interval"), ("power log -o x --duration 5s", "--duration"),
        ("power idle --duration 0", "--duration"), ("compare --device gpu", "gpu"), ("compare --device ''", "--device"), ("compare --device cuda:1", "cuda:1"),
        ("layers resnet18 --device cpu --batch 99999999999", "--batch"), ("predict operator NVIDIAH200 gelu fp16 fwd 1 2 3 nan", "nan"),
        ("energy --power-log {power} --timing {timing} -o out --idle 500", "--idle"),
    ]] + [
    Case(command, names) for command, names in [
        ("compare --device simulated:launches=-1", "launches"), ("compare --device simulated:seed=x", "seed"),
        ("compare --device simulated:nothing=1", "nothing"), ("compare --device simulated:seed", "simulated: 'seed'"), ("compare --device simulated:seed=1,,", "simulated"),
        ("compare --device simulated:launches=1e30", "launches"), ("compare --device simulated:drift=nan", "drift"), ("compare --device simulated:launches=10000000000", "launches"),
        ("layers resnet18 --size =3", "--size"), ("layers resnet18 --size tokens=3 --device cpu", "tokens"), ("layers resnet19", "resnet19"),
        ("sample gelo", "gelo"), ("kernels {trace} --by colour", "--by"),
        ("import {trace} -o x --annotation nothing", "nothing"), ("import {trace} -o x --gpu 5", "--gpu|device 5"), ("import {trace} -o x --rank 3", "rank"),
        ("import {trace} -o x --max-bytes 10", "--max-bytes"), ("import {trace} -o x --rules {csv}", "kernels.csv"),
        ("predict step nothing", "nothing"), ("predict operator NVIDIAH200 gelo fp16 fwd 1 2 3 4", "gelo"), ("predict operator NVIDIAH200 gelu fp8 fwd 1 2 3 4", "fp8"),
        ("predict operator GTX gelu fp16 fwd 1 2 3 4", "GTX"), ("predict operator NVIDIAH200 gelu fp16 sideways 1 2 3 4", "sideways"), ("predict operator NVIDIAH200 gelu fp16 fwd 1 2", "gelu"),
        ("predict operator NVIDIAH200 gelu fp16 fwd 1 2 3 0", "dim 0"), ("predict operator NVIDIAH200 gelu fp16 fwd 1 2 3 1.5", "1.5"), ("predict operator NVIDIAH200 gelu fp16 fwd 1 2 3 -4", "-4"),
        ("predict operator NVIDIAH200 gelu fp16 fwd 1 2 3 1e300", "1e"), ("predict show-example nothing", "nothing"),
        ("energy --power-log {power} --timing {timing} -o out --gpu 7", "gpu 7"), ("energy --power-log {power} --timing {timing} -o out --series x", "x"),
        ("energy --power-log {power} --timing {timing} -o out --time-column when", "when"), ("energy --power-log {power} --timing {timing} -o out --power-column heat", "heat"),
        ("energy --power-log {power} --timing {timing} -o out --device-column card", "card"), ("energy --power-log {power} --timing {timing} --timing {timing} -o out", "timing"),
        ("energy --power-log {power} --timing {timing} -o out --idle '2026-02-04 09:00:00..2026-02-04 09:01:00'", "--idle"),
        ("energy --power-log {power} --timing {timing} -o out --idle '2026-02-04 10:16:00..2026-02-04 10:15:00'", "--idle"),
        ("power log -o x --duration 0.1 --source csv:/tmp", "/tmp"), ("power log -o x --duration 0.1 --source csv:nothing", "nothing"), ("power log -o x --duration 0.1 --source csv:", "csv"),
        ("power log -o x --duration 0.1 --source wattsup:/dev/null", "/dev/null"), ("power log -o x --duration 0.1 --source wattsup:/nothing", "/nothing"),
        ("power log -o x --duration 0.1 --source magic", "magic"), ("power log -o x --duration 0.1 --source rapl:x", "rapl"),
        ("power idle --source csv:/tmp --duration 0.1", "/tmp"), ("power idle --source magic", "magic"),
    ]]

# A pair of options and a mode in which the option is never read.
WITHOUT_EFFECT = [
    Case(command, names, code=2) for command, names in [
        (f"{QUICK} --like {{trace}}", "--like"), (f"{QUICK} --annotation x", "--annotation"), (f"{QUICK} --omit-impossible-times", "--omit-impossible-times"),
        (f"{QUICK} --max-bytes 100", "--max-bytes"), (f"isolated {DEVICE} --like {{trace}}", "--like"), (f"isolated {DEVICE} --annotation x", "--annotation"),
        (f"full {DEVICE} --model {{csv}}", "--model"), (f"full {DEVICE} --seq-len 5", "--seq-len"), (f"full {DEVICE} --batch 5", "--batch"), (f"full {DEVICE} --seed 5", "--seed"),
        (f"full {DEVICE} --threads 5", "--threads"), (f"full {DEVICE} --input float32:2x3", "--input"), (f"record {DEVICE} --range x", "--range"),
        (f"record {DEVICE} --loop-seconds 5", "--loop-seconds"), (f"record {DEVICE} --rank 0", "--rank"), (f"compare {DEVICE} --once", "--once"),
        (f"compare {DEVICE} --search-seconds 5", "--search-seconds"), (f"compare {DEVICE} --energy-phases 2", "--energy-phases"), (f"compare {DEVICE} --pid 1", "--pid|--device"),
        (f"compare {DEVICE} --attach x", "--attach|--device"), (f"compare {DEVICE} -- true", "--device"), ("compare --model x.pt -- true", "--model"), ("compare --seq-len 3 -- true", "--seq-len"),
        ("compare --batch 3 -- true", "--batch"), ("compare --attach x -- true", "--attach"), ("compare --attach x --starts 2", "--starts"),
        ("compare --attach x --gpu 0", "--gpu"), ("compare --range x --iterations 1..5 -- true", "--range"), ("compare --yes", "--yes"), ("compare --run-recorded", "--run-recorded"),
        ("compare --recording {recording} --run-recorded -- true", "--run-recorded"), (f"{QUICK} --energy-within 3%", "--energy-within"), (f"{QUICK} --power-log {{power}}", "--power-log"),
        (f"isolated {DEVICE} --no-energy --block-kernels 3", "--block-kernels"), (f"isolated {DEVICE} --block-kernels 3", "--block-kernels"),
        (f"isolated {DEVICE} --allow-operator aten::add", "--allow-operator"), (f"isolated {DEVICE} --interval 3", "--interval"), (f"isolated {DEVICE} --averaging 3", "--averaging"),
        ("isolated --kernels {csv} --align", "--align|meter"), ("isolated --kernels {csv} --no-energy --averaging 3", "--averaging"), ("isolated --kernels {csv} --interval 3", "--interval|meter"),
        ("isolated --kernels {csv} --averaging 3", "--averaging|meter"), ("isolated --kernels {csv} --block-kernels 3", "--block-kernels|meter"), ("isolated --kernels {csv} --range x", "--range"),
        ("isolated --kernels {csv} --skip-iterations 3", "--skip-iterations"), ("isolated --kernels {csv} --attach x", "--kernels was given with a program"), ("isolated --kernels {csv} -- true", "--kernels"),
        ("isolated --kernels {csv} --loop-seconds 3", "--loop-seconds"), ("isolated --kernels {csv} --seq-len 3", "--seq-len"),
        ("kernels {recording} --range x", "--range"), ("kernels {recording} --loop-seconds 3", "--loop-seconds"),
        ("kernels {trace} --range x", "--range"), ("kernels {trace} --skip-iterations 3", "--skip-iterations"), ("kernels {results} --timeline t.json", "timeline"),
        ("kernels {csv} --seq-len 3", "--seq-len"), ("kernels --by name -- true", "--by"), ("kernels --like {trace} -- true", "--like"),
        ("kernels --model x.pt -- true", "--model"), ("kernels --annotation x -- true", "--annotation"), ("kernels --max-bytes 3 -- true", "--max-bytes"), ("kernels {trace} --json --jsonl", "--jsonl"),
        ("kernels --range x -- true", "--range"), ("kernels {trace} -- true", "program"),
        ("import {csv} -o x --device cuda", "--device"), ("import {csv} -o x --seed 5", "--seed"), ("import {csv} -o x -- true", "program"),
        ("layers --list resnet18", "--list"), ("layers --list --batch 3", "--list"), ("layers resnet18 --iters 5", "--iters"), ("layers resnet18 --unroll 5", "--unroll"),
        ("layers resnet18 --range x", "--range"), ("layers resnet18 --rank 0", "--rank"), ("layers resnet18 --buffers same --time-limit 3", "--time-limit"), ("layers --batch 3 -- true", "--batch"),
        ("layers --buffers same -- true", "--buffers"), ("layers --threads 3 -- true", "--threads"), ("layers --device cpu -- true", "--device"), ("layers resnet18 -- true", "resnet18"),
        ("layers resnet18 resnet18 --iterations 5 --iters 5 --buffers same", "--iterations"), ("layers x.py --batch 3", "--batch"), ("layers x.py y.py", "Python"), ("layers x.py --range x", "--range"),
        ("sample --list --parts 3", "--parts"), ("sample gelu --run get_one --parts 3", "--parts"), ("sample gelu --run get_one --json", "--json"), ("sample gelu --run get_one --energy", "--energy"),
        ("sample gelu --reading 3", "--reading"), ("sample gelu --power-source nvml", "--power-source"), ("sample gelu --device cpu --device_num 3", "--device_num"),
        ("sample gelu merge {part} -o x", "merge"), ("sample --precision fp16 merge {part} -o x", "merge"), ("sample gelu -- true", "program"),
        ("predict step {training} --reference --models x", "--models"), ("predict step {training} --reference --schedule gpipe", "--schedule"), ("diff {base} {base} --json --markdown", "--markdown"),
        ("diff {base} {base} --json --csv", "--json|--csv"), ("diff {base} {base} -- true", "program"), ("diff {base} {base} {base}", "base.json"), ("baseline {results} {results} -o x", "results"),
        ("power idle -- true", "program"), ("power log -o x -- true", "program"), ("doctor --model x", "--model"), ("doctor x", "x"), ("train {data} {data}", "data"), ("env x", "x"),
        ("energy --power-log {power} --timing {timing} -o out --json --csv", "--json|--csv"), ("energy --power-log {power} --timing {timing} -o out -- true", "program"),
    ]] + [
    Case("energy --power-log {power} --timing {timing} -o out --device-column none --gpu 3", "gpu 3"),
    Case("energy --power-log {power} --timing {timing} -o out --log-start '2026-02-04 10:15:00'", "--log-start"), Case("energy --power-log {power} --timing {timing} -o out --device-column card", "--device-column"),
    Case("kernels {results} --max-bytes 100", "--max-bytes"), Case("kernels {recording} --model x.pt", "x.pt"),
    Case("kernels {csv} --annotation x", "--annotation"), Case("kernels {csv} --omit-impossible-times", "--omit-impossible-times"),
    Case("isolated --kernels {csv} --annotation x", "--annotation"), Case("import {csv} -o x --annotation x", "--annotation"), Case("import {csv} -o x --timeline t.json", "timeline"),
    Case("import {trace} {trace} -o x", "trace"),
]

# Each option that names an input, with a file that is missing, a folder, a pipe, empty, or not readable.
INPUTS = [
    Case(command.replace("FILE", file), file, {"folder/x": "", "empty": "", "bytes": b"\x00\xff\xfe\x00" * 9})
    for command, file in itertools.product(
        ["kernels FILE", "import FILE -o x", "compare --recording FILE --run-recorded --yes", f"{QUICK} --kernels FILE", f"{QUICK} --rules FILE", "isolated --kernels FILE",
         "import {trace} -o x --like FILE", "layers FILE", "sample FILE", "train FILE", "predict step FILE", "predict operator G mine fp16 fwd 1 2 --data FILE", "diff FILE {base}",
         "diff {base} FILE", "baseline FILE -o x", "report FILE -o x", "energy --power-log FILE --timing {timing} -o out", "energy --power-log {power} --timing FILE -o out", "sample merge FILE -o x",
         "compare --resume FILE", "sample gelu --roof FILE"],
        ["nothing", "folder", "empty", "bytes"])] + [
    Case(f"compare --model {file}", file, {"folder/x": ""}) for file in ["nothing", "folder"]]

# Each option that names an output, with a place that cannot be written, or that has a file of others.
OUTPUTS = [
    Case(command.replace("FILE", file), file, {"foreign": "mine\n", "folder/x": "mine\n"})
    for command, file in itertools.product(
        [f"{QUICK} -o FILE", f"{QUICK} --timeline FILE.json -o x", f"record {DEVICE} -o FILE", "import {trace} -o FILE", "baseline {results} -o FILE", "report {results} -o FILE", f"{QUICK} --html FILE -o x",
         "layers resnet18 --device cpu --html FILE -o x", "diff {base} {base} --html FILE", "sample merge {part} -o FILE",
         "energy --power-log {power} --timing {timing} -o FILE", "power log --source csv:{power} --duration 0.1 -o FILE", "train {data} -o FILE", "sample gelu --device cpu -o FILE",
         f"power calibrate --source nvml --against nvml --device cpu --model {{csv}} -o FILE"],
        ["foreign/x", "/proc/x", "/sys/x"])] + [
    Case(command, names, {"foreign": "mine\n", "folder/x": "mine\n"}) for command, names in [
        (f"{QUICK} -o foreign", "foreign"), (f"{QUICK} -o folder", "folder"), (f"record {DEVICE} -o foreign", "foreign"), (f"record {DEVICE} -o folder", "folder"),
        ("import {trace} -o foreign", "foreign"), ("baseline {results} -o foreign", "foreign"), ("baseline {results} -o folder", "folder"), ("report {results} -o foreign", "foreign"), ("report {results} -o folder", "folder"), ("sample merge {part} -o foreign", "foreign"),
        ("energy --power-log {power} --timing {timing} -o foreign", "foreign"), ("power log --source csv:{power} --duration 0.1 -o foreign", "foreign"), ("train {data} -o foreign", "foreign"),
        ("sample gelu --device cpu -o foreign", "foreign"), ("kernels {trace} --timeline none/t.json", "none"), ("predict step {training} --models foreign", "foreign"),
        ("predict operator G mine fp16 fwd 1 2 --data {data} --models foreign", "foreign")]] + [
    Case("export bloom -o none/x.pt", "none", code=2), Case("export bloom -o folder", "folder", {"folder/x": ""}, code=2),
    Case("power calibrate --source nvml --against nvml --device cpu --model {csv}", "calibrations.json", {"home/.config/kjoule/calibrations.json": "mine\n"}),
    Case("power calibrate --source nvml --against nvml --device cpu --model {csv}", "home/.config", {"home/.config": "mine\n"}),
    Case("train {data} -o models", "models/G_mine_fp16_forward.json", {"models/G_mine_fp16_forward.json": "mine\n"}),
    Case("train {data} -o models", "models/G_mine_fp16_backward_energy.json", {"models/G_mine_fp16_backward_energy.json": '{"format": "mine"}\n'}),
    Case("predict operator G mine fp16 fwd 64 128 --data {data} --models models", "models/G_mine_fp16_forward.json", {"models/G_mine_fp16_forward.json": '{\n  "format": "mine"\n}\n'})] + [
    Case(command, "-o|--output|--models|--timeline|--html", code=2) for command in [
        f"{QUICK} -o ''", f"record {DEVICE} -o ''", "import {trace} -o ''", "baseline {results} -o ''", "report {results} -o ''", "sample merge {part} -o ''", "energy --power-log {power} --timing {timing} -o ''",
        "power log -o ''", "train {data} -o ''", "sample gelu -o ''", f"{QUICK} --timeline ''", f"{QUICK} --html ''", "diff {base} {base} --html ''", "predict operator G mine fp16 fwd 1 2 --data {data} --models ''"]]


class CommandLines(HostileCases):
    def test_values(self) -> None:
        self.check(VALUES)

    def test_options_without_effect(self) -> None:
        self.check(WITHOUT_EFFECT)

    def test_inputs(self) -> None:
        self.check(INPUTS)

    def test_outputs(self) -> None:
        self.check(OUTPUTS)


if __name__ == "__main__":
    unittest.main()
