package main

// The tests and the command of the session parallel.

const lruTest = `package lru

import "testing"

func TestEvictsOldest(t *testing.T) {
	c := New[string, int](2)
	c.Put("a", 1)
	c.Put("b", 2)
	c.Get("a")
	c.Put("c", 3)
	if _, ok := c.Get("b"); ok {
		t.Error("b is still there, and was used least recently")
	}
	for _, key := range []string{"a", "c"} {
		if _, ok := c.Get(key); !ok {
			t.Errorf("%s is gone", key)
		}
	}
}

func TestShardedKeeps(t *testing.T) {
	c := NewSharded[int, int](8)
	c.Put(1, 1)
	if v, ok := c.Get(1); !ok || v != 1 {
		t.Errorf("Get(1) = %d, %t, want 1, true", v, ok)
	}
	if n := c.Len(); n != 1 {
		t.Errorf("Len() = %d, want 1", n)
	}
}
`

const stressTest = `package lru

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestComputesOnce(t *testing.T) {
	c := NewSharded[string, int](64)
	var computed atomic.Int64
	start := make(chan struct{})
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			<-start
			v, err := c.GetOrCompute("answer", func() (int, error) {
				computed.Add(1)
				time.Sleep(20 * time.Millisecond)
				return 42, nil
			})
			if v != 42 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
		})
	}
	close(start)
	wg.Wait()
	if n := computed.Load(); n != 1 {
		t.Errorf("computed %d times, want once", n)
	}
}

func TestRecursive(t *testing.T) {
	c := NewSharded[int, int](128)
	var fib func(n int) (int, error)
	fib = func(n int) (int, error) {
		if n < 2 {
			return n, nil
		}
		return c.GetOrCompute(n, func() (int, error) {
			a, errA := fib(n - 1)
			b, errB := fib(n - 2)
			return a + b, errors.Join(errA, errB)
		})
	}
	if v, err := fib(50); v != 12586269025 || err != nil {
		t.Errorf("fib(50) = %d, %v", v, err)
	}
}
`

const panicTest = `func TestPanics(t *testing.T) {
	c := NewSharded[string, int](64)
	asked := make(chan struct{})
	failed := make(chan error)
	go func() {
		<-asked
		_, err := c.GetOrCompute("answer", func() (int, error) { return 0, nil })
		failed <- err
	}()
	func() {
		defer func() { recover() }()
		c.GetOrCompute("answer", func() (int, error) {
			close(asked)
			time.Sleep(20 * time.Millisecond) // until the other waits
			panic("no answer")
		})
	}()
	if err := <-failed; err != errPanicked {
		t.Errorf("the one that waited got %v", err)
	}
}
`

const lrubenchSource = `// Command lrubench counts how often a cache hits on a skewed sequence of keys.
package main

import (
	"fmt"
	"time"

	"example.com/lru"
)

func main() {
	const size = 512
	c := lru.New(size, lru.WithTTL[int, int](time.Minute))
	hits, key := 0, 1
	for range 100_000 {
		key = (key*1103515245 + 12345) & 0x7fffffff
		k := key % 4096 * (key % 7) / 6
		if _, ok := c.Get(k); ok {
			hits++
			continue
		}
		c.Put(k, key)
	}
	fmt.Printf("%d entries, %s hits\n", c.Len(), hits)
}
`
