"""Models of the bundled samples, which all tests share, because training them takes seconds of a core."""
import contextlib
import os
import tempfile
from unittest import mock

FOLDER = "KJOULE_TEST_MODELS"  # variable of the environment with the folder, which the workers of pytest inherit


@contextlib.contextmanager
def folder_of_all_tests():
    """Makes the folder for the block, unless a process that started this one has made it."""
    if FOLDER in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {FOLDER: folder}):
        yield


def share_trained_models(test):
    """Lets the programs that `test` starts keep the models of bundled samples where other tests find them. A model is the same whichever test
    trains it: it is trained on the same rows with the same seed, and written as a whole."""
    test.enterContext(folder_of_all_tests())
    test.enterContext(mock.patch.dict(os.environ, XDG_CACHE_HOME=os.environ[FOLDER]))
