package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// provider answers each request with the next of answers, and the last of them for ever.
type provider struct {
	*httptest.Server
	asked atomic.Int32
	last  atomic.Pointer[asked]
}

type asked struct {
	path, authorization string
	Model               string
	Input               []string
}

func serve(t *testing.T, answers ...http.HandlerFunc) *provider {
	t.Helper()
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(p.asked.Add(1))
		a := &asked{path: r.URL.Path, authorization: r.Header.Get("Authorization")}
		if err := json.NewDecoder(r.Body).Decode(a); err != nil {
			t.Error(err)
		}
		p.last.Store(a)
		answers[min(n, len(answers))-1](w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// hangs answers when the client has given up.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

const two = `{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]}`

func (p *provider) client(t *testing.T, o Options) *Client {
	t.Helper()
	o.URL = p.URL + o.URL
	o.Backoff, o.Interval = time.Millisecond, -1
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func texts() []string { return []string{"first", "second"} }

func TestBothFormsAreSpoken(t *testing.T) {
	for name, c := range map[string]struct {
		options      Options
		answer, path string
	}{
		"openai":              {Options{Model: "m", Key: "secret"}, two, "/v1/embeddings"},
		"openai with version": {Options{Model: "m", Key: "secret", URL: "/v1/"}, two, "/v1/embeddings"},
		"openai in full":      {Options{Model: "m", Key: "secret", URL: "/x/embeddings"}, two, "/x/embeddings"},
		"ollama":              {Options{Provider: Ollama, Model: "m", Key: "secret"}, `{"embeddings":[[1,2],[3,4]]}`, "/api/embed"},
		"ollama in full":      {Options{Provider: Ollama, Model: "m", Key: "secret", URL: "/api/embed"}, `{"embeddings":[[1,2],[3,4]]}`, "/api/embed"},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, says(http.StatusOK, c.answer))
			got, err := p.client(t, c.options).Embed(t.Context(), texts())
			if err != nil || len(got) != 2 || !slices.Equal(got[0], []float32{1, 2}) || !slices.Equal(got[1], []float32{3, 4}) {
				t.Fatal(got, err)
			}
			a := p.last.Load()
			if a.path != c.path || a.authorization != "Bearer secret" || a.Model != "m" || !slices.Equal(a.Input, texts()) {
				t.Errorf("asked %+v", a)
			}
		})
	}
}

func TestBusyAndFailingProvidersAreAskedAgain(t *testing.T) {
	after := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0.02")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	broken := func(w http.ResponseWriter, r *http.Request) { // goes away half way
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, two[:20])
	}
	p := serve(t, after, says(http.StatusInternalServerError, "oops"), broken, says(http.StatusOK, two))
	start := time.Now()
	got, err := p.client(t, Options{}).Embed(t.Context(), texts())
	if err != nil || len(got) != 2 || p.asked.Load() != 4 {
		t.Fatalf("%v after %d requests: %v", got, p.asked.Load(), err)
	}
	if time.Since(start) < 20*time.Millisecond {
		t.Error("Retry-After was not waited for")
	}
}

