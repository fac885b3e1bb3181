#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes from the descriptions in abi/ what hardware and software name alike. Of the card's memory map and registers
(card.toml): a package for each device, memmap_pkg.sv, card_regs.hpp, card_regs_table.hpp, docs/reference/registers.md. Of what CPEs
are told and tell (cpe.toml): cpe_isa_pkg.sv, cpe_isa.hpp, and the tables in docs/hardware/cpe.md.

gen-abi.py --out build/gen   writes packages and headers
gen-abi.py --docs docs       writes the pages
gen-abi.py --check docs      fails when the pages are not what the descriptions give
"""

import argparse
import pathlib
import sys
import tomllib

import page_tables
from gen.contract import Contract
from gen.contract_cpp import cpp_contract
from gen.contract_page import tables
from gen.contract_sv import sv_contract
from gen.registers import Card
from gen.registers_cpp import cpp_header, cpp_table
from gen.registers_page import docs_page
from gen.registers_sv import SvMap, sv_device
from gen.text import DescriptionError


# Pages, in the folder of the documentation.
REGISTERS = "reference/registers.md"
CONTRACT = "hardware/cpe.md"


class Refused(Exception):
    pass


def read(path, make):
    try:
        return make(tomllib.loads(path.read_text()))
    except KeyError as error:
        raise Refused(f"{path}: missing key {error}") from error
    except (OSError, tomllib.TOMLDecodeError, DescriptionError) as error:
        raise Refused(f"{path}: {error}") from error


def write_sources(card, contract, card_source, contract_source, out):
    out.mkdir(parents=True, exist_ok=True)
    (out / "memmap_pkg.sv").write_text(SvMap(card, card_source).text())
    for device in card.devices:
        (out / f"{device.name}_regs_pkg.sv").write_text(sv_device(device, card_source))
    (out / "card_regs.hpp").write_text(cpp_header(card, card_source))
    (out / "card_regs_table.hpp").write_text(cpp_table(card, card_source))
    (out / f"{contract.name}_pkg.sv").write_text(sv_contract(contract, contract_source))
    (out / f"{contract.name}.hpp").write_text(cpp_contract(contract, contract_source))


def is_current(card, contract, card_source, contract_source, docs):
    registers = docs / REGISTERS
    if not registers.is_file() or registers.read_text() != docs_page(card, card_source):
        print(f"gen-abi: {registers} is not what {card_source} gives; run: make registers", file=sys.stderr)
        return False
    return page_tables.fill(docs / CONTRACT, tables(contract), contract_source, check=True) == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--card", default="abi/card.toml", type=pathlib.Path)
    parser.add_argument("--contract", default="abi/cpe.toml", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="folder for packages and headers")
    parser.add_argument("--docs", type=pathlib.Path, help="folder of the pages to write")
    parser.add_argument("--check", type=pathlib.Path, help="folder of the pages to compare")
    options = parser.parse_args()
    try:
        contract = read(options.contract, Contract)
        card = read(options.card, lambda raw: Card(raw, contract.values_of))
    except Refused as error:
        print(f"gen-abi: {error}", file=sys.stderr)
        return 2
    sources = options.card.as_posix(), options.contract.as_posix()
    if options.out:
        write_sources(card, contract, *sources, options.out)
    if options.docs:
        (options.docs / REGISTERS).write_text(docs_page(card, sources[0]))
        page_tables.fill(options.docs / CONTRACT, tables(contract), sources[1], check=False)
    if options.check and not is_current(card, contract, *sources, options.check):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
