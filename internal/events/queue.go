package events

import (
	"context"
	"runtime"
	"sync"
)

// task is work for a worker.
type task interface {
	do(ctx context.Context, w *worker)
}

// queue hands tasks to workers, first come first served. Each subscriber, group
// and stream is in it at most once, which bounds it.
type queue struct {
	mu     sync.Mutex // guards the fields below
	more   sync.Cond
	tasks  []task
	head   int
	closed bool
}

func (q *queue) init() { q.more.L = &q.mu }

func (q *queue) push(t task) {
	q.mu.Lock()
	q.tasks = append(q.tasks, t)
	q.mu.Unlock()
	q.more.Signal()
}

// pop waits for a task; ok is false once the queue is closed.
func (q *queue) pop() (t task, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.head == len(q.tasks) && !q.closed {
		q.more.Wait()
	}
	if q.closed {
		return nil, false
	}
	t = q.tasks[q.head]
	q.tasks[q.head] = nil
	q.head++
	if q.head == len(q.tasks) {
		q.tasks, q.head = q.tasks[:0], 0
	} else if q.head >= 1024 && q.head*2 > len(q.tasks) {
		n := copy(q.tasks, q.tasks[q.head:])
		clear(q.tasks[n:])
		q.tasks, q.head = q.tasks[:n], 0
	}
	return t, true
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.more.Broadcast()
}

func defaultWorkers() int { return runtime.GOMAXPROCS(0) }
