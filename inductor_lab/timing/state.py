"""What the card runs at: clocks, temperature, power, and why it runs slower than it can. Read through NVML, never set."""

from __future__ import annotations

from dataclasses import dataclass

SLOWED = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "thermal limit",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
}
"""Bits of NVML's clocks event reasons that mean slower than asked for (nvml.h, nvmlClocksEventReason*)."""


@dataclass(frozen=True)
class State:
    """The card at one moment; all None where it can not be asked."""

    sm_mhz: int | None = None
    memory_mhz: int | None = None
    celsius: int | None = None
    watts: float | None = None
    throttled: tuple[str, ...] = ()


def read() -> State:
    """Of the current device."""
    try:
        import pynvml
        import torch

        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{torch.cuda.get_device_properties().uuid}".encode())
        reasons = pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)
        return State(
            pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM),
            pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_MEM),
            pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU),
            pynvml.nvmlDeviceGetPowerUsage(handle) / 1000,
            tuple(name for bit, name in SLOWED.items() if reasons & bit),
        )
    except Exception:  # no NVML, a container that hides it, AMD's: the times stand without it
        return State()
