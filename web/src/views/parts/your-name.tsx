/** Field for the reader's name, which is sent with what is done from this browser. */
import { cleanName, MAX_NAME } from '../../state/preferences.ts';
import { AUDIT_TEXT, PARTS_TEXT } from '../../texts.ts';
import { useInspector, usePreferences } from './context.ts';
import './your-name.css';

export function YourName() {
  const { preferences } = useInspector();
  const { name } = usePreferences();
  return (
    <label className="ins-your-name">
      <span>{PARTS_TEXT.yourName}</span>
      <input
        type="text"
        maxLength={MAX_NAME}
        placeholder={AUDIT_TEXT.yourName}
        defaultValue={name}
        onChange={(event) => preferences.change({ name: cleanName(event.target.value) })}
      />
    </label>
  );
}
