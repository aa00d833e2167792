"""Wrong calls from Python: with its lock, without it, and while another thread has it and waits."""
import ctypes
import sys
import threading
import time

locks = sys.argv[1]
free, held = ctypes.CDLL("libcuda.so.1"), ctypes.PyDLL("libcuda.so.1")
context, p = ctypes.c_void_p(), ctypes.c_uint64()
assert free.cuInit(0) == 0
assert free.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert free.cuCtxSetCurrent(context) == 0


def without_lock():
    return free.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(0))  # line 16


def with_lock():
    return held.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(0))  # line 20


assert without_lock() == 1
assert with_lock() == 1

# Other threads run Python meanwhile.
stop = False


def busy():
    while not stop:
        pass


thread = threading.Thread(target=busy)
thread.start()
assert without_lock() == 1
stop = True
thread.join()

# This thread has a lock and no lock of Python; the other one, the reverse.
ours, theirs = ctypes.CDLL(locks), ctypes.PyDLL(locks)


def wait():
    time.sleep(0.01)
    theirs.wait_for_it()


thread = threading.Thread(target=wait)
thread.start()
assert ours.allocate() == 1
thread.join()
assert without_lock() == 1
print("done")
