# Testbenches of the floating point arithmetic.

$(eval $(call verilated_program,tb-fp,tb_fp,$(addprefix rtl/fp/,fp32_sum.sv fp32_fma.sv fp32_add.sv fp32_order.sv) verif/fp/tb_fp.sv,\
  verif/fp/fp_test.cpp verif/iss/cpe/fp32.cpp verif/lib/test_main.cpp,,-lfmt))

$(eval $(call verilated_program,tb-fp-convert,tb_fp_convert,$(addprefix rtl/fp/,fp32_of_int32.sv fp32_of_fp16.sv int32_of_fp32.sv \
  int8_of_fp32.sv fp16_of_fp32.sv) verif/fp/tb_fp_convert.sv,verif/fp/convert_test.cpp verif/iss/cpe/fp32.cpp \
  verif/lib/test_main.cpp,,-lfmt))
