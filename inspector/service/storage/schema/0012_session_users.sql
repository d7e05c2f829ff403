-- Whom a session worked for. Those stored before do not say.
UPDATE session SET body = CAST(json_set(CAST(body AS TEXT), '$.users', json('[]')) AS BLOB);
