package webs

// A Limit is one of those beyond which the analyses of a function give up, know less, or work in
// another way. Few functions come so far; tests do, by Geometry.Tight.
type Limit uint8

// The limits.
const (
	NoLimit     Limit = iota
	Words             // of Build: blocks by variables
	Nodes             // of Build: what is live, by blocks
	LaneStates        // of the sets of lanes: registers by blocks
	LaneRounds        // of the sets of lanes: how often they are looked at
	PairMatrix        // of package mask: places for which pairs have a bit each
	Pairs             // of package mask
	ShapeRounds       // of package shape: how often more branches turn out to be divergent
)

// Limits are all of them.
func Limits() []Limit {
	return []Limit{Words, Nodes, LaneStates, LaneRounds, PairMatrix, Pairs, ShapeRounds}
}

func (l Limit) String() string {
	return [...]string{"none", "words", "nodes", "states of lanes", "rounds of lanes", "matrix of pairs", "pairs", "rounds of shapes"}[l]
}

// Limit is n, or tight if tests want the limit to be that.
func (g *Geometry) Limit(l Limit, n, tight int) int {
	if g.Tight == l {
		return tight
	}
	return n
}
