// PathKernel
