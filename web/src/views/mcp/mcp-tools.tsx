/** Toolbar of the log: find, method, errors, notifications; by caller or in time. */
import { type RefObject, useMemo } from 'react';
import type { McpCall } from '../../model/mcp/mcp-calls.ts';
import { isFault, type McpFilter } from '../../model/mcp/mcp-rows.ts';
import { plural } from '../../model/text/format.ts';
import { MCP_TEXT, PARTS_TEXT, partOf, withKey } from '../../texts.ts';
import { StatusIcon } from '../parts/icons.tsx';
import { SearchField } from '../parts/search-field.tsx';

interface McpToolsProps {
  readonly calls: readonly McpCall[];
  readonly shown: number;
  readonly filter: McpFilter;
  readonly isNested: boolean;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly onChange: (values: Readonly<Record<string, string | undefined>>) => void;
  readonly onNext: () => void;
}

const MAX_METHODS = 60;

export function McpTools(props: McpToolsProps) {
  const { calls, shown, filter, isNested, field, onChange, onNext } = props;
  const methods = useMemo(() => countMethods(calls), [calls]);
  const errors = useMemo(() => calls.filter(isFault).length, [calls]);
  return (
    <div className="ins-tools ins-mcp-tools">
      <SearchField
        ref={field}
        value={filter.find}
        label={MCP_TEXT.find}
        placeholder={MCP_TEXT.findPlaceholder}
        onChange={(find) => onChange({ find })}
        onEnter={onNext}
      />
      <label className="ins-mcp-tools__method">
        <span className="ins-hidden">{MCP_TEXT.method}</span>
        <select
          value={filter.method ?? ''}
          onChange={(event) => onChange({ method: event.target.value })}
        >
          <option value="">{MCP_TEXT.allMethods}</option>
          {methods.map(([method, count]) => (
            <option key={method} value={method}>
              {method.slice(0, 60)} ({count})
            </option>
          ))}
          {filter.method !== undefined && !methods.some(([name]) => name === filter.method) && (
            <option value={filter.method}>{filter.method.slice(0, 60)} (0)</option>
          )}
        </select>
      </label>
      <Toggle
        name={errors === 0 ? PARTS_TEXT.errors : plural(errors, 'error')}
        isOn={filter.isErrorsOnly}
        isBad={errors > 0}
        title={MCP_TEXT.errorsOnly}
        onToggle={() => onChange({ errors: filter.isErrorsOnly ? undefined : '1' })}
      />
      <Toggle
        name={MCP_TEXT.notifications}
        isOn={filter.hasNotifications}
        title={MCP_TEXT.showNotifications}
        onToggle={() => onChange({ notes: filter.hasNotifications ? '0' : undefined })}
      />
      <span className="ins-tools__found" role="status">
        {shown === calls.length
          ? plural(shown, 'message')
          : partOf(shown, plural(calls.length, 'message'))}
      </span>
      <div className="ins-tools__end">
        <Toggle
          name={MCP_TEXT.byCaller}
          isOn={isNested}
          title={withKey(isNested ? MCP_TEXT.byTimeTitle : MCP_TEXT.byCallerTitle, 'T')}
          onToggle={() => onChange({ order: isNested ? 'time' : undefined })}
        />
      </div>
    </div>
  );
}

interface ToggleProps {
  readonly name: string;
  readonly title: string;
  readonly isOn: boolean;
  readonly isBad?: boolean;
  readonly onToggle: () => void;
}

function Toggle({ name, title, isOn, isBad = false, onToggle }: ToggleProps) {
  return (
    <button
      type="button"
      className={`ins-mcp-toggle${isBad ? ' ins-mcp-toggle--bad' : ''}`}
      aria-pressed={isOn}
      title={title}
      onClick={onToggle}
    >
      {isBad && <StatusIcon shape="failed" />}
      {name}
    </button>
  );
}

function countMethods(calls: readonly McpCall[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { method } of calls) counts.set(method, (counts.get(method) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, MAX_METHODS);
}
