import react from '@vitejs/plugin-react';
import type { Plugin, ProxyOptions } from 'vite';
import { defineConfig } from 'vitest/config';

const target = process.env['INSPECTOR_URL'] ?? 'http://127.0.0.1:7800';
const token = process.env['INSPECTOR_TOKEN'];

/** `npm run dev` shows the data of a running service; the token stays on this side. */
function toService(): ProxyOptions {
  return {
    target,
    changeOrigin: true,
    configure: (proxy) => {
      proxy.on('proxyReq', (request) => {
        request.removeHeader('origin');
        if (token !== undefined) request.setHeader('authorization', `Bearer ${token}`);
      });
    },
  };
}

const TEXTS_IMPORT = /import \{([^}]*)\} from '([./]*\/texts\.ts)';/g;
const TEXT_MODULE = /texts\.ts\?name=(\w+)$/;

/**
 * Has each text of the catalogue loaded by the views that show it.
 *
 * A bundler never divides a module: the first load would have the texts of all views. So each
 * export becomes a module of its own: the whole file with that one export, of which the bundler
 * drops what is unused.
 */
const splitTexts: Plugin = {
  name: 'split-texts',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    const name = TEXT_MODULE.exec(id)?.[1];
    if (name !== undefined) {
      return code.replace(/^export (?=(?:const|function) (\w+))/gm, (exported, found) =>
        found === name ? exported : '',
      );
    }
    return code.replace(TEXTS_IMPORT, (_import, names: string, file: string) =>
      names
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
        .map((one) => `import { ${one} } from '${file}?name=${one.split(' ')[0]}';`)
        .join(' '),
    );
  },
};

export default defineConfig(({ command }) => ({
  plugins: [splitTexts, react({ jsxImportSource: '#jsx' })],
  // Built assets are found from the page's `<base href>`, wherever the service is mounted.
  base: command === 'serve' ? '/ui/' : './',
  build: {
    outDir: '../inspector/static',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined assets would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '^/(health|sessions|spans|trace|events|search|requests|signal|cancel|audit|processes)(/|\\?|$)':
        toService(),
    },
  },
  test: {
    environment: 'node',
    include: ['{src,gallery}/**/*.test.{ts,tsx}'],
    // Files share the modules of their process: without that, most time goes to loading them.
    isolate: false,
    setupFiles: ['scripts/unstub-after-tests.mjs'],
    testTimeout: 60_000,
  },
}));
