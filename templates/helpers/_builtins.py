if triton.knobs.runtime.interpret:  # a builtin of Triton's compiler, as Python
    triton_helpers.constexpr_next_power_of_2 = lambda n: triton.next_power_of_2(int(getattr(n, "value", n)))
