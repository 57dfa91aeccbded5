// Package embed asks an embedding model for the vectors of texts, over HTTP: the form of OpenAI, which llama.cpp, LM
// Studio, text-embeddings-inference, vLLM and others speak as well, and that of Ollama.
//
// Invariant: an answer holds one vector for each text, all finite and of one length, or is an error. It refuses to keep
// anything, to follow redirects, and to show the key in an error.
package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrRefused says that the provider will not take these texts, however often it is asked.
var ErrRefused = errors.New("refused")

// errGarbled says that the answer was no answer: not JSON, too few vectors, numbers that are none.
var errGarbled = errors.New("garbled answer")

// The forms of providers.
const (
	OpenAI = "openai"
	Ollama = "ollama"
)

// Options say whom to ask. The zero value of a field is the default named beside it.
type Options struct {
	Provider string // OpenAI
	URL      string // up to the host or the version; required
	Model    string // the provider's own choice
	Key      string // none; sent as bearer token

	Timeout  time.Duration // of one attempt: 60 s, since a model may have to be loaded first
	Attempts int           // 4
	Backoff  time.Duration // after the first failure, twice as long after each other: 500 ms
	Interval time.Duration // at least so long between two requests of Embed: 50 ms
	Longest  int64         // bytes of an answer: 64 MiB
}

// longestWait is the longest that a provider is waited for between two attempts, whatever it asks for.
const longestWait = 30 * time.Second

// Client asks one provider. Its methods may be called from any goroutine.
type Client struct {
	options  Options
	endpoint string
	http     *http.Client
	turn     chan time.Time // holds when the last request of Embed began
}

// New makes a Client. It asks nothing.
func New(o Options) (*Client, error) {
	o = o.withDefaults()
	endpoint, err := endpointOf(o.Provider, o.URL)
	if err != nil {
		return nil, err
	}
	c := &Client{options: o, endpoint: endpoint, turn: make(chan time.Time, 1)}
	c.http = &http.Client{ // without a proxy of the environment: the daemon may connect to what is configured, nothing else
		Transport:     &http.Transport{MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, ResponseHeaderTimeout: o.Timeout},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.turn <- time.Time{}
	return c, nil
}

func (o Options) withDefaults() Options {
	if o.Provider == "" {
		o.Provider = OpenAI
	}
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.Attempts <= 0 {
		o.Attempts = 4
	}
	if o.Backoff <= 0 {
		o.Backoff = 500 * time.Millisecond
	}
	if o.Interval == 0 {
		o.Interval = 50 * time.Millisecond
	}
	if o.Longest <= 0 {
		o.Longest = 64 << 20
	}
	return o
}

// endpointOf completes an address: people write the host, the version, or all of it.
func endpointOf(provider, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("embed: url %q: want http://host:port or https://host", address)
	}
	path := strings.TrimSuffix(u.Path, "/")
	switch {
	case provider == Ollama && strings.HasSuffix(path, "/api/embed"), provider == OpenAI && strings.HasSuffix(path, "/embeddings"):
	case provider == Ollama:
		path = strings.TrimSuffix(path, "/api") + "/api/embed"
	case strings.HasSuffix(path, "/v1"):
		path += "/embeddings"
	default:
		path += "/v1/embeddings"
	}
	u.Path = path
	return u.String(), nil
}

// Model names what vectors are from: those of two models are never compared.
func (c *Client) Model() string {
	if c.options.Model == "" {
		return c.options.Provider + " " + withoutUser(c.endpoint)
	}
	return c.options.Provider + " " + c.options.Model
}

// withoutUser is an address without the name and password that may stand in it: it is shown.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}

// Embed returns a vector for each text, in their order. A provider that is busy or fails is asked again, later each time;
// one that says when is asked then.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	wait := c.options.Backoff
	for attempt := 1; ; attempt++ {
		if err := c.await(ctx); err != nil {
			return nil, err
		}
		vectors, err := c.once(ctx, texts)
		if err == nil || ctx.Err() != nil || attempt == c.options.Attempts || errors.Is(err, ErrRefused) {
			return vectors, err
		}
		pause := jittered(wait)
		var f *failure
		if errors.As(err, &f) && f.after > 0 {
			pause = f.after
		}
		if err := sleep(ctx, min(pause, longestWait)); err != nil {
			return nil, err
		}
		wait *= 2
	}
}

// Query returns the vector of one text by a single attempt, since somebody waits.
func (c *Client) Query(ctx context.Context, text string) ([]float32, error) {
	vectors, err := c.once(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// await keeps two requests apart.
func (c *Client) await(ctx context.Context) error {
	select {
	case last := <-c.turn:
		err := sleep(ctx, time.Until(last.Add(c.options.Interval)))
		c.turn <- time.Now()
		return err
	case <-ctx.Done():
		return fmt.Errorf("embed: %w", ctx.Err())
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("embed: %w", ctx.Err())
	}
}

// checked are the vectors of an answer, if they are what was asked for.
func checked(vectors [][]float32, wanted int) ([][]float32, error) {
	if len(vectors) != wanted {
		return nil, fmt.Errorf("embed: %d vectors for %d texts: %w", len(vectors), wanted, errGarbled)
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("embed: vector %d has %d components, the first %d: %w", i+1, len(v), len(vectors[0]), errGarbled)
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, fmt.Errorf("embed: vector %d holds a number that is none: %w", i+1, errGarbled)
			}
		}
	}
	return vectors, nil
}
