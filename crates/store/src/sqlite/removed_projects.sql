-- Projects that were taken out of the list stay, and so do their sessions.
ALTER TABLE projects ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
