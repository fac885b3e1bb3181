# SPDX-License-Identifier: Apache-2.0
"""Real libusb, by ctypes, as little of it as the tests need. Runs as a program inside a bed: `client.py NAME [ARGUMENT...]` calls
the function of that name, whose result it prints as JSON."""

import ctypes
import json
import sys
import time

LIB = ctypes.CDLL("libusb-1.0.so.0")
LIB.libusb_get_device_list.restype = ctypes.c_ssize_t
LIB.libusb_error_name.restype = ctypes.c_char_p
LIB.libusb_open.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]
for name in ("get_device_descriptor", "get_string_descriptor_ascii", "kernel_driver_active", "detach_kernel_driver",
             "attach_kernel_driver", "claim_interface", "release_interface", "control_transfer", "bulk_transfer", "clear_halt",
             "set_configuration", "reset_device", "close", "get_bus_number", "get_device_address", "get_device_speed"):
    getattr(LIB, "libusb_" + name).argtypes = None
OUT, IN = 0x02, 0x81
# Milliseconds, for what ends by itself, however busy the machine is.
PATIENCE = 100_000
READ_ID = bytes([0x80, 0x00, 0x0B, 0x11, 0, 0, 0x9F, 0x20, 2, 0, 0x80, 0x08, 0x0B, 0x87])


def name_of(code):
    return code if code >= 0 else LIB.libusb_error_name(code).decode().removeprefix("LIBUSB_ERROR_")


class Device:
    def __init__(self, device):
        self.device = ctypes.c_void_p(device)
        self.handle = ctypes.c_void_p()

    def open(self):
        return name_of(LIB.libusb_open(self.device, ctypes.byref(self.handle)))

    def call(self, function, *arguments):
        return name_of(getattr(LIB, "libusb_" + function)(self.handle, *arguments))

    def descriptor(self):
        buffer = ctypes.create_string_buffer(18)
        LIB.libusb_get_device_descriptor(self.device, buffer)
        return buffer.raw

    def text(self, index):
        buffer = ctypes.create_string_buffer(100)
        length = LIB.libusb_get_string_descriptor_ascii(self.handle, index, buffer, 100)
        return buffer.raw[:length].decode() if length >= 0 else name_of(length)

    def control(self, kind, request, value, index, length=0):
        buffer = ctypes.create_string_buffer(max(length, 1))
        result = LIB.libusb_control_transfer(self.handle, kind, request, value, index, buffer, length, PATIENCE)
        return buffer.raw[:result].hex() if result >= 0 else name_of(result)

    def bulk(self, endpoint, data, timeout=PATIENCE):
        """The bytes that came, or how many went; and what was wrong."""
        buffer = ctypes.create_string_buffer(bytes(data), len(data))
        moved = ctypes.c_int(0)
        code = LIB.libusb_bulk_transfer(self.handle, endpoint, buffer, len(data), ctypes.byref(moved), timeout)
        return (buffer.raw[: moved.value].hex() if endpoint & 0x80 else moved.value), name_of(code)

    def take(self):
        """Ours, with the serial engine switched on."""
        for interface in (0, 1):
            self.call("detach_kernel_driver", interface)
        claimed = self.call("claim_interface", 0)
        if claimed == 0:
            self.control(0x40, 0x0B, 0x0200, 1)
            self.bulk(OUT, [0x8A, 0x86, 0, 0, 0x80, 0x08, 0x0B])
        return claimed


def devices():
    if LIB.libusb_init(None) != 0:
        raise OSError("no libusb")
    listed = ctypes.POINTER(ctypes.c_void_p)()
    count = LIB.libusb_get_device_list(None, ctypes.byref(listed))
    return [Device(listed[i]) for i in range(count)]


def listing():
    answer = []
    for device in devices():
        opened = device.open()
        answer.append({"descriptor": device.descriptor().hex(), "open": opened})
        if opened == 0:
            answer[-1]["texts"] = [device.text(i) for i in (1, 2, 3)]
        answer[-1]["place"] = [LIB.libusb_get_bus_number(device.device), LIB.libusb_get_device_address(device.device)]
        answer[-1]["speed"] = LIB.libusb_get_device_speed(device.device)
    return answer


def driver():
    """Detaches, claims, and gives back."""
    device = devices()[0]
    device.open()
    steps = [("kernel_driver_active", 0), ("claim_interface", 0), ("detach_kernel_driver", 0), ("kernel_driver_active", 0),
             ("detach_kernel_driver", 0), ("claim_interface", 0), ("attach_kernel_driver", 0), ("release_interface", 0),
             ("release_interface", 0), ("attach_kernel_driver", 0), ("kernel_driver_active", 0), ("claim_interface", 7)]
    return [device.call(*step) for step in steps]


def identify(hangs="0"):
    """The flash chip's id, twice, whatever happens on the way; the transfer that hangs is given up soon."""
    device = devices()[0]
    answer = {"open": device.open(), "take": device.take()}
    for key, transfer in (("first", 3), ("second", 5)):
        soon = [300 if str(transfer + i) == hangs else PATIENCE for i in range(2)]
        sent = device.bulk(OUT, READ_ID, soon[0])
        got = device.bulk(IN, bytes(512), soon[1])
        answer[key] = [*sent, *got]
    answer["devices"] = len(devices())
    return answer


def recover():
    """The same, with a stall cleared in between."""
    device = devices()[0]
    device.open()
    device.take()
    stalled = device.bulk(OUT, READ_ID)[1]
    return [stalled, device.bulk(OUT, READ_ID)[1], device.call("clear_halt", OUT), *device.bulk(OUT, READ_ID), *device.bulk(IN, bytes(512))]


def unclaimed():
    """Without claiming: in the way of the kernel's driver, and without one."""
    device = devices()[0]
    device.open()
    busy = device.bulk(OUT, [0x85])[1]
    device.call("detach_kernel_driver", 0)
    return [busy, device.bulk(OUT, [0x85])[1]]


def two_handles():
    """One of them is closed while the other waits for a transfer, the second has its own channel."""
    first, second = devices()[0], devices()[0]
    first.open()
    first.take()
    second.open()
    claims = [second.call("claim_interface", 0), second.call("claim_interface", 1)]
    first.bulk(OUT, READ_ID)
    second.bulk(0x04, [0x85])
    second.call("close")
    return [*claims, *first.bulk(IN, bytes(512))]


def sleep_while_busy(seconds):
    """An erase; then what the status says at once, and after a sleep."""
    device = devices()[0]
    device.open()
    device.take()

    def flash(*command, answer=0):
        head = [0x80, 0x00, 0x0B, 0x11, len(command) - 1, 0, *command]
        read = [0x20, answer - 1, 0] if answer else []
        device.bulk(OUT, [*head, *read, 0x80, 0x08, 0x0B, 0x87])
        return device.bulk(IN, bytes(512))[0][4:]

    flash(0x06)
    flash(0x20, 0, 0, 0)
    at_once = flash(0x05, answer=1)
    time.sleep(float(seconds))
    return [at_once, flash(0x05, answer=1)]


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
