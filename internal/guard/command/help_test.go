package command

import "context"

var tContext = context.Background()
