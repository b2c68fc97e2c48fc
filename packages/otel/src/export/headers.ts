// Headers for requests with spans. No two names differ only in case, because the fetch transport would join the values of two such names.
import { base64Encode, SVC_SDK_NAME, SVC_SDK_VERSION } from '@svc/core'

/** Headers that the exporter itself also sets. `merged` uses the exporter's spelling, so that no name has two spellings. */
const spelledByExporter: Readonly<Record<string, string>> = { 'content-type': 'Content-Type', 'user-agent': 'User-Agent' }

/** Returns the given headers, and the default headers that they do not contain. The case of a name is ignored. */
function merged(defaults: Readonly<Record<string, string>>, given: Readonly<Record<string, string>>): Record<string, string> {
  const byName = new Map<string, readonly [name: string, value: string]>()
  for (const headers of [defaults, given]) {
    for (const [name, value] of Object.entries(headers)) {
      const lower = name.toLowerCase()
      byName.set(lower, [spelledByExporter[lower] ?? name, value])
    }
  }
  return Object.fromEntries(byName.values())
}

/**
 * With the ingestion version 4, the server processes spans without delay (contract §6). If a key is missing, the header `Authorization` is
 * left out.
 */
export function exportHeaders(keys: {
  readonly publicKey: string | undefined
  readonly secretKey: string | undefined
  readonly additionalHeaders: Readonly<Record<string, string>> | undefined
}): Record<string, string> {
  const { publicKey, secretKey, additionalHeaders } = keys
  const authorization =
    publicKey !== undefined && secretKey !== undefined ? { Authorization: `Basic ${base64Encode(`${publicKey}:${secretKey}`)}` } : {}
  const defaults = {
    ...authorization,
    'x-svc-sdk-name': SVC_SDK_NAME,
    'x-svc-sdk-version': SVC_SDK_VERSION,
    'x-svc-public-key': publicKey ?? '<missing>',
    'x-svc-ingestion-version': '4',
  }
  return merged(defaults, additionalHeaders ?? {})
}
