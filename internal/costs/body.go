package costs

import (
	"bytes"
	"strconv"
)

var outputLimits = [][]byte{
	[]byte(`"max_completion_tokens"`), []byte(`"max_output_tokens"`), []byte(`"max_tokens"`), []byte(`"maxOutputTokens"`), []byte(`"num_predict"`),
}

// maxOutputOf finds the limit of tokens that an encoded request sets, in the
// words of any dialect; 0 when it sets none. It only bounds what is held, so the
// largest number under any of these names, wherever it stands, is good enough.
func maxOutputOf(body []byte) int64 {
	var most int64
	for _, name := range outputLimits {
		for rest := body; ; {
			i := bytes.Index(rest, name)
			if i < 0 {
				break
			}
			rest = rest[i+len(name):]
			most = max(most, leadingNumber(bytes.TrimLeft(rest, ": \t\r\n")))
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
