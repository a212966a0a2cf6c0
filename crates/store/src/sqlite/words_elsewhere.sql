-- The words of items are in a file of their own, which is brought up to date beside the writer. Here is what it needs for that:
-- which items have ended, in the order in which they did, until it has their words; and which journal it belongs to.
DROP TABLE words;

CREATE TABLE ended (
  -- Never used again, also not when the rows before are gone.
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  body INTEGER NOT NULL
);

INSERT INTO notes (name, value) VALUES ('journal', hex(randomblob(16)));
