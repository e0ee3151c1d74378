def tf32(allowed):
    """Of a function: in it cuBLAS and cuDNN may round the operands of float32 products to TF32, or must not; behind it they do as before."""

    def around(function):
        def run(*tensors):
            settings = torch.backends.cuda.matmul, torch.backends.cudnn.conv
            before = [setting.fp32_precision for setting in settings]
            try:
                for setting in settings:
                    setting.fp32_precision = "tf32" if allowed else "ieee"
                return function(*tensors)
            finally:
                for setting, precision in zip(settings, before, strict=True):
                    setting.fp32_precision = precision

        run.__name__, run.__wrapped__, run.around = function.__name__, function, around
        return run

    return around
