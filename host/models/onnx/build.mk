# SPDX-License-Identifier: Apache-2.0
# ONNX files: reader, and passes that clean a graph up.

$(B)/gen/host/models/onnx/onnx.pb.h $(B)/gen/host/models/onnx/onnx.pb.cpp &: host/models/onnx/onnx.proto
	$(call say,PROTOC,$(B)/gen/host/models/onnx/onnx.pb.h)
	$(Q)mkdir -p $(B)/gen && protoc --cpp_out=$(B)/gen $<
	$(Q)mv $(B)/gen/host/models/onnx/onnx.pb.cc $(B)/gen/host/models/onnx/onnx.pb.cpp
generated: $(B)/gen/host/models/onnx/onnx.pb.h $(B)/gen/host/models/onnx/onnx.pb.cpp

$(eval $(call cxx_library,onnx,$(B)/gen/host/models/onnx/onnx.pb.cpp $(addprefix host/models/onnx/, \
    evaluate.cpp \
    evaluate_elements.cpp \
    evaluate_matrices.cpp \
    evaluate_moving.cpp \
    fuse_activations.cpp \
    fuse_attention.cpp \
    fuse_moves.cpp \
    fuse_norms.cpp \
    fuse_weights.cpp \
    graph.cpp \
    pass_fold.cpp \
    pass_shape.cpp \
    pass_simple.cpp \
    passes.cpp \
    reader.cpp \
    rewrite.cpp \
    sizes.cpp \
    tensor.cpp \
)))
ONNX_LIBS := $(addprefix $(B)/lib/,onnx.a graph.a models.a) -lprotobuf-lite -lfmt
