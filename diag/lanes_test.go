package diag

import "testing"

func TestLaneSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		want uint64
		ok   bool
	}{
		{"0", 1, true}, {"4-19, 24", 0x10ffff0, true}, {"63", 1 << 63, true}, {"0-63", ^uint64(0), true},
		{"", 0, false}, {"none", 0, false}, {"64", 0, false}, {"3-2", 0, false}, {"1-", 0, false}, {"1,,2", 0, false}, {"-1", 0, false},
	} {
		if got, ok := LaneSet(c.s); ok != c.ok || ok && got != c.want {
			t.Errorf("%q: %#x, %v, want %#x, %v", c.s, got, ok, c.want, c.ok)
		}
	}
}

func TestLanePicture(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"4-19, 24", 32, "     0-15  .... #### #### ####\n    16-31  #### .... #... ....\n"},
		{"63", 64, "     0-15  .... .... .... ....\n    16-31  .... .... .... ....\n    32-47  .... .... .... ....\n    48-63  .... .... .... ...#\n"},
		{"32", 32, ""}, {"", 32, ""}, {"1", 0, ""}, {"1", 65, ""},
	} {
		if got := LanePicture(c.s, c.n); got != c.want {
			t.Errorf("%q of %d:\n%s\nwant\n%s", c.s, c.n, got, c.want)
		}
	}
}
