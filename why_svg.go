package crosslane

// SVG draws the provenance.
func (p *Provenance) SVG(o WhyView) []byte { return nil }
