//go:build !linux

package main

func forgetCode() {}
