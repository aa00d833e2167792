// Exits with 1 if the processor has AVX2 and what goes with it, plus 2 if AVX-512.
int main(void) {
  __builtin_cpu_init();
  return (__builtin_cpu_supports("x86-64-v3") ? 1 : 0) + (__builtin_cpu_supports("x86-64-v4") ? 2 : 0);
}
