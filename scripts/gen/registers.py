# SPDX-License-Identifier: Apache-2.0
"""The card's memory map and registers (abi/card.toml), checked."""

from gen.text import require

ACCESS = ("rw", "ro", "w1c", "wo")
PMAS = ("memory", "io", "vacant")


class Field:
    def __init__(self, where, raw, values_of):
        self.name = raw.pop("name")
        where = f"{where}.{self.name}"
        bits = raw.pop("bits").split(":")
        self.lsb = int(bits[-1])
        self.width = int(bits[0]) - self.lsb + 1
        self.access = raw.pop("access")
        reset = raw.pop("reset", 0)
        self.reset_known = reset != "-"
        self.reset = reset if self.reset_known else 0
        self.doc = raw.pop("doc")
        values = raw.pop("values", {})
        self.values = values_of(values) if isinstance(values, str) else values
        require(not raw, f"{where}: unknown keys {sorted(raw)}")
        require(self.access in ACCESS, f"{where}: access must be one of {', '.join(ACCESS)}")
        require(self.width >= 1 and self.lsb + self.width <= 64, f"{where}: bits {':'.join(bits)} are no range")
        for value in (self.reset, *self.values.values()):
            require(value >> self.width == 0, f"{where}: {value:#x} does not fit {self.width} bits")

    @property
    def mask(self):
        return ((1 << self.width) - 1) << self.lsb

    @property
    def bits(self):
        return f"{self.lsb + self.width - 1}:{self.lsb}" if self.width > 1 else f"{self.lsb}"


class Register:
    def __init__(self, device, raw, values_of):
        self.name = raw.pop("name")
        where = f"{device}.{self.name}"
        self.offset = raw.pop("offset")
        self.doc = raw.pop("doc")
        self.read_effect = raw.pop("read_effect", False)
        self.write_effect = raw.pop("write_effect", False)
        self.sticky = raw.pop("sticky", False)
        repeat = raw.pop("repeat", None)
        self.repeated = repeat is not None
        self.count, self.stride = (repeat["count"], repeat["stride"]) if repeat else (1, 8)
        self.fields = sorted((Field(where, f, values_of) for f in raw.pop("field")), key=lambda f: -f.lsb)
        require(not raw, f"{where}: unknown keys {sorted(raw)}")
        require(self.offset % 8 == 0, f"{where}: offset {self.offset:#x} is no multiple of 8")
        require(self.count >= 1 and self.stride >= 8 and self.stride % 8 == 0,
                f"{where}: repeat wants a count, and a stride that is a multiple of 8")
        require(not {"offset", "addr", "reset"} & {f.name for f in self.fields},
                f"{where}: offset, addr and reset cannot name fields (C++ has them per register)")
        require(len({f.name for f in self.fields}) == len(self.fields), f"{where}: a field name occurs twice")
        used = 0
        for field in self.fields:
            require(used & field.mask == 0, f"{where}.{field.name}: overlaps another field")
            used |= field.mask

    @property
    def offsets(self):
        """Of all copies."""
        return [self.offset + i * self.stride for i in range(self.count)]

    def mask(self, *access):
        return sum(f.mask for f in self.fields if f.access in access)

    @property
    def reset(self):
        return sum(f.reset << f.lsb for f in self.fields)

    @property
    def reset_known_mask(self):
        return ~sum(f.mask for f in self.fields if not f.reset_known) & (1 << 64) - 1

    def gaps(self):
        """The fields and, as (lsb, width), the unused bits between them; highest first."""
        top = 64
        for field in self.fields:
            if field.lsb + field.width < top:
                yield (field.lsb + field.width, top - field.lsb - field.width)
            yield field
            top = field.lsb
        if top:
            yield (0, top)


class Device:
    def __init__(self, raw, values_of):
        self.name = raw.pop("name")
        self.base = raw.pop("base")
        self.size = raw.pop("size")
        self.doc = raw.pop("doc")
        self.registers = sorted((Register(self.name, r, values_of) for r in raw.pop("register")), key=lambda r: r.offset)
        require(not raw, f"{self.name}: unknown keys {sorted(raw)}")
        require(self.size & (self.size - 1) == 0 and self.base % self.size == 0,
                f"{self.name}: size must be a power of two and base a multiple of it")
        require(len({r.name for r in self.registers}) == len(self.registers),
                f"{self.name}: a register name occurs twice")
        taken = {}
        for register in self.registers:
            for offset in register.offsets:
                require(offset not in taken, f"{self.name}: {taken.get(offset)} and {register.name} share an offset")
                require(offset < self.size, f"{self.name}.{register.name}: outside the device")
                taken[offset] = register.name

    @property
    def address_bits(self):
        return self.size.bit_length() - 1


class Region:
    def __init__(self, raw):
        self.name = raw.pop("name")
        self.base = raw.pop("base")
        self.size = raw.pop("size")
        self.pma = raw.pop("pma")
        self.doc = raw.pop("doc")
        require(not raw, f"region {self.name}: unknown keys {sorted(raw)}")
        require(self.pma in PMAS, f"region {self.name}: pma must be one of {', '.join(PMAS)}")

    @property
    def end(self):
        return self.base + self.size

    def blocks(self):
        """The region as aligned power-of-two blocks (base, size), so that each needs one masked comparison."""
        at = self.base
        while at < self.end:
            size = 1 << ((self.end - at).bit_length() - 1)
            if at:
                size = min(size, at & -at)
            yield at, size
            at += size


class Card:
    """`values_of` finds the values of an enum of the contract by its name."""

    def __init__(self, raw, values_of):
        head = raw.pop("card")
        self.name = head["name"]
        self.address_bits = head["address_bits"]
        self.regions = sorted((Region(r) for r in raw.pop("region")), key=lambda r: r.base)
        self.constants = raw.pop("constant", [])
        self.devices = sorted((Device(d, values_of) for d in raw.pop("device")), key=lambda d: d.base)
        require(not raw, f"unknown tables {sorted(raw)}")
        for first, second in zip(self.regions, self.regions[1:]):
            require(first.end <= second.base, f"regions {first.name} and {second.name} overlap")
        for first, second in zip(self.devices, self.devices[1:]):
            require(first.base + first.size <= second.base, f"devices {first.name} and {second.name} overlap")
        for region in self.regions:
            require(region.end <= 1 << self.address_bits, f"region {region.name}: beyond the address space")
        for device in self.devices:
            require(any(r.pma == "io" and r.base <= device.base and device.base + device.size <= r.end
                        for r in self.regions), f"{device.name}: in no io region")
