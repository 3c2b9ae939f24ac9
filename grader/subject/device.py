"""The devices that a subject can compute on."""

import importlib.util
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from grader.message import Message

DeviceName = Literal["cpu", "cuda"]
DEVICES: tuple[DeviceName, ...] = get_args(DeviceName)

#: Which devices somebody wants: all that there are, or one.
Wanted = Literal["auto", "cpu", "cuda"]
WANTED: tuple[Wanted, ...] = get_args(Wanted)

#: What NVIDIA's driver is spoken to by: each GPU's own file, the driver's, and that of the memory
#: that GPU and host share.
_CUDA_FILES = ("nvidia[0-9]*", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")

#: What its library looks up of the machine.
_CUDA_FACTS = (
    "/proc/driver/nvidia", "/proc/devices", "/proc/modules", "/sys/devices/system/node",
    "/sys/bus/pci/devices", "/sys/module/nvidia", "/sys/module/nvidia_uvm",
)  # fmt: skip


def missing(device: DeviceName, dev: Path = Path("/dev")) -> Message | None:
    """Why a device cannot be computed on here; None if it seems that it can.

    torch is not imported for that: whether it finds the GPU to its liking is seen when a subject
    starts.

    Args:
        device: which.
        dev: the folder of device files.
    """
    if device == "cpu":
        return None
    if sys.platform != "linux":
        return Message("device.linux_only", {"system": sys.platform})
    if not list(dev.glob("nvidia[0-9]*")) or not (dev / "nvidiactl").exists():
        return Message("device.no_gpu", {"folder": str(dev)})
    build = _cuda_of_torch()
    if build is None:
        return Message("device.cpu_build", {})
    return None


def files_of(device: DeviceName, dev: Path = Path("/dev")) -> list[str]:
    """The device files that a subject needs, besides those that every program counts on."""
    if device == "cpu":
        return []
    return sorted(str(path) for name in _CUDA_FILES for path in dev.glob(name))


def facts_of(device: DeviceName) -> Sequence[str]:
    """What of the machine a subject has to read."""
    return () if device == "cpu" else _CUDA_FACTS


def _cuda_of_torch() -> str | None:
    """The CUDA that the installed torch was built for: ``13.0``."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    text = Path(spec.origin).with_name("version.py").read_text("utf-8")
    found = re.search(r"^cuda(?:: [^=]*)? = ['\"]([\d.]+)['\"]", text, re.MULTILINE)
    return found and found[1]
