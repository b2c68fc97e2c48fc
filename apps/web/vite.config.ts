// Builds the web app with relative addresses, so that it can be served below any path.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { operations } from '@svc-server/api/operations'
import { defineConfig, type Plugin } from 'vite'

const routes = Object.fromEntries(operations.map(({ id, method, path }) => [id, `${method} ${path}`]))

const inEveryPage =
  /node_modules\/(?:react|react-dom|scheduler|@tanstack\/[\w-]+)\/|\/src\/(?:api|keys)\/|\/src\/design\/(?:button|states|popover|theme)|\/src\/text\/(?:strings|units|zone)/

/** The browser can load style files in any order, so each file first declares the order of the CSS layers. */
const layerOrder: Plugin = {
  name: 'layer-order',
  enforce: 'pre',
  transform: {
    filter: { id: /\.css(?:\?|$)/ },
    handler: code => ({ code: `@layer reset, tokens, base, parts, places;\n${code}`, map: null }),
  },
}

/** For each file, the server looks for compressed copies with the suffixes `.br` and `.gz`. */
const compressed: Plugin = {
  name: 'compressed',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const [fileName, output] of Object.entries(bundle)) {
        if (!/\.(?:js|css|svg)$/.test(fileName)) continue
        const bytes = Buffer.from(output.type === 'chunk' ? output.code : output.source)
        const br = brotliCompressSync(bytes, {
          params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
        })
        this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: br })
        this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(bytes, { level: 9 }) })
      }
    },
  },
}

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  define: { apiRoutes: JSON.stringify(routes) },
  plugins: [layerOrder, compressed],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Hides the bundler's messages about directives for React's server components, because these directives have no meaning in a browser.
    rolldownOptions: {
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
      // Puts the modules that every page needs into one chunk. By default, the bundler would create many small chunks. Together, the small
      // chunks would be larger than this one chunk.
      output: { codeSplitting: { groups: [{ name: 'base', test: inEveryPage }] } },
    },
  },
  worker: { format: 'es' },
})
