/** One service for all test files. */

import type { TestProject } from 'vitest/node';

import { ServiceProcess } from './service-process.js';

declare module 'vitest' {
  interface ProvidedContext {
    url: string;
    token: string;
    runtimeDir: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await new ServiceProcess().start();
  project.provide('url', service.url);
  project.provide('token', service.token);
  project.provide('runtimeDir', service.runtimeDir);
  return () => service.remove();
}
