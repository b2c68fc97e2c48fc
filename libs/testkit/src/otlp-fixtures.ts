// Unchanged requests of real clients. They test the mapping with data that no specification describes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { TraceRequest } from './otlp-types.ts'
import { decodeTraceRequest } from './protobuf.ts'

export interface OtlpFixture {
  /** The client and its language, and a version if several were recorded: `ai-sdk-7-legacy`. */
  readonly client: string
  readonly case: string
  readonly contentType: 'application/json' | 'application/x-protobuf'
  /** Headers as the client spelled them, without `Host`. */
  readonly headers: Readonly<Record<string, string>>
  /** Body with the compression that the headers name. */
  readonly body: Buffer
}

const folder = join(import.meta.dirname, '../fixtures/otlp')

const contentTypes: Readonly<Record<string, OtlpFixture['contentType']>> = {
  json: 'application/json',
  pb: 'application/x-protobuf',
}

const namesIn = (path: string) => readdirSync(path).sort()

/** The requests are ordered by client and case. Several requests of a case are named `case`, `case-2`, and so on. */
export function otlpFixtures(): OtlpFixture[] {
  return namesIn(folder).flatMap(client =>
    namesIn(join(folder, client)).flatMap(file => {
      const [name, extension] = [file.slice(0, file.lastIndexOf('.')), file.slice(file.lastIndexOf('.') + 1)]
      const contentType = contentTypes[extension]
      if (contentType === undefined || name.endsWith('.headers')) return []
      const headers = JSON.parse(readFileSync(join(folder, client, `${name}.headers.json`), 'utf8')) as Record<string, string>
      return [{ client, case: name, contentType, headers, body: readFileSync(join(folder, client, file)) }]
    }),
  )
}

/** Decompressed, without tested code. */
export const plainBody = (fixture: OtlpFixture): Buffer =>
  fixtureHeader(fixture, 'content-encoding') === 'gzip' ? gunzipSync(fixture.body) : fixture.body

export const recordedRequest = (fixture: OtlpFixture): TraceRequest =>
  fixture.contentType === 'application/json'
    ? (JSON.parse(plainBody(fixture).toString('utf8')) as TraceRequest)
    : decodeTraceRequest(plainBody(fixture))

export const recordedProtobufs = (): Buffer[] =>
  otlpFixtures()
    .filter(({ contentType }) => contentType === 'application/x-protobuf')
    .map(plainBody)

/** Ignores case, and an underscore counts as a dash, because some SDKs write underscores. */
export const fixtureHeader = ({ headers }: OtlpFixture, name: string): string | undefined =>
  Object.entries(headers).find(([key]) => key.toLowerCase().replaceAll('_', '-') === name)?.[1]
