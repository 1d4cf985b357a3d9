"""Stand-in for kjoule-torch on GPUs that are files: answers kjoule's requests to time an operator on the GPU that CUDA_VISIBLE_DEVICES names.

The file gpus.json in the folder of KJOULE_STAND_IN says what each GPU does, by its entry in CUDA_VISIBLE_DEVICES:

    name         name of the device
    uuid         default: the entry
    us           time of each pass; 10 by default
    cannot_start the error with which the process ends
    starts       number of processes that can start; later ones end with an error
    ends_after   number of answers after which a process ends at the next sample
    ends         number of processes that end like this; later ones do not
    ends_beside  a process ends only when this other GPU has been given as many samples
    ends_at      shapes that end the process
    waits_for    [GPU, N, M]: answers wait until that GPU has given N answers and was started M times

Each start, each given sample and each answer is a line in the file log_GPU of this folder.
"""
import json
import os
import pathlib
import socket
import sys
import time

FOLDER = pathlib.Path(os.environ["KJOULE_STAND_IN"])
sys.path.insert(0, os.environ["KJOULE_STAND_IN_MESSAGES"])
import messages  # noqa: E402  (of python/kjoule_operators, which needs torch as a package)

GPU = os.environ["CUDA_VISIBLE_DEVICES"]


def lines_of(gpu):
    path = FOLDER / f"log_{gpu}"
    whole = path.read_text().rpartition("\n")[0] if path.exists() else ""
    return [json.loads(line) for line in whole.splitlines()]


def answers_of(gpu):
    return [line["shape"] for line in lines_of(gpu) if "shape" in line]


def samples_given_to(gpu):
    return sum("given" in line for line in lines_of(gpu))


def starts_of(gpu):
    return sum("started" in line for line in lines_of(gpu))


def note(line):
    with open(FOLDER / f"log_{GPU}", "a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


def end(why):
    print(f"kjoule-torch: {why}", file=sys.stderr)
    sys.exit(1)


def sample(does, request):
    is_warm_up = request["warmup_passes"] == 0
    if not is_warm_up:
        note({"given": request["shape"]})
        if "waits_for" in does:
            gpu, answers, starts = does["waits_for"]
            while len(answers_of(gpu)) < answers or starts_of(gpu) < starts:
                time.sleep(0.005)
        may_end = starts_of(GPU) <= does.get("ends", float("inf"))
        if may_end and len(answers_of(GPU)) >= does.get("ends_after", float("inf")) or request["shape"] in does.get("ends_at", []):
            while "ends_beside" in does and samples_given_to(does["ends_beside"]) < samples_given_to(GPU):
                time.sleep(0.005)
            os.abort()
    direction = {"passes_us": [float(does.get("us", 10))] * request["active"], "flops": None, "least_bytes": None}
    if not is_warm_up:
        note({"shape": request["shape"]})
    return {"status": "measured", "peak_memory_bytes": 1, "kernels": None, "directions": {"forward": direction, "backward": direction}}


def main():
    does = json.loads((FOLDER / "gpus.json").read_text()).get(GPU, {})
    note({"started": os.getpid(), "arguments": sys.argv[1:]})
    if "--run" in sys.argv:  # the simulated device of the injected library's stand-in has a launch for each direction of each operator and of the warm-up
        operators = json.loads(pathlib.Path(sys.argv[sys.argv.index("--work") + 1]).read_text())["operators"]
        os.environ["TEST_UUID"] = does.get("uuid", GPU)
        os.environ["TEST_DEVICE"] = f"seed=5,launches={3 * (len(operators) + 1)}"
        os.execv(sys.executable, [sys.executable, os.environ["KJOULE_STAND_IN_PROGRAM"], "init", "launch", "sleep:60"])
    if "cannot_start" in does:
        end(does["cannot_start"])
    if starts_of(GPU) > does.get("starts", float("inf")):
        end("CUDA error: the GPU has fallen off the bus; restart the machine")
    device = {"device": does.get("name", "Stand-in GPU"), "torch": "0.0", "threads": 0, "time": "stand-in", "free_bytes": 1 << 30, "uuid": does.get("uuid", GPU)}
    answers = {"hello": lambda _: None, "sampling_device": lambda _: device, "sample": lambda request: sample(does, request["request"])}
    with socket.socket(fileno=int(sys.argv[sys.argv.index("--fd") + 1])) as connection:
        while (request := messages.receive(connection)) is not None and request["op"] in answers:
            messages.send(connection, {"id": request["id"], "result": answers[request["op"]](request)})


if __name__ == "__main__":
    main()
