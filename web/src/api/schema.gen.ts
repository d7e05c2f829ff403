// Generated from openapi.yaml by `npm run gen`. Do not edit.

export interface paths {
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Audit
         * @description List accepted and refused actions, newest first.
         */
        get: operations["list_audit_audit_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Audit
         * @description Return the whole audit log as JSON lines, oldest first.
         */
        get: operations["export_audit_audit_export_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cancel/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel Alias
         * @description Alias of `POST /sessions/{id}/cancel`.
         */
        post: operations["cancel_alias_cancel__session_id__post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/causes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Causes
         * @description Group sessions by root cause, the most frequent first.
         *
         *     Causes that differ only in ids, numbers, times and paths are one group. Includes sessions that
         *     recovered from their errors; exclude them with `q=status:failed`.
         */
        get: operations["list_causes_causes_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare Sessions
         * @description Compare two sessions: list added, removed and different spans.
         *
         *     Spans are paired from the roots down by kind and name, then by input, then by start.
         */
        get: operations["compare_sessions_compare_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compare/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Align Sessions
         * @description List the steps of two sessions as one tree, in depth-first order.
         *
         *     Children are in the order of the first session; steps only in the second follow the step that
         *     precedes them there. Rows that are not listed are unchanged, or inside an added or removed
         *     subtree.
         */
        get: operations["align_sessions_compare_rows_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compare/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare Many Sessions
         * @description Compare 2 to 20 sessions step by step, each with the first.
         *
         *     Errors: `same_session` (422) for a duplicate id, `too_many_spans` (422) above 200 000 spans in
         *     total.
         */
        get: operations["compare_many_sessions_compare_runs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events
         * @description Stream changes.
         *
         *     `Gap` means that the position is unknown: reload the lists. A `SessionUpdated` with `moved_from`
         *     means that spans moved from that session to this one: reload it. `LeftOut` means that rows of
         *     the list were not sent: reload the list. A row or `SessionDeleted` with a lower `change` than a
         *     known one is older: ignore it.
         */
        get: operations["events_events_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health
         * @description Report that the service runs, and whether it is ready to receive telemetry.
         *
         *     No token required. With one, includes the state of the store.
         */
        get: operations["health_health_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import File
         * @description Import a file, storing it as it arrives; importing it again changes nothing.
         *
         *     Imported sessions never run, and are not forwarded.
         */
        post: operations["import_file_import_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Talk Mcp
         * @description Call the MCP server: see `docs/mcp-server.md`.
         */
        post: operations["talk_mcp_mcp_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prices
         * @description Return the prices used for LLM calls whose senders report no cost.
         */
        get: operations["prices_prices_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/prices/recompute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recompute
         * @description Recompute the costs of stored LLM calls in the background.
         *
         *     Reported costs stay; each call uses the prices at its time. While it runs, further requests have
         *     no effect.
         */
        post: operations["recompute_prices_recompute_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/processes/{process_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Hello
         * @description Register a process. Its id is the `service.instance.id` of its telemetry.
         */
        put: operations["hello_processes__process_id__put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/processes/{process_id}/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Commands
         * @description Stream the commands of a process; each is repeated until it is acknowledged.
         *
         *     A new stream replaces the previous one. A comment every 5 s keeps it alive.
         */
        get: operations["follow_commands_processes__process_id__commands_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/processes/{process_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Messages
         * @description Receive messages of an agent, in order; idempotent, and durable once answered.
         *
         *     `received` omits requests beyond the limit of open ones: send them again.
         */
        post: operations["messages_processes__process_id__messages_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/query/values": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Query Values
         * @description List values of a query field in the newest sessions or spans.
         */
        get: operations["query_values_query_values_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Requests
         * @description List requests, newest first. A page may be short if arguments are long.
         */
        get: operations["list_requests_requests_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Request
         * @description Return one request.
         */
        get: operations["get_request_requests__request_id__get"];
        put?: never;
        /**
         * Answer
         * @description Answer a request. The first answer wins; the agent decides whether to apply it.
         *
         *     Errors: `already_answered` and `already_closed` (409), `wrong_hash`, `wrong_decision`,
         *     `not_editable` and `bad_json` (422). The winning answer is durable before it is sent.
         */
        post: operations["answer_requests__request_id__post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search
         * @description Find sessions and spans, newest first.
         */
        get: operations["search_search_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Sessions
         * @description List sessions, newest start first by default.
         *
         *     With a query, a page may be short or empty without being the last: see `next_cursor`. Unknown
         *     values, such as a cost, sort last in either direction.
         *
         *     Errors: `too_many_sessions` (422) where sorting takes longer than 10 s.
         */
        get: operations["list_sessions_sessions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Session
         * @description Return one session.
         */
        get: operations["get_session_sessions__session_id__get"];
        put?: never;
        post?: never;
        /**
         * Delete Session
         * @description Permanently delete a session with its spans; later telemetry starts a new one.
         */
        delete: operations["delete_session_sessions__session_id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel
         * @description Cancel a session: its running operations, and new ones until those have ended.
         */
        post: operations["cancel_sessions__session_id__cancel_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Session Context
         * @description Return the composition of the context of each LLM call of a session.
         *
         *     Parts are measured in characters, and share the input tokens that the call reports. Also reports
         *     repeated texts, and texts dropped since the agent's previous call.
         */
        get: operations["session_context_sessions__session_id__context_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/control": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Session Control
         * @description List connected processes that take commands for a session; empty: nobody listens.
         */
        get: operations["session_control_sessions__session_id__control_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/export.html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Page
         * @description Export a session as a read-only web page that needs no service.
         */
        get: operations["export_page_sessions__session_id__export_html_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/last-good": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Last Good Session
         * @description Find the last good session with the same title, to compare a failed session with.
         */
        get: operations["get_last_good_session_sessions__session_id__last_good_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Mcp Log
         * @description List the MCP messages of a session in both directions, with connection events.
         *
         *     Read all pages; then poll with `since` set to the first page's `change`.
         */
        get: operations["read_mcp_log_sessions__session_id__mcp_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/mcp/frame": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Mcp Frame
         * @description Return one complete message, exactly as captured.
         */
        get: operations["read_mcp_frame_sessions__session_id__mcp_frame_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause
         * @description Pause a session at its next operation.
         */
        post: operations["pause_sessions__session_id__pause_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume
         * @description Resume a paused session.
         */
        post: operations["resume_sessions__session_id__resume_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/spans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Spans
         * @description List a session's spans by (offset, span id).
         *
         *     To miss nothing, read all pages, then `/events?after=` with the first page's `as_of`.
         */
        get: operations["list_spans_sessions__session_id__spans_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Session Statistics
         * @description Return the statistics of a session: time, tokens and cost by operation.
         *
         *     Also by model, tool and agent, with streaming, caching and handoffs.
         */
        get: operations["session_statistics_sessions__session_id__statistics_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/step": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Step
         * @description Run one operation of a paused session, and pause again.
         */
        post: operations["step_sessions__session_id__step_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Transcript
         * @description Return the clipped content of the given spans of a session.
         *
         *     The order comes from the session's spans: request those in view.
         */
        get: operations["read_transcript_sessions__session_id__transcript_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/transcript/last": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Last Calls
         * @description Return the clipped content of a session's last LLM and tool calls, oldest first.
         *
         *     Shows what led to a request. Does not wait: if the span is unknown, returns the last calls.
         */
        get: operations["read_last_calls_sessions__session_id__transcript_last_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Session Count
         * @description Count the sessions that match a filter.
         *
         *     Each page has a time limit: add up the counts of all pages. One is enough for a million sessions
         *     and a simple filter.
         */
        get: operations["session_count_sessions_count_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/histogram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Session Histogram
         * @description Count sessions per interval of their start, by status.
         */
        get: operations["session_histogram_sessions_histogram_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Session Usage
         * @description Sum calls, tokens and cost of sessions by user, tag, model or day.
         *
         *     A session with two users or tags counts for both.
         */
        get: operations["session_usage_sessions_usage_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signal/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signal
         * @description Send a signal: answers the oldest question that waits for it, otherwise goes to the agent.
         */
        post: operations["signal_signal__session_id__post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/spans/{trace_id}/{span_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Span
         * @description Return one span: its row, its received data, and its content in readable form.
         */
        get: operations["get_span_spans__trace_id___span_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/spans/{trace_id}/{span_id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Span State
         * @description Return the complete captured state after one of its changes, and what changed.
         *
         *     Patches are resolved to complete states, also across spans; missing links are reported.
         */
        get: operations["get_span_state_spans__trace_id___span_id__state_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/spans/{trace_id}/{span_id}/value": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Span Value
         * @description Return one complete value of a span.
         */
        get: operations["get_span_value_spans__trace_id___span_id__value_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trace/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Session
         * @description Export all received data of a session; import it elsewhere with `POST /import`.
         */
        get: operations["export_session_trace__session_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive Logs
         * @description Receive log records; the records of a trace are stored with their span.
         *
         *     No token is required from this machine if the service listens on a loopback address and the request has no proxy headers. INSPECTOR_REQUIRE_INGEST_TOKEN requires it there too; INSPECTOR_OPEN_INGEST never requires it. A service mounted in another app always requires it.
         */
        post: operations["receive_logs_v1_logs_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive Metrics
         * @description Receive metrics: forwarded and counted, not stored.
         *
         *     No token is required from this machine if the service listens on a loopback address and the request has no proxy headers. INSPECTOR_REQUIRE_INGEST_TOKEN requires it there too; INSPECTOR_OPEN_INGEST never requires it. A service mounted in another app always requires it.
         */
        post: operations["receive_metrics_v1_metrics_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/traces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive Traces
         * @description Receive spans.
         *
         *     No token is required from this machine if the service listens on a loopback address and the request has no proxy headers. INSPECTOR_REQUIRE_INGEST_TOKEN requires it there too; INSPECTOR_OPEN_INGEST never requires it. A service mounted in another app always requires it.
         */
        post: operations["receive_traces_v1_traces_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * AckMessage
         * @description Outcome of a command, which is not sent again.
         */
        AckMessage: {
            /**
             * Applied
             * @description False for an answer: the request waits for another one.
             */
            applied: boolean;
            /** Id */
            id: string;
            /**
             * Reason
             * @description For people.
             */
            reason: string | null;
            /** Seq */
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ack";
        };
        /**
         * AgentMessages
         * @description `POST /processes/{id}/messages`: in order, de-duplicated by id.
         */
        AgentMessages: {
            /** Messages */
            messages: (components["schemas"]["HeartbeatMessage"] | components["schemas"]["GoodbyeMessage"] | components["schemas"]["RequestOpenedMessage"] | components["schemas"]["RequestClosedMessage"] | components["schemas"]["AckMessage"])[];
        };
        /**
         * AgentMessagesReply
         * @description The durably stored messages.
         */
        AgentMessagesReply: {
            /**
             * Received
             * @description Ids of the messages.
             */
            received: string[];
        };
        /**
         * AgentRun
         * @description The agent of a run, from its span's attributes.
         */
        AgentRun: {
            /** Agent */
            agent: string;
            /** Span Id */
            span_id: string;
            /** Trace Id */
            trace_id: string;
        };
        /**
         * AlignedStep
         * @description A step of two sessions.
         */
        AlignedStep: {
            /**
             * Changes
             * @description Differences of the span, the most significant first.
             */
            changes: components["schemas"]["Change"][];
            /**
             * Depth
             * @description Number of ancestors.
             */
            depth: number;
            /**
             * Differing Below
             * @description Number of listed differences among descendants; an added subtree counts once.
             */
            differing_below: number;
            /**
             * Follows
             * @description Whether it differs after the first difference, and so may be a consequence.
             */
            follows: boolean;
            /** @description In the first session; null when it was added. */
            left: components["schemas"]["SpanRow"] | null;
            /**
             * Left Answer
             * @description From just before the outputs differ.
             */
            left_answer: string | null;
            /**
             * Left Own Ns
             * @description Self time: without waits and descendants.
             */
            left_own_ns: number | null;
            /** @description In the second session; null when it was removed. */
            right: components["schemas"]["SpanRow"] | null;
            /** Right Answer */
            right_answer: string | null;
            /** Right Own Ns */
            right_own_ns: number | null;
            /**
             * Row
             * @description Number of earlier steps.
             */
            row: number;
            /**
             * Size
             * @description Number of rows from the step to its last descendant.
             */
            size: number;
        };
        /**
         * AlignedSteps
         * @description A page of the steps of two sessions as one tree.
         */
        AlignedSteps: {
            /**
             * First Difference
             * @description Row of `diverged` of `GET /compare`.
             */
            first_difference: number | null;
            /**
             * Found Row
             * @description Row of the requested span.
             */
            found_row: number | null;
            /**
             * Later Count
             * @description Number of listed differences in later rows; 0 if it is not listed.
             */
            later_count: number;
            /** Next Row */
            next_row: number | null;
            /**
             * Row Count
             * @description Number of all steps.
             */
            row_count: number;
            /** Steps */
            steps: components["schemas"]["AlignedStep"][];
            /**
             * Version
             * @description Changes when rows may have moved.
             */
            version: string;
        };
        /**
         * Answer
         * @description `POST /requests/{id}`: the answer of a person.
         */
        Answer: {
            /**
             * Args Hash
             * @description Hash of the shown arguments; required if the request has any.
             */
            args_hash?: string | null;
            /**
             * Args Json
             * @description Edited arguments, as JSON text.
             */
            args_json?: string | null;
            /**
             * Decision
             * @enum {string}
             */
            decision: "allow" | "allow_always" | "deny" | "answer" | "decline" | "cancel";
            /**
             * Payload Json
             * @description The answer to a question, as JSON text.
             */
            payload_json?: string | null;
            /** Reason */
            reason?: string | null;
        };
        /**
         * AnswerResult
         * @description The winning answer. `applied` is null until the agent has replied.
         */
        AnswerResult: {
            /** Applied */
            applied: boolean | null;
            /** Message */
            message: string;
            request: components["schemas"]["Request"];
        };
        /**
         * ApprovalRequested
         * @description An approval or a breakpoint opened or reopened; the complete row.
         */
        ApprovalRequested: {
            request: components["schemas"]["Request"];
            /** Session Id */
            session_id: string;
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ApprovalRequested";
        };
        /**
         * ApprovalResolved
         * @description An approval or a breakpoint is no longer pending.
         */
        ApprovalResolved: {
            request: components["schemas"]["Request"];
            /** Session Id */
            session_id: string;
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ApprovalResolved";
        };
        /**
         * AskedReading
         * @description A wait for a person: the question and its outcome.
         */
        AskedReading: {
            /** Actor */
            actor: string | null;
            /** @description The answer to a question; JSON. */
            answer: components["schemas"]["Clip"] | null;
            /** Decision */
            decision: string | null;
            /**
             * Id
             * @description Id of the request; null for a pause.
             */
            id: string | null;
            /** Is Edited */
            is_edited: boolean;
            /** Kind */
            kind: string;
            /** Offset Ns */
            offset_ns: number;
            /** Prompt */
            prompt: string | null;
            /** Reason */
            reason: string | null;
            /**
             * Status
             * @description Status of the request; `pending` or `answered` for a pause.
             */
            status: string;
            /**
             * Waited Ns
             * @description Null while it waits.
             */
            waited_ns: number | null;
        };
        /**
         * AuditEntry
         * @description A control action, or an attempt at one. Entries never change.
         */
        AuditEntry: {
            /**
             * Action
             * @description `answer`, a verb, `signal`, `request_opened`, and so on.
             */
            action: string;
            /** Actor */
            actor: string;
            /**
             * Address
             * @description Address of the client, if known.
             */
            address: string | null;
            /** Args Hash */
            args_hash: string | null;
            /** At */
            at: string;
            /**
             * Code
             * @description The problem's `code`, if it was rejected.
             */
            code: string | null;
            /** Decision */
            decision: string | null;
            /** Detail */
            detail: string | null;
            /** Id */
            id: number;
            /**
             * Is Edited
             * @description The answer has edited arguments.
             */
            is_edited: boolean;
            /**
             * Origin
             * @enum {string}
             */
            origin: "browser" | "cli" | "api" | "mcp" | "agent" | "service";
            /** Process Id */
            process_id: string | null;
            /**
             * Question
             * @description The start of the request's prompt; null without one, and when the session is deleted.
             */
            question: string | null;
            /** Request Id */
            request_id: string | null;
            /**
             * Result
             * @enum {string}
             */
            result: "accepted" | "applied" | "not_applied" | "refused";
            /** Session Id */
            session_id: string | null;
            /**
             * Session Title
             * @description Current title; null when the session is deleted.
             */
            session_title: string | null;
            /**
             * Tool Name
             * @description The tool of the request.
             */
            tool_name: string | null;
        };
        /**
         * AuditLog
         * @description A page of the audit log, newest first. It may be short without being the last.
         */
        AuditLog: {
            /** Entries */
            entries: components["schemas"]["AuditEntry"][];
            /** Next Cursor */
            next_cursor: string | null;
            /**
             * Partial
             * @description What could not be searched; empty: nothing.
             */
            partial?: components["schemas"]["Partial"][];
            /**
             * Positions
             * @description With `positions`: where each row is.
             */
            positions?: components["schemas"]["ListPosition"][] | null;
        };
        /**
         * BlobPart
         * @description Inline media, base64.
         */
        BlobPart: {
            /**
             * Data
             * @description Base64; null when only its size was captured.
             */
            data: string | null;
            /** Mime Type */
            mime_type: string | null;
            /** Modality */
            modality: string | null;
            /**
             * Name
             * @description Name of the file.
             */
            name?: string | null;
            /**
             * Size Bytes
             * @default null
             */
            size_bytes: number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "blob";
        };
        /**
         * CacheUse
         * @description Cached and reasoning tokens of LLM calls. Null: not reported.
         */
        CacheUse: {
            /** Cache Read Tokens */
            cache_read_tokens: number | null;
            /** Cache Write Tokens */
            cache_write_tokens: number | null;
            kind: components["schemas"]["SpanKind"];
            /** Model */
            model: string | null;
            /** Name */
            name: string;
            /** Reasoning Tokens */
            reasoning_tokens: number | null;
        };
        /**
         * CallContext
         * @description The context of an LLM call, in total.
         */
        CallContext: {
            /**
             * Agent
             * @description The nearest agent above it.
             */
            agent: string | null;
            /**
             * Cached Tokens
             * @description Part of the input tokens; null: not reported, or more than these.
             */
            cached_tokens: number | null;
            /**
             * Chars
             * @description The sum of the parts.
             */
            chars: number;
            /** Input Tokens */
            input_tokens: number | null;
            /**
             * Media
             * @description Number of images, sounds and files, which are not measured.
             */
            media: number;
            /** Model */
            model: string | null;
            /**
             * Offset Ns
             * @description From the session's `epoch_ns`; may be negative.
             */
            offset_ns: number;
            /**
             * Parts
             * @description Parts that are present or were dropped.
             */
            parts: components["schemas"]["ContextPart"][];
            /** Span Id */
            span_id: string;
            /** Trace Id */
            trace_id: string;
        };
        /**
         * CauseGroup
         * @description Sessions with the same root cause.
         */
        CauseGroup: {
            /**
             * Cause
             * @description Cause of the newest, with placeholders such as `<n>` and `<path>`.
             */
            cause: string;
            /**
             * Counts
             * @description Sessions by start; see `bucket_ms`.
             */
            counts: number[];
            /** @description The newest session. */
            example: components["schemas"]["Session"];
            /**
             * Failed Count
             * @description Failed sessions; the others recovered, or were cancelled or lost.
             */
            failed_count: number;
            /**
             * First Seen
             * @description Start of the first session in the time range; RFC 3339.
             */
            first_seen: string;
            /**
             * Good Session Id
             * @description The newest session with the example's title that completed without an error, for comparison.
             */
            good_session_id: string | null;
            /**
             * Key
             * @description The query `cause_key:KEY` finds these sessions.
             */
            key: string;
            /** Last Seen */
            last_seen: string;
            /** Session Count */
            session_count: number;
        };
        /**
         * CauseList
         * @description Root causes of sessions, the most frequent first.
         */
        CauseList: {
            /** Bucket Ms */
            bucket_ms: number;
            /**
             * Counted From
             * @description Earlier sessions are not counted (too many); null: all are.
             */
            counted_from: string | null;
            /**
             * Counts From
             * @description Start of the first bucket of `counts`; RFC 3339.
             */
            counts_from: string;
            /**
             * Group Count
             * @description Number of all groups.
             */
            group_count: number;
            /** Groups */
            groups: components["schemas"]["CauseGroup"][];
            /**
             * Partial
             * @description What could not be searched; empty: nothing.
             */
            partial?: components["schemas"]["Partial"][];
            /**
             * Session Count
             * @description Number of sessions with a cause.
             */
            session_count: number;
        };
        /**
         * Change
         * @description Kind of difference of a span, in order of significance.
         * @enum {string}
         */
        Change: "failed" | "recovered" | "added" | "removed" | "other_model" | "asked_differently" | "answered_differently" | "slower" | "faster" | "dearer" | "cheaper";
        /**
         * Clamped
         * @description A cut value; `…/value` returns it complete.
         */
        Clamped: {
            /**
             * Is Json
             * @description Not a string: the start of its JSON is shown.
             */
            is_json: boolean;
            /**
             * Pointer
             * @description JSON Pointer (RFC 6901) into this response.
             */
            pointer: string;
            /**
             * Size Bytes
             * @description Size of the complete value in UTF-8.
             */
            size_bytes: number;
        };
        /**
         * Clip
         * @description The start of a text.
         */
        Clip: {
            /**
             * Chars
             * @description Length of the whole text, as received.
             */
            chars: number;
            /**
             * Is Json
             * @default false
             */
            is_json: boolean;
            /**
             * Is Truncated
             * @description The sender truncated it.
             * @default false
             */
            is_truncated: boolean;
            /** Text */
            text: string;
        };
        /**
         * Command
         * @description `GET /processes/{id}/commands` (SSE, `id:` is `seq`): repeated until acknowledged.
         */
        Command: {
            /** Actor */
            actor: string;
            answer: components["schemas"]["CommandAnswer"] | null;
            /** Issued At */
            issued_at: string;
            /**
             * Origin
             * @enum {string}
             */
            origin: "browser" | "cli" | "api" | "mcp" | "agent" | "service";
            /** Payload Json */
            payload_json: string | null;
            /** Reason */
            reason: string | null;
            /**
             * Seq
             * @description Increases per process.
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /** Signal Name */
            signal_name: string | null;
            /**
             * Trace Ids
             * @description Open traces of the session in this process.
             */
            trace_ids: string[];
            /**
             * Type
             * @enum {string}
             */
            type: "answer" | "cancel" | "pause" | "resume" | "step" | "signal";
        };
        /**
         * CommandAnswer
         * @description An answer sent to the agent, which decides whether to apply it.
         */
        CommandAnswer: {
            /**
             * Args Hash
             * @description Hash of the shown arguments.
             */
            args_hash: string | null;
            /**
             * Args Json
             * @description Edited arguments, as typed JSON text; null: unchanged.
             */
            args_json: string | null;
            /**
             * Decision
             * @enum {string}
             */
            decision: "allow" | "allow_always" | "deny" | "answer" | "decline" | "cancel";
            /**
             * Payload Json
             * @description The answer to a question, as JSON text.
             */
            payload_json: string | null;
            /** Request Id */
            request_id: string;
        };
        /**
         * Comparison
         * @description The differences of two sessions, the most significant first.
         */
        Comparison: {
            /**
             * Counts
             * @description Number of occurrences of each change.
             */
            counts: {
                [key: string]: number;
            };
            /**
             * Difference Count
             * @description Number of differences of the requested kinds on all pages.
             */
            difference_count: number;
            /** Differences */
            differences: components["schemas"]["Difference"][];
            /** @description The first in time that differs in more than speed or cost. */
            diverged: components["schemas"]["Difference"] | null;
            left: components["schemas"]["Session"];
            /** Next Offset */
            next_offset: number | null;
            /**
             * Not Compared
             * @description Spans whose content was not compared because it is too large.
             */
            not_compared: number;
            right: components["schemas"]["Session"];
            /**
             * Same Count
             * @description Spans that are the same in both sessions.
             */
            same_count: number;
        };
        /**
         * ContextPart
         * @description A part of a context, measured in characters.
         */
        ContextPart: {
            /** Chars */
            chars: number;
            /**
             * Dropped Chars
             * @description Of texts that were sent to the previous call, but not to this one.
             */
            dropped_chars: number;
            /**
             * Part
             * @description Instructions; tool definitions; messages and calls of users and models; retrieval results; tool results; the rest.
             * @enum {string}
             */
            part: "system" | "tools" | "history" | "retrieved" | "tool_results" | "other";
            /**
             * Repeated Chars
             * @description Of texts that occur earlier in the context.
             */
            repeated_chars: number;
            /**
             * Tokens
             * @description Estimate: its share of the characters, applied to the reported input tokens. Null: none are reported.
             */
            tokens: number | null;
        };
        /**
         * ContextPiece
         * @description A text of a context.
         */
        ContextPiece: {
            /** Chars */
            chars: number;
            /**
             * Part
             * @enum {string}
             */
            part: "system" | "tools" | "history" | "retrieved" | "tool_results" | "other";
            /**
             * Pointer
             * @description JSON Pointer (RFC 6901) into the response for the span.
             */
            pointer: string;
            /**
             * Repeats
             * @description JSON Pointer to the earlier occurrence of the text.
             */
            repeats: string | null;
        };
        /**
         * Decision
         * @description A decision of a hook, a policy or a person.
         */
        Decision: {
            /** Action */
            action: string;
            after: components["schemas"]["Payload"] | null;
            before: components["schemas"]["Payload"] | null;
            /** Hook */
            hook: string | null;
            /** Interceptor */
            interceptor: string | null;
            /** Microseconds */
            microseconds: number | null;
            /** Reason */
            reason: string | null;
            /** Time */
            time: string;
        };
        /**
         * DecisionMade
         * @description A hook, a policy or a person decided.
         */
        DecisionMade: {
            /** Attributes */
            attributes: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** Name */
            name: string;
            /** Session Id */
            session_id: string;
            /** Span Id */
            span_id: string | null;
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /** Trace Id */
            trace_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "DecisionMade";
        };
        /**
         * DecisionReading
         * @description A decision of a hook, a policy or a person, other than plain consent.
         */
        DecisionReading: {
            /** Action */
            action: string;
            after: components["schemas"]["Clip"] | null;
            before: components["schemas"]["Clip"] | null;
            /** Hook */
            hook: string | null;
            /** Interceptor */
            interceptor: string | null;
            /** Offset Ns */
            offset_ns: number;
            /** Reason */
            reason: string | null;
        };
        /**
         * Difference
         * @description A span that differs between two sessions, or exists in only one.
         */
        Difference: {
            /**
             * Changes
             * @description Differences of the span, the most significant first.
             */
            changes: components["schemas"]["Change"][];
            /** @description In the first session; null when it was added. */
            left: components["schemas"]["SpanRow"] | null;
            /**
             * Left Answer
             * @description From just before the outputs differ.
             */
            left_answer: string | null;
            /**
             * Left Own Ns
             * @description Self time: without waits and descendants.
             */
            left_own_ns: number | null;
            /**
             * Path
             * @description Names from the root to the span; of a long path, the last ones.
             */
            path: string[];
            /** @description In the second session; null when it was removed. */
            right: components["schemas"]["SpanRow"] | null;
            /** Right Answer */
            right_answer: string | null;
            /** Right Own Ns */
            right_own_ns: number | null;
            /**
             * Span Count
             * @description All spans of an added or removed subtree; otherwise 1.
             */
            span_count: number;
        };
        /**
         * Dropped
         * @description Counts of what the sender's SDK dropped.
         */
        Dropped: {
            /** Attributes */
            attributes: number;
            /** Events */
            events: number;
            /** Links */
            links: number;
        };
        /**
         * DroppedPiece
         * @description A text that was sent to the previous call, but not to this one.
         */
        DroppedPiece: {
            /**
             * Beginning
             * @description Its first 200 characters.
             */
            beginning: string;
            /** Chars */
            chars: number;
            /**
             * Part
             * @enum {string}
             */
            part: "system" | "tools" | "history" | "retrieved" | "tool_results" | "other";
        };
        /**
         * Engine
         * @description Engine that executes the session.
         * @enum {string}
         */
        Engine: "asyncio" | "temporal" | "inbound" | "otlp";
        /**
         * ErrorReading
         * @description The error of a span.
         */
        ErrorReading: {
            /** Code */
            code: string | null;
            message: components["schemas"]["Clip"] | null;
            /** Type */
            type: string | null;
        };
        /**
         * ErrorView
         * @description The error of a span, from its last exception event, or else its attributes and status.
         */
        ErrorView: {
            /**
             * Code
             * @description The RPC or HTTP status code, or else `error.type` if it is not an exception's.
             */
            code: string | null;
            /** Message */
            message: string | null;
            /** Stacktrace */
            stacktrace: string | null;
            /**
             * Status Message
             * @description The message of the span's status, if it adds to type and message.
             */
            status_message: string | null;
            /** Type */
            type: string | null;
        };
        /**
         * Excerpt
         * @description An excerpt of a text of a span or a session, with words of the query.
         */
        Excerpt: {
            /** After */
            after: string;
            /** Before */
            before: string;
            /** Match */
            match: string;
            /**
             * Place
             * @description Of a span: `name`, `status`, `event`, or the key of an attribute. Of a session: `title`, `cause`, `answer` or `id`.
             */
            place: string;
        };
        /** @description `Export…ServiceResponse`: empty, or what was rejected and why. */
        ExportResponse: {
            partialSuccess?: {
                errorMessage?: string;
                rejectedDataPoints?: string;
                rejectedLogRecords?: string;
                rejectedSpans?: string;
            };
        };
        /**
         * Gap
         * @description The reader's position is unknown: reload the lists.
         */
        Gap: {
            /**
             * Reload
             * @default true
             * @constant
             */
            reload: true;
            /** Time */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Gap";
        };
        /**
         * GivenAnswer
         * @description The answer that won.
         */
        GivenAnswer: {
            /** Actor */
            actor: string;
            /**
             * Applied
             * @description Whether the agent applied the answer; null: not reported yet.
             */
            applied: boolean | null;
            /**
             * Applied Reason
             * @description Why the agent did not apply the answer.
             * @default null
             */
            applied_reason: string | null;
            /** At */
            at: string;
            /**
             * Decision
             * @enum {string}
             */
            decision: "allow" | "allow_always" | "deny" | "answer" | "decline" | "cancel";
            /**
             * Is Edited
             * @description The arguments were edited; the trace has the difference.
             */
            is_edited: boolean;
            /**
             * Origin
             * @enum {string}
             */
            origin: "browser" | "cli" | "api" | "mcp" | "agent" | "service";
            /**
             * Reason
             * @default null
             */
            reason: string | null;
        };
        /**
         * GoodbyeMessage
         * @description The process ends, which closes its open requests.
         */
        GoodbyeMessage: {
            /** Id */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "goodbye";
        };
        /**
         * Handoff
         * @description A handoff of the conversation from one agent to another, from a span's attributes.
         */
        Handoff: {
            /** From Agent */
            from_agent: string | null;
            span: components["schemas"]["SpanRef"];
            /** To Agent */
            to_agent: string;
        };
        /**
         * Health
         * @description `GET /health`: the service, and whether it is ready to receive telemetry.
         */
        Health: {
            /** @description Requires the token; null without `INSPECTOR_HISTORY`. */
            history?: components["schemas"]["HistoryHealth"] | null;
            /**
             * Name
             * @default mcp-agent-inspector
             * @constant
             */
            name: "mcp-agent-inspector";
            /**
             * Ready
             * @description Of a reader: whether a service answers, and each has answered or failed.
             */
            ready: boolean;
            /** @description Requires the token. */
            store?: components["schemas"]["StoreHealth"] | null;
            /** @description Requires the token; null if it cannot be read. */
            usage?: components["schemas"]["StoreUsage"] | null;
            /** Version */
            version: string;
            /**
             * Writers
             * @description Of a reader: its services. Requires the token.
             */
            writers?: components["schemas"]["WriterHealth"][] | null;
        };
        /**
         * Heartbeat
         * @description Keep-alive, every 10 s at the latest and whenever the store's health changes.
         */
        Heartbeat: {
            /**
             * Now Ns
             * @description The service's clock.
             */
            now_ns: string;
            store: components["schemas"]["StoreHealth"];
            /** Time */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Heartbeat";
        };
        /**
         * HeartbeatMessage
         * @description The process is alive.
         */
        HeartbeatMessage: {
            /** Id */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "heartbeat";
        };
        /**
         * HistoryHealth
         * @description The state of the history that everything is copied to.
         */
        HistoryHealth: {
            /**
             * Behind
             * @description Number of changes that are not copied yet.
             */
            behind: number;
            /**
             * Message
             * @description The problem and its remedy; null if there is none.
             */
            message: string | null;
            /**
             * Replicas
             * @description With `INSPECTOR_HISTORY_COPIES`: a sentence on each replica that is behind or does not answer.
             * @default []
             */
            replicas: string[];
            /**
             * Since
             * @description RFC 3339, UTC.
             */
            since: string;
            /**
             * State
             * @description `away` passes by itself; `refused` needs somebody.
             * @enum {string}
             */
            state: "starting" | "ok" | "away" | "refused";
        };
        /**
         * ImportMistake
         * @description A part of an imported file that was rejected.
         */
        ImportMistake: {
            /**
             * Line
             * @description First line of the part, from 1.
             */
            line: number;
            /** Message */
            message: string;
        };
        /**
         * ImportReport
         * @description `POST /import`: the outcome. Valid parts are kept even if others are rejected.
         */
        ImportReport: {
            /** Log Duplicates */
            log_duplicates: number;
            /**
             * Logs
             * @description Imported log records of a trace or a session.
             */
            logs: number;
            /** Mistake Count */
            mistake_count: number;
            /**
             * Mistakes
             * @description The first 100.
             */
            mistakes: components["schemas"]["ImportMistake"][];
            /**
             * Not Stored
             * @description Metrics, and log records that belong to no trace.
             */
            not_stored: number;
            /**
             * Rejected
             * @description Invalid spans, records and values.
             */
            rejected: number;
            /**
             * Sessions
             * @description Ids of the sessions in it, the first 1000.
             */
            sessions: string[];
            /**
             * Span Duplicates
             * @description Already stored, unchanged.
             */
            span_duplicates: number;
            /**
             * Spans
             * @description Imported.
             */
            spans: number;
        };
        /**
         * IndexState
         * @description The state of the word index. Rows not indexed yet are searched too, but slower.
         */
        IndexState: {
            /**
             * Changes Behind
             * @description Changes not indexed yet.
             */
            changes_behind: number;
            /** Is Complete */
            is_complete: boolean;
        };
        JsonValue: unknown;
        /**
         * LastGoodSession
         * @description The run of the same title to compare a session with.
         */
        LastGoodSession: {
            /**
             * Session Id
             * @description The newest session with this title that completed without an error; null: none.
             */
            session_id: string | null;
        };
        /**
         * LeftOut
         * @description With `q` or `rows`: rows of the list were left out, above 200 a second; read it again.
         */
        LeftOut: {
            /**
             * Count
             * @description Number of rows that were left out.
             */
            count: number;
            /**
             * Through
             * @description Position up to which rows were left out, as `as_of`.
             */
            through: string;
            /** Time */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "LeftOut";
        };
        /**
         * LinkPart
         * @description Media somewhere else: shown as text, never fetched.
         */
        LinkPart: {
            /** Mime Type */
            mime_type: string | null;
            /** Modality */
            modality: string | null;
            /**
             * Name
             * @description Name of the file.
             */
            name?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "link";
            /** Uri */
            uri: string;
        };
        /**
         * Listener
         * @description A connected process that takes commands.
         */
        Listener: {
            /** Id */
            id: string;
            /** Name */
            name: string;
        };
        /**
         * Listeners
         * @description The processes that a verb for a session goes to, at most a hundred.
         */
        Listeners: {
            /** Processes */
            processes: components["schemas"]["Listener"][];
        };
        /**
         * ListPosition
         * @description Where a row is in a list.
         */
        ListPosition: {
            /**
             * Cursor
             * @description Continues after the row.
             */
            cursor: string;
            /**
             * Value
             * @description What the list is sorted by: Unix ns, a number or a title.
             */
            value: number | string;
        };
        /**
         * LlmView
         * @description An LLM call.
         */
        LlmView: {
            /**
             * Finish Reasons
             * @description stop, length, tool_call, content_filter, or the sender's own value.
             */
            finish_reasons: string[];
            /**
             * Finish Reasons Raw
             * @description As the sender wrote them.
             */
            finish_reasons_raw: string[];
            /** Model Requested */
            model_requested: string | null;
            /** Model Responded */
            model_responded: string | null;
            /** Provider */
            provider: string | null;
            /** Request Params */
            request_params: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            so_far: components["schemas"]["TextSoFar"] | null;
            /** Time To First Chunk Ms */
            time_to_first_chunk_ms: number | null;
            /** Tools Offered */
            tools_offered: components["schemas"]["ToolDefinition"][];
        };
        /**
         * McpAsk
         * @description An item requested by an input-required result, or the answer to it.
         */
        McpAsk: {
            /** Key */
            key: string;
            /** Method */
            method: string | null;
            /**
             * Text
             * @description The question, or its outcome.
             */
            text: string | null;
        };
        /**
         * McpEntry
         * @description A line of the log: half an exchange, or an event of a connection.
         *
         *     A span of an exchange yields a `request` and, once ended, a `response` with the same `exchange`.
         *     Messages recorded on the wire (`docs/formats.md`) have none: join them by `connection`,
         *     direction and `rpc_id`.
         */
        McpEntry: {
            /**
             * About Id
             * @description JSON text of the id that a cancellation names.
             */
            about_id: string | null;
            /**
             * Answers
             * @description Answers sent with the next round.
             */
            answers: components["schemas"]["McpAsk"][];
            /**
             * Asks
             * @description Questions of an input-required result.
             */
            asks: components["schemas"]["McpAsk"][];
            /** Attempt */
            attempt: number | null;
            /** Connection */
            connection: string | null;
            /** Direction */
            direction: ("to_server" | "to_client") | null;
            /**
             * Duplicate Of
             * @description `TRACE.SPAN` of another report of the same exchange.
             */
            duplicate_of: string | null;
            /**
             * Exchange
             * @description `TRACE.SPAN` of the span that reports both halves.
             */
            exchange: string | null;
            fault: components["schemas"]["McpFault"] | null;
            /**
             * Form
             * @description `message`: as on the wire; `content`: the arguments or the result alone.
             */
            form: ("message" | "content") | null;
            /**
             * Is Whole
             * @description Whether `text` is complete.
             */
            is_whole: boolean;
            /**
             * Key
             * @description Stable id of the entry, across repeated reports.
             */
            key: string;
            /** Method */
            method: string | null;
            /** Offset Ns */
            offset_ns: number;
            progress: components["schemas"]["McpProgress"] | null;
            /**
             * Progress Token
             * @description JSON text.
             */
            progress_token: string | null;
            /** Protocol Version */
            protocol_version: string | null;
            /**
             * Reporter
             * @description The reporting side: sender or receiver of the request.
             */
            reporter: ("sender" | "receiver") | null;
            /**
             * Result Type
             * @description `resultType` of 2026-07-28: `input_required`, …
             */
            result_type: string | null;
            /**
             * Rpc Id
             * @description JSON text where the message was captured.
             */
            rpc_id: string | null;
            /** Server */
            server: string | null;
            /** Server Version */
            server_version: string | null;
            /** Size Bytes */
            size_bytes: number | null;
            /**
             * Source
             * @enum {string}
             */
            source: "span" | "record";
            /** Span Id */
            span_id: string | null;
            /**
             * State
             * @description State of the exchange (`running`, `lost`, …), or of the connection (`connected`, `disconnected`, `reconnecting`, `failed`).
             */
            state: string | null;
            /**
             * State Hash
             * @description Stands for `requestState`; the same in all rounds.
             */
            state_hash: string | null;
            /**
             * Step
             * @description Step of a connection: `spawn`, `initialize`, `discover`, …
             */
            step: string | null;
            /**
             * Target
             * @description The tool, prompt or resource.
             */
            target: string | null;
            /**
             * Text
             * @description The start of the message, as captured.
             */
            text: string | null;
            /** Trace Id */
            trace_id: string | null;
            /** Transport */
            transport: string | null;
            /**
             * Type
             * @enum {string}
             */
            type: "request" | "response" | "notification" | "transport" | "stderr" | "asked" | "answered";
        };
        /**
         * McpFault
         * @description The reason of a failure.
         */
        McpFault: {
            /** Code */
            code: string | null;
            /**
             * Kind
             * @description `rpc`: a JSON-RPC error; `tool`: a result with `isError`; `failed`: no response, or one that the client could not use.
             * @enum {string}
             */
            kind: "rpc" | "tool" | "cancelled" | "failed";
            /** Message */
            message: string | null;
        };
        /**
         * McpFrame
         * @description `GET /sessions/{id}/mcp/frame`: one complete message.
         */
        McpFrame: {
            body: components["schemas"]["Payload"] | null;
            /** @description Headers of HTTP, if captured. */
            headers: components["schemas"]["Payload"] | null;
            /** Key */
            key: string;
        };
        /**
         * McpLog
         * @description `GET /sessions/{id}/mcp`: a part of the log; not in order, since exchanges overlap.
         */
        McpLog: {
            /**
             * Change
             * @description Pass it as `since` to get later entries.
             */
            change: number;
            /** Entries */
            entries: components["schemas"]["McpEntry"][];
            /** Epoch Ns */
            epoch_ns: string;
            /**
             * Is Gap
             * @description Too many changes since: read the whole log again.
             */
            is_gap: boolean;
            /** Next Cursor */
            next_cursor: string | null;
            /** Session Id */
            session_id: string;
        };
        /**
         * McpProgress
         * @description The progress of a call.
         */
        McpProgress: {
            /** Message */
            message: string | null;
            /** Percent */
            percent: number | null;
            /** Total */
            total: number | null;
            /** Value */
            value: number | null;
        };
        /**
         * McpReading
         * @description An MCP exchange.
         */
        McpReading: {
            /** Method */
            method: string;
            /** Prompt Name */
            prompt_name: string | null;
            request: components["schemas"]["Clip"] | null;
            /** Resource Uri */
            resource_uri: string | null;
            response: components["schemas"]["Clip"] | null;
            /** Server */
            server: string | null;
        };
        /**
         * McpView
         * @description An MCP exchange.
         */
        McpView: {
            /** Method */
            method: string;
            /** Mime Type */
            mime_type: string | null;
            /** Prompt Name */
            prompt_name: string | null;
            /** Protocol Version */
            protocol_version: string | null;
            request: components["schemas"]["Payload"] | null;
            /** Request Id */
            request_id: string | null;
            /** Resource Uri */
            resource_uri: string | null;
            response: components["schemas"]["Payload"] | null;
            /** Server */
            server: string | null;
            /** Size Bytes */
            size_bytes: number | null;
            /** Transport */
            transport: string | null;
        };
        /**
         * Message
         * @description A message of a conversation.
         */
        Message: {
            /**
             * Finish Reason
             * @default null
             */
            finish_reason: string | null;
            /**
             * Name
             * @default null
             */
            name: string | null;
            /**
             * Origin
             * @enum {string}
             */
            origin: "system" | "input" | "output";
            /** Parts */
            parts: (components["schemas"]["TextPart"] | components["schemas"]["ReasoningPart"] | components["schemas"]["ToolCallPart"] | components["schemas"]["ToolResultPart"] | components["schemas"]["BlobPart"] | components["schemas"]["LinkPart"] | components["schemas"]["OtherPart"])[];
            /**
             * Role
             * @description system, user, assistant, tool, or the sender's own role.
             */
            role: string;
        };
        /**
         * OpenedRequest
         * @description A request as the agent opens it; reopening an id reclaims a lost request.
         */
        OpenedRequest: {
            /**
             * Age Ms
             * @description Time since the request opened, by the agent's clock.
             */
            age_ms: number;
            /**
             * Args Hash
             * @description SHA-256 (hex) of the arguments' UTF-8; null: no arguments.
             */
            args_hash: string | null;
            /**
             * Args Json
             * @description The complete arguments as exact JSON text; null: not representable.
             */
            args_json: string | null;
            /**
             * Args Text
             * @description Rendering of arguments that have no `args_json`.
             */
            args_text: string | null;
            /**
             * Can Always
             * @description Whether `allow_always` is possible.
             */
            can_always: boolean;
            /**
             * Default
             * @description Decision on timeout.
             */
            default: string;
            /**
             * Expires In Ms
             * @description From now on; null: never.
             */
            expires_in_ms: number | null;
            /**
             * Form Json
             * @description JSON Schema of a question's form, as text.
             */
            form_json: string | null;
            /**
             * Hook
             * @description Such as `before_tool_call`.
             */
            hook: string | null;
            /** Id */
            id: string;
            /**
             * Interceptor
             * @description The interceptor that asks.
             */
            interceptor: string | null;
            /**
             * Keeps Args
             * @description Whether `args_json` is kept when the request closes.
             */
            keeps_args: boolean;
            /**
             * Kind
             * @enum {string}
             */
            kind: "approval" | "question" | "breakpoint";
            /**
             * Options
             * @description Suggested answers, if any.
             */
            options: string[];
            /** Prompt */
            prompt: string;
            /**
             * Session Id
             * @description The agent's name for the session; null: that of the trace.
             */
            session_id: string | null;
            /**
             * Signal Name
             * @description Signal name with which `POST /signal/{session_id}` answers a question.
             */
            signal_name: string | null;
            /**
             * Span Id
             * @description The span of the waiting operation.
             */
            span_id: string | null;
            /** Tool Name */
            tool_name: string | null;
            /** Trace Id */
            trace_id: string | null;
        };
        /**
         * Operation
         * @description All spans of one kind and name.
         */
        Operation: {
            /** Count */
            count: number;
            /** Errors */
            errors: number;
            kind: components["schemas"]["SpanKind"];
            /** Name */
            name: string;
            /**
             * Own Ns
             * @description Self time: without descendants and waits.
             */
            own_ns: number;
            /** Running */
            running: number;
            times: components["schemas"]["Times"];
            used: components["schemas"]["Use"];
            /**
             * Wait Ns
             * @description Waiting for a person.
             */
            wait_ns: number;
        };
        /**
         * OtherPart
         * @description A part of an unknown type, unchanged.
         */
        OtherPart: {
            /** Part Type */
            part_type: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "other";
            value: components["schemas"]["Payload"];
        };
        /** @description `opentelemetry.proto.common.v1.AnyValue`: at most one of these. */
        OtlpAnyValue: {
            arrayValue?: {
                values?: components["schemas"]["OtlpAnyValue"][];
            };
            boolValue?: boolean;
            bytesValue?: string;
            doubleValue?: number | ("NaN" | "Infinity" | "-Infinity");
            intValue?: number | string;
            kvlistValue?: {
                values?: components["schemas"]["OtlpKeyValue"][];
            };
            stringValue?: string;
        };
        /** @description `opentelemetry.proto.common.v1.KeyValue`. */
        OtlpKeyValue: {
            key?: string;
            value?: components["schemas"]["OtlpAnyValue"];
        };
        /** @description `opentelemetry.proto.resource.v1.Resource`. */
        OtlpResource: {
            attributes?: components["schemas"]["OtlpKeyValue"][];
            droppedAttributesCount?: number;
        };
        /** @description `opentelemetry.proto.common.v1.InstrumentationScope`. */
        OtlpScope: {
            attributes?: components["schemas"]["OtlpKeyValue"][];
            droppedAttributesCount?: number;
            name?: string;
            version?: string;
        };
        /**
         * Partial
         * @description A part of the sessions that an answer leaves out.
         */
        Partial: {
            /**
             * Part
             * @description `history`: what has left the disk of a service; `writer`: a whole service that a reader could not ask.
             * @enum {string}
             */
            part: "history" | "writer";
            /**
             * Since
             * @description Start, where that is known.
             */
            since: string | null;
            /** Why */
            why: string;
            /**
             * Writer
             * @description Of a reader: the name of the service.
             * @default null
             */
            writer: string | null;
        };
        /**
         * Payload
         * @description A value as text: JSON text is never parsed, so `9007199254740993` survives.
         */
        Payload: {
            /** Is Json */
            is_json: boolean;
            /**
             * Is Truncated
             * @default false
             */
            is_truncated: boolean;
            /**
             * Original Bytes
             * @description Size before truncation.
             * @default null
             */
            original_bytes: number | null;
            /** Text */
            text: string;
        };
        /**
         * Piece
         * @description A part of a message, clipped.
         */
        Piece: {
            /**
             * At
             * @description Index of the message in the span's `view.messages`, and of the part in it.
             */
            at: [
                number,
                number
            ];
            /** @description The text, arguments, result or value. */
            clip: components["schemas"]["Clip"] | null;
            /**
             * Data
             * @description Base64; null if missing or large.
             */
            data?: string | null;
            /**
             * Id
             * @description Id of the tool call.
             */
            id?: string | null;
            /** Mime Type */
            mime_type?: string | null;
            /** Modality */
            modality?: string | null;
            /**
             * Name
             * @description Name of the tool, or of an unknown type.
             */
            name?: string | null;
            /** Size Bytes */
            size_bytes?: number | null;
            /**
             * Type
             * @enum {string}
             */
            type: "text" | "reasoning" | "tool_call" | "tool_result" | "blob" | "link" | "other";
            /** Uri */
            uri?: string | null;
        };
        /**
         * Prices
         * @description `GET /prices`: the prices that the cost of LLM calls is computed from.
         */
        Prices: {
            /**
             * File
             * @description `INSPECTOR_PRICES`: prices that take precedence over the list.
             */
            file: string | null;
            price_list: components["schemas"]["PriceSource"];
            recomputation: components["schemas"]["Recomputation"];
        };
        /**
         * PriceSource
         * @description The price list in use. It is bundled; nothing is downloaded.
         */
        PriceSource: {
            /**
             * Date
             * @description Publication date of the version; null if unknown.
             */
            date: string | null;
            /** Name */
            name: string;
            /**
             * State
             * @description `not_needed`: no LLM call needed it yet.
             * @enum {string}
             */
            state: "not_needed" | "loaded" | "failed";
            /** Version */
            version: string | null;
        };
        /**
         * Problem
         * @description RFC 9457 `application/problem+json`, with a stable `code`.
         */
        Problem: {
            /** Code */
            code: string;
            /** Detail */
            detail: string;
            /**
             * Length
             * @description Number of wrong characters; 0 at the end of the query.
             * @default null
             */
            length: number | null;
            /**
             * Position
             * @description For a `bad_query`: the index of the first wrong character.
             * @default null
             */
            position: number | null;
            /**
             * Session Id
             * @description For a `session_not_found`: the session that does not exist.
             * @default null
             */
            session_id: string | null;
            /** Status */
            status: number;
            /**
             * Suggestion
             * @description Suggested replacement of these characters.
             * @default null
             */
            suggestion: string | null;
            /** Title */
            title: string;
            /**
             * Type
             * @default about:blank
             */
            type: string;
        };
        /**
         * ProcessHello
         * @description `PUT /processes/{id}`: registers an agent; the id is its `service.instance.id`.
         */
        ProcessHello: {
            /** Host */
            host: string;
            /** Name */
            name: string;
            /** Pid */
            pid: number;
        };
        /**
         * ProcessWelcome
         * @description The intervals at which the process must report.
         */
        ProcessWelcome: {
            /** Heartbeat S */
            heartbeat_s: number;
            /** Lost After S */
            lost_after_s: number;
            /**
             * Now Ns
             * @description The service's clock.
             */
            now_ns: string;
        };
        /**
         * ProgressReading
         * @description The last progress report of an operation.
         */
        ProgressReading: {
            /** Message */
            message: string | null;
            /** Offset Ns */
            offset_ns: number;
            /** Percent */
            percent: number | null;
        };
        /**
         * ProgressUpdate
         * @description An operation reports progress.
         */
        ProgressUpdate: {
            /** Attributes */
            attributes: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** Name */
            name: string;
            /** Session Id */
            session_id: string;
            /** Span Id */
            span_id: string | null;
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /** Trace Id */
            trace_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ProgressUpdate";
        };
        /**
         * PromptUsed
         * @description A prompt was applied; sent beside the span's `SpanEnded`.
         */
        PromptUsed: {
            /** Session Id */
            session_id: string;
            span: components["schemas"]["SpanRow"];
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "PromptUsed";
        };
        /**
         * QueryValue
         * @description A value of a field.
         */
        QueryValue: {
            /**
             * Count
             * @description Number of searched sessions or spans with this value.
             */
            count: number;
            /** Value */
            value: string;
        };
        /**
         * QueryValues
         * @description `GET /query/values`: values of a field, the most frequent first.
         */
        QueryValues: {
            /**
             * Field
             * @description Name with its scope: `session.agent`.
             */
            field: string;
            /**
             * Is Complete
             * @description False: only the newest were searched.
             */
            is_complete: boolean;
            /**
             * Partial
             * @description What could not be searched; empty: nothing.
             */
            partial?: components["schemas"]["Partial"][];
            /** Values */
            values: components["schemas"]["QueryValue"][];
        };
        /**
         * Reading
         * @description The transcript of one span.
         */
        Reading: {
            /** Asked */
            asked: components["schemas"]["AskedReading"][];
            /**
             * Assents
             * @description Number of decisions that only continue.
             */
            assents: number;
            /** Decisions */
            decisions: components["schemas"]["DecisionReading"][];
            error: components["schemas"]["ErrorReading"] | null;
            /** Finish Reasons */
            finish_reasons: string[];
            /** First Chunk Ms */
            first_chunk_ms: number | null;
            /**
             * Left Out
             * @description Number of earlier new messages, omitted from `said` by its limit.
             */
            left_out: number;
            mcp: components["schemas"]["McpReading"] | null;
            /** Model */
            model: string | null;
            progress: components["schemas"]["ProgressReading"] | null;
            /**
             * Repeated
             * @description Number of messages already in the previous call or its output.
             */
            repeated: number;
            rewritten: components["schemas"]["Rewritten"] | null;
            /**
             * Said
             * @description New messages since the previous call, then the output.
             */
            said: components["schemas"]["Said"][];
            so_far: components["schemas"]["TextSoFar"] | null;
            /** Span Id */
            span_id: string;
            /** State */
            state: components["schemas"]["StateReading"][];
            status: components["schemas"]["SpanStatus"];
            tool: components["schemas"]["ToolReading"] | null;
            /** Tools Offered */
            tools_offered: number;
            /** Trace Id */
            trace_id: string;
            /**
             * Truncated
             * @description Attributes that the sender truncated.
             */
            truncated: string[];
        };
        /**
         * ReasoningPart
         * @description Reasoning of a model before its answer.
         */
        ReasoningPart: {
            /** Text */
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "reasoning";
        };
        /**
         * Recomputation
         * @description The current or last recomputation of stored costs.
         */
        Recomputation: {
            /**
             * Changed
             * @description LLM calls whose cost changed.
             */
            changed: number;
            /**
             * Error
             * @description Why it ended early.
             */
            error: string | null;
            /** Is Running */
            is_running: boolean;
            /**
             * Looked At
             * @description LLM calls processed.
             */
            looked_at: number;
        };
        /**
         * Request
         * @description A request of an agent to a person.
         */
        Request: {
            answer: components["schemas"]["GivenAnswer"] | null;
            /**
             * Args Hash
             * @description SHA-256 (hex) of the arguments' UTF-8; required in an answer.
             */
            args_hash: string | null;
            /**
             * Args Json
             * @description The complete arguments as JSON text; null if they are not JSON or too long, and once the request is closed.
             */
            args_json: string | null;
            /**
             * Args Text
             * @description Rendering of arguments that have no `args_json`.
             */
            args_text: string | null;
            /**
             * Can Always
             * @description `allow_always` covers later requests of this interceptor in this session.
             */
            can_always: boolean;
            /** Closed At */
            closed_at: string | null;
            /** Created At */
            created_at: string;
            /**
             * Default
             * @description Decision on timeout: allow or deny.
             */
            default: string;
            /** Expires At */
            expires_at: string | null;
            /**
             * Form Json
             * @description JSON Schema of a question's form, as text.
             */
            form_json: string | null;
            /** Hook */
            hook: string | null;
            /** Id */
            id: string;
            /**
             * Interceptor
             * @description The interceptor that asks.
             */
            interceptor: string | null;
            /**
             * Kind
             * @enum {string}
             */
            kind: "approval" | "question" | "breakpoint";
            /** Options */
            options: string[];
            /** Process Id */
            process_id: string;
            /** Prompt */
            prompt: string;
            /** Session Id */
            session_id: string;
            /** Session Title */
            session_title: string;
            /** Signal Name */
            signal_name: string | null;
            /** Span Id */
            span_id: string | null;
            /**
             * Status
             * @enum {string}
             */
            status: "pending" | "answered" | "expired" | "withdrawn" | "lost";
            /** Tool Name */
            tool_name: string | null;
            /** Trace Id */
            trace_id: string | null;
            /** Transitions */
            transitions: components["schemas"]["Transition"][];
        };
        /**
         * RequestClosedMessage
         * @description The agent closed a request, with the effective decision.
         */
        RequestClosedMessage: {
            /**
             * Decision
             * @description The effective decision; the default of an expired request.
             */
            decision: string | null;
            /** Id */
            id: string;
            /** Reason */
            reason: string | null;
            /** Request Id */
            request_id: string;
            /**
             * Status
             * @enum {string}
             */
            status: "answered" | "expired" | "withdrawn";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "request_closed";
        };
        /**
         * RequestList
         * @description A page of requests, newest first.
         */
        RequestList: {
            /**
             * As Of
             * @description Change-feed position: pass it to `/events?after=`.
             */
            as_of: string;
            /** Next Cursor */
            next_cursor: string | null;
            /**
             * Partial
             * @description What could not be searched; empty: nothing.
             */
            partial?: components["schemas"]["Partial"][];
            /**
             * Pending Count
             * @description Number of pending requests of all sessions.
             */
            pending_count: number;
            /**
             * Positions
             * @description With `positions`: where each row is.
             */
            positions?: components["schemas"]["ListPosition"][] | null;
            /** Requests */
            requests: components["schemas"]["Request"][];
        };
        /**
         * RequestOpenedMessage
         * @description A request to a person opened.
         */
        RequestOpenedMessage: {
            /** Id */
            id: string;
            request: components["schemas"]["OpenedRequest"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "request_opened";
        };
        /**
         * RequestStatus
         * @description Status of a request. The agent has the last word; `expired` and `lost` may be guesses.
         * @enum {string}
         */
        RequestStatus: "pending" | "answered" | "expired" | "withdrawn" | "lost";
        /**
         * Resource
         * @description The process that wrote the span.
         */
        Resource: {
            /** Attributes */
            attributes: {
                [key: string]: components["schemas"]["JsonValue"];
            };
        };
        /**
         * ResourceFetched
         * @description A resource was read; sent beside the span's `SpanEnded`.
         */
        ResourceFetched: {
            /** Session Id */
            session_id: string;
            span: components["schemas"]["SpanRow"];
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ResourceFetched";
        };
        /**
         * Rewritten
         * @description How the conversation sent differs from the previous one, if it does not extend it.
         *
         *     Counts messages sent to the previous call, without instructions. `kept` is 0 if the history was
         *     replaced, or it is another conversation.
         */
        Rewritten: {
            /** Gone */
            gone: number;
            /** Kept */
            kept: number;
        };
        /**
         * RollUp
         * @description All spans of one model, tool or agent.
         */
        RollUp: {
            /** Count */
            count: number;
            /** Errors */
            errors: number;
            /**
             * Model Calls
             * @description Without those of agents (tools) below it.
             */
            model_calls: number;
            /**
             * Name
             * @description Empty: LLM calls without a model name.
             */
            name: string;
            /** Running */
            running: number;
            times: components["schemas"]["Times"];
            /** Tool Calls */
            tool_calls: number;
            /** @description Without usage of agents (tools) below it. */
            used: components["schemas"]["Use"];
            /** @description Including all descendants. */
            used_in_all: components["schemas"]["Use"];
            /** Wait Ns */
            wait_ns: number;
        };
        /** @description `google.rpc.Status`: why an OTLP request was rejected. */
        RpcStatus: {
            code: number;
            message: string;
        };
        /**
         * RunCell
         * @description A step in one of several sessions.
         */
        RunCell: {
            /**
             * Changes
             * @description Compared with the first session.
             */
            changes: components["schemas"]["Change"][];
            /** Duration Ns */
            duration_ns: number | null;
            /**
             * Own Ns
             * @description Its time without waiting and spans below it: what is slower or faster.
             */
            own_ns: number | null;
            /** Span Id */
            span_id: string;
            status: components["schemas"]["SpanStatus"];
            /** Trace Id */
            trace_id: string;
        };
        /**
         * RunStep
         * @description A step of several sessions.
         */
        RunStep: {
            /**
             * Cells
             * @description By session; null: the session does not have the step.
             */
            cells: (components["schemas"]["RunCell"] | null)[];
            /**
             * Depth
             * @description Number of ancestors.
             */
            depth: number;
            /**
             * Differing Below
             * @description Number of listed differences among descendants; an added subtree counts once.
             */
            differing_below: number;
            /**
             * Differs
             * @description Whether any session differs from the first.
             */
            differs: boolean;
            kind: components["schemas"]["SpanKind"];
            /** Name */
            name: string;
            /**
             * Row
             * @description Number of earlier steps.
             */
            row: number;
            /**
             * Size
             * @description Number of rows from the step to its last descendant.
             */
            size: number;
        };
        /**
         * RunTable
         * @description A page of the steps of several sessions as one tree.
         */
        RunTable: {
            /** Differing Count */
            differing_count: number;
            /**
             * First Difference
             * @description Row that differs first in time, in more than speed or cost.
             */
            first_difference: number | null;
            /** Next Row */
            next_row: number | null;
            /**
             * Not Compared
             * @description Spans whose content was not compared because it is too large.
             */
            not_compared: number;
            /**
             * Row Count
             * @description Number of all steps.
             */
            row_count: number;
            /** Sessions */
            sessions: components["schemas"]["Session"][];
            /** Steps */
            steps: components["schemas"]["RunStep"][];
            /**
             * Version
             * @description Changes when rows may have moved.
             */
            version: string;
        };
        /**
         * Said
         * @description A message, clipped.
         */
        Said: {
            /** Finish Reason */
            finish_reason: string | null;
            /** Name */
            name: string | null;
            /**
             * Origin
             * @enum {string}
             */
            origin: "system" | "input" | "output";
            /** Pieces */
            pieces: components["schemas"]["Piece"][];
            /** Role */
            role: string;
        };
        /**
         * Scope
         * @description The instrumentation that wrote the span.
         */
        Scope: {
            /** Attributes */
            attributes: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** Name */
            name: string;
            /** Version */
            version: string;
        };
        /**
         * SearchHit
         * @description A matching span, with its session.
         */
        SearchHit: {
            /**
             * Error
             * @description Why the span failed, on one line; null if it did not.
             */
            error: string | null;
            /**
             * Excerpts
             * @description Some matches of the query.
             */
            excerpts?: components["schemas"]["Excerpt"][];
            /** Session Id */
            session_id: string;
            /**
             * Session Started At
             * @description RFC 3339, UTC.
             */
            session_started_at: string;
            session_status: components["schemas"]["SessionStatus"];
            /** Session Title */
            session_title: string;
            span: components["schemas"]["SpanRow"];
        };
        /**
         * SearchResult
         * @description Newest first. A page may be short or empty without being the last: see `next_cursor`.
         */
        SearchResult: {
            /** @description Null without an index. */
            index?: components["schemas"]["IndexState"] | null;
            /**
             * Next Cursor
             * @description Cursor for the spans not searched yet.
             */
            next_cursor: string | null;
            /**
             * Partial
             * @description What could not be searched; empty: nothing.
             */
            partial?: components["schemas"]["Partial"][];
            /**
             * Positions
             * @description With `positions`: where each row is.
             */
            positions?: components["schemas"]["ListPosition"][] | null;
            /**
             * Sessions
             * @description On the first page only: sessions found within the time limit.
             */
            sessions: components["schemas"]["SessionHit"][];
            /** Spans */
            spans: components["schemas"]["SearchHit"][];
        };
        /**
         * Session
         * @description One session: a conversation, a run, or a single trace.
         */
        Session: {
            /** Agents */
            agents: string[];
            /**
             * Answer
             * @description Last model output of an ended session without errors, on one line of at most 200 characters.
             * @default null
             */
            answer: string | null;
            /**
             * Cause
             * @description Root cause of an ended session, on one line of at most 200 characters, such as `fetch_page: 504 from mirror`. Of several, one that made the root fail.
             * @default null
             */
            cause: string | null;
            /**
             * Cause Key
             * @description Equal for causes that differ only in ids, numbers and paths.
             * @default null
             */
            cause_key: string | null;
            /**
             * Cause Span
             * @description The span that `cause` is about, as `trace_id.span_id`; null if it was stored by an older version.
             * @default null
             */
            cause_span: string | null;
            /**
             * Change
             * @description Change number of this version: an older one never replaces a newer one.
             */
            change: number;
            /**
             * Changed At
             * @description RFC 3339: when this version was stored.
             */
            changed_at: string;
            /**
             * Cost Usd
             * @description Null if no telemetry carries a cost.
             */
            cost_usd: number | null;
            /** Dropped Count */
            dropped_count: number;
            /**
             * Duration Ms
             * @description Time in which any span ran: without `idle_ms`. Null while it runs.
             */
            duration_ms: number | null;
            /**
             * Ended At
             * @description RFC 3339, UTC; null while anything runs.
             */
            ended_at: string | null;
            engine: components["schemas"]["Engine"];
            /**
             * Epoch Ns
             * @description Unix ns as a decimal string; offsets count from it.
             */
            epoch_ns: string;
            /** Error Count */
            error_count: number;
            /**
             * Has Mcp
             * @description Whether any of its telemetry may be about MCP.
             */
            has_mcp: boolean;
            /** Id */
            id: string;
            /**
             * Idle Ms
             * @description Time between start and end in which no span ran, such as gaps between runs; up to `idle_since` if none runs now.
             * @default 0
             */
            idle_ms: number;
            /**
             * Idle Since
             * @description Since when no span runs, if it has not ended.
             * @default null
             */
            idle_since: string | null;
            /** Input Tokens */
            input_tokens: number;
            /** Llm Calls */
            llm_calls: number;
            /** Models */
            models: string[];
            /** Output Tokens */
            output_tokens: number;
            /**
             * Paused Since
             * @description Since when an operator pauses it, even if it also waits for a person.
             * @default null
             */
            paused_since: string | null;
            /** Services */
            services: string[];
            /**
             * Silent Since
             * @description For a running session without a live process: time of its last telemetry. Ten minutes later it is `lost`.
             * @default null
             */
            silent_since: string | null;
            /** Span Count */
            span_count: number;
            /**
             * Started At
             * @description RFC 3339, UTC.
             */
            started_at: string;
            status: components["schemas"]["SessionStatus"];
            /** Tags */
            tags: string[];
            /** Title */
            title: string;
            /** Tool Calls */
            tool_calls: number;
            /**
             * Users
             * @description Ids of its end users, as reported by senders.
             */
            users: string[];
            /**
             * Waiting Ms
             * @description Time in which any span waited for a person; overlapping waits count once. Up to `waiting_since` if it waits now.
             */
            waiting_ms: number;
            /**
             * Waiting Since
             * @default null
             */
            waiting_since: string | null;
        };
        /**
         * SessionBucket
         * @description The sessions that started in an interval.
         */
        SessionBucket: {
            /**
             * Counts
             * @description Sessions by status; without zeros.
             */
            counts: {
                [key: string]: number;
            };
            /**
             * Started At
             * @description Start of the interval; RFC 3339.
             */
            started_at: string;
        };
        /**
         * SessionContext
         * @description The contexts of a session's LLM calls, by start.
         */
        SessionContext: {
            /**
             * As Of
             * @description Change-feed position.
             */
            as_of: string;
            /**
             * Calls
             * @description The first 1 000, up to 64 MB; without those of unknown content.
             */
            calls: components["schemas"]["CallContext"][];
            /**
             * Left Out
             * @description Number of later calls, which were not read.
             */
            left_out: number;
            /** Session Id */
            session_id: string;
        };
        /**
         * SessionCount
         * @description Number of sessions that match a filter.
         */
        SessionCount: {
            /**
             * Count
             * @description Matches in this page.
             */
            count: number;
            /**
             * Next Cursor
             * @description Continues where the page reached its time limit; null: all are counted.
             */
            next_cursor: string | null;
            /**
             * Partial
             * @description What could not be searched; empty: nothing.
             */
            partial?: components["schemas"]["Partial"][];
        };
        /**
         * SessionDeleted
         * @description A session was deleted, or merged into another.
         */
        SessionDeleted: {
            /**
             * Change
             * @description Change number of the deletion: rows of the session that are older are gone.
             */
            change: number;
            /**
             * Moved To
             * @default null
             */
            moved_to: string | null;
            /** Session Id */
            session_id: string;
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SessionDeleted";
        };
        /**
         * SessionFinished
         * @description A session ended. New spans may make it run again.
         */
        SessionFinished: {
            /**
             * Fits
             * @description False: with `q`, this version is not in the list.
             */
            fits?: boolean;
            session: components["schemas"]["Session"];
            /** Session Id */
            session_id: string;
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SessionFinished";
        };
        /**
         * SessionHistogram
         * @description Number of sessions by the time of their start.
         */
        SessionHistogram: {
            /** Bucket Ms */
            bucket_ms: number;
            /**
             * Buckets
             * @description Oldest first, without gaps.
             */
            buckets: components["schemas"]["SessionBucket"][];
            /**
             * Counted From
             * @description Earlier sessions are not counted (time limit); null: all are.
             */
            counted_from: string | null;
            /**
             * Partial
             * @description What could not be searched; empty: nothing.
             */
            partial?: components["schemas"]["Partial"][];
        };
        /**
         * SessionHit
         * @description A matching session.
         */
        SessionHit: {
            /** Agents */
            agents: string[];
            /**
             * Answer
             * @description Last model output of an ended session without errors, on one line of at most 200 characters.
             */
            answer?: string | null;
            /**
             * Cause
             * @description Root cause of an ended session, on one line of at most 200 characters, such as `fetch_page: 504 from mirror`. Of several, one that made the root fail.
             */
            cause?: string | null;
            /**
             * Cause Key
             * @description Equal for causes that differ only in ids, numbers and paths.
             */
            cause_key?: string | null;
            /**
             * Cause Span
             * @description The span that `cause` is about, as `trace_id.span_id`; null if it was stored by an older version.
             */
            cause_span?: string | null;
            /**
             * Change
             * @description Change number of this version: an older one never replaces a newer one.
             */
            change: number;
            /**
             * Changed At
             * @description RFC 3339: when this version was stored.
             */
            changed_at: string;
            /**
             * Cost Usd
             * @description Null if no telemetry carries a cost.
             */
            cost_usd: number | null;
            /** Dropped Count */
            dropped_count: number;
            /**
             * Duration Ms
             * @description Time in which any span ran: without `idle_ms`. Null while it runs.
             */
            duration_ms: number | null;
            /**
             * Ended At
             * @description RFC 3339, UTC; null while anything runs.
             */
            ended_at: string | null;
            engine: components["schemas"]["Engine"];
            /**
             * Epoch Ns
             * @description Unix ns as a decimal string; offsets count from it.
             */
            epoch_ns: string;
            /** Error Count */
            error_count: number;
            /**
             * Excerpts
             * @description Matches in the session's own texts.
             */
            excerpts?: components["schemas"]["Excerpt"][];
            /**
             * Has Mcp
             * @description Whether any of its telemetry may be about MCP.
             */
            has_mcp: boolean;
            /** Id */
            id: string;
            /**
             * Idle Ms
             * @description Time between start and end in which no span ran, such as gaps between runs; up to `idle_since` if none runs now.
             * @default 0
             */
            idle_ms: number;
            /**
             * Idle Since
             * @description Since when no span runs, if it has not ended.
             */
            idle_since?: string | null;
            /** Input Tokens */
            input_tokens: number;
            /** Llm Calls */
            llm_calls: number;
            /** Models */
            models: string[];
            /** Output Tokens */
            output_tokens: number;
            /**
             * Paused Since
             * @description Since when an operator pauses it, even if it also waits for a person.
             */
            paused_since?: string | null;
            /** Services */
            services: string[];
            /**
             * Silent Since
             * @description For a running session without a live process: time of its last telemetry. Ten minutes later it is `lost`.
             */
            silent_since?: string | null;
            /** Span Count */
            span_count: number;
            /**
             * Started At
             * @description RFC 3339, UTC.
             */
            started_at: string;
            status: components["schemas"]["SessionStatus"];
            /** Tags */
            tags: string[];
            /** Title */
            title: string;
            /** Tool Calls */
            tool_calls: number;
            /**
             * Users
             * @description Ids of its end users, as reported by senders.
             */
            users: string[];
            /**
             * Waiting Ms
             * @description Time in which any span waited for a person; overlapping waits count once. Up to `waiting_since` if it waits now.
             */
            waiting_ms: number;
            /** Waiting Since */
            waiting_since?: string | null;
        };
        /**
         * SessionList
         * @description A page of sessions, in the requested order.
         */
        SessionList: {
            /**
             * As Of
             * @description Change-feed position: pass it to `/events?after=`.
             */
            as_of: string;
            /**
             * @description With `q`; null without an index.
             * @default null
             */
            index: components["schemas"]["IndexState"] | null;
            /** Next Cursor */
            next_cursor: string | null;
            /**
             * Partial
             * @description What could not be searched; empty: nothing.
             */
            partial?: components["schemas"]["Partial"][];
            /**
             * Positions
             * @description With `positions`: where each row is.
             */
            positions?: components["schemas"]["ListPosition"][] | null;
            /** Sessions */
            sessions: components["schemas"]["Session"][];
        };
        /**
         * SessionStarted
         * @description A new session.
         */
        SessionStarted: {
            /**
             * Fits
             * @description False: with `q`, this version is not in the list.
             */
            fits?: boolean;
            session: components["schemas"]["Session"];
            /** Session Id */
            session_id: string;
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SessionStarted";
        };
        /**
         * SessionStatistics
         * @description Statistics of all spans of a session, without duplicates.
         */
        SessionStatistics: {
            /**
             * Agent Runs
             * @description Runs whose span name differs from the agent's name; at most 10 000.
             */
            agent_runs: components["schemas"]["AgentRun"][];
            /** Agents */
            agents: components["schemas"]["RollUp"][];
            /**
             * As Of
             * @description Change-feed position.
             */
            as_of: string;
            /**
             * Cache
             * @description By kind, name and model; at most 500.
             */
            cache: components["schemas"]["CacheUse"][];
            /**
             * Handoffs
             * @description At most 500, by start.
             */
            handoffs: components["schemas"]["Handoff"][];
            /**
             * Models
             * @description Most expensive first; at most 500, like tools and agents.
             */
            models: components["schemas"]["RollUp"][];
            /**
             * Not Read
             * @description Spans beyond the limit, which were not read for streams, cache, handoffs and agent names.
             */
            not_read: number;
            /** Operation Count */
            operation_count: number;
            /**
             * Operations
             * @description Largest self time first, at most 1000.
             */
            operations: components["schemas"]["Operation"][];
            /** @description The price list in use; null if no service has the store open. */
            price_list: components["schemas"]["PriceSource"] | null;
            /** Session Id */
            session_id: string;
            /**
             * Span Count
             * @description Counted spans; at most 200 000.
             */
            span_count: number;
            streams: components["schemas"]["Streams"];
            /** Tools */
            tools: components["schemas"]["RollUp"][];
            /**
             * Unpriced Models
             * @description Models of calls with tokens but no known price; at most 500. Empty: calls without a model name.
             */
            unpriced_models: string[];
        };
        /**
         * SessionStatus
         * @description Status of a session, in order of precedence: the first that applies is shown.
         * @enum {string}
         */
        SessionStatus: "waiting" | "paused" | "running" | "lost" | "failed" | "cancelled" | "completed";
        /**
         * SessionUpdated
         * @description A session changed; with its complete row.
         */
        SessionUpdated: {
            /**
             * Fits
             * @description False: with `q`, this version is not in the list.
             */
            fits?: boolean;
            /**
             * Moved Change
             * @description Change number of the move: older rows of `moved_from` that are not read with it again are gone.
             * @default null
             */
            moved_change: number | null;
            /**
             * Moved From
             * @description A trace moved here from this session; the old id responds with 308.
             * @default null
             */
            moved_from: string | null;
            session: components["schemas"]["Session"];
            /** Session Id */
            session_id: string;
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SessionUpdated";
        };
        /**
         * SessionUsage
         * @description Usage of sessions by user, tag, model or day.
         */
        SessionUsage: {
            /**
             * Counted From
             * @description Earlier sessions are not counted (time limit); null: all are.
             */
            counted_from: string | null;
            /** Group Count */
            group_count: number;
            /**
             * Groups
             * @description At most 1000: the most expensive first, then the most tokens; days: newest.
             */
            groups: components["schemas"]["UsageGroup"][];
            /**
             * Partial
             * @description What could not be searched; empty: nothing.
             */
            partial?: components["schemas"]["Partial"][];
            /** @description Counts each session once. */
            total: components["schemas"]["UsageTotal"];
        };
        /**
         * Signal
         * @description `POST /signal/{session_id}`: answers the pending question, or goes to the agent.
         */
        Signal: {
            /** Payload Json */
            payload_json?: string | null;
            /** Reason */
            reason?: string | null;
            /** Signal Name */
            signal_name: string;
        };
        /**
         * SignalReceived
         * @description The telemetry reports that the session continues, or a question is no longer pending.
         */
        SignalReceived: {
            /** Attributes */
            attributes: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** Name */
            name: string;
            /**
             * @description The row of a question.
             * @default null
             */
            request: components["schemas"]["Request"] | null;
            /** Session Id */
            session_id: string;
            /** Span Id */
            span_id: string | null;
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /** Trace Id */
            trace_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SignalReceived";
        };
        /**
         * SpanColumns
         * @description A page of a session's spans as columns (`?format=columns`), in the order of the rows.
         */
        SpanColumns: {
            /** As Of */
            as_of: string;
            columns: components["schemas"]["SpanColumnSet"];
            /** Epoch Ns */
            epoch_ns: string;
            /** Next Cursor */
            next_cursor: string | null;
            /** Session Id */
            session_id: string;
        };
        /**
         * SpanColumnSet
         * @description The fields of `SpanRow`, each as one array: the n-th entries make the n-th row.
         */
        SpanColumnSet: {
            /** Change */
            change: number[];
            /** Cost Usd */
            cost_usd: (number | null)[];
            /** Duplicate Of */
            duplicate_of: (string | null)[];
            /** Duration Ns */
            duration_ns: (number | null)[];
            /** Input Tokens */
            input_tokens: (number | null)[];
            /** Kind */
            kind: components["schemas"]["SpanKind"][];
            /** Model */
            model: (string | null)[];
            /** Name */
            name: string[];
            /** Offset Ns */
            offset_ns: number[];
            /** Output Tokens */
            output_tokens: (number | null)[];
            /** Parent Span Id */
            parent_span_id: (string | null)[];
            /** Service */
            service: (string | null)[];
            /** Size Bytes */
            size_bytes: number[];
            /** Span Id */
            span_id: string[];
            /** Stall Ns */
            stall_ns: (number | null)[];
            /** Stall Start Ns */
            stall_start_ns: (number | null)[];
            /** Status */
            status: components["schemas"]["SpanStatus"][];
            /** Subject */
            subject: (string | null)[];
            /** Trace Id */
            trace_id: string[];
            /** Wait Ns */
            wait_ns: number[];
            /** Waited */
            waited: [
                number,
                number | null
            ][][];
            /** Waits */
            waits: number[];
        };
        /**
         * SpanContext
         * @description The context of one LLM call, text by text.
         */
        SpanContext: {
            /**
             * Agent
             * @description The nearest agent above it.
             */
            agent: string | null;
            /**
             * Before
             * @description `TRACE.SPAN` of the agent's previous call, which it is compared with.
             */
            before: string | null;
            /**
             * Cached Tokens
             * @description Part of the input tokens; null: not reported, or more than these.
             */
            cached_tokens: number | null;
            /**
             * Chars
             * @description The sum of the parts.
             */
            chars: number;
            /**
             * Dropped
             * @description At most 100.
             */
            dropped: components["schemas"]["DroppedPiece"][];
            /** Input Tokens */
            input_tokens: number | null;
            /**
             * Media
             * @description Number of images, sounds and files, which are not measured.
             */
            media: number;
            /** Model */
            model: string | null;
            /**
             * Offset Ns
             * @description From the session's `epoch_ns`; may be negative.
             */
            offset_ns: number;
            /**
             * Parts
             * @description Parts that are present or were dropped.
             */
            parts: components["schemas"]["ContextPart"][];
            /**
             * Pieces
             * @description At most 2 000, in the order of the prompt.
             */
            pieces: components["schemas"]["ContextPiece"][];
            /** Span Id */
            span_id: string;
            /** Trace Id */
            trace_id: string;
        };
        /**
         * SpanDetail
         * @description A span with its content.
         */
        SpanDetail: {
            /**
             * Attributes
             * @description Flat, as stored.
             */
            attributes: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /**
             * Change
             * @description Change number of this version: an older one never replaces a newer one.
             */
            change: number;
            /**
             * Clamped
             * @description With `max_value_bytes`: the cut values.
             */
            clamped?: components["schemas"]["Clamped"][];
            /**
             * @description For an LLM call: its context by part; null: unknown.
             * @default null
             */
            context: components["schemas"]["SpanContext"] | null;
            /** Cost Usd */
            cost_usd: number | null;
            dropped: components["schemas"]["Dropped"];
            /** Duplicate Of */
            duplicate_of: string | null;
            /**
             * Duration Ns
             * @description Null while the span runs.
             */
            duration_ns: number | null;
            /** Ended At */
            ended_at: string | null;
            /** Events */
            events: components["schemas"]["SpanEvent"][];
            /** Flags */
            flags: number;
            /** Input Tokens */
            input_tokens: number | null;
            kind: components["schemas"]["SpanKind"];
            /** Links */
            links: components["schemas"]["SpanLink"][];
            /** Model */
            model: string | null;
            /** Name */
            name: string;
            /**
             * Offset Ns
             * @description From the session's `epoch_ns`; may be negative.
             */
            offset_ns: number;
            /**
             * Otlp Kind
             * @enum {string}
             */
            otlp_kind: "unspecified" | "internal" | "server" | "client" | "producer" | "consumer";
            /** Output Tokens */
            output_tokens: number | null;
            /** Parent Span Id */
            parent_span_id: string | null;
            resource: components["schemas"]["Resource"];
            scope: components["schemas"]["Scope"];
            /**
             * Service
             * @description The sending service (`service.name`); null: not reported, or stored by an older version.
             */
            service: string | null;
            /** Session Id */
            session_id: string;
            /** Size Bytes */
            size_bytes: number;
            /** Span Id */
            span_id: string;
            /**
             * Stall Ns
             * @description Duration of that pause; null while the span runs.
             */
            stall_ns: number | null;
            /**
             * Stall Start Ns
             * @description From its start to the longest pause between chunks of its streamed answer, if longer than 3 s; while it runs, to the newest chunk.
             */
            stall_start_ns: number | null;
            /** Started At */
            started_at: string;
            status: components["schemas"]["SpanStatus"];
            /** Status Message */
            status_message: string | null;
            /**
             * Subject
             * @description The called tool or the running agent, from the attributes or else the span's name. Null for other kinds.
             */
            subject: string | null;
            /**
             * @description For a tool call: the tool as offered by the LLM call that precedes it; null: none did.
             * @default null
             */
            tool_definition: components["schemas"]["ToolDefinition"] | null;
            /** @description For an LLM call with tools; null: no earlier call offered any. */
            tools_before: components["schemas"]["ToolsBefore"] | null;
            /** Trace Id */
            trace_id: string;
            /** Trace State */
            trace_state: string;
            view: components["schemas"]["View"];
            /**
             * Wait Ns
             * @description Duration of the ended waits for a person.
             */
            wait_ns: number;
            /**
             * Waited
             * @description `[offset_ns, duration_ns]` of each wait, by start; a null duration: still waiting. Of more than 16, the last extends to the end of all.
             */
            waited: [
                number,
                number | null
            ][];
            /**
             * Waits
             * @description Number of waits; overlapping ones count once.
             */
            waits: number;
        };
        /**
         * SpanEnded
         * @description A span ended.
         */
        SpanEnded: {
            /** Session Id */
            session_id: string;
            span: components["schemas"]["SpanRow"];
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SpanEnded";
        };
        /**
         * SpanEvent
         * @description A moment inside a span: an OTLP span event, or a log record stored with it.
         */
        SpanEvent: {
            /** Attributes */
            attributes: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @default null */
            body: components["schemas"]["JsonValue"];
            /** Name */
            name: string;
            /** Offset Ns */
            offset_ns: number;
            /**
             * Source
             * @enum {string}
             */
            source: "span" | "log";
            /** Time */
            time: string;
        };
        /**
         * SpanKind
         * @description Kind of a span, read from its attributes (never from the OTLP kind).
         * @enum {string}
         */
        SpanKind: "agent" | "llm" | "tool" | "workflow" | "step" | "mcp" | "resource" | "prompt" | "retrieval" | "embedding" | "memory" | "guardrail" | "database" | "messaging" | "http" | "other";
        /**
         * SpanLink
         * @description A link to another span.
         */
        SpanLink: {
            /** Attributes */
            attributes: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** Dropped Attributes */
            dropped_attributes: number;
            /** Span Id */
            span_id: string;
            /** Trace Id */
            trace_id: string;
            /** Trace State */
            trace_state: string;
        };
        /**
         * SpanRef
         * @description A reference to a span, with its name.
         */
        SpanRef: {
            /** Name */
            name: string;
            /** Span Id */
            span_id: string;
            /** Trace Id */
            trace_id: string;
        };
        /**
         * SpanRow
         * @description A row of the waterfall.
         */
        SpanRow: {
            /**
             * Change
             * @description Change number of this version: an older one never replaces a newer one.
             */
            change: number;
            /** Cost Usd */
            cost_usd: number | null;
            /** Duplicate Of */
            duplicate_of: string | null;
            /**
             * Duration Ns
             * @description Null while the span runs.
             */
            duration_ns: number | null;
            /** Input Tokens */
            input_tokens: number | null;
            kind: components["schemas"]["SpanKind"];
            /** Model */
            model: string | null;
            /** Name */
            name: string;
            /**
             * Offset Ns
             * @description From the session's `epoch_ns`; may be negative.
             */
            offset_ns: number;
            /** Output Tokens */
            output_tokens: number | null;
            /** Parent Span Id */
            parent_span_id: string | null;
            /**
             * Service
             * @description The sending service (`service.name`); null: not reported, or stored by an older version.
             */
            service: string | null;
            /** Size Bytes */
            size_bytes: number;
            /** Span Id */
            span_id: string;
            /**
             * Stall Ns
             * @description Duration of that pause; null while the span runs.
             */
            stall_ns: number | null;
            /**
             * Stall Start Ns
             * @description From its start to the longest pause between chunks of its streamed answer, if longer than 3 s; while it runs, to the newest chunk.
             */
            stall_start_ns: number | null;
            status: components["schemas"]["SpanStatus"];
            /**
             * Subject
             * @description The called tool or the running agent, from the attributes or else the span's name. Null for other kinds.
             */
            subject: string | null;
            /** Trace Id */
            trace_id: string;
            /**
             * Wait Ns
             * @description Duration of the ended waits for a person.
             */
            wait_ns: number;
            /**
             * Waited
             * @description `[offset_ns, duration_ns]` of each wait, by start; a null duration: still waiting. Of more than 16, the last extends to the end of all.
             */
            waited: [
                number,
                number | null
            ][];
            /**
             * Waits
             * @description Number of waits; overlapping ones count once.
             */
            waits: number;
        };
        /**
         * SpanSkeleton
         * @description A page of a session's spans, by (offset, span id).
         */
        SpanSkeleton: {
            /** As Of */
            as_of: string;
            /** Epoch Ns */
            epoch_ns: string;
            /** Next Cursor */
            next_cursor: string | null;
            /** Session Id */
            session_id: string;
            /** Spans */
            spans: components["schemas"]["SpanRow"][];
        };
        /**
         * SpanStarted
         * @description A span started.
         */
        SpanStarted: {
            /** Session Id */
            session_id: string;
            span: components["schemas"]["SpanRow"];
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SpanStarted";
        };
        /**
         * SpanStatus
         * @description `running` and `lost` are ours; the rest is the OTLP status, `cancelled` split from error.
         * @enum {string}
         */
        SpanStatus: "running" | "unset" | "ok" | "error" | "cancelled" | "lost";
        /**
         * SpanUpdated
         * @description The complete row of a span that still runs, or was re-classified.
         */
        SpanUpdated: {
            /** Session Id */
            session_id: string;
            span: components["schemas"]["SpanRow"];
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SpanUpdated";
        };
        /**
         * Spread
         * @description A distribution of durations.
         */
        Spread: {
            /** Bucket Ns */
            bucket_ns: number[];
            /**
             * Buckets
             * @description Counts below each of `bucket_ns`; the last is the rest.
             */
            buckets: number[];
            /** Count */
            count: number;
            /** Longest Ns */
            longest_ns: number;
            /** Median Ns */
            median_ns: number;
            /** P95 Ns */
            p95_ns: number;
        };
        /**
         * StateChange
         * @description A snapshot of the agent's state, or an RFC 6902 patch against the previous one.
         */
        StateChange: {
            /** Description */
            description: string | null;
            /** Name */
            name: string;
            patch: components["schemas"]["Payload"] | null;
            /** Time */
            time: string;
            value: components["schemas"]["Payload"] | null;
        };
        /**
         * StateDifference
         * @description A change of one value of a state.
         */
        StateDifference: {
            /** @description Null when it was removed. */
            after: components["schemas"]["Payload"] | null;
            /** @description Null when it was added. */
            before: components["schemas"]["Payload"] | null;
            /**
             * Op
             * @enum {string}
             */
            op: "add" | "remove" | "replace";
            /**
             * Path
             * @description A JSON Pointer (RFC 6901) into the state.
             */
            path: string;
        };
        /**
         * StatePlace
         * @description The position of a change of a state.
         */
        StatePlace: {
            /** Position */
            position: number;
            /** Span Id */
            span_id: string | null;
            /** Time */
            time: string;
            /** Trace Id */
            trace_id: string | null;
        };
        /**
         * StateReading
         * @description The agent's state at a moment, or how it changed.
         */
        StateReading: {
            /** Description */
            description: string | null;
            /** Name */
            name: string;
            /** Offset Ns */
            offset_ns: number;
            patch: components["schemas"]["Clip"] | null;
            value: components["schemas"]["Clip"] | null;
        };
        /**
         * StateStep
         * @description The complete state after one of its changes, and that change.
         */
        StateStep: {
            at: components["schemas"]["StatePlace"];
            /** Change Count */
            change_count: number;
            /**
             * Changes
             * @description Changes since the previous step, the first 1000, in the order to apply them; null if there is no previous step or it is unknown.
             */
            changes: components["schemas"]["StateDifference"][] | null;
            /**
             * Count
             * @description Number of the changes of this state in the session.
             */
            count: number;
            /** Description */
            description: string | null;
            /**
             * Here
             * @description Positions of the changes on this span, the first 1000.
             */
            here: number[];
            /**
             * Is Complete
             * @description The whole session was read; otherwise there may be more steps.
             */
            is_complete: boolean;
            /** Name */
            name: string;
            /**
             * Names
             * @description Names of all states captured on this span.
             */
            names: string[];
            next: components["schemas"]["StatePlace"] | null;
            /**
             * Position
             * @description Index among the changes of this state in the session, from 0.
             */
            position: number;
            previous: components["schemas"]["StatePlace"] | null;
            /**
             * Problem
             * @description Why the state is unknown or incomplete.
             */
            problem: string | null;
            /** @description The complete state; null if unknown. */
            value: components["schemas"]["Payload"] | null;
        };
        /**
         * StoreHealth
         * @description The state of the store. While it is not writable, senders must wait.
         */
        StoreHealth: {
            /**
             * Message
             * @description The problem and its remedy; empty when `state` is `ok`.
             */
            message: string;
            /**
             * Since
             * @description RFC 3339, UTC.
             */
            since: string;
            /**
             * State
             * @description `incomplete`: of a reader that cannot ask one of its services.
             * @enum {string}
             */
            state: "ok" | "full" | "read_only" | "unavailable" | "incomplete";
        };
        /**
         * StoreUsage
         * @description The size of the store, and its retention.
         */
        StoreUsage: {
            /**
             * Retention
             * @description `INSPECTOR_RETENTION`, limited to the size of a store in memory.
             */
            retention: string;
            /**
             * Used Bytes
             * @description Bytes of sessions; the file may also contain free pages.
             */
            used_bytes: number;
        };
        /**
         * StreamedCall
         * @description An LLM call with a streamed answer.
         */
        StreamedCall: {
            /** Chunk Count */
            chunk_count: number | null;
            /**
             * First Chunk Ns
             * @description Time from the start to the first chunk.
             */
            first_chunk_ns: number | null;
            /**
             * Longest Stall Ns
             * @description Longest wait for a later chunk.
             */
            longest_stall_ns: number | null;
            /** Model */
            model: string | null;
            span: components["schemas"]["SpanRef"];
        };
        StreamEvent: components["schemas"]["SessionStarted"] | components["schemas"]["SessionUpdated"] | components["schemas"]["SessionFinished"] | components["schemas"]["SessionDeleted"] | components["schemas"]["SpanStarted"] | components["schemas"]["SpanUpdated"] | components["schemas"]["SpanEnded"] | components["schemas"]["ApprovalRequested"] | components["schemas"]["ApprovalResolved"] | components["schemas"]["WaitingOnSignal"] | components["schemas"]["SignalReceived"] | components["schemas"]["DecisionMade"] | components["schemas"]["ProgressUpdate"] | components["schemas"]["ResourceFetched"] | components["schemas"]["PromptUsed"] | components["schemas"]["Heartbeat"] | components["schemas"]["LeftOut"] | components["schemas"]["Gap"];
        /**
         * Streams
         * @description Timing of streamed answers, as measured by their senders.
         */
        Streams: {
            first_chunk: components["schemas"]["Spread"] | null;
            /**
             * Latest First Chunks
             * @description At most 10, the slowest first.
             */
            latest_first_chunks: components["schemas"]["StreamedCall"][];
            /**
             * Longest Stalls
             * @description At most 10, the longest first.
             */
            longest_stalls: components["schemas"]["StreamedCall"][];
            stall: components["schemas"]["Spread"] | null;
        };
        /**
         * TextPart
         * @description Plain text.
         */
        TextPart: {
            /**
             * Is Refusal
             * @description The model refuses.
             */
            is_refusal?: boolean;
            /**
             * Parse Error
             * @description Meant as JSON, but invalid: shown as received.
             * @default false
             */
            parse_error: boolean;
            /** Text */
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        };
        /**
         * TextSoFar
         * @description The answer of an LLM call that still streams, or was lost; its end replaces this.
         */
        TextSoFar: {
            /**
             * Chars
             * @description Length of the text received so far.
             */
            chars: number;
            /**
             * Text
             * @description The end of the text, without its last word.
             */
            text: string;
        };
        /**
         * Times
         * @description Durations of ended spans, without the waits of the spans and their descendants.
         */
        Times: {
            longest: components["schemas"]["SpanRef"];
            /** Longest Ns */
            longest_ns: number | null;
            /**
             * Mean Ns
             * @description Null if none ended; also for the others.
             */
            mean_ns: number | null;
            /** Median Ns */
            median_ns: number | null;
            /** P95 Ns */
            p95_ns: number | null;
            /**
             * Total Ns
             * @description The sum; spans may overlap.
             */
            total_ns: number;
        };
        /**
         * ToolCallPart
         * @description A tool call that the model requests.
         */
        ToolCallPart: {
            arguments: components["schemas"]["Payload"] | null;
            /** Id */
            id: string | null;
            /** Name */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_call";
        };
        /**
         * ToolDefinition
         * @description A tool that was offered to the model.
         */
        ToolDefinition: {
            /** Description */
            description: string | null;
            /** Name */
            name: string;
            parameters: components["schemas"]["Payload"] | null;
        };
        /**
         * ToolReading
         * @description The arguments and the result of a tool call.
         */
        ToolReading: {
            arguments: components["schemas"]["Clip"] | null;
            /** Call Id */
            call_id: string | null;
            /** Is Error */
            is_error: boolean;
            /** Name */
            name: string;
            result: components["schemas"]["Clip"] | null;
        };
        /**
         * ToolResultPart
         * @description The result of a tool call.
         */
        ToolResultPart: {
            /** Id */
            id: string | null;
            result: components["schemas"]["Payload"] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_result";
        };
        /**
         * ToolsBefore
         * @description How the tools that an LLM call offers differ from those of an earlier call.
         *
         *     The earlier call is the last with the same tools, of the few before it; else the last with any.
         */
        ToolsBefore: {
            /**
             * Added
             * @description Names of tools that are only offered now.
             */
            added: string[];
            /**
             * Changed
             * @description Names of tools with a different description or schema.
             */
            changed: string[];
            /**
             * Removed
             * @description Names of tools that were only offered then.
             */
            removed: string[];
            /** Span Id */
            span_id: string;
            /** Trace Id */
            trace_id: string;
        };
        /**
         * ToolView
         * @description A tool execution.
         */
        ToolView: {
            arguments: components["schemas"]["Payload"] | null;
            /** Call Id */
            call_id: string | null;
            /** Description */
            description: string | null;
            /** Is Error */
            is_error: boolean;
            /** Name */
            name: string;
            result: components["schemas"]["Payload"] | null;
        };
        /**
         * Transcript
         * @description Readings of the requested spans, in the order of the request.
         */
        Transcript: {
            /**
             * As Of
             * @description Change-feed position.
             */
            as_of: string;
            /**
             * Left Out
             * @description Requested spans that did not fit into the response: request them again.
             */
            left_out: string[];
            /**
             * Readings
             * @description Without unknown spans.
             */
            readings: components["schemas"]["Reading"][];
            /** Session Id */
            session_id: string;
        };
        /**
         * Transition
         * @description A change of a request's status, with time and actor.
         */
        Transition: {
            /** Actor */
            actor: string;
            /**
             * At
             * @description RFC 3339, by the service's clock.
             */
            at: string;
            /**
             * Origin
             * @enum {string}
             */
            origin: "browser" | "cli" | "api" | "mcp" | "agent" | "service";
            /**
             * Reason
             * @default null
             */
            reason: string | null;
            /**
             * Status
             * @enum {string}
             */
            status: "pending" | "answered" | "expired" | "withdrawn" | "lost";
        };
        /**
         * Usage
         * @description Tokens that this span reports. Cached and reasoning tokens are subsets.
         */
        Usage: {
            /** Cache Read Tokens */
            cache_read_tokens: number | null;
            /** Cache Write Tokens */
            cache_write_tokens: number | null;
            /**
             * Cost Source
             * @description Source of the cost: the span itself, or the prices of `GET /prices`.
             */
            cost_source: ("sender" | "prices") | null;
            /** Cost Usd */
            cost_usd: number | null;
            /** Input Tokens */
            input_tokens: number | null;
            /**
             * Is Aggregate
             * @description A sum over descendants, on a span that does not call a model itself.
             */
            is_aggregate: boolean;
            /**
             * Is Suspect
             * @description More cached than input tokens: the sender excludes them from its input.
             */
            is_suspect: boolean;
            /** Output Tokens */
            output_tokens: number | null;
            /** Reasoning Tokens */
            reasoning_tokens: number | null;
        };
        /**
         * UsageGroup
         * @description Usage of the sessions of one user, tag, model or day.
         */
        UsageGroup: {
            /**
             * Cost Usd
             * @description Null if no telemetry carries a cost.
             */
            cost_usd: number | null;
            /** Input Tokens */
            input_tokens: number;
            /** Llm Calls */
            llm_calls: number;
            /**
             * Name
             * @description Empty: none is reported. A day: `2026-01-31`, UTC.
             */
            name: string;
            /** Output Tokens */
            output_tokens: number;
            /** Session Count */
            session_count: number;
            /**
             * Tool Calls
             * @description 0 in the group of a model.
             */
            tool_calls: number;
            /**
             * Uncosted Calls
             * @description Calls with tokens but no cost, which `cost_usd` does not include.
             */
            uncosted_calls: number;
        };
        /**
         * UsageKey
         * @description What usage is grouped by.
         * @enum {string}
         */
        UsageKey: "user" | "tag" | "model" | "day";
        /**
         * UsageTotal
         * @description Usage of sessions.
         */
        UsageTotal: {
            /**
             * Cost Usd
             * @description Null if no telemetry carries a cost.
             */
            cost_usd: number | null;
            /** Input Tokens */
            input_tokens: number;
            /** Llm Calls */
            llm_calls: number;
            /** Output Tokens */
            output_tokens: number;
            /** Session Count */
            session_count: number;
            /**
             * Tool Calls
             * @description 0 in the group of a model.
             */
            tool_calls: number;
            /**
             * Uncosted Calls
             * @description Calls with tokens but no cost, which `cost_usd` does not include.
             */
            uncosted_calls: number;
        };
        /**
         * Use
         * @description Tokens and cost, counted on the lowest spans that report any.
         */
        Use: {
            /** Cost Usd */
            cost_usd: number;
            /** Input Tokens */
            input_tokens: number;
            /** Output Tokens */
            output_tokens: number;
        };
        /**
         * VerbBody
         * @description The reason to pause, resume, step or cancel a session.
         */
        VerbBody: {
            /** Reason */
            reason?: string | null;
        };
        /**
         * VerbResult
         * @description The outcome of a verb.
         */
        VerbResult: {
            /**
             * Applied
             * @description Null: not all processes have replied.
             */
            applied: boolean | null;
            /** Message */
            message: string;
            /**
             * Processes
             * @description Number of processes that received the command; 0: none is connected.
             */
            processes: number;
            /** Session Id */
            session_id: string;
            /** Verb */
            verb: ("cancel" | "pause" | "resume" | "step") | "signal";
        };
        /**
         * View
         * @description The content of a span, independent of the convention it was written in.
         */
        View: {
            /** Decisions */
            decisions: components["schemas"]["Decision"][];
            error: components["schemas"]["ErrorView"] | null;
            llm: components["schemas"]["LlmView"] | null;
            mcp: components["schemas"]["McpView"] | null;
            /** Messages */
            messages: components["schemas"]["Message"][];
            /**
             * Metadata
             * @description Metadata from the application.
             */
            metadata: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /**
             * Request
             * @description Facts about an HTTP, database or messaging request, under OpenTelemetry's stable names.
             */
            request: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** State */
            state: components["schemas"]["StateChange"][];
            tool: components["schemas"]["ToolView"] | null;
            /**
             * Truncated
             * @description Attributes that the sender truncated.
             */
            truncated: string[];
            usage: components["schemas"]["Usage"] | null;
            /** User Id */
            user_id: string | null;
        };
        /**
         * WaitingOnSignal
         * @description The telemetry reports a wait for a person, or a question was asked.
         */
        WaitingOnSignal: {
            /** Attributes */
            attributes: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** Name */
            name: string;
            /**
             * @description The row of a question.
             * @default null
             */
            request: components["schemas"]["Request"] | null;
            /** Session Id */
            session_id: string;
            /** Span Id */
            span_id: string | null;
            /**
             * Time
             * @description RFC 3339: when the change was committed.
             */
            time: string;
            /** Trace Id */
            trace_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "WaitingOnSignal";
        };
        /**
         * WriterHealth
         * @description The state of a service that a reader asks.
         */
        WriterHealth: {
            /** Name */
            name: string;
            /** @description Its store; `incomplete`: it does not answer. */
            store: components["schemas"]["StoreHealth"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_audit_audit_get: {
        parameters: {
            query?: {
                /** @description `people`: without actions of agents and the service, such as opening a request. Includes actions over the API and MCP. */
                by?: "people" | "all";
                cursor?: string | null;
                limit?: number;
                origin?: ("browser" | "cli" | "api" | "mcp" | "agent" | "service") | null;
                /** @description Include where each row is, to merge this list with others. */
                positions?: boolean;
                /** @description Text in any part of an entry; ignores case. */
                q?: string | null;
                result?: ("accepted" | "applied" | "not_applied" | "refused") | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLog"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_audit_audit_export_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_alias_cancel__session_id__post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerbBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerbResult"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_causes_causes_get: {
        parameters: {
            query?: {
                buckets?: number;
                /** @description Start, in Unix ns, of the first or last session that `counts` includes; set both. Default: of the first and last of these. */
                counts_from_ns?: number | null;
                /** @description Start, in Unix ns, of the first or last session that `counts` includes; set both. Default: of the first and last of these. */
                counts_until_ns?: number | null;
                limit?: number;
                /** @description A query in the language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words in names or content. */
                q?: string;
                /** @description Unix time: started then or later. */
                since_ms?: number | null;
                /** @description Unix time: started before. */
                until_ms?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CauseList"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compare_sessions_compare_get: {
        parameters: {
            query: {
                /** @description Kinds of differences to include; default: all. */
                change?: components["schemas"]["Change"][] | null;
                /** @description Id of the baseline session. */
                left: string;
                limit?: number;
                /** @description Number of differences to skip. */
                offset?: number;
                /** @description Id of the session to compare. */
                right: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    align_sessions_compare_rows_get: {
        parameters: {
            query: {
                /** @description Kinds of differences to include; default: all. */
                change?: components["schemas"]["Change"][] | null;
                /** @description Include all rows; default: rows that differ, the top rows of added and removed subtrees, their ancestors, and, without `change`, a row alone between these. */
                every?: boolean;
                /** @description Id of the baseline session. */
                left: string;
                limit?: number;
                /** @description Id of the session to compare. */
                right: string;
                /** @description The first row. */
                row?: number;
                /** @description `trace.span` whose row to find. */
                span?: string | null;
                /** @description `version` of an earlier page, to reject changed rows. */
                version?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlignedSteps"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compare_many_sessions_compare_runs_get: {
        parameters: {
            query: {
                /** @description Include all rows; default: rows that differ, the top rows of added and removed subtrees, their ancestors, and, without `change`, a row alone between these. */
                every?: boolean;
                limit?: number;
                /** @description The first row. */
                row?: number;
                /** @description Session ids; the first is the baseline. */
                session: string[];
                /** @description `version` of an earlier page, to reject changed rows. */
                version?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTable"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    events_events_get: {
        parameters: {
            query?: {
                /** @description An `as_of`, or the last id seen; `Last-Event-ID` takes precedence. */
                after?: string | null;
                /** @description Interval of writes under load. */
                interval_ms?: number | null;
                /** @description Send only rows of the list that match this query by their own fields (where spans decide, they count as matching) or wait for a person, at most 200 a second. A row that no longer matches is sent once, with `fits: false`. */
                q?: string | null;
                /** @description Sessions whose rows are sent first, whether they match `q` or not. */
                rows?: string[] | null;
                /** @description Send spans of these sessions only, comma-separated. Rows of other sessions then come at most once a second, unless the session is new or has ended. `-` matches no session: rows come at once. */
                session_id?: string | null;
                /** @description `now`: end when everything is sent. Default: continue live. */
                until?: "now" | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Changes since the position, newest version only; then live changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    health_health_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    import_file_import_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description OTLP JSON: one request per line, an array, or one document; gzip or plain. Also Jaeger traces and Langfuse exports in JSON, and the output of the console exporters of the Python and JavaScript SDKs. */
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    talk_mcp_mcp_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description A JSON-RPC message, as the Model Context Protocol defines them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Accepted; a notification has no response. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A JSON-RPC message, as the Model Context Protocol defines them. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A JSON-RPC message, as the Model Context Protocol defines them. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A JSON-RPC message, as the Model Context Protocol defines them. */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The message is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    prices_prices_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Prices"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    recompute_prices_recompute_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Prices"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    hello_processes__process_id__put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                process_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProcessHello"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessWelcome"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    follow_commands_processes__process_id__commands_get: {
        parameters: {
            query?: {
                /** @description The last `seq` handled. */
                after?: number;
            };
            header?: never;
            path: {
                process_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Unacknowledged commands, oldest first; then live. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    messages_processes__process_id__messages_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                process_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentMessages"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentMessagesReply"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    query_values_query_values_get: {
        parameters: {
            query: {
                /** @description As in a query: `agent`, `span.model`, `tool`. */
                field: string;
                limit?: number;
                /** @description Ignores case. */
                prefix?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryValues"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_requests_requests_get: {
        parameters: {
            query?: {
                cursor?: string | null;
                limit?: number;
                /** @description Include where each row is, to merge this list with others. */
                positions?: boolean;
                session_id?: string | null;
                status?: components["schemas"]["RequestStatus"] | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestList"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_request_requests__request_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Request"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answer_requests__request_id__post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                request_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Answer"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnswerResult"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    search_search_get: {
        parameters: {
            query: {
                cursor?: string | null;
                limit?: number;
                /** @description Include where each row is, to merge this list with others. */
                positions?: boolean;
                /** @description A query in the language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words in names or content. */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResult"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_sessions_sessions_get: {
        parameters: {
            query?: {
                cursor?: string | null;
                limit?: number;
                /** @description Include where each row is, to merge this list with others. */
                positions?: boolean;
                /** @description A query in the language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words in names or content. */
                q?: string;
                /** @description Unix time: started then or later. */
                since_ms?: number | null;
                /** @description Sort order; `-` is descending. */
                sort?: "started" | "-started" | "changed" | "-changed" | "title" | "-title" | "duration" | "-duration" | "waiting" | "-waiting" | "spans" | "-spans" | "errors" | "-errors" | "llm_calls" | "-llm_calls" | "tool_calls" | "-tool_calls" | "tokens" | "-tokens" | "cost" | "-cost";
                /** @description Sessions with any of these statuses. */
                status?: components["schemas"]["SessionStatus"][] | null;
                /** @description Unix time: started before. */
                until_ms?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_session_sessions__session_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_session_sessions__session_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_sessions__session_id__cancel_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerbBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerbResult"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session_context_sessions__session_id__context_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionContext"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session_control_sessions__session_id__control_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listeners"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_page_sessions__session_id__export_html_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page of the session, readable without a service. In very large sessions, the content of the last spans is omitted, with a note on the page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The session has more than 100000 spans. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The web UI is not built. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_last_good_session_sessions__session_id__last_good_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LastGoodSession"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_mcp_log_sessions__session_id__mcp_get: {
        parameters: {
            query?: {
                cursor?: string | null;
                /** @description Number of spans to read. */
                limit?: number;
                /** @description `change` of an earlier response: return later entries only. */
                since?: number | null;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpLog"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_mcp_frame_sessions__session_id__mcp_frame_get: {
        parameters: {
            query: {
                /** @description `key` of a log entry. */
                key: string;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpFrame"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pause_sessions__session_id__pause_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerbBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerbResult"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume_sessions__session_id__resume_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerbBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerbResult"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_spans_sessions__session_id__spans_get: {
        parameters: {
            query?: {
                cursor?: string | null;
                /** @description `columns`: one array per field. `pages`: all pages from the cursor on, one line of columns each. */
                format?: "rows" | "columns" | "pages";
                limit?: number;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    /** @description `next_cursor`, to request the next page while this one arrives; absent on the last page. */
                    "Inspector-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpanSkeleton"] | components["schemas"]["SpanColumns"];
                    "application/x-ndjson": string;
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session_statistics_sessions__session_id__statistics_get: {
        parameters: {
            query?: {
                /** @description Show the session at this instant, counted from its `epoch_ns`. */
                at_ns?: number | null;
                /** @description False omits operations, models, tools and agents. */
                totals?: boolean;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionStatistics"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    step_sessions__session_id__step_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerbBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerbResult"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_transcript_sessions__session_id__transcript_get: {
        parameters: {
            query: {
                /** @description `TRACE.SPAN` of a span of the session; for an LLM call, `TRACE.SPAN~TRACE.SPAN` with the previous call of the conversation, whose messages are then not repeated. */
                span: string[];
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcript"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_last_calls_sessions__session_id__transcript_last_get: {
        parameters: {
            query?: {
                /** @description `TRACE.SPAN`: only calls that started before it; of one that ended later, without its result. */
                before?: string | null;
                limit?: number;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcript"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session_count_sessions_count_get: {
        parameters: {
            query?: {
                cursor?: string | null;
                /** @description A query in the language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words in names or content. */
                q?: string;
                /** @description Unix time: started then or later. */
                since_ms?: number | null;
                /** @description Unix time: started before. */
                until_ms?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionCount"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session_histogram_sessions_histogram_get: {
        parameters: {
            query?: {
                bucket_ms?: number;
                buckets?: number;
                /** @description A query in the language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words in names or content. */
                q?: string;
                /** @description Unix time; default: now. */
                until_ms?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionHistogram"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session_usage_sessions_usage_get: {
        parameters: {
            query?: {
                /** @description Key to group by. */
                by?: components["schemas"]["UsageKey"];
                /** @description A query in the language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words in names or content. */
                q?: string;
                /** @description Unix time: started then or later. */
                since_ms?: number | null;
                /** @description Unix time: started before. */
                until_ms?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionUsage"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signal_signal__session_id__post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Signal"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerbResult"];
                };
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_span_spans__trace_id___span_id__get: {
        parameters: {
            query?: {
                /** @description Size limit of a value; longer values are cut and listed in `clamped`. */
                max_value_bytes?: number | null;
                /** @description The session of the span: 404 if the span is not in it. A trace may be in two services of a reader, which asks that of the session. */
                session_id?: string | null;
            };
            header?: never;
            path: {
                span_id: string;
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpanDetail"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_span_state_spans__trace_id___span_id__state_get: {
        parameters: {
            query?: {
                /** @description Name of the state; default: the last one. */
                name?: string | null;
                /** @description Position of the change in the session; default: the last on this span. */
                position?: number | null;
                /** @description The session of the span: 404 if the span is not in it. A trace may be in two services of a reader, which asks that of the session. */
                session_id?: string | null;
            };
            header?: never;
            path: {
                span_id: string;
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateStep"];
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_span_value_spans__trace_id___span_id__value_get: {
        parameters: {
            query: {
                /** @description JSON Pointer (RFC 6901) into the complete response for the span, such as `/attributes/gen_ai.input.messages`. */
                pointer: string;
                /** @description The session of the span: 404 if the span is not in it. A trace may be in two services of a reader, which asks that of the session. */
                session_id?: string | null;
            };
            header?: never;
            path: {
                span_id: string;
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text unchanged; other values as JSON. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "text/plain": string;
                };
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_session_trace__session_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OTLP JSON, one `TracesData` or `LogsData` a line, gzipped; with an `ETag` once the session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            /** @description The requested `Range`; one range of bytes. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            /** @description Not changed since the given `ETag`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Merged into another session; see `Location`. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The range is outside the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem (RFC 9457). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem (RFC 9457). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    receive_logs_v1_logs_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    resourceLogs?: {
                        resource?: components["schemas"]["OtlpResource"];
                        schemaUrl?: string;
                        scopeLogs?: {
                            logRecords?: Record<string, never>[];
                            schemaUrl?: string;
                            scope?: components["schemas"]["OtlpScope"];
                        }[];
                    }[];
                };
                "application/x-protobuf": string;
            };
        };
        responses: {
            /** @description `opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse`, in the request's encoding; the data is committed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportResponse"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Bad data. `google.rpc.Status`, in the request's encoding. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Missing or wrong token. `google.rpc.Status`, in the request's encoding. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description This client is not allowed. `google.rpc.Status`, in the request's encoding. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description The request body timed out. `google.rpc.Status`, in the request's encoding. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Too large. `google.rpc.Status`, in the request's encoding. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Unsupported content type or encoding. `google.rpc.Status`, in the request's encoding. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Overloaded; see Retry-After. `google.rpc.Status`, in the request's encoding. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description The store is unavailable; see Retry-After. `google.rpc.Status`, in the request's encoding. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
        };
    };
    receive_metrics_v1_metrics_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    resourceMetrics?: {
                        resource?: components["schemas"]["OtlpResource"];
                        schemaUrl?: string;
                        scopeMetrics?: {
                            metrics?: Record<string, never>[];
                            schemaUrl?: string;
                            scope?: components["schemas"]["OtlpScope"];
                        }[];
                    }[];
                };
                "application/x-protobuf": string;
            };
        };
        responses: {
            /** @description `opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse`, in the request's encoding; the data is committed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportResponse"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Bad data. `google.rpc.Status`, in the request's encoding. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Missing or wrong token. `google.rpc.Status`, in the request's encoding. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description This client is not allowed. `google.rpc.Status`, in the request's encoding. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description The request body timed out. `google.rpc.Status`, in the request's encoding. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Too large. `google.rpc.Status`, in the request's encoding. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Unsupported content type or encoding. `google.rpc.Status`, in the request's encoding. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Overloaded; see Retry-After. `google.rpc.Status`, in the request's encoding. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description The store is unavailable; see Retry-After. `google.rpc.Status`, in the request's encoding. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
        };
    };
    receive_traces_v1_traces_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    resourceSpans?: {
                        resource?: components["schemas"]["OtlpResource"];
                        schemaUrl?: string;
                        scopeSpans?: {
                            schemaUrl?: string;
                            scope?: components["schemas"]["OtlpScope"];
                            spans?: Record<string, never>[];
                        }[];
                    }[];
                };
                "application/x-protobuf": string;
            };
        };
        responses: {
            /** @description `opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse`, in the request's encoding; the data is committed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportResponse"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Bad data. `google.rpc.Status`, in the request's encoding. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Missing or wrong token. `google.rpc.Status`, in the request's encoding. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description This client is not allowed. `google.rpc.Status`, in the request's encoding. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description The request body timed out. `google.rpc.Status`, in the request's encoding. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Too large. `google.rpc.Status`, in the request's encoding. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Unsupported content type or encoding. `google.rpc.Status`, in the request's encoding. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Overloaded; see Retry-After. `google.rpc.Status`, in the request's encoding. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description The store is unavailable; see Retry-After. `google.rpc.Status`, in the request's encoding. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
        };
    };
}
