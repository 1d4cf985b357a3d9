"""python kjoule_start.py MODULE ARGUMENTS: runs a module of this folder without the current folder on sys.path.

This is the same as `python -P -m MODULE` with this folder in PYTHONPATH, but Python 3.10 has no -P.
"""
import sys

if __name__ == "__main__":
    folder = __file__.rpartition("/")[0]
    sys.path[:] = [folder, *(entry for entry in sys.path if entry not in ("", folder))]
    import runpy  # noqa: E402 (imported here, so that it cannot come from the current folder)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
