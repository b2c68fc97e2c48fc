// Serves the API reference: openapi.json in Swagger UI. All files come from this server, and the content security policy permits no other
// origin.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import * as documents from '@svc-server/api/documents/operations'
import { AppError } from '@svc-server/errors'
import { ByteStream, handle, reply } from '../../request/handler.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>svc API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

const start = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#reference', docExpansion: 'none', filter: true, validatorUrl: null, deepLinking: true })
`

/** The policy allows inline styles, and images from data URLs, because the bundle uses both. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const html = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, 'x-content-type-options': 'nosniff' }
const cached = { 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' }

const require = createRequire(import.meta.url)

interface Asset {
  readonly type: string
  readonly read: () => string
}

const assets: Readonly<Record<string, Asset>> = {
  'swagger-ui.css': {
    type: 'text/css; charset=utf-8',
    read: () => readFileSync(require.resolve('swagger-ui-dist/swagger-ui.css'), 'utf8'),
  },
  'swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    read: () => readFileSync(require.resolve('swagger-ui-dist/swagger-ui-bundle.js'), 'utf8'),
  },
  'start.js': { type: 'text/javascript; charset=utf-8', read: () => start },
}

/** Loaded at the first request. */
const kept = new Map<string, Buffer>()

const stream = (bytes: Buffer) => new ByteStream(Readable.from([bytes]), bytes.length)

export const docs = handle(documents.docs, () => reply(200, stream(Buffer.from(page)), html))

export const docsAsset = handle(documents.docsAsset, ({ params: { asset } }) => {
  const found = Object.hasOwn(assets, asset) ? assets[asset]! : undefined
  if (found === undefined) throw new AppError('not_found', 'The file does not exist.')
  const bytes = kept.get(asset) ?? Buffer.from(found.read())
  kept.set(asset, bytes)
  return reply(200, stream(bytes), { ...cached, 'content-type': found.type })
})
