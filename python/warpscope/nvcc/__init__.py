"""warpscope-nvcc: nvcc's command line, for CUDA programs that run on the CPU and can be traced (docs/tools/nvcc.md).

Reading order: option_table.py, options.py, inputs.py; runner.py; device.py, container.py, host.py, link.py; driver.py.
"""
