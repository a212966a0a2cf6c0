-- What was decided is read by when it was asked, of one session or of all.
CREATE INDEX permissions_decided ON permissions (asked_at, id) WHERE waiting = 0;
CREATE INDEX permissions_decided_in ON permissions (session, asked_at, id) WHERE waiting = 0;
