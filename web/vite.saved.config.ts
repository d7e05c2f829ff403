/** Builds the page of a saved session as one file, beside the page of the service. */
import { createHash } from 'node:crypto';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const EDITOR = /\/code-editor\.tsx$/;

/** The editor of arguments is half of the page, and nothing is edited in a saved session. */
const withoutEditor: Plugin = {
  name: 'without-editor',
  load: (id) => (EDITOR.test(id) ? 'export default undefined;' : null),
};

/** Put script, style and icon into the page, and allow it these alone. */
const inOneFile: Plugin = {
  name: 'in-one-file',

  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const files = Object.values(bundle);
      const script = files.flatMap((file) => (file.type === 'chunk' ? [file.code] : []));
      const style = files.flatMap((file) =>
        file.type === 'asset' && file.fileName.endsWith('.css') ? [String(file.source)] : [],
      );
      const page = files.find((file) => file.fileName === 'saved.html');
      if (script.length !== 1 || style.length !== 1 || page?.type !== 'asset') {
        throw new Error(
          `One script, one style and one page were to be built, not: ${Object.keys(bundle)}.`,
        );
      }
      const [code, rules] = [inert(script.join('')), style.join('')];
      if (/<\/style/i.test(rules)) throw new Error('A style would end early.');
      const policy = [
        "default-src 'none'",
        `script-src '${hashOf(code)}'`,
        `style-src '${hashOf(rules)}'`,
        'img-src data: blob:',
        'media-src data: blob:',
        "base-uri 'none'",
        "form-action 'none'",
      ];
      const head = `<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}" />
    <link rel="icon" href="data:," />
    <style>${rules}</style>`;
      const html = String(page.source)
        .replace(/\s*<(?:script|link)\b[^>]*\b(?:src|href)="[^"]*"[^>]*>(?:<\/script>)?/g, '')
        .replace(/(<meta charset="utf-8" \/>)/, (charset) => `${charset}\n    ${head}`)
        .replace('</body>', () => `<script type="module">${code}</script>\n  </body>`);
      for (const file of files) delete bundle[file.fileName];
      this.emitFile({ type: 'asset', fileName: 'saved.html', source: html });
    },
  },
};

/** The same script, which neither ends nor hides the element that it is in. */
function inert(code: string): string {
  return code.replaceAll(/<(?=\/script|script|!--)/gi, '\\x3C');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

export default defineConfig({
  plugins: [react({ jsxImportSource: '#jsx' }), withoutEditor, inOneFile],
  base: './',
  publicDir: false,
  build: {
    outDir: '../inspector/static',
    emptyOutDir: false,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { input: 'saved.html', output: { codeSplitting: false } },
  },
});
