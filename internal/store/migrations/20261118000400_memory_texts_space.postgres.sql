-- +goose Up
CREATE INDEX memory_texts_space ON memory_texts (space, num);
