"""Hostile command lines of commands that write scripts, variables and pages, or that share GPUs."""
from .cases import Case, HostileCases, material, replaced

SCRIPT = "sample gelu --device cpu --slurm-script"
OTHERS: dict[str, str | bytes | None] = {"foreign": "mine\n", "folder/x": "mine\n"}

SLURM = [
    Case(f"{SCRIPT} {file}", names, OTHERS) for file, names in [
        ("foreign", "foreign: this file exists, is not a Slurm script"), ("folder", "folder: is a folder"), ("/proc/x", "/proc/x: cannot be written"), ("none/x", "none"),
    ]] + [Case(command, names, code=2) for command, names in [
        (f"{SCRIPT} ''", "--slurm-script: the name of the file is empty"), ("sample {sweep} --slurm-script {sweep}", "sweep.yml: this file is an input of the command"),
        *((f"{SCRIPT} x --array {number}", "--array: ") for number in ["0", "-1", "99999999", "nan", "1e3", "1.5", "''"]),
        *((f"{SCRIPT} x --time {time}", "--time: .*is not a time limit above 0") for time in ["1:2:3:4", "0", "00:00:00", "99999999999:00:00", "-1:00:00", "00:99:99", "inf", "''", "1h", "1-", "1-00:60"]),
        *((f"{SCRIPT} x {option} ''", f"{option}: its value is empty") for option in ["--account", "--partition"]),
        *((f"{SCRIPT} x --gpus-per-node {number}", "--gpus-per-node: ") for number in ["0", "-3", "1e9", "99999"]),
        *((f"{SCRIPT} x --sbatch={option}", f"cannot have the option {option.split('=')[0]}") for option in ["--wrap=true", "--array=1-5", "--output=x", "--no-requeue", "--chdir=/"]),
        (f"{SCRIPT} x --sbatch=", "--sbatch: its value is empty"), (f"{SCRIPT} x --parts 3", "--parts cannot be combined"), (f"{SCRIPT} x --requeue", "--requeue cannot be combined"),
        (f"{SCRIPT} x --gpus 0,1", "--gpus has no effect on the CPU"), (f"{SCRIPT} x --run get_one", "--slurm-script has no effect on one shape"), (f"{SCRIPT} x --array 5000", "the sweep has only"),
        ("sample gelu --array 3", "--array requires --slurm-script"), ("sample gelu --time 1:00:00", "--time requires"), ("sample gelu --account x", "--account requires"), ("sample gelu --sbatch=--qos=low", "--sbatch requires"),
    ]] + [Case(f"{SCRIPT} x {words}", names) for words, names in [
        ("--account 'a b'", "is not an option of sbatch"), ("--account '$(id)'", "is not an option of sbatch"), ("--account '`id`'", "is not an option of sbatch"), ("--partition 'p\nq'", "is not an option of sbatch"),
        ("--partition 'p\x1b[31m'", "is not an option of sbatch"), ("--sbatch=x", "'x' is not an option of sbatch"), ("--sbatch='--qos=a b'", "is not an option of sbatch"), ("--roof /dev/zero", "/dev/zero: is not a regular file"),
        ("--roof nothing", "nothing: no such file"), ("--python /dev/zero", "/dev/zero: is not a regular file"), ("-o 'a\nb'", "a Slurm script cannot contain this path"), ("-o 'a%j'", "a Slurm script cannot contain this path")]] + [
    Case("sample nothing --slurm-script x", "nothing is neither"), Case("sample /dev/zero --slurm-script x", "/dev/zero: is not a regular file")]

SHARED_GPUS = [Case(f"sample gelu --gpus {gpus}", names, code=2) for gpus, names in [
    ("''", "--gpus: its value is empty"), *((gpus, f"'{gpus}' is neither all nor a list") for gpus in ["x", "-1", "0,,1", "0-3", "99999999999999", "all,0", "nan", "1e3", "0.5", "0x1", "٣"]), ("0,0", "GPU 0 is named twice"),
    ("0," * 5000 + "1", "GPU 0 is named twice"), ("0 --device cpu", "--gpus has no effect on the CPU"), ("0 --device_num 1", "--device_num cannot be combined"), ("0 --run get_one", "--gpus has no effect on one shape"),
    ("0 --energy --power-log {power}", "--power-log"), ("0 --energy --power-source nvml", "--power-source")]]

