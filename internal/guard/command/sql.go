package command

import (
	"slices"
	"strings"
)

// sqlKinds are the statements that rules can name.
var sqlKinds = setOf("drop-database drop-table drop-other truncate delete-all update-all alter-drop delete update write grant mongo-drop mongo-delete-all")

// sqlFound is what the statements sent to a database do.
type sqlFound struct {
	kinds   []string
	unknown bool // there are statements that cannot be read
}

func (f *sqlFound) any(kinds []string) bool {
	return slices.ContainsFunc(f.kinds, func(k string) bool { return slices.Contains(kinds, k) })
}

// sqlClient says where a program takes statements from.
type sqlClient struct {
	text  []string // flags with statements
	files []string // flags with files of statements
	from  int      // operands from here on are statements; 0: none
}

var sqlClients = map[string]sqlClient{
	"psql":              {text: []string{"-c", "--command"}, files: []string{"-f", "--file"}},
	"mysql":             {text: []string{"-e", "--execute"}},
	"mariadb":           {text: []string{"-e", "--execute"}},
	"sqlite3":           {text: []string{"-cmd"}, from: 1},
	"duckdb":            {text: []string{"-c", "-cmd"}, from: 1},
	"mongosh":           {text: []string{"--eval"}, files: []string{"--file", "-f"}},
	"mongo":             {text: []string{"--eval"}},
	"sqlcmd":            {text: []string{"-Q", "-q"}, files: []string{"-i"}},
	"clickhouse-client": {text: []string{"-q", "--query"}, files: []string{"--queries-file"}},
	"cqlsh":             {text: []string{"-e", "--execute"}, files: []string{"-f", "--file"}},
	"cockroach":         {text: []string{"-e", "--execute"}},
	"bq":                {from: 1},
	"usql":              {text: []string{"-c", "--command"}, files: []string{"-f", "--file"}},
	"pgcli":             {text: []string{"-e"}},
	"mycli":             {text: []string{"-e"}},
	"turso":             {from: 3},
	"snowsql":           {text: []string{"-q"}, files: []string{"-f"}},
}

// statements reads what a database client is told to run.
func (m *matching) statements() *sqlFound {
	if m.sql != nil {
		return m.sql
	}
	f := &sqlFound{}
	m.sql = f
	client, ok := sqlClients[m.name]
	if !ok {
		return f
	}
	given := false
	for _, name := range client.text {
		if w, ok := flagValue(m.c.words, name); ok {
			given = true
			f.readWord(m.r, w)
		}
	}
	for _, name := range client.files {
		if w, ok := flagValue(m.c.words, name); ok && w.text != "-" {
			given = true
			f.readFile(m, w)
		}
	}
	if client.from > 0 {
		for i := client.from; i < len(m.args.operands); i++ {
			given = true
			f.readWord(m.r, m.args.operands[i])
		}
	}
	if !given {
		f.readStream(m.r, m.c.in)
	}
	return f
}

func (f *sqlFound) readWord(r *run, w word) {
	if w.text == wildMark {
		f.unknown = true
		return
	}
	f.read(r, w.text)
}

func (f *sqlFound) readStream(r *run, in value) {
	switch in.state {
	case visible:
		f.read(r, in.text)
	case hidden:
		f.unknown = true
	}
}

func (f *sqlFound) readFile(m *matching, w word) {
	v := m.r.content(m.c.s, w)
	f.readStream(m.r, v)
	if v.state == nothing {
		f.unknown = true
	}
}

// read splits text into statements and says what each does.
func (f *sqlFound) read(r *run, text string) {
	r.spend(1 + len(text)/32)
	for _, stmt := range sqlStatements(text) {
		if kind := sqlKind(stmt); kind != "" && !slices.Contains(f.kinds, kind) {
			f.kinds = append(f.kinds, kind)
		}
	}
	flat := strings.ToLower(strings.Join(strings.Fields(text), ""))
	for _, p := range []struct{ text, kind string }{
		{"dropdatabase(", "mongo-drop"}, {".drop(", "mongo-drop"}, {".dropcollection(", "mongo-drop"}, {"deletemany({})", "mongo-delete-all"},
		{"deletemany()", "mongo-delete-all"}, {".remove({})", "mongo-delete-all"}, {".remove()", "mongo-delete-all"},
	} {
		if strings.Contains(flat, p.text) {
			f.kinds = append(f.kinds, p.kind)
		}
	}
}

