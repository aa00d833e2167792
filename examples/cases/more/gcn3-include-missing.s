// expect: an error that names the folders that were searched
.include "gcn3-no-such-file.inc"
s_endpgm