VARIABLES = [Case(f"env {words}", names, code=2) for words, names in [
    ("", "no program was given"), ("--json", "no program was given"), ("--name", "--name: its value is missing"), ("--name '' -- x", "--name: its value is empty"), ("--name 'a b' -- x", "'a b' is not a valid name"),
    ("--name ../x -- x", "'../x' is not a valid name"), (f"--name {'a' * 49} -- x", "is not a valid name"), ("--name 'a\nb' -- x", "is not a valid name"), ("-- ''", "'' is not a valid name"), ("-- /", "'' is not a valid name"),
    *((f"--gpu {number} -- x", "--gpu: ") for number in ["-1", "nan", "1.5", "5000", "99999999999"]), *((f"--rank {number} -- x", "--rank: ") for number in ["-1", "1e9", "inf"])]]

GROUP = "all_reduce --slurm-script x --gpus-per-node 2"
COLLECTIVES = [Case(f"collectives {words}", names, OTHERS, code=2) for words, names in [
    ("", "operation is missing"), ("''", "operation: "), ("nothing", "operation: nothing is none of"), ("all_reduce --gpus 0", "--gpus names 1 GPU"), ("all_reduce --gpus 0,0", "--gpus names a GPU twice"),
    *((f"all_reduce --gpus {gpus}", "--gpus") for gpus in ["-1,0", "x", "0,nan", "''", "0,1,,2", "0,5000", "0;1"]), *((f"all_reduce --from {number}", "--from: ") for number in ["0", "-1", "nan", "1e6", "''"]),
    *((f"all_reduce --to {number}", "--to: ") for number in ["0", "1e12", "9" * 20]), ("all_reduce --from 4096 --to 1024", "there is no size from 4096 to 1024"), ("all_reduce --precision fp8", "--precision: fp8"),
    *((f"all_reduce --time-limit {number}", "--time-limit: ") for number in ["0", "inf", "-5", "nan", "1e9"]), ("all_reduce -o ''", "--output-dir: the name of the file is empty"), ("all_reduce x", "x: the command takes no such argument"),
    ("all_reduce -- true", "starts no program"), ("all_reduce --port 7", "--port has no effect without torchrun or srun"), *((f"all_reduce --port {port}", "--port: ") for port in ["0", "65536", "-1", "nan", "''"]),
    *((f"{GROUP} --nodes {number}", "--nodes: ") for number in ["0", "-1", "65", "nan", "1e3", "''"]), (f"{GROUP} --gpus 0,1", "--gpus"), ("all_reduce --slurm-script x", "--slurm-script requires --gpus-per-node"),
    ("all_reduce --slurm-script x --gpus-per-node 1", "the number of ranks is 1"), (f"{GROUP} --nodes 64", "the number of ranks is 128"), (f"{GROUP} --time 0", "--time: .*is not a time limit above 0"),
    *((f"{GROUP} --sbatch={option}", f"cannot have the option {option.split('=')[0]}") for option in ["--wrap=true", "--ntasks=5", "--output=x", "--requeue", "--nodes=3"]), ("all_reduce --nodes 2", "--nodes requires --slurm-script")]] + [
    Case(f"collectives {GROUP} --account '$(id)'", "is not an option of sbatch", OTHERS), Case(f"collectives {GROUP} -o 'a%j'", "a Slurm script cannot contain this path", OTHERS),
    Case("collectives all_reduce --gpus-per-node 2 --slurm-script foreign", "foreign: this file exists, is not a Slurm script", OTHERS)] + [Case(f"collectives all_reduce -o {file}", file, OTHERS) for file in ["foreign", "/proc/x", "/dev/null"]]

OTHER_COMMANDS = [Case(words, names, OTHERS, code=2) for words, names in [
    ("''", "'': no such command"), ("--nothing", "--nothing: no such option"), ("predict --nothing", "--nothing: no such option"), ("doctor x", "x: the command takes no such argument"), ("doctor ''", "'': the command takes no such argument"), ("doctor --json --csv", "--json cannot be combined with --csv"), ("doctor --nothing", "--nothing: no such option"),
    ("doctor -- true", "program"), ("report ''", "the name of the file is empty"), ("report {results} -o ''", "the name of the file is empty"), ("report", "folder is missing"), ("report {results} {results}", "results")]] + [
    Case(f"{command} -- ''", "'' cannot be started") for command in ["compare", "record", "kernels", "layers", "full", "isolated"]] + [
    Case(f"report {words}", names, OTHERS) for words, names in [
        ("folder", "folder: this folder contains no results"), ("foreign", "foreign: "), ("/dev/zero", "/dev/zero: "), ("nothing", "nothing: no such"), ("{results} --rules /dev/zero", "/dev/zero: is not a regular file"),
        ("{results} -o folder", "folder: is a folder"), ("{results} -o /proc/x", "/proc/x: cannot be written")]]

