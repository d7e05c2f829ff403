import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/support/one-service.ts'],
    // Each file has a process, and so an attachment, of its own.
    pool: 'forks',
    testTimeout: 30_000,
  },
});
