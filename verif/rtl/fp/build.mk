# SPDX-License-Identifier: Apache-2.0
# Testbenches of the floating point arithmetic.

$(eval $(call verilated_program,tb-fp,tb_fp,$(addprefix rtl/fp/,fp32_fma.sv fp32_add.sv fp32_order.sv) verif/rtl/fp/tb_fp.sv,\
  verif/rtl/fp/fp_test.cpp sim/iss/cpe/fp32.cpp verif/rtl/lib/test_main.cpp,,-lfmt))

$(eval $(call verilated_program,tb-fp-convert,tb_fp_convert,$(addprefix rtl/fp/,fp32_of_int32.sv fp32_of_fp16.sv int32_of_fp32.sv \
  int8_of_fp32.sv fp16_of_fp32.sv) verif/rtl/fp/tb_fp_convert.sv,verif/rtl/fp/convert_test.cpp sim/iss/cpe/fp32.cpp \
  verif/rtl/lib/test_main.cpp,,-lfmt))

$(eval $(call verilated_program,fp-speed,tb_fp_speed,$(addprefix rtl/fp/,fp32_fma.sv) verif/rtl/fp/tb_fp_speed.sv,\
  verif/rtl/fp/speed.cpp,,-lfmt))

FP_MODELS := sim/iss/cpe/fp32.cpp sim/iss/cpe/special.cpp

$(eval $(call verilated_program,tb-fp-special,tb_fp_special,$(RTL_FP_PACKAGES) rtl/fp/fp32_special_table.sv rtl/fp/fp32_special.sv \
  verif/rtl/fp/tb_fp_special.sv,verif/rtl/fp/special_test.cpp $(FP_MODELS) verif/rtl/lib/test_main.cpp,,-lfmt))

$(eval $(call cxx_program,test-fp-model,verif/rtl/fp/model_accuracy.cpp $(FP_MODELS),-lfmt,))

$(eval $(call verilated_program,tb-fp-serial,tb_fp_serial,$(RTL_FP_PACKAGES) rtl/fp/fp32_special_table.sv \
  rtl/fp/fp32_serial.sv verif/rtl/fp/tb_fp_serial.sv,verif/rtl/fp/serial_test.cpp $(FP_MODELS) verif/rtl/lib/test_main.cpp,,-lfmt))
