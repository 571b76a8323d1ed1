package command

import "strings"

// elsewhere is a call whose commands run on another machine or in a container.
func (c *call) elsewhere() *call {
	next := *c
	next.s = c.s.child()
	next.s.remote, next.s.dir, next.s.root = true, "", ""
	next.env = next.s
	return &next
}

const sshValues = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B"

// ssh host command: the command is text for the shell over there.
func ssh(r *run, c *call) (value, bool) {
	if o, ok := flagValue(c.words, "-o"); ok && strings.Contains(strings.ToLower(o.text), "proxycommand=") {
		_, text, _ := strings.Cut(o.text, "=")
		r.runText(c, word{text: text, flags: flagsOf(text)}, value{})
	}
	w := wrapper{values: sshValues, operands: 1}
	i, _ := w.skip(c)
	if i >= len(c.words) {
		if c.in.state == nothing {
			return value{}, false
		}
		r.match(c, "ssh")
		return r.runStream(c.elsewhere(), c.in), true
	}
	r.match(c, "ssh")
	rest := c.words[i:]
	text, from := joined(rest)
	single := word{text: text, from: from, flags: flagsOf(text)}
	if len(rest) == 1 {
		single = rest[0]
	}
	r.note(c.s, c.span, "ssh runs text on another machine")
	return r.runText(c.elsewhere(), single, c.in).with(fromNetwork), true
}

func gcloudSSH(r *run, c *call) (value, bool) {
	if text, ok := flagValue(c.words, "--command"); ok && hasWord(c.words, "ssh") {
		return r.runText(c.elsewhere(), text, c.in), true
	}
	return value{}, false
}

func vagrantSSH(r *run, c *call) (value, bool) {
	if text, ok := flagValue(c.words, "-c", "--command"); ok && hasWord(c.words, "ssh") {
		return r.runText(c.elsewhere(), text, c.in), true
	}
	return value{}, false
}

// ansible all -m shell -a 'text'.
func ansible(r *run, c *call) (value, bool) {
	module, _ := flagValue(c.words, "-m", "--module-name")
	args, ok := flagValue(c.words, "-a", "--args")
	if !ok {
		return value{}, false
	}
	switch module.text {
	case "", "command", "shell", "raw", "ansible.builtin.shell", "ansible.builtin.command":
		r.note(c.s, c.span, "ansible runs text on other machines")
		return r.runText(c.elsewhere(), args, value{}), true
	}
	return value{}, false
}

const (
	dockerGlobals  = "-H --host -c --context --config -l --log-level"
	dockerRunFlags = "-e --env -v --volume -p --publish --name -w --workdir -u --user --network --net --entrypoint --mount --env-file -l --label -h --hostname -m --memory --cpus --platform --add-host --device --dns --gpus --ipc --link --log-driver --log-opt --pid --restart --shm-size --tmpfs --ulimit --volumes-from --cidfile --expose --health-cmd --ip --cap-add --cap-drop --security-opt --userns --runtime --pull --stop-signal --detach-keys -a --attach"
	composeGlobals = "-f --file -p --project-name --profile --env-file --project-directory --ansi --progress --parallel"
)

// docker exec, docker run image command, docker compose exec.
func docker(r *run, c *call) (value, bool) {
	i := skipFlags(c.words, 1, dockerGlobals)
	if i >= len(c.words) {
		return value{}, false
	}
	switch c.words[i].text {
	case "container":
		i = skipFlags(c.words, i+1, "")
		if i >= len(c.words) {
			return value{}, false
		}
	case "compose":
		return composeFrom(r, c, i+1)
	}
	switch c.words[i].text {
	case "exec":
		return r.contained(c, i+1, "-e --env -w --workdir -u --user --env-file --detach-keys")
	case "run", "create":
		return r.dockerRun(c, i+1)
	}
	return value{}, false
}

func skipFlags(words []word, i int, values string) int {
	for i < len(words) && len(words[i].text) > 1 && words[i].text[0] == '-' {
		if takesValue(values, words[i].text) {
			i++
		}
		i++
	}
	return i
}

// inContainer is elsewhere, for a container started from this folder.
func (c *call) inContainer() *call {
	next := c.elsewhere()
	next.s.mirror = c.s.dir
	return next
}

// contained runs what follows the name of a container.
func (r *run) contained(c *call, from int, values string) (value, bool) {
	i := skipFlags(c.words, from, values)
	if i+1 >= len(c.words) {
		r.record(c, Allow, "")
		return unknownFrom(0), true
	}
	rest := c.words[i+1:]
	if rest[0].text == "--" && len(rest) > 1 {
		rest = rest[1:]
	}
	r.note(c.s, c.span, c.name+" runs "+rest[0].shown()+" in a container")
	return r.call(c.inContainer().with(rest)), true
}

// dockerRun: a fresh container can only hurt what is mounted into it.
func (r *run) dockerRun(c *call, from int) (value, bool) {
	r.match(c, c.name)
	i := skipFlags(c.words, from, dockerRunFlags)
	if i >= len(c.words) {
		return unknownFrom(0), true
	}
	rest := c.words[i+1:]
	if entry, ok := flagValue(c.words[:i], "--entrypoint"); ok {
		rest = append([]word{entry}, rest...)
	}
	if len(rest) == 0 || !mounts(c.words[from:i]) {
		return unknownFrom(0), true
	}
	r.note(c.s, c.span, c.name+" runs "+rest[0].shown()+" in a container with folders of this machine")
	if strings.HasPrefix(rest[0].text, "-") { // arguments of the image's own program
		return unknownFrom(0), true
	}
	if _, isHandled := r.a.handlers[rest[0].text]; !isHandled && r.a.rules.tools[rest[0].text] == nil && !r.a.rules.dangerous[rest[0].text] {
		return unknownFrom(0), true
	}
	return r.call(c.inContainer().with(rest)), true
}

func mounts(flags []word) bool {
	for _, w := range flags {
		if w.text == "--privileged" || strings.HasPrefix(w.text, "-v") || strings.HasPrefix(w.text, "--volume") || strings.HasPrefix(w.text, "--mount") {
			return true
		}
	}
	return false
}

func compose(r *run, c *call) (value, bool) { return composeFrom(r, c, 1) }

func composeFrom(r *run, c *call, from int) (value, bool) {
	i := skipFlags(c.words, from, composeGlobals)
	if i >= len(c.words) {
		return value{}, false
	}
	switch c.words[i].text {
	case "exec", "run":
		return r.contained(c, i+1, "-e --env -w --workdir -u --user --index --name -v --volume -p --publish --entrypoint")
	}
	return value{}, false
}

// kubectl exec pod -- command.
func kubectl(r *run, c *call) (value, bool) {
	i := skipFlags(c.words, 1, "-n --namespace --context --kubeconfig --cluster --user -s --server --as")
	if i >= len(c.words) || c.words[i].text != "exec" && c.words[i].text != "run" && c.words[i].text != "debug" && c.words[i].text != "rsh" {
		return value{}, false
	}
	for j := i; j < len(c.words); j++ {
		if c.words[j].text == "--" && j+1 < len(c.words) {
			r.note(c.s, c.span, "kubectl runs "+c.words[j+1].shown()+" in a pod")
			return r.call(c.elsewhere().with(c.words[j+1:])), true
		}
	}
	if c.words[i].text == "exec" {
		return r.contained(c, i+1, "-c --container -n --namespace")
	}
	return value{}, false
}
