package text

// Slug turns a heading into one step of a node id: NFKC, lower case, letters, digits and marks kept, every other run
// one '-', trimmed; "section" when nothing is left.
func Slug(s string) string { panic("stub") }

// Path turns the exact bytes of a slash separated path into the form that is shown: NFC, and %XX for each byte that is
// not UTF-8.
func Path(b string) string { panic("stub") }
