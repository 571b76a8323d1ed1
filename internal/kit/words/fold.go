package words

import (
	"strings"
	"unicode"
)

// plain are the letters without their accents, for the letters from À to ſ that have one.
var plain = func() map[rune]string {
	m := map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ı': "i", 'ħ': "h", 'ŋ': "n", 'ſ': "s", 'ŧ': "t", 'ς': "σ"}
	for base, accented := range map[string]string{
		"a": "àáâãäåāăąǎạảấầẩẫậắằẳẵặ", "c": "çćĉċč", "d": "ď", "e": "èéêëēĕėęěẹẻẽếềểễệ", "g": "ĝğġģ", "h": "ĥ", "i": "ìíîïĩīĭįǐỉị",
		"j": "ĵ", "k": "ķ", "l": "ĺļľŀ", "n": "ñńņňŉ", "o": "òóôõöōŏőǒọỏốồổỗộơớờởỡợ", "r": "ŕŗř", "s": "śŝşšș", "t": "ţťț",
		"u": "ùúûüũūŭůűųǔụủưứừửữự", "w": "ŵ", "y": "ýÿŷỳỵỷỹ", "z": "źżž",
		"α": "ά", "ε": "έ", "η": "ή", "ι": "ίϊΐ", "ο": "ό", "υ": "ύϋΰ", "ω": "ώ", "е": "ё",
	} {
		for _, r := range accented {
			m[r] = base
		}
	}
	return m
}()

// fold lowers a word and takes the accents off it.
func fold(word string) string {
	ascii := true
	for i := range len(word) {
		if word[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(word)
	}
	var b strings.Builder
	for _, r := range word {
		r = unicode.ToLower(r)
		switch base, ok := plain[r]; {
		case ok:
			b.WriteString(base)
		case 0x300 <= r && r <= 0x36F: // an accent on its own
		case 0xFF01 <= r && r <= 0xFF5E: // full-width Latin
			b.WriteRune(unicode.ToLower(r - 0xFEE0))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
