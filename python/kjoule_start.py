"""python kjoule_start.py MODULE ARGUMENTS: runs a module of this folder without the current folder on sys.path.

The script's folder is the first entry, as with `python -P -m` and this folder in PYTHONPATH; Python 3.10 has no -P.
"""
import sys

if __name__ == "__main__":
    folder = __file__.rpartition("/")[0]
    sys.path[:] = [folder, *(entry for entry in sys.path if entry not in ("", folder))]
    import runpy  # noqa: E402 (only now it cannot come from the current folder)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
