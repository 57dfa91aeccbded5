package chunker

// Parse cuts src, the bytes of the file called name (its path inside the root, slash separated; used for the title of
// a file without one). It never fails and never panics: trouble is listed in Document.Problems.
// The zero Options are the contract's.
func Parse(name string, src []byte, o Options) *Document { panic("stub") }
