package cli

func (a *app) backend() backend { return nil }
