-- The tool or agent that a span is of. Of spans that are stored already, what their names say,
-- and where those say nothing, the attributes: of the newest, so that a large store opens soon.
ALTER TABLE span ADD COLUMN subject TEXT;
UPDATE span SET subject = CASE
    WHEN kind = 'agent' AND substr(name, 1, 13) IN ('invoke_agent ', 'create_agent ')
        THEN substr(name, 14)
    WHEN kind = 'agent' AND name LIKE '%_.agent' THEN substr(name, 1, length(name) - 6)
    WHEN instr(name, 'tools/call ') > 0 THEN substr(name, instr(name, 'tools/call ') + 11)
    WHEN substr(name, 1, 13) = 'execute_tool ' THEN substr(name, 14)
    WHEN kind = 'tool' AND name LIKE '%_.tool' THEN substr(name, 1, length(name) - 5)
    ELSE name
END
WHERE kind IN ('agent', 'tool');
UPDATE span SET subject = coalesce(subject_in(content.payload), subject)
FROM content
WHERE content.no = span.content AND span.change IN (
    SELECT change FROM span
    WHERE kind IN ('agent', 'tool') AND subject = name AND size_bytes <= 65536
    ORDER BY change DESC LIMIT 20000
);
