// Identifies the SDK that wrote a span's metadata. SDKs of the newest generation send every metadata value as JSON text,
// including strings.

import type { SpanBatch } from '@svc-server/schema/span-batch'

/** For each SDK, the first major version that encodes metadata as JSON. */
const jsonSince = { python: 5, javascript: 6 } as const

const encodesJson = (language: keyof typeof jsonSince | undefined, version: string): boolean =>
  language !== undefined && Number.parseInt(version, 10) >= jsonSince[language]

const languageOfHeader = (name: string) => (name === 'python' || name === 'javascript' ? name : undefined)
const languageOfResource = (name: string) => (name === 'python' ? name : name === 'nodejs' || name === 'webjs' ? 'javascript' : undefined)

/** True for scopes whose name starts with svc-sdk. */
export const isSdkScope = (scopeName: string): boolean => scopeName.startsWith('svc-sdk')

export interface MetadataWriter {
  readonly batch: Pick<SpanBatch, 'sdkName' | 'sdkVersion'>
  readonly scopeName: string
  readonly scopeVersion: string
  /** The resource's `telemetry.sdk.language`. */
  readonly language: string
}

/** Uses the SDK name and version in the request's headers, or, without these headers, the scope's version and the resource's language. */
export function sdkEncodesMetadata({ batch, scopeName, scopeVersion, language }: MetadataWriter): boolean {
  if (encodesJson(languageOfHeader(batch.sdkName), batch.sdkVersion)) return true
  return scopeName === 'svc-sdk' && encodesJson(languageOfResource(language), scopeVersion)
}
