package providerstest

import "encoding/json"

// object is a JSON object to be written.
type object = map[string]any

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a fake's own value
	}
	return string(b)
}

func event(name string, v any) string { return "event: " + name + "\ndata: " + encode(v) + "\n\n" }

func data(v any) string { return "data: " + encode(v) + "\n\n" }

func jsonObject(s string) any {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return object{}
	}
	return v
}