EXPORTS = [Case(f"export {words}", names, OTHERS, code=2) for words, names in [
    ("", "required: -o/--output"), ("bloom", "required: -o/--output"), ("bloom -o", "-o/--output"), ("bloom -o folder", "folder must end in .pt"), ("bloom -o ''", "-o/--output: the name of the file is empty"),
    *((f"bloom --{option} {number} -o x.pt", f"--{option}: '{number}' is not a positive whole number") for option in ["layers", "hidden", "vocab"] for number in ["0", "-1", "nan", "1e9", "1.5"])]]

CONFIGURATIONS = [
    Case("layers n.yaml --device cpu", "n.yaml:4: a second document of the file begins here", {"n.yaml": "name: n\nlayers: [{name: a, kind: relu, shape: [1]}]\n---\nname: m\n"}),
    Case("sample s.yml --device cpu", "s.yml:3: a second document of the file begins here", {"s.yml": "kernel_name: a\n---\nkernel_name: b\n"}),
    Case("sample s.yml --device cpu", "s.yml:", {"s.yml": "{kernel_name: mine, columns_name: [mp, b, l"}),  # endless for some parsers
    Case("predict step t.yml", "t.yml:3: a second document of the file begins here", {"t.yml": "gpu_name: a\n---\ngpu_name: b\n"}),
    Case("power log --source csv:p.csv --duration 0.2 -o log.csv", "the log has no reading", {"p.csv": "timestamp,gpu,power_w\n2026-01-01 00:00:01.000,0,100.5\n"}),
    *(Case("train d -o models", f"mine.yml:3: {key}: this field is not known; did you mean {meant}", {
        "d/G_mine_fp16.csv": "rows,F_dur(us)\n" + "".join(f"{n},{n}\n" for n in range(1, 40)), "d/mine.yml": f"kernel_name: mine\ncolumns_name: [rows, F_dur(us)]\n{key}: [rows]\n"})
      for key, meant in [("featurs", "features"), ("paramters", "parameters"), ("step_shapes", "step_shape")]),
]

# A cell of a CSV table must not become several kernels.
CELLS = [Case("kernels k.csv", names, {"k.csv": f"name,count,{column}\nk,1,\"{cell}\"\n"}) for column, cell, names in [
    ("grid", "[1,1,1]}{\"\"name\"\":\"\"z\"\",\"\"count\"\":7,\"\"x\"\":[1]", 'k.csv:2: "grid" is not'), ("grid", "[1,1,1],\"\"count\"\":7,\"\"x\"\":[1]", 'k.csv:2: "grid" is not'),
    ("grid", "[1", 'k.csv:2: "grid" is not'), ("grid", "[1,\"\"]\"\"", 'k.csv:2: "grid" is not')]]


class Jobs(HostileCases):
    def test_slurm_scripts(self) -> None:
        self.check(SLURM)

    def test_shared_gpus(self) -> None:
        self.check(SHARED_GPUS)

    def test_variables(self) -> None:
        self.check(VARIABLES)

    def test_collectives(self) -> None:
        self.check(COLLECTIVES)

    def test_other_commands(self) -> None:
        self.check(OTHER_COMMANDS)

    def test_exports(self) -> None:
        self.check(EXPORTS)

    def test_configurations(self) -> None:
        self.check(CONFIGURATIONS)

    def test_cells(self) -> None:
        self.check(CELLS)

    def test_sizes_that_do_not_divide(self) -> None:
        """The prediction was made for heads whose width was rounded down."""
        text = material("training").read_text(encoding="utf-8")
        self.check([Case("predict step t.yml", rf"t.yml:\d+: {names}; give a multiple of", {"t.yml": replaced(text, "[4, 2, 2, 4, 32, 4096, 4096, 8, 4]", sizes)}) for sizes, names in [
            ("[4, 2, 2, 4, 33, 4096, 4096, 8, 4]", "dim 4096 cannot be divided by h 33"), ("[4, 3, 2, 4, 32, 4096, 4096, 8, 4]", "h 32 cannot be divided by mp 3"),
            ("[4, 4, 2, 4, 2, 4096, 4098, 8, 4]", "h 2 cannot be divided by mp 4"), ("[4, 2, 2, 4, 4096, 4096, 32, 8, 4]", "dim 32 cannot be divided by h 4096")]])
