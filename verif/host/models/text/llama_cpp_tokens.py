# SPDX-License-Identifier: Apache-2.0
"""What llama.cpp continues texts with, greedily. Packages of PyPI, in a virtual environment of their own:

  python3 -m venv build/llamacpp && build/llamacpp/bin/pip install xllamacpp gguf
  build/llamacpp/bin/python verif/host/models/text/llama_cpp_tokens.py MODEL.gguf TOKENS [--fp32 COPY.gguf] < texts.json

Reads a JSON list of texts; prints a list of lists of tokens. llama.cpp rounds activations to eight bits where weights are
quantised. With --fp32 it gets a copy of the model with the same weights written out in fp32, and computes in fp32."""

import argparse
import json
import os
import sys


def write_in_fp32(model, copy):
    import gguf
    import numpy as np

    source = gguf.GGUFReader(model)
    architecture = source.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(copy, architecture)
    for field in source.fields.values():
        if field.name.startswith("GGUF.") or field.name in ("general.architecture", "general.file_type"):
            continue
        if field.types[0] == gguf.GGUFValueType.ARRAY:
            writer.add_array(field.name, field.contents())
        else:
            writer.add_key_value(field.name, field.contents(), field.types[0])
    writer.add_uint32("general.file_type", 0)
    for tensor in source.tensors:
        writer.add_tensor(tensor.name, gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("tokens", type=int)
    parser.add_argument("--fp32", metavar="COPY")
    arguments = parser.parse_args()
    # llama.cpp logs to standard output.
    answer = os.dup(1)
    os.dup2(2, 1)
    if arguments.fp32 and not os.path.exists(arguments.fp32):
        write_in_fp32(arguments.model, arguments.fp32 + ".part")
        os.replace(arguments.fp32 + ".part", arguments.fp32)
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = arguments.fp32 or arguments.model
    params.n_ctx = 512
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    said = []
    for text in json.load(sys.stdin):
        done = server.handle_completions({"prompt": text, "n_predict": arguments.tokens, "temperature": 0, "logprobs": 1, "cache_prompt": False})
        done = done[0] if isinstance(done, list) else done
        done = json.loads(done) if isinstance(done, (str, bytes)) else done
        said.append([one["id"] for one in done["choices"][0]["logprobs"]["content"]])
    os.write(answer, json.dumps(said).encode())
    os._exit(0)  # its threads do not all end


if __name__ == "__main__":
    main()
