// Recorded requests of real clients, without changes. The requests test the mapping with data that no specification describes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { TraceRequest } from './otlp-types.ts'
import { decodeTraceRequest } from './protobuf.ts'

export interface OtlpFixture {
  /** Client, language, and the version if several versions were recorded. An example is `ai-sdk-7-legacy`. */
  readonly client: string
  readonly case: string
  readonly contentType: 'application/json' | 'application/x-protobuf'
  /** Headers with the client's spelling, without `Host`. */
  readonly headers: Readonly<Record<string, string>>
  /** The body has the compression that the headers name. */
  readonly body: Buffer
}

const folder = join(import.meta.dirname, '../fixtures/otlp')

const contentTypes: Readonly<Record<string, OtlpFixture['contentType']>> = {
  json: 'application/json',
  pb: 'application/x-protobuf',
}

const namesIn = (path: string) => readdirSync(path).sort()

/** Returns the requests, sorted by client and then by case. The requests of one case are named `case`, `case-2`, and so on. */
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

/** Returns the decompressed body. The function decompresses with Node, not with the code under test. */
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

/** Finds a header by its name. Ignores case, and treats an underscore as a dash, because some SDKs write underscores. */
export const fixtureHeader = ({ headers }: OtlpFixture, name: string): string | undefined =>
  Object.entries(headers).find(([key]) => key.toLowerCase().replaceAll('_', '-') === name)?.[1]
