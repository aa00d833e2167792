//go:build !race

package crosslane_test

// raceDetector says that the race detector is at work, which rightly complains of
// kernels whose blocks wait for each other with plain loads.
const raceDetector = false
