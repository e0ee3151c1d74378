if triton.knobs.runtime.interpret:  # builtins of Triton's compiler, as Python
    triton_helpers.constexpr_next_power_of_2 = lambda n: triton.next_power_of_2(int(getattr(n, "value", n)))
    triton_helpers.if_mask = lambda mask, value: None if getattr(mask, "value", mask) is None else value
