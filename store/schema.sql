-- The cache: a function of the shelves' folders and the ledger. Times are unix nanoseconds, hashes 64-bit integers
-- (the first eight bytes of a SHA-256, big endian, as a signed integer) unless a column says otherwise.

-- A shelf is a named set of documents under one root folder.
CREATE TABLE shelves (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT    NOT NULL UNIQUE,
  description TEXT    NOT NULL DEFAULT '',
  commonRoot  TEXT    NOT NULL,              -- absolute path of the root folder
  origin      TEXT    NOT NULL DEFAULT 'config', -- config | command | ledger
  state       TEXT    NOT NULL DEFAULT 'indexing',
  reason      TEXT    NOT NULL DEFAULT '',   -- why the state is not plainly watching
  since       INTEGER NOT NULL DEFAULT 0,    -- when state or reason last changed
  device      INTEGER NOT NULL DEFAULT 0,    -- device of the root at the last complete listing, 0 = never listed, 9223372036854775807 = the root is another than the one listed
  reconciled_at INTEGER NOT NULL DEFAULT 0,  -- when the root was last compared as a whole
  second_looks INTEGER NOT NULL DEFAULT 0,   -- files whose state on disk is not believed yet
  options     TEXT    NOT NULL DEFAULT '{}', -- JSON: labels, contexts, seal (under which orders links were worked out)
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;

-- A document is one Markdown file. content stands last: a long value is read only when asked for.
CREATE TABLE documents (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  shelf_id    INTEGER NOT NULL REFERENCES shelves(id) ON DELETE CASCADE,
  title       TEXT    NOT NULL,
  file_path   TEXT    NOT NULL UNIQUE,       -- doc_path: <shelf>/<path inside the root>, NFC
  folder      TEXT    GENERATED ALWAYS AS (rtrim(rtrim(file_path, replace(file_path, '/', '')), '/')) VIRTUAL, -- the shelf's name at its top
  description TEXT    NOT NULL DEFAULT '',
  headings    TEXT    NOT NULL DEFAULT '[]', -- JSON: titles of the nodes in document order, "" for the node "~"
  tags        TEXT    NOT NULL DEFAULT '[]', -- JSON
  aliases     TEXT    NOT NULL DEFAULT '[]', -- JSON
  frontmatter TEXT    NOT NULL DEFAULT '{}', -- JSON object
  language    TEXT    NOT NULL DEFAULT '',
  date        INTEGER NOT NULL,              -- front matter date, else the modification time
  dated       INTEGER NOT NULL,              -- 1 = date is from the front matter
  bytes       INTEGER NOT NULL,              -- size of content
  body_start  INTEGER NOT NULL,              -- byte offset of the body in content
  lines       INTEGER NOT NULL,
  tokens      INTEGER NOT NULL,
  first_chunk INTEGER NOT NULL DEFAULT 0,    -- chunks.id of the first chunk; those of a document are contiguous
  chunk_count INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,              -- when the row was made
  updated_at  INTEGER NOT NULL,              -- modification time of the file
  content     TEXT    NOT NULL
) STRICT;
CREATE INDEX documents_folder ON documents(folder);            -- browse
CREATE INDEX documents_updated ON documents(updated_at);       -- recent
CREATE INDEX documents_chunks ON documents(first_chunk, chunk_count, language); -- the census of a search: which chunks are whose

-- The file of a document as it was when it was read: what a reconcile compares, apart from the wide rows.
CREATE TABLE files (
  shelf_id    INTEGER NOT NULL REFERENCES shelves(id) ON DELETE CASCADE,
  file        BLOB    NOT NULL,              -- exact bytes of the path below the root
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  size        INTEGER NOT NULL,
  mtime       INTEGER NOT NULL,
  ctime       INTEGER NOT NULL,
  inode       INTEGER NOT NULL,
  device      INTEGER NOT NULL,
  read_at     INTEGER NOT NULL,              -- when it was read
  hash        BLOB    NOT NULL,              -- SHA-256 of its bytes
  version     INTEGER NOT NULL,              -- content version that cut it; 0 = to be cut again
  number      INTEGER NOT NULL DEFAULT 1,    -- 2, 3 …: another file comes to the same doc_path, which has ~number
  derived     INTEGER NOT NULL DEFAULT 0,    -- 1 = the text of the file of its name without the extension
  blocks      BLOB    NOT NULL DEFAULT x'',  -- the list of blocks of that file as it was read: times, size, hash (boxes.go); empty = none
  PRIMARY KEY (shelf_id, file)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX files_document ON files(document_id);

-- What correlation knows of each document: its features, and which others its text cites by name.
CREATE TABLE features (
  document_id INTEGER PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
  features    BLOB    NOT NULL,              -- correlate.Features in binary form
  mentions    BLOB    NOT NULL DEFAULT x''   -- document ids in order, each as the varint of its distance from the one before
) STRICT;

-- Ids that documents had in an earlier database or have in the ledger, given back when the path appears.
CREATE TABLE reserved_ids (
  file_path   TEXT    PRIMARY KEY,
  id          INTEGER NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

-- A node is a section. Those of a document stand in one value, packed (nodes.go); their titles in documents.headings.
CREATE TABLE nodes (
  document_id INTEGER PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
  packed      BLOB    NOT NULL
) STRICT;

-- A chunk cites documents.content[byte_start:byte_end); the prefix bytes are indexed before it and never cited.
CREATE TABLE chunks (
  id          INTEGER PRIMARY KEY,           -- = rowid in chunk_fts
  document_id INTEGER NOT NULL,              -- documents(id); no foreign key, which would want an index: ids of a document are contiguous
  node        INTEGER NOT NULL,
  line_start  INTEGER NOT NULL,
  line_end    INTEGER NOT NULL,
  byte_start  INTEGER NOT NULL,
  byte_end    INTEGER NOT NULL,
  prefix_start INTEGER NOT NULL,
  prefix_end  INTEGER NOT NULL,
  key_hash    INTEGER NOT NULL,
  key_seq     INTEGER NOT NULL
) STRICT;
CREATE INDEX chunks_key ON chunks(key_hash); -- citations

-- Where chunks stood that an edit took away, for citations of them. Not part of the index: a rebuild begins without it.
CREATE TABLE past_chunks (
  id          INTEGER PRIMARY KEY,           -- the larger the later
  key_hash    INTEGER NOT NULL,
  key_seq     INTEGER NOT NULL,
  document_id INTEGER NOT NULL,              -- no foreign key: the document may be gone
  node_id     TEXT    NOT NULL,
  line        INTEGER NOT NULL
) STRICT;
CREATE INDEX past_chunks_key ON past_chunks(key_hash); -- a citation whose chunk is gone

-- Terms come already cut and folded by internal/text, separated by spaces: the tokenizer only splits at spaces.
-- body: words, identifier parts and CJK bigrams in order, so phrases hold; heading: the trail of headings;
-- ident: whole identifiers and the parts of camelCase; scope: one term for each ancestor folder (the shelf is the top
-- one), the document, the language. body stands first: in every other column a posting takes two bytes more.
CREATE VIRTUAL TABLE chunk_fts USING fts5(
  body, heading, ident, scope,
  content='', contentless_delete=1,
  tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE VIRTUAL TABLE chunk_terms USING fts5vocab(chunk_fts, row);
CREATE VIRTUAL TABLE chunk_instances USING fts5vocab(chunk_fts, instance);

-- What the links of other documents call a document; no row without any.
CREATE TABLE inbound (
  document_id INTEGER PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
  links       INTEGER NOT NULL,              -- documents that link here
  texts       TEXT    NOT NULL               -- JSON: what their links say, what most of them say first
) STRICT;

-- What a document is called, once a document; rowid = documents.id. link: what other documents call it.
CREATE VIRTUAL TABLE document_fts USING fts5(
  title, alias, tag, path, link, ident, scope,
  content='', contentless_delete=1,
  tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE VIRTUAL TABLE document_terms USING fts5vocab(document_fts, row);
CREATE VIRTUAL TABLE document_instances USING fts5vocab(document_fts, instance);

-- What a document is said to be about: by someone (llm), or worked out of its text (extractive). One set a document.
CREATE TABLE outlines (
  document_id INTEGER PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
  kind        TEXT    NOT NULL,              -- llm | extractive
  version     TEXT    NOT NULL,              -- as its author calls it, may be empty
  source_hash TEXT    NOT NULL               -- SHA-256 of the file that it speaks of, hex; of any other bytes it is stale
) STRICT;

-- The summaries of an outline. Those that are not stale and whose section is there have a row in summary_fts.
CREATE TABLE summaries (
  id          INTEGER PRIMARY KEY,           -- = rowid in summary_fts
  document_id INTEGER NOT NULL REFERENCES outlines(document_id) ON DELETE CASCADE,
  ordinal     INTEGER NOT NULL,              -- 0 = of the document as a whole, then the sections as they were submitted
  node_id     TEXT    NOT NULL,              -- as the outline has it, '' = the document; the section may be gone
  summary     TEXT    NOT NULL,
  key_facts   TEXT    NOT NULL,              -- JSON
  chunk_keys  TEXT    NOT NULL,              -- JSON: the chunks it was drawn from, as written in citations
  searched    INTEGER NOT NULL               -- 1 = has a row in summary_fts
) STRICT;
CREATE UNIQUE INDEX summaries_document ON summaries(document_id, ordinal); -- of a document, in order

-- The terms of summaries. The columns are those of chunk_fts, so that a query is compiled once for both: body is the
-- summary with its key facts, heading the titles around the section.
CREATE VIRTUAL TABLE summary_fts USING fts5(
  body, heading, ident, scope,
  content='', contentless_delete=1,
  tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE VIRTUAL TABLE summary_instances USING fts5vocab(summary_fts, instance);

-- Where the chunks of a derived document stand on the pages of its source; chunks without boxes have no row.
CREATE TABLE boxes (
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  ordinal     INTEGER NOT NULL,              -- of the chunk in its document, from 0
  boxes       TEXT    NOT NULL,              -- JSON: chunker.Box in the order of the blocks
  PRIMARY KEY (document_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Child shelves extend parent shelves.
CREATE TABLE shelf_links (
  parent_shelf_id INTEGER NOT NULL REFERENCES shelves(id) ON DELETE CASCADE,
  child_shelf_id  INTEGER NOT NULL REFERENCES shelves(id) ON DELETE CASCADE,
  relation        TEXT    NOT NULL DEFAULT 'parent',
  origin          TEXT    NOT NULL DEFAULT 'config', -- config | manual
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  PRIMARY KEY (parent_shelf_id, child_shelf_id, relation)
) STRICT, WITHOUT ROWID;
CREATE INDEX shelf_links_child ON shelf_links(child_shelf_id);

-- Directed relations between documents: text (the author wrote it), heuristic (worked out), manual (someone said so).
CREATE TABLE document_links (
  id                 INTEGER PRIMARY KEY AUTOINCREMENT,
  source_document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  target_document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  relation           TEXT    NOT NULL,
  score              REAL,
  confidence         REAL,
  origin             TEXT    NOT NULL,       -- text | heuristic | manual
  heuristic_version  TEXT,
  label              TEXT,
  rationale          TEXT,
  metadata_json      TEXT,                   -- text: {"links":[{text,fragment,line,…}]}; heuristic: {"signals":{…}}
  created_at         INTEGER NOT NULL,
  updated_at         INTEGER NOT NULL,
  UNIQUE (source_document_id, target_document_id, relation, origin)
) STRICT;
CREATE INDEX document_links_target ON document_links(target_document_id);

-- Heuristic links that have no place among the best of their source. Where readers see different documents, each source
-- keeps the best to the documents of each kind of reader: one takes the place of a link to a document that a reader does
-- not see. Empty where everybody sees everything.
CREATE TABLE spare_links (
  id                 INTEGER PRIMARY KEY,
  source_document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  place              INTEGER NOT NULL,       -- the lower the better
  target_document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  relation           TEXT    NOT NULL,
  score              REAL    NOT NULL,
  confidence         REAL    NOT NULL,
  heuristic_version  TEXT    NOT NULL,
  rationale          TEXT    NOT NULL,
  metadata_json      TEXT    NOT NULL,       -- as in document_links
  UNIQUE (source_document_id, place)
) STRICT;
CREATE INDEX spare_links_target ON spare_links(target_document_id); -- whose links change with a document

-- Links of the text that have no target, or more than one.
CREATE TABLE unresolved_links (
  source     INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  place      INTEGER NOT NULL,               -- among all links of the source, from 0
  text       TEXT    NOT NULL,
  raw        TEXT    NOT NULL,               -- target as written, without the fragment
  fragment   TEXT    NOT NULL DEFAULT '',
  kind       INTEGER NOT NULL,               -- chunker.LinkKind
  line       INTEGER NOT NULL,
  candidates TEXT    NOT NULL DEFAULT '[]',  -- JSON: doc_paths, empty = dead
  PRIMARY KEY (source, place)
) STRICT, WITHOUT ROWID;

-- Names a document answers to in links: hashes of its path, file name, title and aliases.
CREATE TABLE document_names (
  name        INTEGER NOT NULL,
  kind        INTEGER NOT NULL,              -- 1 path, 2 file name, 3 title, 4 alias
  document_id INTEGER NOT NULL,              -- no foreign key, which would want an index: the names of a document can be worked out
  PRIMARY KEY (name, kind, document_id)
) STRICT, WITHOUT ROWID;

-- Names that the links of a document look for: who must be resolved again when a name comes or goes.
CREATE TABLE link_names (
  name   INTEGER NOT NULL,
  source INTEGER NOT NULL,                   -- no foreign key, as above
  PRIMARY KEY (name, source)
) STRICT, WITHOUT ROWID;

-- Files that could not be read or parsed as they should. document_id is absent where nothing was indexed.
CREATE TABLE problems (
  shelf_id    INTEGER NOT NULL REFERENCES shelves(id) ON DELETE CASCADE,
  file        BLOB    NOT NULL,              -- exact bytes of the path below the root
  path        TEXT    NOT NULL,              -- as shown
  stage       TEXT    NOT NULL,
  line        INTEGER NOT NULL DEFAULT 0,
  reason      TEXT    NOT NULL,
  since       INTEGER NOT NULL,
  PRIMARY KEY (shelf_id, file, stage, line)
) STRICT, WITHOUT ROWID;

-- Work that an interruption must not lose. No foreign key: what is no longer there is skipped.
CREATE TABLE pending (
  task        INTEGER NOT NULL,              -- Task in pending.go
  document_id INTEGER NOT NULL,
  PRIMARY KEY (task, document_id)
) STRICT, WITHOUT ROWID;

-- One row: what wrote this file.
CREATE TABLE meta (
  one             INTEGER PRIMARY KEY CHECK (one = 1),
  content_version INTEGER NOT NULL,          -- versions of cutting and segmentation
  ledger_offset   INTEGER NOT NULL DEFAULT 0,
  created_at      INTEGER NOT NULL
) STRICT;
