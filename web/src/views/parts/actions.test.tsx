// @vitest-environment jsdom
import { act, cleanup, fireEvent, render } from '@testing-library/react';
import { useLayoutEffect, useMemo, useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { useActionKeys, useActions } from './actions.ts';
import { PageContext } from './context.ts';

afterEach(cleanup);

test('a key does what is shown, as soon as it is shown', () => {
  const inspector = exampleInspector({});
  const done: number[] = [];
  let show = (_step: number) => {};
  function Steps() {
    const [step, setStep] = useState(0);
    show = setStep;
    const list = useMemo(() => [{ name: 'Go', keys: ['g'], run: () => done.push(step) }], [step]);
    useActions('Steps', list);
    // As early as a key can come: the document has just changed.
    useLayoutEffect(() => {
      inspector.actions.ofKey('g')?.run();
    });
    return null;
  }
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <Steps />
    </PageContext>,
  );
  act(() => show(1));
  expect(done).toEqual([0, 1]);
});

test('single keys work while a checkbox has the focus, and not in a field', () => {
  const inspector = exampleInspector({});
  const done: string[] = [];
  function Page() {
    const list = useMemo(() => [{ name: 'Next', keys: ['j'], run: () => done.push('j') }], []);
    useActions('Page', list);
    useActionKeys();
    return (
      <>
        <input type="checkbox" />
        <input type="radio" />
        <input type="search" />
        <textarea />
      </>
    );
  }
  const { container } = render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <Page />
    </PageContext>,
  );
  const pressed = [...container.children].map((field) => {
    fireEvent.keyDown(field, { key: 'j' });
    return done.length;
  });
  expect(pressed).toEqual([1, 2, 2, 2]);
});
