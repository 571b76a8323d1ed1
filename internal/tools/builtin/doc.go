// Package builtin holds the tools that come with the program.
//
// What a tool tells the model is in descriptions, one file each. A tool that
// works on files opens them below the project folder and nowhere else, and one
// that runs a program does it in the sandbox, Git included, because a repository
// can name programs to run.
package builtin
