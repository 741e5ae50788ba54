"""Runs a Caffe2 model from Python through plait.h, with ctypes: from_python.py libplait.so"""
import ctypes
import sys

plait = ctypes.CDLL(sys.argv[1])
plait.plait_last_error.restype = ctypes.c_char_p
FLOAT32, BOOL = 0, 8


def call(function, *arguments):
    if function(*arguments) != 0:
        raise RuntimeError(plait.plait_last_error().decode())


class Session:
    def __init__(self, model, init, backend=b"serial"):
        self.handle = ctypes.c_void_p()
        call(plait.plait_session_open, model, init, backend, 0, ctypes.byref(self.handle))

    def feed(self, name, elements, shape, type=FLOAT32, ctype=ctypes.c_float):
        extents = (ctypes.c_int64 * len(shape))(*shape)
        data = (ctype * len(elements))(*elements)
        call(plait.plait_session_feed, self.handle, name, type, data, extents, ctypes.c_size_t(len(shape)))

    def run(self):
        call(plait.plait_session_run, self.handle)

    def fetch(self, name, count):
        data = (ctypes.c_float * count)()
        call(plait.plait_session_fetch, self.handle, name, FLOAT32, data, ctypes.c_size_t(ctypes.sizeof(data)))
        return list(data)


session = Session(b"data/demo_net.pbtxt", b"data/demo_init_net.pbtxt")
session.feed(b"x", [1, -2, 0.5], [1, 3])
session.feed(b"sharpen", [True], [], BOOL, ctypes.c_bool)
session.run()
p = session.fetch(b"p", 2)
print("p =", *p)
sys.exit(abs(sum(p) - 1) > 1e-3)
