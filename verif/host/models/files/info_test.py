#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""swai model info and import, as their users see them."""

import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "verif/host/tools/swai"))
from swai_test_case import SwaiTest  # noqa: E402

DATA = ROOT / "verif/host/models/files/data"
FORMATS = {
    "tiny-llama": "safetensors", "tiny-llama.gguf": "GGUF version 3", "tiny-llama-q.gguf": "GGUF version 3", "tiny-llama.bin": "llama2.c version 0",
    "tiny-llama-int8.bin": "llama2.c version 2", "tiny-whisper": "safetensors", "tiny-whisper.ggml": "whisper.cpp",
    "tiny-whisper-ct2": "CTranslate2", "tiny-whisper-ct2-int8": "CTranslate2",
}


class ModelInfo(SwaiTest):
    def test_formats(self):
        for name, form in FORMATS.items():
            with self.subTest(name):
                report = self.run_json("model", "info", DATA / name, "--tensors")
                self.assertEqual(report["format"], form)
                self.assertEqual(report["architecture"], "whisper" if "whisper" in name else "llama")
                self.assertEqual(report["numbers"]["width"], 32)
                self.assertEqual(sum(one["parameters"] for one in report["types"].values()), report["parameters"])
                self.assertEqual(len(report["tensors"]), sum(one["tensors"] for one in report["types"].values()))

    def test_a_real_model(self):
        path = ROOT / "models/stories260K/stories260K.bin"
        report = self.run_json("model", "info", path)
        # The file: seven numbers, the parameters, and two tables of 512 x 4.
        self.assertEqual(28 + 4 * report["parameters"] + 4 * 2 * 512 * 4, path.stat().st_size)
        self.assertEqual((report["tokenizer"], report["tied_output"]), ("SentencePiece", True))
        words = self.run_swai("model", "info", path)[0]
        self.assertRegex(words, r"(?m)^  layers +5$")
        self.assertRegex(words, r"(?m)^F32 +47 +260032 +1040128$")

    def test_what_is_no_model(self):
        empty, text = self.folder / "empty", self.folder / "text"
        empty.touch()
        text.write_text("a text of a few words\n" * 20)
        whole = (DATA / "tiny-llama.gguf").read_bytes()
        (self.folder / "cut.gguf").write_bytes(whole[: len(whole) // 2])
        # A name that no terminal and no JSON should see.
        (self.folder / "named.gguf").write_bytes(whole.replace(b"blk.0.ffn_up.weight", b"\x1b[2Jk.\xff.ffn_up.weig"))
        for path, said in ((self.folder / "none", "cannot be opened"), (empty, "is empty"), (text, "is of no format that is known"),
                           (self.folder / "cut.gguf", "ends before the end of tensor"), (self.folder, "is a folder without"), ("/dev/zero", "is no ordinary file"),
                           (self.folder / "named.gguf", "has no tensor 'blk.0.ffn_up.weight'")):
            with self.subTest(str(path)):
                out, err = self.run_swai("model", "info", path, code=2)
                self.assertEqual(out, "")
                self.assertIn(said, err)
                self.assertIn(str(path), err)
                report = json.loads(self.run_swai("--json", "model", "info", path, code=2)[0])
                self.assertEqual(report["exit_code"], 2)


class ModelImport(SwaiTest):
    def test_without_a_tokenizer(self):
        """No command could read such a packed file, so packing is refused."""
        for name in "tiny-llama", "tiny-llama.bin":
            with self.subTest(name):
                packed = self.folder / "x.packed"
                error = self.run_swai("model", "import", DATA / name, "-o", packed, code=2)[1]
                self.assertIn(f"{DATA / name}: has no tokenizer; put tokenizer.json or tokenizer.bin beside it", error)
                self.assertFalse(packed.exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
