-- +goose Up
-- Each word is indexed together with its space, so that the list of a word holds no text of another space; how often
-- and where it stands in a text is not kept, for the texts themselves are ranked.
DROP TRIGGER memory_texts_added;
DROP TRIGGER memory_texts_changed;
DROP TRIGGER memory_texts_removed;
DROP TABLE memory_words;
CREATE VIRTUAL TABLE memory_words USING fts5(words, content='', contentless_delete=1, detail='none', tokenize='ascii');
INSERT INTO memory_words (rowid, words) SELECT num, space || replace(' ' || words, ' ', ' ' || space) FROM memory_texts;
-- +goose StatementBegin
CREATE TRIGGER memory_texts_added AFTER INSERT ON memory_texts BEGIN
    INSERT INTO memory_words (rowid, words) VALUES (new.num, new.space || replace(' ' || new.words, ' ', ' ' || new.space));
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER memory_texts_changed AFTER UPDATE OF space, words ON memory_texts BEGIN
    DELETE FROM memory_words WHERE rowid = old.num;
    INSERT INTO memory_words (rowid, words) VALUES (new.num, new.space || replace(' ' || new.words, ' ', ' ' || new.space));
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER memory_texts_removed AFTER DELETE ON memory_texts BEGIN
    DELETE FROM memory_words WHERE rowid = old.num;
END;
-- +goose StatementEnd
