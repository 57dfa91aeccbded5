package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
)

// newEmbedder is an embedding provider whose vectors count words, by a hash of them. GET /fail makes it fail and GET
// /work makes it work again. It wants the key of the scripts.
func newEmbedder() *httptest.Server {
	var failing atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("GET /fail", func(http.ResponseWriter, *http.Request) { failing.Store(true) })
	mux.HandleFunc("GET /work", func(http.ResponseWriter, *http.Request) { failing.Store(false) })
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		if failing.Load() || r.Header.Get("Authorization") != "Bearer s3cret-key" || json.NewDecoder(r.Body).Decode(&q) != nil {
			http.Error(w, "not now, "+r.Header.Get("Authorization"), http.StatusServiceUnavailable)
			return
		}
		var list []map[string]any
		for _, text := range q.Input {
			list = append(list, map[string]any{"embedding": wordCounts(text)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": list})
	})
	return httptest.NewServer(mux)
}

func wordCounts(text string) []float32 {
	v := make([]float32, 128)
	v[0] = 0.1
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		at := 7
		for _, b := range []byte(word) {
			at = (at*31 + int(b)) % (len(v) - 1)
		}
		v[1+at]++
	}
	return v
}
