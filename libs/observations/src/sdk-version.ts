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

const scopeName = (span: SpanView) => wireText(span.source, span.scopeNameStart, span.scopeNameEnd)

/** Scopes whose name starts with svc-sdk. */
export const isSdkScope = (span: SpanView): boolean => scopeName(span).startsWith('svc-sdk')

/** By the request's headers, or by the scope's version and the resource's language. */
export function sdkEncodesMetadata(span: SpanView): boolean {
  const { batch } = span.context
  if (encodesJson(languageOfHeader(batch.sdkName), batch.sdkVersion)) return true
  if (scopeName(span) !== 'svc-sdk') return false
  const entry = span.resource.get(languageKey)
  if (entry < 0 || span.attributes.kinds[entry] !== valueKind.text) return false
  const language = languageOfResource(wireText(span.source, span.attributes.starts[entry]!, span.attributes.ends[entry]!))
  return encodesJson(language, wireText(span.source, span.scopeVersionStart, span.scopeVersionEnd))
}
