package ir

// Extend gives the values that a rewriting has added their final offsets. The first old values are those of the function
// before it; each value of added has its offset among the new ones of its kind. guests and rest are the bytes of new guest
// values, and of new constants and temporaries. New guest storage follows the old, so that one range is cleared at the start
// of a wave; the other new storage follows at the end.
func (f *Func) Extend(old int, added []Ref, guests, rest uint32) {
	grow := (guests + 63) &^ 63
	end := (f.FrameSize + grow + 63) &^ 63
	for i := range f.Values[:old] {
		if f.Values[i].Kind != Guest {
			f.Values[i].Off += grow
		}
	}
	for _, r := range added {
		if f.Values[r].Kind == Guest {
			f.Values[r].Off += f.GuestSize
		} else {
			f.Values[r].Off += end
		}
	}
	f.GuestSize += grow
	f.FrameSize = end + (rest+63)&^63
}
