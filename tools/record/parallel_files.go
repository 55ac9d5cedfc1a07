package main

// The module of the session parallel, with its deliberate bugs, and what the
// agent writes into it.

const lruSource = `// Package lru is a cache that forgets what was used least recently.
package lru

import (
	"container/list"
	"sync"
	"time"
)

// Cache keeps up to a fixed number of entries. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	mu    sync.Mutex
	max   int
	ttl   time.Duration
	order *list.List // of *entry[K, V], the most recently used first
	byKey map[K]*list.Element
	now   func() time.Time
}

type entry[K comparable, V any] struct {
	key     K
	value   V
	expires time.Time
}

` + lruOption + lruNew + `
// Get returns the value of key and makes it the most recently used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return value, false
	}
	en := e.Value.(*entry[K, V])
	if c.ttl > 0 && c.now().After(en.expires) {
		c.remove(e)
		return value, false
	}
	c.order.MoveToFront(e)
	return en.value, true
}

// Put sets the value of key. If the cache is full, another entry goes.
func (c *Cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		en := e.Value.(*entry[K, V])
		en.value = value
		en.expires = c.now().Add(c.ttl)
		c.order.MoveToFront(e)
		return
	}
	en := &entry[K, V]{key: key, value: value}
	en.expires = c.now().Add(c.ttl)
	c.byKey[key] = c.order.PushFront(en)
	if c.order.Len() > c.max {
		c.remove(c.order.Front())
	}
}

// Len returns the number of entries.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}

func (c *Cache[K, V]) remove(e *list.Element) {
	c.order.Remove(e)
	delete(c.byKey, e.Value.(*entry[K, V]).key)
}
`

const lruOption = `// Option changes how a cache behaves.
type Option[K comparable, V any] func(*Cache[K, V])

// WithTTL makes entries expire after d.
func WithTTL[K comparable, V any](d time.Duration) Option[K, V] {
	return func(c *Cache[K, V]) { c.ttl = d }
}

`

const lruNew = `// New returns an empty cache of at most max entries.
func New[K comparable, V any](max int, opts ...Option[K, V]) *Cache[K, V] {
	c := &Cache[K, V]{max: max, order: list.New(), byKey: map[K]*list.Element{}, now: time.Now}
	for _, o := range opts {
		o(c)
	}
	return c
}
`

const lruNewPlain = `// New returns an empty cache of at most max entries.
func New[K comparable, V any](max int) *Cache[K, V] {
	return &Cache[K, V]{max: max, order: list.New(), byKey: map[K]*list.Element{}}
}
`

const shardSource = `package lru

import (
	"fmt"
	"hash/maphash"
)

const shards = 16

// Sharded is a cache in parts, each with a lock of its own.
type Sharded[K comparable, V any] struct {
	seed  maphash.Seed
	parts [shards]Cache[K, V]
}

// NewSharded returns an empty cache of about max entries.
func NewSharded[K comparable, V any](max int) *Sharded[K, V] {
	s := &Sharded[K, V]{seed: maphash.MakeSeed()}
	for i := range s.parts {
		s.parts[i].init(max / shards)
	}
	return s
}

func (s *Sharded[K, V]) part(key K) *Cache[K, V] {
	return &s.parts[maphash.Comparable(s.seed, key)%shards]
}

// Get returns the value of key.
func (s *Sharded[K, V]) Get(key K) (V, bool) { return s.part(key).Get(key) }

// Put sets the value of key.
func (s *Sharded[K, V]) Put(key K, value V) { s.part(key).Put(key, value) }

// Len returns the number of entries.
func (s Sharded[K, V]) Len() int {
	n := 0
	for i := range s.parts {
		n += s.parts[i].Len()
	}
	return n
}

// GetOrCompute returns the value of key, computed if it is not there.
func (s *Sharded[K, V]) GetOrCompute(key K, compute func() (V, error)) (V, error) {
` + shardComputeTwice + `}
`

const shardComputeTwice = `	p := s.part(key)
	if v, ok := p.Get(key); ok {
		return v, nil
	}
	v, err := compute()
	if err == nil {
		p.Put(key, v)
	}
	return v, err
`

const shardComputeLocked = `	s.mu.Lock()
	defer s.mu.Unlock()
` + shardComputeTwice

const shardFlight = `package lru

import (
	"hash/maphash"
	"sync"
)

const shards = 16

// Sharded is a cache in parts, each with a lock of its own.
type Sharded[K comparable, V any] struct {
	seed    maphash.Seed
	parts   [shards]*Cache[K, V]
	mu      sync.Mutex
	flights map[K]*flight[V] // what is being computed
}

// flight is one computation. value and err may be read once done is closed.
type flight[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// NewSharded returns an empty cache of at least max entries.
func NewSharded[K comparable, V any](max int) *Sharded[K, V] {
	s := &Sharded[K, V]{seed: maphash.MakeSeed(), flights: map[K]*flight[V]{}}
	for i := range s.parts {
		s.parts[i] = New[K, V]((max + shards - 1) / shards)
	}
	return s
}

func (s *Sharded[K, V]) part(key K) *Cache[K, V] {
	return s.parts[maphash.Comparable(s.seed, key)%shards]
}

// Get returns the value of key.
func (s *Sharded[K, V]) Get(key K) (V, bool) { return s.part(key).Get(key) }

// Put sets the value of key.
func (s *Sharded[K, V]) Put(key K, value V) { s.part(key).Put(key, value) }

// Len returns the number of entries.
func (s *Sharded[K, V]) Len() int {
	n := 0
	for _, p := range s.parts {
		n += p.Len()
	}
	return n
}

// GetOrCompute returns the value of key, computed if it is not there. However
// many ask for it at the same time, it is computed once; compute may use the
// cache, but not ask for the same key.
func (s *Sharded[K, V]) GetOrCompute(key K, compute func() (V, error)) (V, error) {
	s.mu.Lock()
	if v, ok := s.part(key).Get(key); ok {
		s.mu.Unlock()
		return v, nil
	}
	if f, ok := s.flights[key]; ok {
		s.mu.Unlock()
		<-f.done
		return f.value, f.err
	}
	f := &flight[V]{done: make(chan struct{}), err: errPanicked}
	s.flights[key] = f
	s.mu.Unlock()

	defer func() {
		s.mu.Lock()
		if f.err == nil {
			s.part(key).Put(key, f.value)
		}
		delete(s.flights, key)
		s.mu.Unlock()
		close(f.done)
	}()
	f.value, f.err = compute()
	return f.value, f.err
}
`
