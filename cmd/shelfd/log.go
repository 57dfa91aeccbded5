package main

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"shelfd/internal/config"
)

// logger writes to standard error: one line of JSON an event, or readable lines on a terminal.
func (p *program) logger(c config.Log) (*zap.Logger, zap.AtomicLevel) {
	level := zap.NewAtomicLevel()
	if parsed, err := zapcore.ParseLevel(c.Level); err == nil {
		level.SetLevel(parsed)
	}
	format := zap.NewProductionEncoderConfig()
	format.EncodeTime = zapcore.ISO8601TimeEncoder
	format.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(format)
	if c.Format == "console" || c.Format == "auto" && terminal(p.err) {
		format.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05")
		format.EncodeLevel = zapcore.CapitalLevelEncoder
		encoder = zapcore.NewConsoleEncoder(format)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(p.err)), level)), level
}

// setLevel follows the configuration while the daemon runs.
func (d *daemon) setLevel(name string) {
	if level, err := zapcore.ParseLevel(name); err == nil {
		d.level.SetLevel(level)
	}
}
