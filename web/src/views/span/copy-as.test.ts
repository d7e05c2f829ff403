import { expect, test } from 'vitest';
import { curlOf, pythonOf } from './copy-as.tsx';

const ADDRESS = { serviceUrl: "http://127.0.0.1:7800/it's/", trace_id: 'ab', span_id: 'cd' };

test('the address cannot end the quotes that it stands in', () => {
  expect(curlOf(ADDRESS)).toBe(
    `curl -fsS -H "Authorization: Bearer $INSPECTOR_TOKEN" 'http://127.0.0.1:7800/it'\\''s/spans/ab/cd'`,
  );
  expect(pythonOf(ADDRESS)).toContain(`"http://127.0.0.1:7800/it's/spans/ab/cd"`);
});

test('both take the token from the environment', () => {
  expect(curlOf(ADDRESS)).toContain('$INSPECTOR_TOKEN');
  expect(pythonOf(ADDRESS)).toContain("os.environ['INSPECTOR_TOKEN']");
});
