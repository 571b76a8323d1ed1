package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/fluxway/fluxway/internal/memory/gte"
)

// tensor is a constant of the model.
type tensor struct {
	shape []int
	data  []float32
}

// model is what we need of an ONNX file: named constants, and the constants
// that linear layers multiply with, under the name of the layer.
type model map[string]tensor

// field is one field of a protocol buffer.
type field struct {
	number uint64
	value  uint64 // of a number
	data   []byte // of anything else
}

var errWire = errors.New("the file is not a valid protocol buffer")

// fields calls f for each field of a message.
func fields(message []byte, f func(field) error) error {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 {
			return errWire
		}
		message = message[n:]
		part := field{number: tag >> 3}
		size := 0
		switch tag & 7 {
		case 0:
			if part.value, n = binary.Uvarint(message); n <= 0 {
				return errWire
			}
			size = n
		case 1:
			size = 8
		case 2:
			length, n := binary.Uvarint(message)
			if n <= 0 || length > uint64(len(message)-n) {
				return errWire
			}
			message = message[n:]
			size = int(length)
			part.data = message[:size]
		case 5:
			size = 4
		default:
			return errWire
		}
		if size > len(message) {
			return errWire
		}
		message = message[size:]
		if err := f(part); err != nil {
			return err
		}
	}
	return nil
}

// parse reads an ONNX file. Field numbers are those of onnx.proto.
func parse(file []byte) (model, error) {
	constants := model{}
	layers := map[string]string{} // name of the constant by name of the layer
	err := fields(file, func(m field) error {
		if m.number != 7 { // ModelProto.graph
			return nil
		}
		return fields(m.data, func(g field) error {
			switch g.number {
			case 1: // GraphProto.node
				return parseNode(g.data, layers)
			case 5: // GraphProto.initializer
				return parseTensor(g.data, constants)
			}
			return nil
		})
	})
	for layer, constant := range layers {
		if t, ok := constants[constant]; ok && len(t.shape) == 2 {
			constants[layer] = t
		}
	}
	return constants, err
}

// parseNode notes which constant a multiplication uses.
func parseNode(node []byte, layers map[string]string) error {
	var inputs []string
	var name, op string
	err := fields(node, func(f field) error {
		switch f.number {
		case 1:
			inputs = append(inputs, string(f.data))
		case 3:
			name = string(f.data)
		case 4:
			op = string(f.data)
		}
		return nil
	})
	if op == "MatMul" && len(inputs) == 2 {
		// "/encoder/layer.0/attention/self/query/MatMul" is the layer "encoder.layer.0.attention.self.query".
		layer := strings.ReplaceAll(strings.Trim(path.Dir(name), "/"), "/", ".")
		layers[layer+".weight"] = inputs[1]
	}
	return err
}

// parseTensor keeps a constant of 32-bit floats.
func parseTensor(message []byte, constants model) error {
	var t tensor
	var name string
	var kind uint64
	var raw []byte
	err := fields(message, func(f field) error {
		switch f.number {
		case 1:
			t.shape = append(t.shape, int(f.value))
		case 2:
			kind = f.value
		case 8:
			name = string(f.data)
		case 9:
			raw = f.data
		}
		return nil
	})
	if err != nil || kind != 1 {
		return err
	}
	t.data = make([]float32, len(raw)/4)
	for i := range t.data {
		t.data[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	constants[name] = t
	return nil
}

// convert rounds the model to eight bits.
func convert(onnx, vocabulary []byte) (*gte.Weights, error) {
	m, err := parse(onnx)
	if err != nil {
		return nil, err
	}
	missing := map[string]bool{}
	get := func(name string) tensor {
		if _, ok := m[name]; !ok {
			missing[name] = true
		}
		return m[name]
	}
	w := &gte.Weights{
		Norm: get("embeddings.LayerNorm.weight").data, Shift: get("embeddings.LayerNorm.bias").data,
		Positions:  get("embeddings.position_embeddings.weight").data,
		Vocabulary: strings.Split(strings.TrimRight(string(vocabulary), "\n"), "\n"),
	}
	w.Words, w.WordScale = gte.NewWords(get("embeddings.word_embeddings.weight").data)
	segment := get("embeddings.token_type_embeddings.weight").data
	for i := range w.Positions {
		w.Positions[i] += segment[i%(len(segment)/2)] // of two segments, the first
	}
	for i := 0; ; i++ {
		layer := fmt.Sprintf("encoder.layer.%d.", i)
		if _, ok := m[layer+"output.dense.bias"]; !ok {
			break
		}
		w.Layers = append(w.Layers, convertLayer(func(name string) tensor { return get(layer + name) }))
	}
	for name := range missing {
		return nil, fmt.Errorf("the model has no %s", name)
	}
	return w, nil
}

func convertLayer(get func(string) tensor) gte.Layer {
	var all [][]float32
	var bias []float32
	in := 0
	for _, name := range []string{"query", "key", "value"} {
		t := get("attention.self." + name + ".weight")
		all = append(all, turned(t))
		bias = append(bias, get("attention.self."+name+".bias").data...)
		if len(t.shape) == 2 {
			in = t.shape[0]
		}
	}
	var qkv []float32
	for _, w := range all {
		qkv = append(qkv, w...)
	}
	linear := func(name string) gte.Matrix {
		t := get(name + ".weight")
		if len(t.shape) != 2 {
			return gte.Matrix{} // missing, which is reported
		}
		return gte.NewMatrix(turned(t), get(name+".bias").data, t.shape[0], t.shape[1])
	}
	return gte.Layer{
		QKV: gte.NewMatrix(qkv, bias, in, len(bias)),
		Out: linear("attention.output.dense"), Up: linear("intermediate.dense"), Down: linear("output.dense"),
		Norm1: get("attention.output.LayerNorm.weight").data, Shift1: get("attention.output.LayerNorm.bias").data,
		Norm2: get("output.LayerNorm.weight").data, Shift2: get("output.LayerNorm.bias").data,
	}
}

// turned makes [in][out], as ONNX multiplies, into [out][in].
func turned(t tensor) []float32 {
	if len(t.shape) != 2 {
		return nil
	}
	in, out := t.shape[0], t.shape[1]
	w := make([]float32, len(t.data))
	for i := range in {
		for o := range out {
			w[o*in+i] = t.data[i*out+o]
		}
	}
	return w
}
