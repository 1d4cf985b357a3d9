"""Graphs with stamps, played by chain.cu."""
import ctypes
import random

import numpy as np

KERNEL, COPY, MEMSET, JOINED = 0, 1, 2, 4


class Library:
    def __init__(self, path):
        self.calls = ctypes.CDLL(path)
        pointer, integers = ctypes.c_void_p, np.ctypeslib.ndpointer(np.int32)
        for name, result, arguments in [
                ("open_chain", pointer, [pointer]), ("chain_length", ctypes.c_int, [pointer]), ("chain_types", None, [pointer, integers]),
                ("forget_programmatic_edges", None, [pointer]),
                ("make_instance", pointer, [pointer, ctypes.c_int, ctypes.c_int, integers, ctypes.c_int]),
                ("make_switched", pointer, [pointer, ctypes.c_int]), ("switched_instance", pointer, [pointer]),
                ("switch_stamps", None, [pointer, integers, ctypes.c_int, ctypes.c_int]), ("destroy_switched", None, [pointer]),
                ("destroy_instance", None, [pointer]), ("upload_instance", None, [pointer]),
                ("play", None, [pointer, np.ctypeslib.ndpointer(np.uint64), ctypes.c_int, ctypes.c_int]),
                ("read_ticks", None, [ctypes.POINTER(ctypes.c_double)] * 2)]:
            function = getattr(self.calls, name)
            function.restype, function.argtypes = result, arguments

    def ticks(self):
        shortest, mean = ctypes.c_double(), ctypes.c_double()
        self.calls.read_ticks(ctypes.byref(shortest), ctypes.byref(mean))
        return shortest.value, mean.value


class Chain:
    def __init__(self, library, graph):
        self.library = library
        self.handle = library.calls.open_chain(graph)
        if not self.handle:
            raise RuntimeError("not a chain")
        self.length = library.calls.chain_length(self.handle)
        self.types = np.zeros(self.length, np.int32)
        library.calls.chain_types(self.handle, self.types)

    def may_stamp(self, position):
        """Whether the launch at `position` of the endless iteration is not joined to the next one."""
        return not self.types[position % self.length] & JOINED


class Instance:
    """`launches` launches from `first` on with stamps after some positions."""

    def __init__(self, chain, after, launches, first=0):
        self.calls = chain.library.calls
        self.after = np.asarray(after, np.int32)
        self.handle = self.calls.make_instance(chain.handle, first, launches, self.after, len(self.after))
        self.values = np.zeros(len(self.after), np.uint64)

    def play(self, gate=1):
        """Returns the distances of successive stamps, ns."""
        self.calls.play(self.handle, self.values, len(self.values), gate)
        return np.diff(self.values.astype(np.int64))

    def upload(self):
        self.calls.upload_instance(self.handle)

    def close(self):
        self.calls.destroy_instance(self.handle)


class Switched:
    """One graph for all places of stamps: those that are wanted are switched on before a play."""

    def __init__(self, chain, launches):
        self.calls = chain.library.calls
        self.handle = self.calls.make_switched(chain.handle, launches)
        self.executable = self.calls.switched_instance(self.handle)
        self.values = np.zeros(launches, np.uint64)

    def play(self, after, plays):
        """Returns the distances of successive stamps of each play, ns; one more play before them is warm-up."""
        after = np.asarray(after, np.int32)
        self.calls.switch_stamps(self.handle, after, len(after), 1)
        readings = []
        for _ in range(plays + 1):
            self.calls.play(self.executable, self.values, len(self.values), 1)
            readings.append(np.diff(self.values[after].astype(np.int64)))
        self.calls.switch_stamps(self.handle, after, len(after), 0)
        return np.array(readings[1:])

    def close(self):
        self.calls.destroy_switched(self.handle)


def random_gaps(chain, first, last, least, most, draw):
    """Positions from `first` to `last`, both included, whose distances are drawn from least..most.

    Distances that go through least..most in turn would meet at the same positions in every instance, and stretches on either side of
    these could not be compared: sums came out 1 to 4 % low.
    """
    positions = [first]
    while positions[-1] < last:
        at = min(positions[-1] + draw.randint(least, most), last)
        while at < last and not chain.may_stamp(at):
            at += 1
        positions.append(at)
    return positions


def draw_of(seed):
    return random.Random(seed)
