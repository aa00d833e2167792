// expect: fix says that there is nothing it could look at, exit 2
.text
