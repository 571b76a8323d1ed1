package main

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// The bars of hub.
const (
	hubFaster   = 4.0       // deliveries/s against the usual design, 10,000 subscribers, burst of 8 and 32
	hubCheaper  = 0.25      // CPU per delivery against it
	hubIdle     = 12.0      // kB per idle connection
	hubReplay   = 1_000_000 // events/s
	replayCount = 1_000_000

	stalledGrowth = 4.0 // MB; it misses about 7 MB, which must not be kept for it
)

func hubLane(ctx context.Context, b *bench) error {
	files, err := manyFiles()
	if err != nil {
		return err
	}
	sizes := []int{1000, 10_000}
	if most := (files - 200) / 2; most < 10_000 { // both crowds are clients of this process
		fmt.Printf("  only %d subscribers: the limit on open files is %d\n", most, files)
		sizes[1] = most
	}
	if b.quick {
		sizes = []int{1000}
	}
	for _, n := range sizes {
		if err := fanOut(ctx, b, n); err != nil {
			return err
		}
	}
	return replay(ctx, b)
}

// manyFiles raises the limit on open files and says how many there may be.
func manyFiles() (int, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, err
	}
	wanted := syscall.Rlimit{Cur: 65_536, Max: max(65_536, limit.Max)}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &wanted); err == nil { // only root may go beyond the hard limit
		return int(wanted.Cur), nil
	}
	limit.Cur = limit.Max
	return int(limit.Cur), syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}

func fanOut(ctx context.Context, b *bench, n int) error {
	ours, err := startHub(ctx, "hub", mustDir(b))
	if err != nil {
		return err
	}
	defer ours.stop()
	base, err := startHub(ctx, "channels")
	if err != nil {
		return err
	}
	defer base.stop()
	oursCrowd, oursIdle, err := gather(ctx, ours, n)
	if err != nil {
		return err
	}
	defer oursCrowd.leave()
	baseCrowd, baseIdle, err := gather(ctx, base, n)
	if err != nil {
		return err
	}
	defer baseCrowd.leave()
	judged := n > 1000
	if judged {
		b.limit(fmt.Sprintf("idle memory per connection, %d", n), "kB", oursIdle, baseIdle, hubIdle)
	}
	missing := 0
	for _, burst := range []int{1, 8, 32} {
		o, base, err := b.alternate(
			func() (sample, error) { return deliver(ctx, b, ours, oursCrowd, burst) },
			func() (sample, error) { return deliver(ctx, b, base, baseCrowd, burst) })
		if err != nil {
			return err
		}
		faster, cheaper := 0.0, 0.0
		if judged && burst > 1 {
			faster, cheaper = hubFaster, hubCheaper
		}
		b.judge(fmt.Sprintf("deliveries/s, %d subscribers, %d in flight", n, burst), "/s", o, base, sample.perSecond, 0, faster)
		b.judge(fmt.Sprintf("CPU per delivery, %d subscribers, %d in flight", n, burst), "µs", o, base, sample.perOp, cheaper, 0)
	}
	missing += int(oursCrowd.wrong.Load())
	b.must(fmt.Sprintf("frames that are not events, %d subscribers", n), missing)
	if judged {
		return nil
	}
	return stalled(ctx, b, ours, oursCrowd)
}

// gather connects n clients and measures what they cost while nothing happens.
func gather(ctx context.Context, p *hubProcess, n int) (*crowd, float64, error) {
	warm, err := join(p, 50, "") // pools and tables that exist once
	if err != nil {
		return nil, 0, err
	}
	warm.leave()
	before, err := settledRSS(ctx, p)
	if err != nil {
		return nil, 0, err
	}
	c, err := join(p, n, "")
	if err != nil {
		return nil, 0, err
	}
	after, err := settledRSS(ctx, p)
	return c, float64(after-before) / float64(n) / 1000, err
}

// settledRSS waits for the collector to give back what the handshakes took.
func settledRSS(ctx context.Context, p *hubProcess) (int64, error) {
	least := int64(1 << 62)
	for range 6 {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(time.Second):
		}
		n, err := rss(p.cmd.Process.Pid)
		if err != nil {
			return 0, err
		}
		least = min(least, n)
	}
	return least, nil
}

// deliver sends bursts for one slice; each ends when every client has it all.
func deliver(ctx context.Context, b *bench, p *hubProcess, c *crowd, burst int) (sample, error) {
	var s sample
	cpu, err := preciseCPU(p.cmd.Process.Pid)
	if err != nil {
		return s, err
	}
	began := time.Now()
	for time.Since(began) < b.slice {
		all := int64(len(c.conns) * burst)
		c.expect(all)
		if err := p.burst(burst); err != nil {
			return s, err
		}
		if err := c.wait(ctx); err != nil {
			return s, err
		}
		s.ops += float64(all)
	}
	s.wall = time.Since(began)
	now, err := preciseCPU(p.cmd.Process.Pid)
	s.cpu = now - cpu
	return s, err
}

// stalled adds one client that never reads and checks that the others do not
// notice and that the server's memory does not grow with what it misses.
func stalled(ctx context.Context, b *bench, p *hubProcess, c *crowd) error {
	if err := rounds(ctx, p, c, 40); err != nil { // the log in memory is full now, and stays so
		return err
	}
	conn, _, err := dial(p, "")
	if err != nil {
		return err
	}
	defer conn.Close()
	before, err := p.heap()
	if err != nil {
		return err
	}
	if err := rounds(ctx, p, c, 80); err != nil {
		return fmt.Errorf("beside a stalled client: %w", err)
	}
	after, err := p.heap()
	if err != nil {
		return err
	}
	b.limit(fmt.Sprintf("memory grown beside one stalled of %d", len(c.conns)), "MB", max(0, float64(after-before)/1e6), 0, stalledGrowth)
	return nil
}

// rounds sends bursts of 256 and waits until all have them.
func rounds(ctx context.Context, p *hubProcess, c *crowd, n int) error {
	for range n {
		c.expect(int64(len(c.conns) * 256))
		if err := p.burst(256); err != nil {
			return err
		}
		if err := c.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// replay lets one client read a million events from the beginning.
func replay(ctx context.Context, b *bench) error {
	count := replayCount
	if b.quick {
		count /= 10
	}
	p, err := startHub(ctx, "hub", mustDir(b), "large")
	if err != nil {
		return err
	}
	defer p.stop()
	first, err := join(p, 1, "") // someone listens, so the log is kept in memory
	if err != nil {
		return err
	}
	defer first.leave()
	first.expect(int64(count))
	if err := p.burst(count); err != nil {
		return err
	}
	if err := first.wait(ctx); err != nil {
		return err
	}
	var rates []float64
	for range 5 {
		began := time.Now()
		c, err := joinCounting(p, int64(count))
		if err != nil {
			return err
		}
		err = c.wait(ctx)
		rates = append(rates, float64(count)/time.Since(began).Seconds())
		c.leave()
		if err != nil {
			return fmt.Errorf("replaying: %w", err)
		}
	}
	b.atLeast("replay of a million events", "/s", median(rates), hubReplay)
	return nil
}

// joinCounting is join for one client that starts at the beginning.
func joinCounting(p *hubProcess, want int64) (*crowd, error) {
	conn, rest, err := dial(p, `,"after":0`)
	if err != nil {
		return nil, err
	}
	c := &crowd{full: make(chan struct{}, 1)}
	c.conns = append(c.conns, conn)
	c.expect(want)
	c.wg.Go(func() { c.read(conn, rest) })
	return c, nil
}
