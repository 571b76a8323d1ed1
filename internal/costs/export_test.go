package costs

// AwaitRun returns when Run takes changes: it empties the channel whose only place was filled.
func (l *Ledger) AwaitRun() {
	for range cap(l.kick) + 1 {
		l.kick <- struct{}{}
	}
}
