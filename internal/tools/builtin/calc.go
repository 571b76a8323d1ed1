package builtin

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

const (
	maxBits   = 1 << 13 // of a number on the way: some 2,400 digits
	maxParens = 200
)

type calcArgs struct {
	Expression string `json:"expression"`
}

func calculator() tools.Tool {
	return define(tools.Spec{Name: "calculator", Title: "Calculator", Level: tools.Public, ReadOnly: true, Repeatable: true},
		`{"expression":{"type":"string","minLength":1,"maxLength":2000}}`, []string{"expression"},
		func(_ context.Context, _ tools.Call, a calcArgs) (tools.Result, error) {
			value, exact, err := calculate(a.Expression)
			if err != nil {
				return tools.Result{}, err
			}
			return tools.Says(format(value, exact)), nil
		})
}

// calculate works out an expression; exact is false once a root was not a whole fraction.
func calculate(text string) (value *big.Rat, exact bool, err error) {
	p := &arithmetic{text: text, exact: true}
	value, err = p.sum()
	if err == nil && p.peek() != 0 {
		err = p.wrong("something is left over")
	}
	return value, p.exact, err
}

// arithmetic is one pass over an expression, one method for each strength of operator.
type arithmetic struct {
	text  string
	pos   int
	depth int
	exact bool
}

func (p *arithmetic) wrong(what string) error {
	return fault.New(fault.Invalid, "bad_expression", "The expression cannot be worked out: %s at character %d.", what, p.pos+1).
		WithParam("expression").WithHint("Use numbers, + - * / %% ^ ( ) and abs, min, max, floor, ceil, round, sqrt.")
}

func (p *arithmetic) peek() byte {
	for p.pos < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// check keeps numbers from growing without end.
func (p *arithmetic) check(v *big.Rat) (*big.Rat, error) {
	if v.Num().BitLen() > maxBits || v.Denom().BitLen() > maxBits {
		return nil, p.wrong("the number is too large")
	}
	return v, nil
}

func (p *arithmetic) sum() (*big.Rat, error) {
	left, err := p.product()
	for err == nil {
		op := p.peek()
		if op != '+' && op != '-' {
			return left, nil
		}
		p.pos++
		var right *big.Rat
		if right, err = p.product(); err != nil {
			break
		}
		if op == '-' {
			right = new(big.Rat).Neg(right)
		}
		left, err = p.check(new(big.Rat).Add(left, right))
	}
	return nil, err
}

func (p *arithmetic) product() (*big.Rat, error) {
	left, err := p.unary()
	for err == nil {
		op := p.peek()
		if op != '*' && op != '/' && op != '%' {
			return left, nil
		}
		p.pos++
		var right *big.Rat
		if right, err = p.unary(); err != nil {
			break
		}
		if op != '*' && right.Sign() == 0 {
			return nil, p.wrong("a division by zero")
		}
		switch op {
		case '*':
			left = new(big.Rat).Mul(left, right)
		case '/':
			left = new(big.Rat).Quo(left, right)
		case '%': // has the sign of the divisor, as in most people's arithmetic
			whole := floor(new(big.Rat).Quo(left, right))
			left = new(big.Rat).Sub(left, whole.Mul(whole, right))
		}
		left, err = p.check(left)
	}
	return nil, err
}

func (p *arithmetic) unary() (*big.Rat, error) {
	if p.depth++; p.depth > maxParens {
		return nil, p.wrong("too many levels")
	}
	defer func() { p.depth-- }()
	switch p.peek() {
	case '-':
		p.pos++
		v, err := p.unary()
		if err != nil {
			return nil, err
		}
		return new(big.Rat).Neg(v), nil
	case '+':
		p.pos++
		return p.unary()
	}
	return p.power()
}

func (p *arithmetic) power() (*big.Rat, error) {
	base, err := p.atom()
	if err != nil {
		return nil, err
	}
	switch {
	case p.peek() == '^':
		p.pos++
	case strings.HasPrefix(p.text[p.pos:], "**"):
		p.pos += 2
	default:
		return base, nil
	}
	exponent, err := p.unary() // binds to the right
	if err != nil {
		return nil, err
	}
	if !exponent.IsInt() || !exponent.Num().IsInt64() {
		return nil, p.wrong("an exponent that is not a whole number")
	}
	n := exponent.Num().Int64()
	bits := max(base.Num().BitLen(), base.Denom().BitLen())
	if n > maxBits || n < -maxBits || int64(bits)*max(n, -n) > 2*maxBits {
		return nil, p.wrong("the number is too large")
	}
	if n < 0 {
		if base.Sign() == 0 {
			return nil, p.wrong("a division by zero")
		}
		base, n = new(big.Rat).Inv(base), -n
	}
	e := big.NewInt(n)
	return p.check(new(big.Rat).SetFrac(new(big.Int).Exp(base.Num(), e, nil), new(big.Int).Exp(base.Denom(), e, nil)))
}

func (p *arithmetic) atom() (*big.Rat, error) {
	switch c := p.peek(); {
	case c == '(':
		p.pos++
		v, err := p.sum()
		if err != nil {
			return nil, err
		}
		if p.peek() != ')' {
			return nil, p.wrong("a ) is missing")
		}
		p.pos++
		return v, nil
	case c >= '0' && c <= '9' || c == '.':
		return p.number()
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return p.function()
	case c == 0:
		return nil, p.wrong("a number is missing")
	}
	return nil, p.wrong("a number was expected")
}

func (p *arithmetic) number() (*big.Rat, error) {
	start := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		sign := (c == '+' || c == '-') && p.pos > start && strings.IndexByte("eE", p.text[p.pos-1]) >= 0
		if c != '.' && c != '_' && c != 'e' && c != 'E' && (c < '0' || c > '9') && !sign {
			break
		}
		p.pos++
	}
	text := strings.ReplaceAll(p.text[start:p.pos], "_", "")
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(strings.TrimLeft(text[i+1:], "+-0")) > 4 {
		return nil, p.wrong("the number is too large")
	}
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, p.wrong("that is not a number")
	}
	return p.check(v)
}

