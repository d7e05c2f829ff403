/** Settings of this browser: theme, time zone, how times are shown. */
import { useId } from 'react';
import { localZone } from '../model/text/times.ts';
import { THEMES } from '../state/preferences.ts';
import { SETTINGS_TEXT } from '../texts.ts';
import { useInspector, usePreferences } from './parts/context.ts';
import './settings-panel.css';

export function SettingsPanel() {
  const { preferences } = useInspector();
  const { theme, timeZone, dates, wallClock } = usePreferences();
  const { themes, zones, forms, sessionTimes } = SETTINGS_TEXT;
  return (
    <div className="ins-settings">
      <Choice
        name={SETTINGS_TEXT.theme}
        value={theme}
        options={THEMES.map((one) => [one, themes[one]])}
        onChoose={(chosen) => preferences.change({ theme: chosen })}
      />
      <Choice
        name={SETTINGS_TEXT.timeZone}
        value={timeZone}
        options={[
          ['local', `${zones.local} (${localZone()})`],
          ['utc', zones.utc],
        ]}
        onChoose={(chosen) => preferences.change({ timeZone: chosen })}
      />
      <Choice
        name={SETTINGS_TEXT.dates}
        value={dates}
        options={[
          ['absolute', forms.absolute],
          ['relative', forms.relative],
        ]}
        onChoose={(chosen) => preferences.change({ dates: chosen })}
      />
      <Choice
        name={SETTINGS_TEXT.inSession}
        value={wallClock ? 'clock' : 'offset'}
        options={[
          ['offset', sessionTimes.offset],
          ['clock', sessionTimes.clock],
        ]}
        onChoose={(chosen) => preferences.change({ wallClock: chosen === 'clock' })}
      />
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>({ name, value, options, onChoose }: ChoiceProps<T>) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{name}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.target.value as T)}>
        {options.map(([one, label]) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
}
