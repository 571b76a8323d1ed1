package costs

import (
	"bytes"
	"strconv"
)

// outputLimits are what a limit of tokens is called, by how the names begin: a
// long prompt is searched once for each beginning.
var outputLimits = []struct {
	begins []byte
	goesOn [][]byte
}{
	{[]byte(`"max`), [][]byte{[]byte(`_tokens"`), []byte(`_completion_tokens"`), []byte(`_output_tokens"`), []byte(`OutputTokens"`)}},
	{[]byte(`"num_`), [][]byte{[]byte(`predict"`)}},
}

// maxOutputOf finds the limit of tokens that an encoded request sets, in the
// words of any dialect; 0 when it sets none. It only bounds what is held, so the
// largest number under any of these names, wherever it stands, is good enough.
func maxOutputOf(body []byte) int64 {
	var most int64
	for _, name := range outputLimits {
		for rest := body; ; {
			i := bytes.Index(rest, name.begins)
			if i < 0 {
				break
			}
			rest = rest[i+len(name.begins):]
			for _, end := range name.goesOn {
				if value, ok := bytes.CutPrefix(rest, end); ok {
					most = max(most, leadingNumber(bytes.TrimLeft(value, ": \t\r\n")))
				}
			}
		}
	}
	return most
}

func leadingNumber(text []byte) int64 {
	end := 0
	for end < min(len(text), 12) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(string(text[:end]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
