package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Calls is how many calls of tools there were since the start, and how long they took.
type Calls struct {
	Total       int
	Median, P99 time.Duration
}

// Calls sums up the calls of all tools. The durations are as exact as the buckets of the histogram: linear inside one.
func (m *Metrics) Calls() Calls {
	collected := make(chan prometheus.Metric)
	go func() {
		defer close(collected)
		m.calls.Collect(collected)
	}()
	within := map[float64]uint64{} // by upper bound, cumulative
	var bounds []float64
	var total uint64
	for metric := range collected {
		var d dto.Metric
		if err := metric.Write(&d); err != nil {
			continue // a metric of ours that cannot be written has no numbers
		}
		h := d.GetHistogram()
		total += h.GetSampleCount()
		first := len(bounds) == 0
		for _, b := range h.GetBucket() {
			within[b.GetUpperBound()] += b.GetCumulativeCount()
			if first {
				bounds = append(bounds, b.GetUpperBound())
			}
		}
	}
	at := func(share float64) time.Duration { return quantile(bounds, within, share*float64(total)) }
	return Calls{int(total), at(0.5), at(0.99)}
}

// quantile is the value below which so many observations lie; that of the last bound for those beyond it.
func quantile(bounds []float64, within map[float64]uint64, rank float64) time.Duration {
	low, below := 0.0, 0.0
	for _, bound := range bounds {
		if n := float64(within[bound]); n >= rank {
			if n > below {
				low += (bound - low) * (rank - below) / (n - below)
			}
			return time.Duration(low * float64(time.Second))
		}
		low, below = bound, float64(within[bound])
	}
	return time.Duration(low * float64(time.Second))
}
