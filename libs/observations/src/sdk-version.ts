// Which writer a span's metadata comes from. SDKs of the newest generation send every metadata value as JSON text, strings included.

import { valueKind } from './attributes/any-value.ts'
import { wireText } from './attributes/json-text.ts'
import { keyNumber } from './attributes/keys.ts'
import type { SpanView } from './span-view.ts'

const languageKey = keyNumber('telemetry.sdk.language')

/** First major version that encodes metadata as JSON. */
const jsonSince = { python: 5, javascript: 6 } as const

const encodesJson = (language: keyof typeof jsonSince | undefined, version: string): boolean =>
  language !== undefined && Number.parseInt(version, 10) >= jsonSince[language]

const languageOfHeader = (name: string) => (name === 'python' || name === 'javascript' ? name : undefined)
const languageOfResource = (name: string) => (name === 'python' ? name : name === 'nodejs' || name === 'webjs' ? 'javascript' : undefined)

/** Scopes whose name starts with svc-sdk. */
export const isSdkScope = (span: SpanView): boolean => span.scopeName.startsWith('svc-sdk')

/** By the request's headers, or by the scope's version and the resource's language. */
export function sdkEncodesMetadata(span: SpanView): boolean {
  const { batch } = span.context
  if (encodesJson(languageOfHeader(batch.sdkName), batch.sdkVersion)) return true
  if (span.scopeName !== 'svc-sdk') return false
  return encodesJson(languageOfResource(languageOf(span)), span.scopeVersion)
}

/** The resource's `telemetry.sdk.language`. */
export function languageOf(span: SpanView): string {
  const entry = span.resource.get(languageKey)
  if (entry < 0 || span.attributes.kinds[entry] !== valueKind.text) return ''
  return wireText(span.source, span.attributes.starts[entry]!, span.attributes.ends[entry]!)
}
