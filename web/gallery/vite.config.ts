/** Builds the gallery as static files for any server: `npm run gallery:build`. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react({ jsxImportSource: '#jsx' })],
  base: './',
  publicDir: 'public',
  build: {
    outDir: 'dist/gallery',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    minify: false,
    rolldownOptions: { input: 'gallery.html' },
  },
});