func TestWhatCannotBeAnAnswerIsAnError(t *testing.T) {
	for name, body := range map[string]string{
		"no JSON":           `<html>`,
		"half":              two[:30],
		"other JSON":        `{"error":"x"}`,
		"fewer vectors":     `{"data":[{"index":0,"embedding":[1,2]}]}`,
		"more vectors":      `{"data":[{"embedding":[1]},{"embedding":[1]},{"embedding":[1]}]}`,
		"two lengths":       `{"data":[{"embedding":[1,2]},{"embedding":[1]}]}`,
		"empty vectors":     `{"data":[{"embedding":[]},{"embedding":[]}]}`,
		"NaN":               `{"data":[{"embedding":[NaN,1]},{"embedding":[1,2]}]}`,
		"too large":         `{"data":[{"embedding":[1e39,1]},{"embedding":[1,2]}]}`,
		"null":              `{"data":[{"embedding":null},{"embedding":[1,2]}]}`,
		"the same twice":    `{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`,
		"of no text":        `{"data":[{"index":7,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`,
		"strings":           `{"data":[{"embedding":"AAAA"},{"embedding":[1,2]}]}`,
		"longer than taken": `{"data":[` + strings.Repeat(" ", 2000) + `{"embedding":[1,2]},{"embedding":[1,2]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, says(http.StatusOK, body))
			got, err := p.client(t, Options{Attempts: 2, Longest: 1000}).Embed(t.Context(), texts())
			if !errors.Is(err, errGarbled) || got != nil {
				t.Errorf("%v, %v", got, err)
			}
			if p.asked.Load() != 2 {
				t.Errorf("asked %d times, want 2", p.asked.Load())
			}
		})
	}
}

func TestARefusalIsFinalAndDoesNotShowTheKey(t *testing.T) {
	p := serve(t, says(http.StatusBadRequest, "too long for key secret-key-1"))
	_, err := p.client(t, Options{Key: "secret-key-1"}).Embed(t.Context(), texts())
	if !errors.Is(err, ErrRefused) || p.asked.Load() != 1 {
		t.Errorf("%v after %d requests", err, p.asked.Load())
	}
	if strings.Contains(err.Error(), "secret-key-1") || !strings.Contains(err.Error(), "too long") {
		t.Errorf("it says %q", err)
	}
	p = serve(t, says(http.StatusUnauthorized, "who is secret-key-1?"))
	_, err = p.client(t, Options{Key: "secret-key-1", Attempts: 2}).Embed(t.Context(), texts())
	if errors.Is(err, ErrRefused) || strings.Contains(err.Error(), "secret-key-1") || p.asked.Load() != 2 {
		t.Errorf("%v after %d requests", err, p.asked.Load())
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	_, err := p.client(t, Options{Key: "k", Attempts: 1}).Embed(t.Context(), texts())
	if err == nil || p.asked.Load() != 1 || p.last.Load().path == "/elsewhere" {
		t.Errorf("%v after %d requests", err, p.asked.Load())
	}
}

func TestAHangingProviderIsGivenUp(t *testing.T) {
	p := serve(t, hangs, says(http.StatusOK, two))
	got, err := p.client(t, Options{Timeout: 50 * time.Millisecond}).Embed(t.Context(), texts())
	if err != nil || len(got) != 2 || p.asked.Load() != 2 {
		t.Errorf("%v after %d requests: %v", got, p.asked.Load(), err)
	}
}

func TestACallerThatGivesUpIsNotHeld(t *testing.T) {
	p := serve(t, hangs)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := p.client(t, Options{}).Embed(ctx, texts()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if time.Since(start) > 5*time.Second || p.asked.Load() != 1 {
		t.Errorf("held for %v, %d requests", time.Since(start), p.asked.Load())
	}
	p = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.client(t, Options{}).Embed(ctx, texts()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestAQueryIsAskedOnce(t *testing.T) {
	p := serve(t, says(http.StatusInternalServerError, ""))
	if _, err := p.client(t, Options{}).Query(t.Context(), "x"); err == nil || p.asked.Load() != 1 {
		t.Errorf("%v after %d requests", err, p.asked.Load())
	}
}

func TestRequestsKeepTheirDistance(t *testing.T) {
	p := serve(t, says(http.StatusOK, two))
	c, err := New(Options{URL: p.URL, Interval: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for range 3 {
		if _, err := c.Embed(t.Context(), texts()); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took < 60*time.Millisecond {
		t.Errorf("three requests within %v", took)
	}
}

func TestAnAddressThatIsNoneIsRefused(t *testing.T) {
	for _, address := range []string{"", "localhost:1234", "ftp://x", "://", "http://"} {
		if _, err := New(Options{URL: address}); err == nil {
			t.Errorf("%q was taken", address)
		}
	}
}

func TestAModelWithoutANameIsCalledByItsAddressWithoutThePassword(t *testing.T) {
	c, err := New(Options{URL: "http://user:secret@host:1"})
	if err != nil || c.Model() != "openai http://host:1/v1/embeddings" {
		t.Errorf("%s, %v", c.Model(), err)
	}
}
