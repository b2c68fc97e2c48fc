// The newest SDKs send every metadata value as JSON text, including strings. This module recognizes these SDKs.

import type { SpanBatch } from '@svc-server/schema/span-batch'

/** The first major version that encodes metadata as JSON. */
const jsonSince = { python: 5, javascript: 6 } as const

const encodesJson = (language: keyof typeof jsonSince | undefined, version: string): boolean =>
  language !== undefined && Number.parseInt(version, 10) >= jsonSince[language]

const languageOfHeader = (name: string) => (name === 'python' || name === 'javascript' ? name : undefined)
const languageOfResource = (name: string) => (name === 'python' ? name : name === 'nodejs' || name === 'webjs' ? 'javascript' : undefined)

export const isSdkScope = (scopeName: string): boolean => scopeName.startsWith('svc-sdk')

export interface MetadataWriter {
  readonly batch: Pick<SpanBatch, 'sdkName' | 'sdkVersion'>
  readonly scopeName: string
  readonly scopeVersion: string
  /** The resource's `telemetry.sdk.language`. */
  readonly language: string
}

/**
 * Returns true if the SDK that sent the span encodes metadata as JSON. One of two pairs must belong to such an SDK: the language and
 * version in the request's headers, or the resource's language and the version of the scope `svc-sdk`.
 */
export function sdkEncodesMetadata({ batch, scopeName, scopeVersion, language }: MetadataWriter): boolean {
  if (encodesJson(languageOfHeader(batch.sdkName), batch.sdkVersion)) return true
  return scopeName === 'svc-sdk' && encodesJson(languageOfResource(language), scopeVersion)
}
