// Event batches that published SDKs of earlier versions sent to POST /api/public/ingestion.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface IngestionFixture {
  /** Name and major version of the SDK, such as `svc-js-3`. */
  readonly client: string
  /** Headers with the SDK's spelling, but without the API key and without headers about the connection. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: {
    readonly batch: readonly {
      readonly id: string
      readonly type: string
      readonly timestamp: string
      readonly body: Readonly<Record<string, unknown>>
    }[]
  }
}

const folder = join(import.meta.dirname, '../fixtures/ingestion')

export const ingestionFixtures = (): IngestionFixture[] =>
  readdirSync(folder)
    .sort()
    .flatMap(file => {
      const requests = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Omit<IngestionFixture, 'client'>[]
      return requests.map(request => ({ client: file.slice(0, file.lastIndexOf('.')), ...request }))
    })
