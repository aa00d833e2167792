// Package lane holds the meaning of cross-lane instructions, as pure functions
// beside the vendors' own words.
//
// A wave is 32 lanes (PTX) or 64 lanes (GCN3) that execute one instruction
// together. An instruction that moves data between lanes is a [Map]: for every
// destination lane it names the lane whose value arrives there, or says that
// the lane gets zero, or keeps its old value, and which lanes receive something
// the manual leaves undefined. shfl, ds_permute_b32, ds_bpermute_b32,
// ds_swizzle_b32 and the DPP modifier all are maps. vote, match, redux,
// v_mbcnt and v_readfirstlane_b32 are folds: functions of a [Mask] and of the
// values of the lanes in it.
//
// The same map serves everybody: an engine gathers with it, a checker asks
// which lanes it reads, a front end draws it. No function of this package
// allocates (strings and errors aside), panics, or keeps state.
//
// What "undefined" means here: [Map.Undef] names destination lanes whose value
// the manual does not define. Src still says which lane they would read, so
// that a finding can name both. Who chooses the bits is the engine's policy.
package lane
