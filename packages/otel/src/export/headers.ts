// Headers of a span request. The fetch transport joins names that differ in case, so each name is given once.
import { base64Encode, SVC_SDK_NAME, SVC_SDK_VERSION } from '@svc/core'

/** Spelled as the exporter spells them, so that its own values and the caller's do not meet in two spellings. */
const spelledByExporter: Readonly<Record<string, string>> = { 'content-type': 'Content-Type', 'user-agent': 'User-Agent' }

/** `given` over `defaults`, by names in any case; the spelling of `given` is kept. */
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

/** Contract §6: version 4 asks for processing without delay. Keys that are missing leave out what they would be in. */
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
