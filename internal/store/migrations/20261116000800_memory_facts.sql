-- +goose Up
-- What user_id, agent and project leave empty is open to all of them.
CREATE TABLE memory_facts (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL,
    user_id       TEXT NOT NULL,
    agent         TEXT NOT NULL,
    project       TEXT NOT NULL,
    space         TEXT NOT NULL, -- the four above and the kind, as one word
    state         TEXT NOT NULL, -- active, review or past
    text          TEXT NOT NULL,
    print         TEXT NOT NULL, -- its words, sorted: equal for equal facts
    subject       TEXT NOT NULL, -- what it is about, if only one fact can be true of that
    value         TEXT NOT NULL, -- what it says about the subject
    confidence    DOUBLE PRECISION NOT NULL,
    origin        TEXT NOT NULL, -- tool, api, learned or import
    pinned        BOOLEAN NOT NULL,
    source        ${JSON} NOT NULL, -- conversation, message, run
    heard         BIGINT NOT NULL, -- how often it was said
    uses          BIGINT NOT NULL,
    useful        BIGINT NOT NULL,
    used_at       BIGINT,
    replaced_by   TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
CREATE INDEX memory_facts_listed ON memory_facts (workspace_id, user_id, state, id);
CREATE INDEX memory_facts_prints ON memory_facts (space, print) WHERE state <> 'past';
CREATE INDEX memory_facts_subjects ON memory_facts (space, subject) WHERE state <> 'past' AND subject <> '';
CREATE INDEX memory_facts_history ON memory_facts (replaced_by) WHERE replaced_by <> '';
CREATE INDEX memory_facts_fading ON memory_facts (updated_at) WHERE origin = 'learned' AND NOT pinned;

-- How much a space holds, for the ranking of its words.
CREATE TABLE memory_spaces (
    space        TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    agent        TEXT NOT NULL,
    project      TEXT NOT NULL,
    kind         TEXT NOT NULL,
    texts        BIGINT NOT NULL,
    words        BIGINT NOT NULL
);
CREATE INDEX memory_spaces_owner ON memory_spaces (workspace_id, user_id);

CREATE TABLE memory_settings (
    workspace_id TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    learn        BOOLEAN NOT NULL, -- may what they say be learned from?
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);

CREATE TABLE memory_profiles (
    workspace_id TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    fields       ${JSON} NOT NULL,
    version      BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);

CREATE TABLE memory_entities (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    session_id   TEXT NOT NULL, -- '' for what lasts
    name         TEXT NOT NULL,
    type         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    UNIQUE (workspace_id, user_id, session_id, name)
);
CREATE TABLE memory_observations (
    entity_id  TEXT NOT NULL REFERENCES memory_entities (id) ON DELETE CASCADE,
    position   BIGINT NOT NULL,
    text       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (entity_id, position)
);
CREATE TABLE memory_relations (
    workspace_id TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    source       TEXT NOT NULL, -- names, as relations may come before their entities
    target       TEXT NOT NULL,
    type         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, user_id, session_id, source, target, type)
);
CREATE INDEX memory_relations_target ON memory_relations (workspace_id, user_id, session_id, target);

CREATE TABLE memory_sources (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    agent        TEXT NOT NULL,
    project      TEXT NOT NULL,
    kind         TEXT NOT NULL, -- file, folder, glob, url, text or git
    location     TEXT NOT NULL,
    title        TEXT NOT NULL,
    options      ${JSON} NOT NULL,
    body         TEXT NOT NULL, -- of pasted text
    watch        BOOLEAN NOT NULL,
    state        TEXT NOT NULL, -- queued, indexing, ready or failed
    error        TEXT NOT NULL,
    created_by   TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    indexed_at   BIGINT
);
CREATE INDEX memory_sources_listed ON memory_sources (workspace_id, id);
CREATE TABLE memory_files (
    id         TEXT PRIMARY KEY,
    source_id  TEXT NOT NULL REFERENCES memory_sources (id) ON DELETE CASCADE,
    path       TEXT NOT NULL,
    title      TEXT NOT NULL,
    format     TEXT NOT NULL,
    size       BIGINT NOT NULL,
    stamp      TEXT NOT NULL, -- size and time on disk: the same, and it is not read again
    hash       TEXT NOT NULL,
    state      TEXT NOT NULL, -- ready or failed
    code       TEXT NOT NULL,
    error      TEXT NOT NULL,
    hint       TEXT NOT NULL,
    pieces     BIGINT NOT NULL,
    indexed_at BIGINT NOT NULL,
    UNIQUE (source_id, path)
);

-- Which embedder's vectors answer questions, and which is taking over.
CREATE TABLE memory_embedders (
    one      BIGINT PRIMARY KEY CHECK (one = 1),
    serving  TEXT NOT NULL,
    building TEXT NOT NULL
);

-- What was said and not yet learned from; rows go once they were.
CREATE TABLE memory_heard (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    exchange        ${JSON} NOT NULL,
    at              BIGINT NOT NULL
);
CREATE INDEX memory_heard_of ON memory_heard (workspace_id, user_id, conversation_id, at);
