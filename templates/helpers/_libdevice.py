if triton.knobs.runtime.interpret and not hasattr(libdevice, "STANDS_IN"):
    # Triton's interpreter has no libdevice: the same functions, computed by torch, in float64 so that the last bit is no processor's own

    def _stand_in(function):
        def call(*arguments, **_):
            values = [
                torch.from_numpy(x.handle.data.copy()) if isinstance(x, tl.tensor) else torch.tensor(x)
                for x in arguments
            ]
            wide = function is not torch.nextafter
            result = function(*(x.double() if wide and x.is_floating_point() else x for x in values)).numpy()
            first = next(x for x in arguments if isinstance(x, tl.tensor))
            scalar, kind = (first.dtype, first.handle.data.dtype) if result.dtype.kind == "f" else (tl.int32, "int32")
            handle = type(first.handle)(result.astype(kind), scalar)
            return tl.tensor(handle, tl.block_type(scalar, first.shape) if first.type.is_block() else scalar)

        return call

    for _name in ("signbit", "rsqrt", "sqrt", "exp", "exp2", "expm1", "log", "log2", "log1p", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
                  "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "erfinv", "lgamma", "pow", "fmod", "floor", "ceil", "trunc", "i0",
                  "i1", "atan2", "hypot", "isnan", "isinf", "copysign", "nextafter",
                  "add_rn", "sub_rn", "mul_rn", "div_rn", "sqrt_rn", "rsqrt_rn", "ldexp"):  # fmt: skip
        _function = getattr(torch, _name.removesuffix("_rn"), None) or getattr(torch.special, _name)
        setattr(libdevice, _name, _stand_in(_function))
    for _name, _torch in {"cyl_bessel_i0": "i0", "cyl_bessel_i1": "i1", "j0": "bessel_j0", "j1": "bessel_j1", "y0": "bessel_y0", "y1": "bessel_y1",
                          "normcdf": "ndtr", "normcdfinv": "ndtri", "erfcx": "erfcx", "finitef": "isfinite", "isfinited": "isfinite"}.items():  # fmt: skip
        setattr(libdevice, _name, _stand_in(getattr(torch, _torch, None) or getattr(torch.special, _torch)))
    libdevice.nearbyint = libdevice.rint = _stand_in(torch.round)
    libdevice.round = _stand_in(lambda x: x.trunc() + torch.copysign(((x - x.trunc()).abs() >= 0.5) * 1.0, x))
    libdevice.isinfinite = libdevice.isinf
