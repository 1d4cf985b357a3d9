"""What a figure was measured on, to be kept beside its rows."""
import json
import os
import platform
import subprocess


def describe(kjoule):
    """CPU model, cores, memory, kernel and kjoule version as a dict."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        models = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
    with open("/proc/meminfo", encoding="utf-8") as info:
        memory_kib = int(info.readline().split()[1])
    version = subprocess.run([kjoule, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory_kib / 2**20, 1),
        "kernel": platform.release(),
        "kjoule": version,
    }


def write(path, kjoule, **more):
    """Writes the description, with the command line's settings, as JSON."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**describe(kjoule), **more}, file, indent=2)
        file.write("\n")
