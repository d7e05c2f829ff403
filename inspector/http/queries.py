"""What routes say of the query language."""

QUERY = (
    "What to look for, in the query language of `docs/query.md`: fields such as "
    "`status:failed tool:git_* tokens>10k`, and words that stand in a name or a content."
)
