package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// failure is an answer that is none, with what the provider said.
type failure struct {
	status int
	said   string
	after  time.Duration // when it wants to be asked again, 0 = it did not say
}

func (f *failure) Error() string {
	return fmt.Sprintf("embed: the provider answered %d %s%s", f.status, http.StatusText(f.status), f.said)
}

// Is holds for what asking again cannot mend. 401, 403 and 404 are mended by people, at the provider's.
func (f *failure) Is(target error) bool {
	switch f.status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType:
		return target == ErrRefused
	}
	return false
}

// request is what both forms take.
type request struct {
	Model string   `json:"model,omitempty"`
	Input []string `json:"input"`
	// Format of the OpenAI form, where some servers would take another one.
	Format string `json:"encoding_format,omitempty"`
}

// once asks once.
func (c *Client) once(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	question := request{Model: c.options.Model, Input: texts}
	if c.options.Provider == OpenAI {
		question.Format = "float"
	}
	body, err := json.Marshal(question)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	if c.options.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.options.Key)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, c.options.Longest+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("embed: read the answer: %w", err)
	case answer.StatusCode != http.StatusOK:
		return nil, &failure{answer.StatusCode, c.said(content), retryAfter(answer.Header.Get("Retry-After"), time.Now())}
	case int64(len(content)) > c.options.Longest:
		return nil, fmt.Errorf("embed: the answer is longer than %d bytes: %w", c.options.Longest, errGarbled)
	}
	vectors, err := c.read(content, len(texts))
	if err != nil {
		return nil, err
	}
	return checked(vectors, len(texts))
}

// said is the beginning of a refusal, without the key, which some providers repeat.
func (c *Client) said(content []byte) string {
	const most = 200
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(content[:min(len(content), 4*most)]), "")), " ")
	if c.options.Key != "" {
		s = strings.ReplaceAll(s, c.options.Key, "…")
	}
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	if s == "" {
		return ""
	}
	return ": " + s
}

// retryAfter reads seconds or a date; 0 for neither.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// read takes the vectors out of an answer, in the order of the texts.
func (c *Client) read(content []byte, wanted int) ([][]float32, error) {
	if c.options.Provider == Ollama {
		var a struct {
			Embeddings [][]float32 `json:"embeddings"`
		}
		return a.Embeddings, garbled(json.Unmarshal(content, &a))
	}
	var a struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := garbled(json.Unmarshal(content, &a)); err != nil {
		return nil, err
	}
	if len(a.Data) != wanted {
		return make([][]float32, len(a.Data)), nil // what is checked next
	}
	vectors := make([][]float32, wanted)
	for i, d := range a.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= wanted || vectors[at] != nil {
			return nil, fmt.Errorf("embed: vector %d says it is that of text %d: %w", i+1, at+1, errGarbled)
		}
		vectors[at] = d.Embedding
	}
	return vectors, nil
}

func garbled(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("embed: read the answer: %w: %w", errGarbled, err)
}

// jittered is a duration of half to one and a half times d, so that clients that failed together do not come back
// together.
func jittered(d time.Duration) time.Duration {
	return d/2 + time.Duration(rand.Int64N(int64(d)+1))
}
