package webs

// A Limit names a bound of an analysis. Beyond it the analysis gives up, loses precision, or
// uses another method. Few functions reach a bound; tests reach each one with Geometry.Tight.
type Limit uint8

// The limits.
const (
	NoLimit     Limit = iota
	Words             // of Build: blocks times variables
	Nodes             // of Build: the sum of live variables over all blocks
	LaneStates        // of the sets of lanes: registers times blocks
	LaneRounds        // of the sets of lanes: iterations
	PairMatrix        // of package mask: the places with one bit per pair
	Pairs             // of package mask: the pairs in a list
	ShapeRounds       // of package shape: iterations that make more branches divergent
)

// Limits returns all limits.
func Limits() []Limit {
	return []Limit{Words, Nodes, LaneStates, LaneRounds, PairMatrix, Pairs, ShapeRounds}
}

// String returns the name of the limit for test names.
func (l Limit) String() string {
	return [...]string{"none", "words", "nodes", "states of lanes", "rounds of lanes", "matrix of pairs", "pairs", "rounds of shapes"}[l]
}

// Limit returns n, or tight if a test lowers the limit l.
func (g *Geometry) Limit(l Limit, n, tight int) int {
	if g.Tight == l {
		return tight
	}
	return n
}
