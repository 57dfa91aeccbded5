package store

// Search answers a query. No text of 1–1,024 characters is an error.
func (v *View) Search(q Query) (Answer, error) { panic("stub") }
