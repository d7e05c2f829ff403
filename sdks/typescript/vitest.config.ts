import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/support/one-service.ts'],
    // Each file has a process, and so an attachment, of its own.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
