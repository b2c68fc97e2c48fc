// Requests that real clients sent, byte by byte: what a mapping is tested against when the words of a
// specification are not enough.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { TraceRequest } from './otlp-types.ts'
import { decodeTraceRequest } from './protobuf.ts'

export interface OtlpFixture {
  /** The client with its language and, where several are kept, its version: `ai-sdk-7-legacy`. */
  readonly client: string
  readonly case: string
  readonly contentType: 'application/json' | 'application/x-protobuf'
  /** As sent, in the client's spelling; without `Host`. */
  readonly headers: Readonly<Record<string, string>>
  /** As sent: compressed when the headers say so. */
  readonly body: Buffer
}

const folder = join(import.meta.dirname, '../fixtures/otlp')

const contentTypes: Readonly<Record<string, OtlpFixture['contentType']>> = {
  json: 'application/json',
  pb: 'application/x-protobuf',
}

const namesIn = (path: string) => readdirSync(path).sort()

/**
 * Every recorded request, by client and case; a case of several requests has them as `case`, `case-2` and so
 * on.
 */
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

/** The body as it was before the client compressed it. By Node alone: nothing of it is under test. */
export const plainBody = (fixture: OtlpFixture): Buffer =>
  fixtureHeader(fixture, 'content-encoding') === 'gzip' ? gunzipSync(fixture.body) : fixture.body

/** What was asked for, whichever encoding it came in. */
export const recordedRequest = (fixture: OtlpFixture): TraceRequest =>
  fixture.contentType === 'application/json'
    ? (JSON.parse(plainBody(fixture).toString('utf8')) as TraceRequest)
    : decodeTraceRequest(plainBody(fixture))

/** Everything that was recorded as protobuf, uncompressed. */
export const recordedProtobufs = (): Buffer[] =>
  otlpFixtures()
    .filter(({ contentType }) => contentType === 'application/x-protobuf')
    .map(plainBody)

/** The value of a header, however the client spelled its name: some SDKs write underscores. */
export const fixtureHeader = ({ headers }: OtlpFixture, name: string): string | undefined =>
  Object.entries(headers).find(([key]) => key.toLowerCase().replaceAll('_', '-') === name)?.[1]