// sqlStatements gives the words of each statement, lower case, without comments and the content of strings.
func sqlStatements(text string) (out [][]string) {
	var words []string
	end := func() {
		if len(words) > 0 {
			out = append(out, words)
		}
		words = nil
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ';':
			end()
			i++
		case c == '\\' && (i == 0 || text[i-1] == '\n'): // a command of psql: \copy, \i
			j := lineEnd(text, i)
			if strings.HasPrefix(text[i:], `\!`) || strings.HasPrefix(text[i:], `\i`) {
				words = append(words, "\\")
			}
			i = j
		case strings.HasPrefix(text[i:], "--"), c == '#':
			i = lineEnd(text, i)
		case strings.HasPrefix(text[i:], "/*"):
			if j := strings.Index(text[i+2:], "*/"); j >= 0 {
				body := text[i+2 : i+2+j]
				if strings.HasPrefix(body, "!") { // MySQL runs these
					words = append(words, strings.Fields(strings.ToLower(strings.TrimLeft(body[1:], "0123456789")))...)
				}
				i += j + 4
			} else {
				i = len(text)
			}
		case c == '\'':
			i = skipQuoted(text, i)
			words = append(words, "''")
		case isWordByte(c) || c == '"' || c == '`' || c == '[':
			j := i + 1
			for j < len(text) && (isWordByte(text[j]) || strings.IndexByte("\"`].", text[j]) >= 0) {
				j++
			}
			words = append(words, strings.ToLower(strings.Trim(text[i:j], "\"`[]")))
			i = j
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		default:
			words = append(words, string(c))
			i++
		}
	}
	end()
	return out
}

func lineEnd(text string, i int) int {
	if j := strings.IndexByte(text[i:], '\n'); j >= 0 {
		return i + j + 1
	}
	return len(text)
}

func skipQuoted(text string, i int) int {
	q := text[i]
	for i++; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if text[i] == q {
			return i + 1
		}
	}
	return len(text)
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// sqlKind says what one statement does; "" if it only reads or adds.
func sqlKind(words []string) string {
	for len(words) > 1 && (words[0] == "explain" || words[0] == "(" || words[0] == "begin" || words[0] == "do") {
		words = words[1:]
	}
	if words[0] == "with" { // the last verb decides
		for _, verb := range []string{"delete", "update"} {
			if i := slices.Index(words, verb); i > 0 {
				words = words[i:]
				break
			}
		}
	}
	where := slices.Contains(words, "where") && !trivialWhere(words)
	second := ""
	if len(words) > 1 {
		second = words[1]
	}
	switch words[0] {
	case "drop":
		switch second {
		case "database", "schema", "keyspace":
			return "drop-database"
		case "table":
			return "drop-table"
		}
		return "drop-other"
	case "truncate":
		return "truncate"
	case "delete":
		if !where && !slices.Contains(words, "limit") {
			return "delete-all"
		}
		return "delete"
	case "update":
		if !where {
			return "update-all"
		}
		return "update"
	case "alter":
		if slices.Contains(words, "drop") {
			return "alter-drop"
		}
		return "write"
	case "insert", "create", "replace", "merge", "copy", "load":
		return "write"
	case "grant", "revoke":
		return "grant"
	}
	return ""
}

// trivialWhere reports whether a condition holds for every row.
func trivialWhere(words []string) bool {
	i := slices.Index(words, "where")
	rest := words[i+1:]
	switch len(rest) {
	case 0:
		return true
	case 1:
		return rest[0] == "true" || rest[0] == "1"
	case 3:
		return rest[1] == "=" && rest[0] == rest[2]
	}
	return false
}
