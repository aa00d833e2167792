// Package randprog makes random programs in IR, runs each on two engines, and compares all
// visible results of the runs. A program with different results is reduced to a smaller one.
//
// Input: a seed, and two engines.
// Output: "" or the difference, and a reduced program.
// Invariant: a program ends, and its visible results do not depend on the number of workers.
// Example: Differs(New(7), …) compares program 7 on two engines; Shrink removes statements
// while it fails.
//
// A Program is plain data: a list of statements that JSON can hold, so that a program that
// failed once can stay as a test. It always ends, because every backward branch uses up fuel,
// of which each lane (with EXEC, each wave) has little. Blocks store to separate places, and
// change shared places only by operations whose order is not visible.
//
// Literature: Yang et al., Finding and understanding bugs in C compilers (PLDI 2011); Zeller
// and Hildebrandt, Simplifying and isolating failure-inducing input (TSE 2002).
package randprog
