if triton.knobs.runtime.interpret:  # Triton's interpreter has no libdevice: the same functions, computed by torch

    def _stand_in(name):
        function = getattr(torch, name.removesuffix("_rn"), None) or getattr(torch.special, name)

        def call(*arguments, **_):
            values = [
                torch.from_numpy(x.handle.data.copy()) if isinstance(x, tl.tensor) else torch.tensor(x)
                for x in arguments
            ]
            result = function(*values)
            first = next(x for x in arguments if isinstance(x, tl.tensor))
            if not result.dtype.is_floating_point:
                result, scalar = result.to(torch.int32), tl.int32
            else:
                scalar = first.dtype
            handle = type(first.handle)(result.numpy(), scalar)
            return tl.tensor(handle, tl.block_type(scalar, first.shape) if first.type.is_block() else scalar)

        return call

    for _name in ("signbit", "rsqrt", "sqrt", "exp", "exp2", "expm1", "log", "log2", "log1p", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
                  "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "erfinv", "lgamma", "pow", "fmod", "floor", "ceil", "trunc", "round", "i0",
                  "i1", "atan2", "hypot", "isnan", "isinf", "copysign", "nextafter",
                  "add_rn", "sub_rn", "mul_rn", "div_rn", "sqrt_rn", "rsqrt_rn", "ldexp"):  # fmt: skip
        setattr(libdevice, _name, _stand_in(_name))
    for _name, _torch in {"cyl_bessel_i0": "i0", "cyl_bessel_i1": "i1", "j0": "bessel_j0", "j1": "bessel_j1", "y0": "bessel_y0", "y1": "bessel_y1",
                          "normcdf": "ndtr", "normcdfinv": "ndtri", "erfcx": "erfcx", "finitef": "isfinite", "isfinited": "isfinite"}.items():  # fmt: skip
        setattr(libdevice, _name, _stand_in(_torch))
    libdevice.nearbyint = libdevice.rint = _stand_in("round")
    libdevice.isinfinite = libdevice.isinf