func (p *arithmetic) function() (*big.Rat, error) {
	start := p.pos
	for p.pos < len(p.text) && (p.text[p.pos] >= 'a' && p.text[p.pos] <= 'z' || p.text[p.pos] >= 'A' && p.text[p.pos] <= 'Z') {
		p.pos++
	}
	name := strings.ToLower(p.text[start:p.pos])
	if p.peek() != '(' {
		return nil, p.wrong("the word " + name + " is not known")
	}
	var args []*big.Rat
	for {
		p.pos++ // ( or ,
		v, err := p.sum()
		if err != nil {
			return nil, err
		}
		args = append(args, v)
		switch p.peek() {
		case ',':
		case ')':
			p.pos++
			return p.apply(name, args)
		default:
			return nil, p.wrong("a ) is missing")
		}
	}
}

func (p *arithmetic) apply(name string, args []*big.Rat) (*big.Rat, error) {
	first := args[0]
	switch {
	case name == "min" || name == "max":
		for _, v := range args[1:] {
			if c := v.Cmp(first); name == "min" && c < 0 || name == "max" && c > 0 {
				first = v
			}
		}
		return first, nil
	case len(args) != 1:
		return nil, p.wrong(name + " takes one number")
	}
	switch name {
	case "abs":
		return new(big.Rat).Abs(first), nil
	case "floor":
		return floor(first), nil
	case "ceil":
		return new(big.Rat).Neg(floor(new(big.Rat).Neg(first))), nil
	case "round": // half away from zero
		half := big.NewRat(1, 2)
		v := floor(half.Add(half, new(big.Rat).Abs(first)))
		if first.Sign() < 0 {
			v.Neg(v)
		}
		return v, nil
	case "sqrt":
		return p.root(first)
	}
	return nil, p.wrong("the function " + name + " is not known")
}

func floor(v *big.Rat) *big.Rat {
	// Div rounds so that the remainder is not negative, which is down for a denominator above zero.
	return new(big.Rat).SetInt(new(big.Int).Div(v.Num(), v.Denom()))
}

func (p *arithmetic) root(v *big.Rat) (*big.Rat, error) {
	if v.Sign() < 0 {
		return nil, p.wrong("the root of a number below zero")
	}
	n, d := new(big.Int).Sqrt(v.Num()), new(big.Int).Sqrt(v.Denom())
	r := new(big.Rat).SetFrac(n, d)
	if new(big.Rat).Mul(r, r).Cmp(v) == 0 {
		return r, nil
	}
	p.exact = false
	f := new(big.Float).SetPrec(uint(256 + v.Num().BitLen() + v.Denom().BitLen())).SetRat(v)
	r, _ = f.Sqrt(f).Rat(nil)
	return p.check(r)
}

// format writes a number in full if its decimals end, else to thirty places.
func format(v *big.Rat, exact bool) string {
	if v.IsInt() && exact {
		return v.Num().String()
	}
	if places, ok := v.FloatPrec(); ok && exact && places <= 100 {
		return v.FloatString(places)
	}
	text := strings.TrimRight(v.FloatString(30), "0")
	if exact && len(v.RatString()) <= 60 {
		return fmt.Sprintf("%s (about %s)", v.RatString(), strings.TrimSuffix(text, "."))
	}
	return "about " + strings.TrimSuffix(text, ".")
}
