// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { PageContext } from '../parts/context.ts';
import { AuditPage } from './audit-page.tsx';

afterEach(cleanup);

test('who chooses what agents did sees that this shows agents, and cannot hide them', () => {
  const inspector = exampleInspector({
    audit: () => new Promise(() => {}),
    auditExportUrl: () => '',
  });
  inspector.router.push('audit?via=agent');
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <AuditPage />
    </PageContext>,
  );
  const box = () => screen.getByRole<HTMLInputElement>('checkbox');
  expect([box().checked, box().disabled]).toEqual([true, true]);
});
