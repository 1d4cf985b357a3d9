"""python -m kjoule_export.versions: prints the versions of Python and of the packages that kjoule_export needs."""
import importlib.metadata
import platform

if __name__ == "__main__":
    packages = [f"{package} {importlib.metadata.version(package)}" for package in ("torch", "transformers")]
    print(f"Python {platform.python_version()}", *packages, sep=", ")
