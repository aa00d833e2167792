"""Programs of this folder that pytest does not take as tests."""

collect_ignore = ["conftest.py", "cupy_app.py"]  # the wheel of CuPy runs on a device sm_120 only
