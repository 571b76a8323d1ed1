-- +goose Up
-- Each word is indexed together with its space, so that the list of a word holds no text of another space.
ALTER TABLE memory_texts DROP COLUMN lexemes;
ALTER TABLE memory_texts ADD COLUMN lexemes TSVECTOR
    GENERATED ALWAYS AS (array_to_tsvector(string_to_array(space || replace(' ' || words, ' ', ' ' || space), ' '))) STORED;
CREATE INDEX memory_texts_words ON memory_texts USING GIN (lexemes);
