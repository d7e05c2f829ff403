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
         * @description Do as `POST /sessions/{id}/cancel`.
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
         * @description Group sessions by what failed first in them, the most frequent first.
         *
         *     Causes are alike when they differ in ids, numbers, times and paths alone. Sessions that
         *     recovered from their errors are among them: `q=status:failed` leaves them out.
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
         *     Spans are paired from the roots down by kind and name; where several are alike, by what they
         *     were asked, else by start.
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
         *     Children are in the order of the first session; what only the second has comes after the step
         *     that precedes it there. A row that is not listed belongs to what is the same, or below what
         *     only one session has.
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
         * @description Compare 2 to 20 sessions step by step, each with the first one.
         *
         *     Refused: `same_session` (422) when one is there twice, `too_many_spans` (422) above 200 000
         *     spans in all.
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
         * @description Follow what changes.
         *
         *     `Gap` means that the position is unknown here: read the lists again. A `SessionUpdated` with
         *     `moved_from` means that the session named there lost spans to this one: read it again.
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
         *     Needs no token. With one, it says how the store is.
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
         * @description Store the content of a file as it arrives; the same file again changes nothing.
         *
         *     Nothing of it counts as running, and nothing of it is forwarded.
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
         * @description Ask the MCP server: see `docs/mcp-server.md`.
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
         * @description Say what the cost of LLM calls is computed from, where senders do not say it.
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
         * @description Compute the costs of the stored LLM calls again, in the background.
         *
         *     What senders say stays; the prices are those of the time of each call. While it runs, another
         *     request starts nothing.
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
         * @description Say who a process is. Its id is the `service.instance.id` of its telemetry.
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
         * @description Follow the commands of a process: each is sent again until it is acknowledged.
         *
         *     A new stream takes the place of the one before. A comment every 5 s says that it lives.
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
         * @description Receive the messages of an agent, in order; durable when answered, and idempotent.
         *
         *     `received` leaves out requests that could not be opened because too many are: send them again.
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
         * @description List values that a field of a query has in the newest sessions or spans.
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
         * @description List requests, newest first. A page may be short where arguments are long.
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
         * @description Answer a request. The first answer wins, and the agent is the judge of it.
         *
         *     Refused: `already_answered` and `already_closed` (409), `wrong_hash`, `wrong_decision`,
         *     `not_editable` and `bad_json` (422). An answer that won is durable before it is sent.
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
         * @description List sessions, running and stored alike, newest start first or sorted otherwise.
         *
         *     With a query, a page may be short, or empty, and not the last: `next_cursor` tells. What is not
         *     known, as a cost may be, comes last in either direction.
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
         * @description Delete a session with its spans, for ever. What its agent sends later begins it anew.
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
         * @description Let the session stop at its next operation.
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
         * @description Say what the context of each LLM call of a session consists of.
         *
         *     Parts are measured by characters, and share the input tokens that the call reports. What stands
         *     in a context twice is marked, and what the call before of the same agent was sent and it was
         *     not.
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
    "/sessions/{session_id}/export.html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Page
         * @description Export a session as one web page that can be read without a service, and changes nothing.
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
         * @description Find the run to compare a failed session with: the last good one of its title.
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
         * @description List the MCP messages of a session in both directions, with the events of connections.
         *
         *     Read all pages; then ask with `since`, which is the first page's `change`, again and again.
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
         * @description Return one message whole, digit for digit as it was captured.
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
         * @description Let the session hold at its next operation.
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
         * @description Let a session that holds go on.
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
         *     Read all pages, then `/events?after=` with the `as_of` of the first one: nothing is missed.
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
         *     By operation, model, tool and agent; how streamed answers came in, what was cached, and who
         *     handed the conversation to whom.
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
         * @description Let a session that holds do one operation, and hold again.
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
         * @description Say what some spans of a session say, clipped.
         *
         *     Who reads a session knows from its spans what comes after what, and asks for what is in view.
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
         * @description Say what the last model and tool calls of a session say, oldest first, clipped.
         *
         *     They are what led to a request of the session. Nothing is waited for: where the span is not
         *     known, they are the last ones.
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
         * @description Count the sessions that a filter finds.
         *
         *     A filter that only SQL conditions decide is counted at once. For others a page ends when its
         *     time is up: add up the counts of all pages.
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
         * @description Count the sessions that began in each of some stretches of time, by status.
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
         * @description Add up calls, tokens and cost of sessions by user, tag, model or day.
         *
         *     A session of two users, or with two tags, counts for both.
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
         * @description Send a signal: it answers the oldest question that waits for it, else it is passed on.
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
         * @description Return a captured state: as a whole after one of its changes, and what changed.
         *
         *     Patches are resolved to whole states, also across spans; where a link is missing that is said.
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
         * @description Return one value of a span, whole and alone.
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
         * @description Export all that was received of a session; `POST /import` takes it in elsewhere.
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
         *     The token is not needed from this machine, where the service listens on a loopback address and the request names no proxy that brought it; INSPECTOR_REQUIRE_INGEST_TOKEN asks for it there too, and INSPECTOR_OPEN_INGEST asks for it nowhere. A service that is mounted in another app always asks.
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
         *     The token is not needed from this machine, where the service listens on a loopback address and the request names no proxy that brought it; INSPECTOR_REQUIRE_INGEST_TOKEN asks for it there too, and INSPECTOR_OPEN_INGEST asks for it nowhere. A service that is mounted in another app always asks.
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
         *     The token is not needed from this machine, where the service listens on a loopback address and the request names no proxy that brought it; INSPECTOR_REQUIRE_INGEST_TOKEN asks for it there too, and INSPECTOR_OPEN_INGEST asks for it nowhere. A service that is mounted in another app always asks.
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
         * @description A command was carried out, or could not be; it is not sent again.
         */
        AckMessage: {
            /**
             * Applied
             * @description False of an answer: the request waits for another.
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
         * @description `POST /processes/{id}/messages`: in order; each has an id, and twice is once.
         */
        AgentMessages: {
            /** Messages */
            messages: (components["schemas"]["HeartbeatMessage"] | components["schemas"]["GoodbyeMessage"] | components["schemas"]["RequestOpenedMessage"] | components["schemas"]["RequestClosedMessage"] | components["schemas"]["AckMessage"])[];
        };
        /**
         * AgentMessagesReply
         * @description The messages that are stored durably.
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
             * @description Its differences, the most significant first.
             */
            changes: components["schemas"]["Change"][];
            /**
             * Depth
             * @description Number of steps above it.
             */
            depth: number;
            /**
             * Differing Below
             * @description Number of listed differences below it: a subtree that was added counts once.
             */
            differing_below: number;
            /**
             * Follows
             * @description Whether it differs after the first difference, and so may follow from it.
             */
            follows: boolean;
            /** @description In the first session; null when it was added. */
            left: components["schemas"]["SpanRow"] | null;
            /**
             * Left Answer
             * @description From a little before the answers part.
             */
            left_answer: string | null;
            /**
             * Left Own Ns
             * @description Its time without waiting and spans below it.
             */
            left_own_ns: number | null;
            /** @description In the second one; null when it was removed. */
            right: components["schemas"]["SpanRow"] | null;
            /** Right Answer */
            right_answer: string | null;
            /** Right Own Ns */
            right_own_ns: number | null;
            /**
             * Row
             * @description Number of steps before it.
             */
            row: number;
            /**
             * Size
             * @description Number of rows from it to the last step below it.
             */
            size: number;
        };
        /**
         * AlignedSteps
         * @description A page of the steps of two sessions, as one tree.
         */
        AlignedSteps: {
            /**
             * First Difference
             * @description Row of `diverged` of `GET /compare`.
             */
            first_difference: number | null;
            /**
             * Found Row
             * @description Row of the span that was looked for.
             */
            found_row: number | null;
            /**
             * Later Count
             * @description Number of listed differences in rows after that; 0 if it is not listed.
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
             * @description Changes when either session does, and rows with it.
             */
            version: string;
        };
        /**
         * Answer
         * @description `POST /requests/{id}`: what a person answers.
         */
        Answer: {
            /**
             * Args Hash
             * @description Hash of the shown arguments; required if there are any.
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
         * @description The answer won. Whether the agent took it is `applied`, null while it is not connected.
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
         * @description An approval or a breakpoint was opened, or opened again; the whole row.
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
             * @description Id of the request; null for a mere pause.
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
         * @description One action of control, or an attempt at one. Entries are never changed.
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
             * @description Address of the other end, if known.
             */
            address: string | null;
            /** Args Hash */
            args_hash: string | null;
            /** At */
            at: string;
            /**
             * Code
             * @description The problem's `code`, if it was refused.
             */
            code: string | null;
            /** Decision */
            decision: string | null;
            /** Detail */
            detail: string | null;
            /** Id */
            id: number;
            /**
             * Origin
             * @enum {string}
             */
            origin: "browser" | "cli" | "api" | "mcp" | "agent" | "service";
            /** Process Id */
            process_id: string | null;
            /**
             * Question
             * @description The beginning of the request's prompt; null without one, and when the session is deleted.
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
             * @description As it is now; null when the session is gone.
             */
            session_title: string | null;
            /**
             * Tool Name
             * @description The tool that the request is about.
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
         * @description What an LLM call was sent, in sum.
         */
        CallContext: {
            /**
             * Agent
             * @description The nearest agent above it.
             */
            agent: string | null;
            /**
             * Cached Tokens
             * @description Of the input tokens; null: not reported, or more than these.
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
             * @description Pictures, sound and files, which are not measured.
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
             * @description Those that are there or were dropped.
             */
            parts: components["schemas"]["ContextPart"][];
            /** Span Id */
            span_id: string;
            /** Trace Id */
            trace_id: string;
        };
        /**
         * CauseGroup
         * @description Sessions with causes that are alike.
         */
        CauseGroup: {
            /**
             * Cause
             * @description Of the newest, with placeholders such as `<n>` and `<path>` for what varies.
             */
            cause: string;
            /**
             * Counts
             * @description Sessions by the time of their start, see `bucket_ms`.
             */
            counts: number[];
            /** @description The newest. */
            example: components["schemas"]["Session"];
            /**
             * Failed Count
             * @description Those that failed; the others recovered, or were cancelled or lost.
             */
            failed_count: number;
            /**
             * First Seen
             * @description Start of the first; RFC 3339, within the time.
             */
            first_seen: string;
            /**
             * Good Session Id
             * @description The newest session with the title of the example that completed without an error, to compare it with.
             */
            good_session_id: string | null;
            /**
             * Key
             * @description `cause_key:KEY` as a query finds the sessions.
             */
            key: string;
            /** Last Seen */
            last_seen: string;
            /** Session Count */
            session_count: number;
        };
        /**
         * CauseList
         * @description What sessions failed from, the most frequent first.
         */
        CauseList: {
            /** Bucket Ms */
            bucket_ms: number;
            /**
             * Counted From
             * @description Earlier sessions are not counted, as they are too many; null: all are.
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
         * @description A value of which only the beginning is here: `…/value` has all of it.
         */
        Clamped: {
            /**
             * Is Json
             * @description It is no text: the beginning of its JSON stands there.
             */
            is_json: boolean;
            /**
             * Pointer
             * @description Its place in this response: a JSON Pointer (RFC 6901).
             */
            pointer: string;
            /**
             * Size Bytes
             * @description Size of the whole value in UTF-8.
             */
            size_bytes: number;
        };
        /**
         * Clip
         * @description The beginning of a text.
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
             * @description The sender cut it short.
             * @default false
             */
            is_truncated: boolean;
            /** Text */
            text: string;
        };
        /**
         * Command
         * @description `GET /processes/{id}/commands` (SSE, `id:` is `seq`): sent again until it is acknowledged.
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
             * @description Grows by process.
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
         * @description An answer on its way to the agent, which is the judge of it.
         */
        CommandAnswer: {
            /**
             * Args Hash
             * @description Hash of the arguments that were shown.
             */
            args_hash: string | null;
            /**
             * Args Json
             * @description Edited arguments, as the JSON text that was typed; null: as they were.
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
             * @description Number of differences of the requested kinds, on all pages.
             */
            difference_count: number;
            /** Differences */
            differences: components["schemas"]["Difference"][];
            /** @description The first in time that is more than slower or dearer. */
            diverged: components["schemas"]["Difference"] | null;
            left: components["schemas"]["Session"];
            /** Next Offset */
            next_offset: number | null;
            /**
             * Not Compared
             * @description Spans whose content was not looked at: there is too much of it.
             */
            not_compared: number;
            right: components["schemas"]["Session"];
            /**
             * Same Count
             * @description Spans that have a pair and do not differ.
             */
            same_count: number;
        };
        /**
         * ContextPart
         * @description A part of a context, by the characters of its texts.
         */
        ContextPart: {
            /** Chars */
            chars: number;
            /**
             * Dropped Chars
             * @description Of texts that the call before was sent and this one was not.
             */
            dropped_chars: number;
            /**
             * Part
             * @description Instructions; definitions of tools; what users and models wrote and called; what retrievals returned; results of tools; the rest.
             * @enum {string}
             */
            part: "system" | "tools" | "history" | "retrieved" | "tool_results" | "other";
            /**
             * Repeated Chars
             * @description Of texts that stand in the context before.
             */
            repeated_chars: number;
            /**
             * Tokens
             * @description Estimated: the share of the reported input tokens that it has of the characters. Null: none are reported.
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
             * @description Its place in the response about the span: a JSON Pointer (RFC 6901).
             */
            pointer: string;
            /**
             * Repeats
             * @description The place of the same text before it.
             */
            repeats: string | null;
        };
        /**
         * Decision
         * @description A verdict of a hook, a policy or a person.
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
         * @description A verdict of a hook, a policy or a person, other than plain consent.
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
         * @description A span that is not the same in two sessions, or that only one of them has.
         */
        Difference: {
            /**
             * Changes
             * @description Its differences, the most significant first.
             */
            changes: components["schemas"]["Change"][];
            /** @description In the first session; null when it was added. */
            left: components["schemas"]["SpanRow"] | null;
            /**
             * Left Answer
             * @description From a little before the answers part.
             */
            left_answer: string | null;
            /**
             * Left Own Ns
             * @description Its time without waiting and spans below it.
             */
            left_own_ns: number | null;
            /**
             * Path
             * @description Names from the root to the span; of many, the last ones.
             */
            path: string[];
            /** @description In the second one; null when it was removed. */
            right: components["schemas"]["SpanRow"] | null;
            /** Right Answer */
            right_answer: string | null;
            /** Right Own Ns */
            right_own_ns: number | null;
            /**
             * Span Count
             * @description With all descendants if it was added or removed; else 1.
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
         * @description A text that the call before was sent and this one was not.
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
         * @description The error of a span, by its last exception event, else by its attributes and its status.
         */
        ErrorView: {
            /**
             * Code
             * @description The status code of RPC or HTTP, else `error.type` where it is no exception's.
             */
            code: string | null;
            /** Message */
            message: string | null;
            /** Stacktrace */
            stacktrace: string | null;
            /**
             * Status Message
             * @description The message of the span's status, where it says more than type and message.
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
        /** @description `Export…ServiceResponse`: empty, or what was not taken and why. */
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
         * @description The reader's position is unknown here: read the lists again.
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
             * @description Whether the agent applied it; null: not reported yet.
             */
            applied: boolean | null;
            /**
             * Applied Reason
             * @description The reason that the agent did not apply it.
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
         * @description The process ends, and its open requests with it.
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
         * @description `GET /health`: who answers, and whether it is ready to take telemetry in.
         */
        Health: {
            /**
             * Name
             * @default mcp-agent-inspector
             * @constant
             */
            name: "mcp-agent-inspector";
            /** Ready */
            ready: boolean;
            /** @description For those who have the token. */
            store?: components["schemas"]["StoreHealth"] | null;
            /** @description For those who have the token; null when it cannot be read. */
            usage?: components["schemas"]["StoreUsage"] | null;
            /** Version */
            version: string;
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
         * @description The process lives.
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
         * ImportMistake
         * @description A part of an imported file that was rejected.
         */
        ImportMistake: {
            /**
             * Line
             * @description On which it begins, from 1.
             */
            line: number;
            /** Message */
            message: string;
        };
        /**
         * ImportReport
         * @description `POST /import`: what became of a file. What is good is kept, whatever stands beside it.
         */
        ImportReport: {
            /** Log Duplicates */
            log_duplicates: number;
            /**
             * Logs
             * @description Log records of a trace or a session, taken.
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
             * @description Spans, records and values that could not be read.
             */
            rejected: number;
            /**
             * Sessions
             * @description Ids of the sessions in it, the first 1000.
             */
            sessions: string[];
            /**
             * Span Duplicates
             * @description There before, just so.
             */
            span_duplicates: number;
            /**
             * Spans
             * @description Taken.
             */
            spans: number;
        };
        /**
         * IndexState
         * @description The state of the index of words. Rows not indexed yet are searched too, but slower.
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
             * @description The newest session with the title that completed without an error; null: there is none.
             */
            session_id: string | null;
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
         * LlmView
         * @description An LLM call.
         */
        LlmView: {
            /**
             * Finish Reasons
             * @description stop, length, tool_call, content_filter, or what the sender wrote.
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
         * @description An item that an input-required result asks for, or the answer to it.
         */
        McpAsk: {
            /** Key */
            key: string;
            /** Method */
            method: string | null;
            /**
             * Text
             * @description The question, or what was done with it.
             */
            text: string | null;
        };
        /**
         * McpEntry
         * @description A line of the log: half an exchange, or an event of a connection.
         *
         *     A span that tells of an exchange gives a `request` and, once it ended, a `response` of the same
         *     `exchange`. Messages recorded on the wire (`docs/formats.md`) have none: whoever reads joins
         *     them by `connection`, direction and `rpc_id`.
         */
        McpEntry: {
            /**
             * About Id
             * @description JSON text of the id that a cancellation names.
             */
            about_id: string | null;
            /**
             * Answers
             * @description Answers that go back with the next round.
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
             * @description `TRACE.SPAN` that tells of the same exchange.
             */
            duplicate_of: string | null;
            /**
             * Exchange
             * @description `TRACE.SPAN` of the span that tells of both halves.
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
             * @description `text` is all of it.
             */
            is_whole: boolean;
            /**
             * Key
             * @description The same for the same thing, however often it is told.
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
             * @description Who told: the side that sent the request, or the one that got it.
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
             * @description Stands for `requestState`: rounds have the same.
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
             * @description The beginning of the message, as it was captured.
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
             * @description `rpc`: a JSON-RPC error came back; `tool`: a result with `isError`; `failed`: no answer came, or the client could not use it.
             * @enum {string}
             */
            kind: "rpc" | "tool" | "cancelled" | "failed";
            /** Message */
            message: string | null;
        };
        /**
         * McpFrame
         * @description `GET /sessions/{id}/mcp/frame`: one message, whole.
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
         * @description `GET /sessions/{id}/mcp`: a part of the log; not in order, since things end after others.
         */
        McpLog: {
            /**
             * Change
             * @description Ask with `since` this for what came later.
             */
            change: number;
            /** Entries */
            entries: components["schemas"]["McpEntry"][];
            /** Epoch Ns */
            epoch_ns: string;
            /**
             * Is Gap
             * @description Too much came since: read all anew.
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
             * @description system, user, assistant, tool, or what the sender wrote.
             */
            role: string;
        };
        /**
         * OpenedRequest
         * @description A request as the agent opens it; opening the same id again reclaims a lost one.
         */
        OpenedRequest: {
            /**
             * Age Ms
             * @description Time since it was opened, by the agent's clock.
             */
            age_ms: number;
            /**
             * Args Hash
             * @description SHA-256 (hex) of the arguments' UTF-8; null: there are no arguments.
             */
            args_hash: string | null;
            /**
             * Args Json
             * @description The complete arguments as exact JSON text; null: they have none.
             */
            args_json: string | null;
            /**
             * Args Text
             * @description Rendering of arguments without `args_json`.
             */
            args_text: string | null;
            /**
             * Can Always
             * @description Whether `allow_always` is possible.
             */
            can_always: boolean;
            /**
             * Default
             * @description Decision if nobody answers in time.
             */
            default: string;
            /**
             * Expires In Ms
             * @description From now on; null: never.
             */
            expires_in_ms: number | null;
            /**
             * Form Json
             * @description JSON Schema of the form of a question, as text.
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
             * @description Who wants it asked.
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
             * @description Answers to suggest, if there are any.
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
             * @description Name by which `POST /signal/{session_id}` answers a question.
             */
            signal_name: string | null;
            /**
             * Span Id
             * @description The span of the operation that waits.
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
        /** @description `opentelemetry.proto.common.v1.AnyValue`: one of these, or none. */
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
         * Payload
         * @description A value as text: JSON text is never parsed on its way, so `9007199254740993` survives.
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
            /** @description Its text, the arguments, the result, or the value. */
            clip: components["schemas"]["Clip"] | null;
            /**
             * Data
             * @description Base64; null when it is not there, or is large.
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
         * @description `GET /prices`: what the cost of LLM calls is computed from.
         */
        Prices: {
            /**
             * File
             * @description `INSPECTOR_PRICES`: prices that come before the list.
             */
            file: string | null;
            price_list: components["schemas"]["PriceSource"];
            recomputation: components["schemas"]["Recomputation"];
        };
        /**
         * PriceSource
         * @description The list of prices in use. It comes with its package; nothing is fetched.
         */
        PriceSource: {
            /**
             * Date
             * @description When that version was published; null when this release does not know it.
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
             * @description Of a `bad_query`: the index of the first wrong character.
             * @default null
             */
            position: number | null;
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
         * @description `PUT /processes/{id}`: an agent says who it is; the id is its `service.instance.id`.
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
         * @description The intervals at which the process has to report.
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
         * @description An operation reports how far it is.
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
         * @description A value that a field has.
         */
        QueryValue: {
            /**
             * Count
             * @description Number of the searched sessions, or spans, that have it.
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
             * @description With its scope: `session.agent`.
             */
            field: string;
            /**
             * Is Complete
             * @description False: only the newest were looked at.
             */
            is_complete: boolean;
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
             * @description Verdicts that only let it go on.
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
             * @description New messages before those in `said`: there are too many.
             */
            left_out: number;
            mcp: components["schemas"]["McpReading"] | null;
            /** Model */
            model: string | null;
            progress: components["schemas"]["ProgressReading"] | null;
            /**
             * Repeated
             * @description Messages that the call before had, or answered, already.
             */
            repeated: number;
            rewritten: components["schemas"]["Rewritten"] | null;
            /**
             * Said
             * @description The new messages since the previous call, then the output.
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
             * @description Attributes that the sender cut short.
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
         * @description The computation of the costs of stored LLM calls, or the last one.
         */
        Recomputation: {
            /**
             * Changed
             * @description Of them, those that got another cost.
             */
            changed: number;
            /**
             * Error
             * @description Why it ended before its time.
             */
            error: string | null;
            /** Is Running */
            is_running: boolean;
            /**
             * Looked At
             * @description LLM calls that were looked at.
             */
            looked_at: number;
        };
        /**
         * Request
         * @description Something an agent waits for a person for.
         */
        Request: {
            answer: components["schemas"]["GivenAnswer"] | null;
            /**
             * Args Hash
             * @description SHA-256 (hex) of the arguments' UTF-8; an answer has to name it.
             */
            args_hash: string | null;
            /**
             * Args Json
             * @description The complete arguments as JSON text; null when they are no JSON or too long, and when the request has closed.
             */
            args_json: string | null;
            /**
             * Args Text
             * @description Rendering of arguments without `args_json`.
             */
            args_text: string | null;
            /**
             * Can Always
             * @description `allow_always` covers what this interceptor asks in this session.
             */
            can_always: boolean;
            /** Closed At */
            closed_at: string | null;
            /** Created At */
            created_at: string;
            /**
             * Default
             * @description Decision if nobody answers in time: allow or deny.
             */
            default: string;
            /** Expires At */
            expires_at: string | null;
            /**
             * Form Json
             * @description JSON Schema of the form of a question, as text.
             */
            form_json: string | null;
            /** Hook */
            hook: string | null;
            /** Id */
            id: string;
            /**
             * Interceptor
             * @description Who wants it asked.
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
         * @description A request was closed by the agent, with the decision that counts.
         */
        RequestClosedMessage: {
            /**
             * Decision
             * @description The decision that counts; of an expired request its default.
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
             * Pending Count
             * @description Number of pending requests of all sessions.
             */
            pending_count: number;
            /** Requests */
            requests: components["schemas"]["Request"][];
        };
        /**
         * RequestOpenedMessage
         * @description A request to a person was opened.
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
             * @description Empty: LLM calls that name no model.
             */
            name: string;
            /** Running */
            running: number;
            times: components["schemas"]["Times"];
            /** Tool Calls */
            tool_calls: number;
            /** @description Without what agents (tools) below it used. */
            used: components["schemas"]["Use"];
            /** @description Including all descendants. */
            used_in_all: components["schemas"]["Use"];
            /** Wait Ns */
            wait_ns: number;
        };
        /** @description `google.rpc.Status`: why an OTLP request was not taken. */
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
             * @description By session; null: it lacks the step.
             */
            cells: (components["schemas"]["RunCell"] | null)[];
            /**
             * Depth
             * @description Number of steps above it.
             */
            depth: number;
            /**
             * Differing Below
             * @description Number of listed differences below it: a subtree that was added counts once.
             */
            differing_below: number;
            /**
             * Differs
             * @description Whether any session differs from the first one in it.
             */
            differs: boolean;
            kind: components["schemas"]["SpanKind"];
            /** Name */
            name: string;
            /**
             * Row
             * @description Number of steps before it.
             */
            row: number;
            /**
             * Size
             * @description Number of rows from it to the last step below it.
             */
            size: number;
        };
        /**
         * RunTable
         * @description A page of the steps of several sessions, as one tree.
         */
        RunTable: {
            /** Differing Count */
            differing_count: number;
            /**
             * First Difference
             * @description Row that differs first in time, in more than speed or costs.
             */
            first_difference: number | null;
            /** Next Row */
            next_row: number | null;
            /**
             * Not Compared
             * @description Spans whose content was not looked at: there is too much of it.
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
             * @description Changes when any session does, and rows with it.
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
             * @description A few places of the words of the query.
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
         * @description The newest first. A page may be short, or empty, and not the last: see `next_cursor`.
         */
        SearchResult: {
            /** @description Null without an index. */
            index?: components["schemas"]["IndexState"] | null;
            /**
             * Next Cursor
             * @description For the spans that were not looked at yet.
             */
            next_cursor: string | null;
            /**
             * Sessions
             * @description On the first page, those found in time.
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
             * @description Once it is over, and nothing failed: the last answer of a model, on one line of at most 200 characters.
             * @default null
             */
            answer: string | null;
            /**
             * Cause
             * @description Once it is over: what failed first, on one line of at most 200 characters, such as `fetch_page: 504 from mirror`. Of several, one that its root failed from.
             * @default null
             */
            cause: string | null;
            /**
             * Cause Key
             * @description The same for causes that differ in ids, numbers and paths alone.
             * @default null
             */
            cause_key: string | null;
            /**
             * Cost Usd
             * @description Null when no telemetry carried a cost.
             */
            cost_usd: number | null;
            /** Dropped Count */
            dropped_count: number;
            /**
             * Duration Ms
             * @description Time in which anything of it ran: without `idle_ms`. Null while it runs.
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
             * @description Time between its start and its end in which nothing of it ran, such as the pauses between its runs; up to `idle_since` if nothing runs now.
             * @default 0
             */
            idle_ms: number;
            /**
             * Idle Since
             * @description While it has not ended and nothing of it runs: since when.
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
             * @description While an operator holds it, also while it waits for a person besides.
             * @default null
             */
            paused_since: string | null;
            /** Services */
            services: string[];
            /**
             * Silent Since
             * @description While it runs and no process of it gives a sign of life: when something of it arrived last. Ten minutes later it is `lost`.
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
             * @description Whom it worked for, by the ids that its senders give.
             */
            users: string[];
            /**
             * Waiting Ms
             * @description Time in which any of it waited for a person, side by side counted once; up to `waiting_since` if it waits now.
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
         * @description The sessions that began in an interval.
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
             * @description Later calls, which were not read.
             */
            left_out: number;
            /** Session Id */
            session_id: string;
        };
        /**
         * SessionCount
         * @description Number of sessions that a filter finds.
         */
        SessionCount: {
            /**
             * Count
             * @description Found in this page.
             */
            count: number;
            /**
             * Next Cursor
             * @description Continues where the time of the page was up; null: all are counted.
             */
            next_cursor: string | null;
        };
        /**
         * SessionDeleted
         * @description A session was deleted, or merged into another.
         */
        SessionDeleted: {
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
         * @description A session has ended. New spans may make it run again.
         */
        SessionFinished: {
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
             * @description Oldest first, one after another.
             */
            buckets: components["schemas"]["SessionBucket"][];
            /**
             * Counted From
             * @description Earlier sessions were not counted for lack of time; null: all were.
             */
            counted_from: string | null;
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
             * @description Once it is over, and nothing failed: the last answer of a model, on one line of at most 200 characters.
             */
            answer?: string | null;
            /**
             * Cause
             * @description Once it is over: what failed first, on one line of at most 200 characters, such as `fetch_page: 504 from mirror`. Of several, one that its root failed from.
             */
            cause?: string | null;
            /**
             * Cause Key
             * @description The same for causes that differ in ids, numbers and paths alone.
             */
            cause_key?: string | null;
            /**
             * Cost Usd
             * @description Null when no telemetry carried a cost.
             */
            cost_usd: number | null;
            /** Dropped Count */
            dropped_count: number;
            /**
             * Duration Ms
             * @description Time in which anything of it ran: without `idle_ms`. Null while it runs.
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
             * @description The places of the words in its own texts.
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
             * @description Time between its start and its end in which nothing of it ran, such as the pauses between its runs; up to `idle_since` if nothing runs now.
             * @default 0
             */
            idle_ms: number;
            /**
             * Idle Since
             * @description While it has not ended and nothing of it runs: since when.
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
             * @description While an operator holds it, also while it waits for a person besides.
             */
            paused_since?: string | null;
            /** Services */
            services: string[];
            /**
             * Silent Since
             * @description While it runs and no process of it gives a sign of life: when something of it arrived last. Ten minutes later it is `lost`.
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
             * @description Whom it worked for, by the ids that its senders give.
             */
            users: string[];
            /**
             * Waiting Ms
             * @description Time in which any of it waited for a person, side by side counted once; up to `waiting_since` if it waits now.
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
            /** Sessions */
            sessions: components["schemas"]["Session"][];
        };
        /**
         * SessionStarted
         * @description A session was seen for the first time.
         */
        SessionStarted: {
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
             * @description Runs whose spans are called otherwise than their agent; at most 10 000.
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
             * @description The most expensive first; at most 500, as the others.
             */
            models: components["schemas"]["RollUp"][];
            /**
             * Not Read
             * @description Spans that were not looked into for streams, cache, hand-offs and names of agents, because they are too many.
             */
            not_read: number;
            /** Operation Count */
            operation_count: number;
            /**
             * Operations
             * @description The largest self time first, at most 1000.
             */
            operations: components["schemas"]["Operation"][];
            /** @description The list of prices in use; null of a store that no service has open. */
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
             * @description Models with calls whose tokens are known, and whose price is not; at most 500. Empty: calls that name no model.
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
         * @description A session has changed; with the whole new row.
         */
        SessionUpdated: {
            /**
             * Moved From
             * @description A trace was found to belong here; the old id answers 308.
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
         * @description What sessions used, by user, tag, model or day.
         */
        SessionUsage: {
            /**
             * Counted From
             * @description Earlier sessions were not counted for lack of time; null: all were.
             */
            counted_from: string | null;
            /** Group Count */
            group_count: number;
            /**
             * Groups
             * @description At most 1000: the most expensive first, then the most tokens; days: newest.
             */
            groups: components["schemas"]["UsageGroup"][];
            /** @description Each session once, whatever it names. */
            total: components["schemas"]["UsageTotal"];
        };
        /**
         * Signal
         * @description `POST /signal/{session_id}`: answers the pending question of that name, else is passed on.
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
         * @description The telemetry reports that the session goes on, or a question is no longer pending.
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
         * @description What one LLM call was sent, text by text.
         */
        SpanContext: {
            /**
             * Agent
             * @description The nearest agent above it.
             */
            agent: string | null;
            /**
             * Before
             * @description `TRACE.SPAN` of the call before of the same agent, which it is compared with.
             */
            before: string | null;
            /**
             * Cached Tokens
             * @description Of the input tokens; null: not reported, or more than these.
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
             * @description Pictures, sound and files, which are not measured.
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
             * @description Those that are there or were dropped.
             */
            parts: components["schemas"]["ContextPart"][];
            /**
             * Pieces
             * @description At most 2 000, as a model reads them.
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
             * Clamped
             * @description With `max_value_bytes`: the values that are cut.
             */
            clamped?: components["schemas"]["Clamped"][];
            /**
             * @description Of an LLM call: what it was sent, by part; null: nothing is known.
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
             * @description The service that sent it (`service.name`); null: it named none, or the span was stored before this was.
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
             * @description Duration of that wait; null while the span runs.
             */
            stall_ns: number | null;
            /**
             * Stall Start Ns
             * @description From its start to the longest wait for a chunk of its streamed answer, where that took more than 3 s; while it runs, to the newest chunk.
             */
            stall_start_ns: number | null;
            /** Started At */
            started_at: string;
            status: components["schemas"]["SpanStatus"];
            /** Status Message */
            status_message: string | null;
            /**
             * Subject
             * @description The tool that it calls, or the agent that runs: of its attributes, else of its name. Null for other kinds.
             */
            subject: string | null;
            /**
             * @description Of a tool call: the tool as the last LLM call before it offered it; null: none did.
             * @default null
             */
            tool_definition: components["schemas"]["ToolDefinition"] | null;
            /** @description Of an LLM call with tools; null: none before it offered any. */
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
             * @description When: `[offset_ns, duration_ns]` of each wait, by start; a null duration: it is not over. Of more than 16, the last is up to the end of all.
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
         * @description A moment inside a span: an OTLP span event, or a log record kept with it.
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
        SpanKind: "agent" | "llm" | "tool" | "workflow" | "step" | "mcp" | "resource" | "prompt" | "retrieval" | "embedding" | "memory" | "guardrail" | "http" | "other";
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
             * @description The service that sent it (`service.name`); null: it named none, or the span was stored before this was.
             */
            service: string | null;
            /** Size Bytes */
            size_bytes: number;
            /** Span Id */
            span_id: string;
            /**
             * Stall Ns
             * @description Duration of that wait; null while the span runs.
             */
            stall_ns: number | null;
            /**
             * Stall Start Ns
             * @description From its start to the longest wait for a chunk of its streamed answer, where that took more than 3 s; while it runs, to the newest chunk.
             */
            stall_start_ns: number | null;
            status: components["schemas"]["SpanStatus"];
            /**
             * Subject
             * @description The tool that it calls, or the agent that runs: of its attributes, else of its name. Null for other kinds.
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
             * @description When: `[offset_ns, duration_ns]` of each wait, by start; a null duration: it is not over. Of more than 16, the last is up to the end of all.
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
         * @description A span runs.
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
         * @description The whole new row of a span that still runs, or was re-classified.
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
             * @description Count below each of `bucket_ns`; the last: the rest.
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
         * @description A snapshot of the agent's state, or the RFC 6902 patch against the one before.
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
         * @description A change at one place of a state.
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
         * @description A state as a whole after one of its changes, and what that change was.
         */
        StateStep: {
            at: components["schemas"]["StatePlace"];
            /** Change Count */
            change_count: number;
            /**
             * Changes
             * @description Against the step before, the first 1000, in an order in which they can be applied; null when there is no such step or it is not known.
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
             * @description Positions of those on this span, the first 1000.
             */
            here: number[];
            /**
             * Is Complete
             * @description All of the session was looked at; else there may be more steps.
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
             * @description Among the changes of this state in the session, from 0.
             */
            position: number;
            previous: components["schemas"]["StatePlace"] | null;
            /**
             * Problem
             * @description The reason that the state is unknown or incomplete.
             */
            problem: string | null;
            /** @description The whole state; null when it is not known. */
            value: components["schemas"]["Payload"] | null;
        };
        /**
         * StoreHealth
         * @description The state of the store. While it cannot be written, senders are asked to wait.
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
             * @enum {string}
             */
            state: "ok" | "full" | "read_only" | "unavailable";
        };
        /**
         * StoreUsage
         * @description The size of the store, and its retention.
         */
        StoreUsage: {
            /**
             * Retention
             * @description `INSPECTOR_RETENTION`, and no more than a store in memory holds.
             */
            retention: string;
            /**
             * Used Bytes
             * @description Bytes of sessions; the file may be larger, with free pages.
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
        StreamEvent: components["schemas"]["SessionStarted"] | components["schemas"]["SessionUpdated"] | components["schemas"]["SessionFinished"] | components["schemas"]["SessionDeleted"] | components["schemas"]["SpanStarted"] | components["schemas"]["SpanUpdated"] | components["schemas"]["SpanEnded"] | components["schemas"]["ApprovalRequested"] | components["schemas"]["ApprovalResolved"] | components["schemas"]["WaitingOnSignal"] | components["schemas"]["SignalReceived"] | components["schemas"]["DecisionMade"] | components["schemas"]["ProgressUpdate"] | components["schemas"]["ResourceFetched"] | components["schemas"]["PromptUsed"] | components["schemas"]["Heartbeat"] | components["schemas"]["Gap"];
        /**
         * Streams
         * @description Timing of streamed answers, as measured by their senders.
         */
        Streams: {
            first_chunk: components["schemas"]["Spread"] | null;
            /**
             * Latest First Chunks
             * @description At most 10, the latest first.
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
             * @description The model says that it will not.
             */
            is_refusal?: boolean;
            /**
             * Parse Error
             * @description It was meant as JSON and is none: shown as it came.
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
             * @description Length of all that came.
             */
            chars: number;
            /**
             * Text
             * @description The end of it, without its last word.
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
             * @description Null when none ended; the others likewise.
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
         * @description How the tools that an LLM call offers differ from those of a call before it.
         *
         *     That is the last which offered the same, of the few before it; else the last that offered any.
         */
        ToolsBefore: {
            /**
             * Added
             * @description Names of those that are offered now only.
             */
            added: string[];
            /**
             * Changed
             * @description Names of those with another description or schema.
             */
            changed: string[];
            /**
             * Removed
             * @description Names of those that were offered then only.
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
             * @description Spans, as they were asked for, for which the answer had no room: ask again.
             */
            left_out: string[];
            /**
             * Readings
             * @description Without spans that are not there.
             */
            readings: components["schemas"]["Reading"][];
            /** Session Id */
            session_id: string;
        };
        /**
         * Transition
         * @description A request changed its status: who did it, and when.
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
         * @description Tokens that this span states. Cached and reasoning tokens are subsets.
         */
        Usage: {
            /** Cache Read Tokens */
            cache_read_tokens: number | null;
            /** Cache Write Tokens */
            cache_write_tokens: number | null;
            /**
             * Cost Source
             * @description Who says the cost: the span itself, or the prices of `GET /prices`.
             */
            cost_source: ("sender" | "prices") | null;
            /** Cost Usd */
            cost_usd: number | null;
            /** Input Tokens */
            input_tokens: number | null;
            /**
             * Is Aggregate
             * @description A sum over the spans below, by a span that calls no model itself.
             */
            is_aggregate: boolean;
            /**
             * Is Suspect
             * @description More tokens were cached than sent: the sender left them out of its input.
             */
            is_suspect: boolean;
            /** Output Tokens */
            output_tokens: number | null;
            /** Reasoning Tokens */
            reasoning_tokens: number | null;
        };
        /**
         * UsageGroup
         * @description What the sessions of one user, tag, model or day used.
         */
        UsageGroup: {
            /**
             * Cost Usd
             * @description Null when no telemetry carried a cost.
             */
            cost_usd: number | null;
            /** Input Tokens */
            input_tokens: number;
            /** Llm Calls */
            llm_calls: number;
            /**
             * Name
             * @description Empty: they name none. A day: `2026-01-31`, UTC.
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
             * @description Calls that carried tokens and no cost: `cost_usd` is without them.
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
         * @description What sessions used.
         */
        UsageTotal: {
            /**
             * Cost Usd
             * @description Null when no telemetry carried a cost.
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
             * @description Calls that carried tokens and no cost: `cost_usd` is without them.
             */
            uncosted_calls: number;
        };
        /**
         * Use
         * @description Tokens and cost, counted on the lowest spans that say any.
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
             * @description Null: not all have been heard from yet.
             */
            applied: boolean | null;
            /** Message */
            message: string;
            /**
             * Processes
             * @description Number of processes that got the command; 0: none runs here.
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
             * @description Facts about a request of HTTP, a database or messaging, by OpenTelemetry's stable names, whatever names it was sent with.
             */
            request: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** State */
            state: components["schemas"]["StateChange"][];
            tool: components["schemas"]["ToolView"] | null;
            /**
             * Truncated
             * @description Attributes that the sender cut short.
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
                /** @description `people`: without what agents and the service do by themselves, such as opening a request. What came over the API or MCP is theirs, too. */
                by?: "people" | "all";
                cursor?: string | null;
                limit?: number;
                origin?: ("browser" | "cli" | "api" | "mcp" | "agent" | "service") | null;
                /** @description A text in any part of an entry, in any case. */
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
            /** @description Merged into another session; `Location` is where. */
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
                limit?: number;
                /** @description What to look for, in the query language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words that stand in a name or a content. */
                q?: string;
                /** @description Unix time: began then or later. */
                since_ms?: number | null;
                /** @description Unix time: began before. */
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
                /** @description Only differences of these kinds; default all. */
                change?: components["schemas"]["Change"][] | null;
                /** @description Id of a session: how it was. */
                left: string;
                limit?: number;
                /** @description Differences to skip. */
                offset?: number;
                /** @description Id of another: how it became. */
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
                /** @description Only differences of these kinds; default all. */
                change?: components["schemas"]["Change"][] | null;
                /** @description All rows; default: those that differ, the top ones of what only some sessions have, and the rows above these. */
                every?: boolean;
                /** @description Id of a session: how it was. */
                left: string;
                limit?: number;
                /** @description Id of another: how it became. */
                right: string;
                /** @description The first row. */
                row?: number;
                /** @description `trace.span` whose row to look for. */
                span?: string | null;
                /** @description `version` of another page, if rows must be those of it. */
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
                /** @description All rows; default: those that differ, the top ones of what only some sessions have, and the rows above these. */
                every?: boolean;
                limit?: number;
                /** @description The first row. */
                row?: number;
                /** @description Ids; the others are compared with the first. */
                session: string[];
                /** @description `version` of another page, if rows must be those of it. */
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
                /** @description An `as_of`, or the last id seen; the header wins. */
                after?: string | null;
                /** @description Spans of these sessions only, comma-separated. Rows of other sessions then come at most once a second, unless the session came or settled. `-` is the id of no session: with it they come at once. */
                session_id?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Changes, newest version only; then live. */
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
        /** @description OTLP in JSON: one request a line, or an array, or a document; gzip or plain. Also traces of Jaeger and exports of Langfuse, in JSON, and spans as the console exporters of Python's and JavaScript's SDKs print them. */
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
            /** @description Taken; a notification has no answer. */
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
            /** @description What has not been acknowledged, oldest first; then live. */
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
                /** @description In any case. */
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
                /** @description What to look for, in the query language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words that stand in a name or a content. */
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
                /** @description What to look for, in the query language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words that stand in a name or a content. */
                q?: string;
                /** @description Unix time: began then or later. */
                since_ms?: number | null;
                /** @description Order of all sessions; `-`: descending. */
                sort?: "started" | "-started" | "changed" | "-changed" | "title" | "-title" | "duration" | "-duration" | "waiting" | "-waiting" | "spans" | "-spans" | "errors" | "-errors" | "llm_calls" | "-llm_calls" | "tool_calls" | "-tool_calls" | "tokens" | "-tokens" | "cost" | "-cost";
                /** @description Any of these. */
                status?: components["schemas"]["SessionStatus"][] | null;
                /** @description Unix time: began before. */
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
            /** @description Merged into another session; `Location` is where. */
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
            /** @description Merged into another session; `Location` is where. */
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
            /** @description Merged into another session; `Location` is where. */
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
            /** @description Merged into another session; `Location` is where. */
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
            /** @description The page of the session, to be opened without a service. Of very many spans the content of the last is left out, and the page says so. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Merged into another session; `Location` is where. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It has more than 100000 spans. */
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
            /** @description Merged into another session; `Location` is where. */
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
                /** @description Spans to look at. */
                limit?: number;
                /** @description `change` of an earlier answer: only what came later. */
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
            /** @description Merged into another session; `Location` is where. */
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
                /** @description `key` of an entry of the log. */
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
            /** @description Merged into another session; `Location` is where. */
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
            /** @description Merged into another session; `Location` is where. */
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
            /** @description Merged into another session; `Location` is where. */
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
                /** @description `columns`: one array a field. `pages`: all pages from the cursor on, each a line of columns. */
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
                    /** @description `next_cursor`, for a reader who asks for the next page while this one comes; left out on the last page. */
                    "Inspector-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpanSkeleton"] | components["schemas"]["SpanColumns"];
                    "application/x-ndjson": string;
                };
            };
            /** @description Merged into another session; `Location` is where. */
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
                /** @description The session as it was at an instant, from its `epoch_ns`. */
                at_ns?: number | null;
                /** @description False: without operations, models, tools and agents. */
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
            /** @description Merged into another session; `Location` is where. */
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
            /** @description Merged into another session; `Location` is where. */
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
                /** @description `TRACE.SPAN` of a span of the session; of an LLM call, `TRACE.SPAN~TRACE.SPAN` with the call before it in the same conversation, whose messages are then not repeated. */
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
            /** @description Merged into another session; `Location` is where. */
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
                /** @description `TRACE.SPAN`: only calls that began before it. */
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
            /** @description Merged into another session; `Location` is where. */
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
                /** @description What to look for, in the query language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words that stand in a name or a content. */
                q?: string;
                /** @description Unix time: began then or later. */
                since_ms?: number | null;
                /** @description Unix time: began before. */
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
                /** @description What to look for, in the query language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words that stand in a name or a content. */
                q?: string;
                /** @description Unix time; left out: now. */
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
                /** @description What to add up by. */
                by?: components["schemas"]["UsageKey"];
                /** @description What to look for, in the query language of `docs/query.md`: fields such as `status:failed tool:git_* tokens>10k`, and words that stand in a name or a content. */
                q?: string;
                /** @description Unix time: began then or later. */
                since_ms?: number | null;
                /** @description Unix time: began before. */
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
            /** @description Merged into another session; `Location` is where. */
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
                /** @description Limit of a value: longer ones are cut and listed in `clamped`. */
                max_value_bytes?: number | null;
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
                /** @description Number of its change in the session; default: the last on this span. */
                position?: number | null;
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
                /** @description Its place in the whole response about the span: a JSON Pointer (RFC 6901), such as `/attributes/gen_ai.input.messages`. */
                pointer: string;
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
            /** @description Text as it is; everything else as JSON. */
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
            /** @description OTLP JSON, one `TracesData` or `LogsData` a line, gzipped; with an `ETag` once nothing of the session runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            /** @description The `Range` that was asked for; one, in bytes. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            /** @description Not changed since the `ETag` that was given. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Merged into another session; `Location` is where. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It has no such bytes. */
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
            /** @description No token, or a wrong one, where it is needed. `google.rpc.Status`, in the request's encoding. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Not from there. `google.rpc.Status`, in the request's encoding. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description The body stopped coming. `google.rpc.Status`, in the request's encoding. */
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
            /** @description Unknown type or coding. `google.rpc.Status`, in the request's encoding. */
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
            /** @description Nothing can be stored now; see Retry-After. `google.rpc.Status`, in the request's encoding. */
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
            /** @description No token, or a wrong one, where it is needed. `google.rpc.Status`, in the request's encoding. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Not from there. `google.rpc.Status`, in the request's encoding. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description The body stopped coming. `google.rpc.Status`, in the request's encoding. */
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
            /** @description Unknown type or coding. `google.rpc.Status`, in the request's encoding. */
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
            /** @description Nothing can be stored now; see Retry-After. `google.rpc.Status`, in the request's encoding. */
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
            /** @description No token, or a wrong one, where it is needed. `google.rpc.Status`, in the request's encoding. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description Not from there. `google.rpc.Status`, in the request's encoding. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description The body stopped coming. `google.rpc.Status`, in the request's encoding. */
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
            /** @description Unknown type or coding. `google.rpc.Status`, in the request's encoding. */
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
            /** @description Nothing can be stored now; see Retry-After. `google.rpc.Status`, in the request's encoding. */
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
