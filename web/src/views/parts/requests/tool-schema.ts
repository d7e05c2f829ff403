/** Parameters of the tool that a request is about, from the LLM call that was offered it. */
import { useEffect, useState } from 'react';
import type { Request, SpanDetail } from '../../../api/types.ts';
import { useInspector } from '../context.ts';

/** Limit of a schema that is read; a longer one completes nothing. */
const MAX_SCHEMA_BYTES = 65_536;

/** The JSON Schema; undefined while it is not known, or was not captured. */
export function useToolSchema({ session_id, trace_id, span_id, tool_name }: Request): unknown {
  const { api } = useInspector();
  const [schema, setSchema] = useState<unknown>();
  useEffect(() => {
    if (trace_id === null || span_id === null) return;
    const loading = new AbortController();
    api
      .spanText({ session_id, trace_id, span_id }, loading.signal, MAX_SCHEMA_BYTES)
      .then((text) => {
        const { tool_definition, view } = JSON.parse(text) as SpanDetail;
        // A host may name the server with the tool; the span may be around another tool.
        if (view.tool?.name !== tool_name && tool_definition?.name !== tool_name) return;
        const parameters = tool_definition?.parameters;
        if (parameters == null || parameters.is_truncated) return;
        setSchema(JSON.parse(parameters.text));
      })
      // Without it nothing is completed.
      .catch(() => {});
    return () => loading.abort();
  }, [api, session_id, trace_id, span_id, tool_name]);
  return schema;
}
