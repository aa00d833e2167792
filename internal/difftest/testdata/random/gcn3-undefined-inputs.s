; seed 300443 grid 1 block 1 mode 4288
s_cbranch_vccz L5
L5:
