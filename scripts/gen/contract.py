# SPDX-License-Identifier: Apache-2.0
"""Numbers that hardware and software name alike (abi/cpe.toml), checked: constants, enumerations, words of fields."""

from gen.text import camel, require

CPP_STYLES = ("kinds", "class")


class Constant:
    def __init__(self, raw):
        self.name = raw.pop("name")
        self.value = raw.pop("value")
        self.bits = raw.pop("bits", 32)
        self.doc = raw.pop("doc")
        require(not raw, f"{self.name}: unknown keys {sorted(raw)}")
        require(0 <= self.value < 1 << self.bits, f"{self.name}: {self.value:#x} does not fit {self.bits} bits")


class Value:
    def __init__(self, where, raw):
        self.name = raw.pop("name")
        self.value = raw.pop("value")
        self.doc = raw.pop("doc", "")
        require(not raw, f"{where}.{self.name}: unknown keys {sorted(raw)}")


class Enum:
    def __init__(self, raw):
        self.name = raw.pop("name")
        self.prefix = camel(raw.pop("prefix", self.name))
        self.bits = raw.pop("bits")
        self.cpp = raw.pop("cpp", "kinds")
        self.plural = raw.pop("plural") if self.cpp == "class" else None
        self.units = raw.pop("units", [])
        self.doc = raw.pop("doc")
        self.values = [Value(self.name, value) for value in raw.pop("values")]
        require(not raw, f"{self.name}: unknown keys {sorted(raw)}")
        require(self.cpp in CPP_STYLES, f"{self.name}: cpp must be one of {', '.join(CPP_STYLES)}")
        taken = {}
        for value in self.values:
            require(0 <= value.value < 1 << self.bits, f"{self.name}.{value.name}: does not fit {self.bits} bits")
            require(value.value not in taken, f"{self.name}: {taken.get(value.value)} and {value.name} share a number")
            taken[value.value] = value.name
        require(len({value.name for value in self.values}) == len(self.values), f"{self.name}: a name occurs twice")

    def label(self, value):
        """SystemVerilog's."""
        return self.prefix + camel(value.name)


class Field:
    def __init__(self, where, raw, lsb):
        self.name = raw.pop("name")
        self.lsb = lsb
        self.width = raw.pop("bits")
        self.enum = raw.pop("enum", None)
        self.doc = raw.pop("doc", "")
        require(not raw, f"{where}.{self.name}: unknown keys {sorted(raw)}")


class Struct:
    def __init__(self, raw):
        self.name = raw.pop("name")
        self.bits = raw.pop("bits")
        self.doc = raw.pop("doc")
        self.fields = []
        at = 0
        for field in raw.pop("fields"):
            self.fields.append(Field(self.name, field, at))
            at += self.fields[-1].width
        self.reserved = self.bits - at
        require(not raw, f"{self.name}: unknown keys {sorted(raw)}")
        require(self.reserved >= 0, f"{self.name}: its fields have {at} bits, not {self.bits}")
        require(len({field.name for field in self.fields}) == len(self.fields), f"{self.name}: a field name occurs twice")


class Contract:
    def __init__(self, raw):
        head = raw.pop("contract")
        self.name = head["name"]
        self.namespace = head["namespace"]
        self.doc = head["doc"]
        self.constants = [Constant(constant) for constant in raw.pop("constant")]
        self.enums = {enum["name"]: Enum(enum) for enum in raw.pop("enum")}
        self.structs = [Struct(struct) for struct in raw.pop("struct")]
        require(not raw, f"unknown tables {sorted(raw)}")
        labels = {}
        for enum in self.enums.values():
            for value in enum.values:
                label = enum.label(value)
                require(label not in labels, f"{labels.get(label)} and {enum.name} both name {label}")
                labels[label] = enum.name
            for unit in enum.units:
                require(unit in {value.name for value in self.enums["unit"].values}, f"{enum.name}: there is no unit {unit}")
        for struct in self.structs:
            for field in struct.fields:
                enum = self.enums.get(field.enum)
                require(field.enum is None or enum is not None, f"{struct.name}.{field.name}: there is no enum {field.enum}")
                require(enum is None or enum.bits == field.width, f"{struct.name}.{field.name}: its enum is wider, or narrower")

    def values_of(self, enum):
        """Name -> number."""
        require(enum in self.enums, f"there is no enum {enum}")
        return {value.name: value.value for value in self.enums[enum].values}
